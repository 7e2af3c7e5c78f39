import { contract, type EndpointShape } from '@moorage/api';
import { unwrap, VirtualClock } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkDeviceLogin } from '../../core/auth/credentials.ts';
import { limits, ofNetwork } from '../../core/auth/throttle.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { networksOf } from '../../engine/http/client-address.ts';
import { clientId, fakeProvider, issuer } from '../../testing/fake-provider.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { pageOf, password, toSign, withPasskey } from '../../testing/passkey-scene.ts';
import { openSingleSignOn } from './single-sign-on.ts';

type Person = Awaited<ReturnType<typeof withPasskey>>;
interface World {
  readonly app: TestApp;
  /** The same with a provider that signs people in. */
  readonly sso: TestApp;
  readonly ada: Person;
  /** Calls of a page at an address. */
  readonly page: ReturnType<typeof pageOf>;
  readonly ip: string;
}
/** Shows something wrong; the code of the refusal. */
type Wrong = (world: World) => Promise<string>;

interface Way {
  /** Whose limits: of an account, of one by a proof that cannot be guessed, or of nothing but the address. */
  readonly of: 'account' | 'passkey' | 'secret';
  readonly code: string;
  readonly wrong: Wrong;
}

const wrongPassword = 'wrong horse';
const evil = { origin: 'https://evil.example' };
const codeOf = (reply: { ok: boolean; error?: { body: { code?: string } } }) => reply.error?.body.code ?? 'ok';
/** A request of any endpoint, with a body that fits it. */
const send =
  (name: string, request: (world: World) => object | Promise<object>, of: 'app' | 'sso' = 'app'): Wrong =>
  async (world) => {
    const [group = '', entry = ''] = name.split('.');
    const { method, path, auth } = byName[`${group}.${entry}`] ?? { method: 'GET', path: '', auth: 'none' };
    const { params = {}, ...payload } = (await request(world)) as { params?: Record<string, string> };
    const url = path.replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? '');
    const headers = { 'x-console': '1', ...(auth === 'bearer' && { authorization: `Bearer ${world.ada.token}` }) };
    const reply = await world[of].api.inject({ method, url, payload, headers, remoteAddress: world.ip });
    return reply.json().code ?? 'ok';
  };

const byName: Readonly<Record<string, EndpointShape>> = Object.fromEntries(
  Object.entries(contract).flatMap(([group, entries]) =>
    Object.entries(entries).map(([name, entry]: [string, EndpointShape]) => [`${group}.${name}`, entry]),
  ),
);
const fieldsOf = ({ body }: EndpointShape): string[] =>
  // Safe: a schema is an object of keywords; of what has no properties there are none.
  Object.keys((body as { properties?: object } | undefined)?.properties ?? {});

const wrongLogin = ({ ada }: World) => ({ username: ada.name, password: wrongPassword });
const account = (name: string, code: string, request: Parameters<typeof send>[1]): [string, Way] => [
  name,
  { of: 'account', code, wrong: send(name, request) },
];
const secret = (name: string, code: string, request: object, of: 'app' | 'sso' = 'app'): [string, Way] => [
  name,
  { of: 'secret', code, wrong: send(name, () => request, of) },
];
const wrongCode = async ({ page, ada }: World) => {
  const login = await page.call('auth.login', { body: { username: ada.name, password } });
  return { challenge: login.ok ? '' : login.error.body.challenge, code: 'abcdef' };
};
const wrongPasskey = async ({ page, ada }: World) => ({ credential: ada.key.show(await toSign(page), evil) });
const invited = { invitation: 'x', email: 'new@example.com', password };

/** What else has to be there, of endpoints that take the password again. */
const besidePassword: Readonly<Record<string, (world: World) => object>> = {
  'session.changePassword': () => ({ password: 'battery staple' }),
};

/** Every way to try a password or another secret of a person. */
const ways: Readonly<Record<string, Way>> = Object.fromEntries([
  account('auth.login', 'WRONG_LOGIN', wrongLogin),
  account('session.open', 'WRONG_LOGIN', wrongLogin),
  ...Object.keys(byName)
    .filter((name) => fieldsOf(byName[name] ?? contract.auth.policy).includes('current_password'))
    .map((name) =>
      account(name, 'WRONG_PASSWORD', (world) => ({
        ...besidePassword[name]?.(world),
        current_password: wrongPassword,
      })),
    ),
  account('factors.login', 'WRONG_SECOND_FACTOR', wrongCode),
  account('factors.open', 'WRONG_SECOND_FACTOR', wrongCode),
  account('factors.confirmTotp', 'WRONG_SECOND_FACTOR', () => ({ code: '000000' })),
  ['passkeys.open', { of: 'passkey', code: 'WRONG_PASSKEY', wrong: send('passkeys.open', wrongPasskey) }],
  secret('sso.finish', 'SSO_STATE', { query: 'state=x' }, 'sso'),
  secret('links.reset', 'WRONG_LINK', { token: 'x', password }),
  secret('links.confirm', 'WRONG_LINK', { token: 'x' }),
  secret('links.undo', 'WRONG_LINK', { token: 'x' }),
  secret('auth.invitation', 'WRONG_INVITATION', { invitation: 'x' }),
  secret('auth.signup', 'WRONG_INVITATION', invited),
  secret('session.signup', 'WRONG_INVITATION', invited),
]);
/** Ways that have no endpoint of their own. */
const more: Readonly<Record<string, Way>> = {
  'login of a device': {
    of: 'account',
    code: 'WRONG_LOGIN',
    async wrong({ app, ip, ...world }) {
      const found = await checkDeviceLogin(app.service.deps, { ...wrongLogin({ app, ip, ...world }), ip });
      return found.ok ? 'ok' : found.error.code;
    },
  },
  'a factor again': {
    of: 'account',
    code: 'WRONG_SECOND_FACTOR',
    wrong: send('proof.show', () => ({ code: 'abcdef' })),
  },
  'a passkey as the second step': {
    of: 'account',
    code: 'WRONG_PASSKEY',
    wrong: send('passkeys.open', async (world) => {
      const { challenge = '' } = await wrongCode(world);
      return { challenge, credential: world.ada.key.show(await toSign(world.page, challenge), evil) };
    }),
  },
};
/** Endpoints without a token that look at no secret of a person: what these begin has limits of its own, or it is a device's. */
const noSecret = ['links.forgotten', 'passkeys.begin', 'sso.start', 'broadcasts.receive', 'channel.send'];

describe('ways to try a secret of a person', () => {
  it('are all in the table', () => {
    const tries = Object.entries(byName).filter(
      ([, entry]) =>
        (entry.auth === 'none' && fieldsOf(entry).length > 0) ||
        (entry.path.startsWith('/api/user/') &&
          fieldsOf(entry).some((field) => ['current_password', 'code'].includes(field))),
    );
    expect(tries.map(([name]) => name).toSorted()).toEqual([...Object.keys(ways), ...noSecret].toSorted());
    const silent = Object.keys(ways).filter((name) => !byName[name]?.errors.includes(429));
    expect(silent.filter((name) => byName[name]?.auth === 'none')).toEqual([]);
  });
});

// API-LIMIT-login, API-LIMIT-factor, API-RULE-known-1
eachDatabase('failed proofs', (open) => {
  let storage: Storage;
  let app: TestApp;
  let sso: TestApp;
  beforeAll(async () => {
    storage = await open();
    app = await buildApp(storage, { settings: { signUp: 'open' } });
    const settings = { oidcIssuer: issuer, oidcClientId: clientId, oidcName: 'ID', publicUrl: 'https://hub.test' };
    const provider = openSingleSignOn(settings, new VirtualClock(), undefined, fakeProvider().fetch);
    if (!provider) throw new Error('There is no single sign-on');
    sso = await buildApp(storage, { settings, sso: provider });
  });

  let networks = 0;
  const site = () => `2001:db8:${(++networks).toString(16)}`;
  const world = (ada: Person, ip: string): World => ({ app, sso, ada, page: pageOf(app, { address: ip }), ip });
  /** How many of the tries from these addresses are looked at. */
  async function looksAt({ code, wrong }: Way, ada: Person, ips: readonly string[]): Promise<number> {
    const codes: string[] = [];
    for (const ip of ips) codes.push(await wrong(world(ada, ip)));
    expect(codes.filter((one) => one !== code && one !== 'TOO_MANY_LOGINS')).toEqual([]);
    return codes.filter((one) => one === code).length;
  }
  const many = (count: number, ipOf: (index: number) => string) => Array.from({ length: count }, (_, at) => ipOf(at));
  const sites = (count: number) => many(count, () => `${site()}::1`);

  const all = Object.entries({ ...ways, ...more });
  it.each(all.filter(([, { of }]) => of !== 'secret'))(
    '%s: is bounded for a network and for all, and open to who is known',
    async (_, way) => {
      const ada = await withPasskey(app);
      const net = site();
      // One network does not close the account, not even for strangers elsewhere.
      expect(
        await looksAt(
          way,
          ada,
          many(22, (index) => `${net}:${index}::1`),
        ),
      ).toBe(limits.loginOfNetwork.most);
      const rest = limits.loginInAll.most - limits.loginOfNetwork.most;
      expect(await looksAt(way, ada, sites(rest + 2))).toBe(way.of === 'passkey' ? rest + 2 : rest);
      const [near = '', far = ''] = [ada.home.replace(/1$/, '9'), ada.home];
      expect(await looksAt(way, ada, [far, near])).toBe(2);
    },
  );

  it.each(all.filter(([, { of }]) => of === 'secret'))(
    '%s: is bounded for an address and a network',
    async (_, way) => {
      const ada = await withPasskey(app);
      const net = site();
      const { attempts } = app.service.deps;
      const ofSite = ofNetwork(limits.loginOfAddress);
      for (let time = 1; time < ofSite.most; time++) {
        unwrap(await attempts.begin(ofSite, networksOf(`${net}::1`).network));
      }
      expect(
        await looksAt(
          way,
          ada,
          many(3, (index) => `${net}:${index}::1`),
        ),
      ).toBe(1);
      // More than 2^140 values are not found by trying, from however many networks.
      expect(await looksAt(way, ada, sites(3))).toBe(3);
    },
  );

  it('of a password: 150 addresses of a /48 and 60 of IPv4 find nothing out, and keep nobody out', async () => {
    const ada = await withPasskey(app);
    const login = (ip: string, chosen: string) =>
      pageOf(app, { address: ip })
        .call('auth.login', { body: { username: ada.name, password: chosen } })
        .then(codeOf);
    const net = site();
    const guesses = [...many(150, (index) => `${net}:${index}::1`), ...many(60, (index) => `203.0.${index}.1`)];
    for (const ip of guesses) await login(ip, wrongPassword);
    for (const ip of [`${net}:ffff::1`, '203.0.99.1']) expect(await login(ip, password)).toBe('TOO_MANY_LOGINS');
    // What is right, from where the account has come in before, at its address and beside it.
    expect(await login(ada.home, password)).toBe('SECOND_FACTOR_REQUIRED');
    expect(await login(ada.home.replace(/1$/, '7'), password)).toBe('SECOND_FACTOR_REQUIRED');
    // From elsewhere by a passkey; from then on that is known too.
    const away = pageOf(app, { address: '198.51.100.1' });
    expect(await login('198.51.100.1', password)).toBe('TOO_MANY_LOGINS');
    const opened = await away.call('passkeys.open', { body: { credential: ada.key.show(await toSign(away)) } });
    expect(codeOf(opened)).toBe('ok');
    expect(await login('198.51.100.1', password)).toBe('SECOND_FACTOR_REQUIRED');
    await app.clock.advance(limits.loginInAll.windowMs);
    expect(await login('203.0.99.1', password)).toBe('SECOND_FACTOR_REQUIRED');
  });

  it('of a name that nobody has are refused after as many', async () => {
    const login = (ip: string) =>
      pageOf(app, { address: ip })
        .call('auth.login', { body: { username: 'nobody', password: wrongPassword } })
        .then(codeOf);
    const codes: string[] = [];
    for (const ip of sites(51)) codes.push(await login(ip));
    expect(codes.filter((code) => code === 'WRONG_LOGIN')).toHaveLength(50);
    expect(codes.at(-1)).toBe('TOO_MANY_LOGINS');
  });

  it('forget where an account was known after 30 days', async () => {
    const ada = await withPasskey(app);
    const way = ways['auth.login'];
    if (!way) throw new Error('There is no login');
    await looksAt(way, ada, sites(50));
    expect(await looksAt(way, ada, [ada.home])).toBe(1);
    await app.clock.skip(30 * 86_400_000);
    await looksAt(way, ada, sites(50));
    expect(await looksAt(way, ada, [ada.home])).toBe(0);
  });
});
