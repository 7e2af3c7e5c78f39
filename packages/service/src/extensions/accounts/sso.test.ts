import { consoleHeader } from '@moorage/api';
import { unwrap, VirtualClock } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../core/auth/throttle.ts';
import type { Storage } from '../../engine/db/storage.ts';
import type { SsoGroups } from '../../engine/settings/sso-groups.ts';
import { auditedActions } from '../../testing/audited.ts';
import { clientId, type Forgery, fakeProvider, issuer } from '../../testing/fake-provider.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { openSingleSignOn } from './single-sign-on.ts';
import { deleteOldSignIns } from './sso-queries.ts';

const settings = {
  oidcIssuer: issuer,
  oidcClientId: clientId,
  oidcName: 'Harbour ID',
  publicUrl: 'https://hub.test',
} as const;

type Provider = ReturnType<typeof fakeProvider>;

async function appWith(
  storage: Storage,
  { groups, accounts = 'create' }: { groups?: SsoGroups; accounts?: 'create' | 'invited' } = {},
) {
  const provider = fakeProvider();
  const clock = new VirtualClock();
  const sso = openSingleSignOn(settings, clock, groups && { groups }, provider.fetch);
  if (!sso) throw new Error('There is no single sign-on');
  const app = await buildApp(storage, { settings: { ...settings, oidcAccounts: accounts }, sso });
  return { app, provider, clock };
}

let addresses = 0;

/** A browser with a page of the service, at an address of its own: it keeps cookies. */
function browser({ api }: TestApp) {
  const remoteAddress = `10.0.0.${++addresses}`;
  const cookies = new Map<string, string>();
  const call = async (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object, headers: object = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = { host: 'hub.test', [consoleHeader.name]: consoleHeader.value, ...(cookie && { cookie }), ...headers };
    const reply = await api.inject({ method, url, headers: own, remoteAddress, ...(body && { payload: body }) });
    const [, name, value] = /^(\w+)=([^;]*)/.exec(String(reply.headers['set-cookie'] ?? '')) ?? [];
    if (name !== undefined && value !== undefined) cookies.set(name, value);
    return { status: reply.statusCode, body: reply.json(), cookie: reply.headers['set-cookie'] };
  };
  return {
    call,
    remoteAddress,
    start: async (returnTo?: string): Promise<string> => {
      const body = returnTo === undefined ? {} : { return_to: returnTo };
      return (await call('POST', '/api/auth/sso', body)).body.url;
    },
    finish: (query: string) => call('POST', '/api/auth/sso/finish', { query }),
  };
}

const refused = (status: number, code: string) => ({ status, body: { code }, cookie: undefined });

eachDatabase('single sign-on', (open) => {
  let storage: Storage;
  let app: TestApp;
  let provider: Provider;
  beforeAll(async () => {
    storage = await open();
    ({ app, provider } = await appWith(storage));
  });

  const person = (name: string, more: object = {}) => ({ sub: `s-${name}`, email: `${name}@corp.test`, ...more });
  /** Signs somebody in with a browser of their own. */
  const signIn = async (
    who: object,
    forgery: Forgery = {},
    at: { app: TestApp; provider: Provider } = { app, provider },
  ) => {
    const page = browser(at.app);
    const reply = await page.finish(at.provider.signIn(await page.start(), { ...who }, forgery));
    return { ...reply, page };
  };
  const userOf = (email: string) =>
    storage.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

  // API-EP-POST-auth-sso, API-EP-POST-auth-sso-finish
  it('makes an account at the first sign-in, and finds it again by who it is to the provider', async () => {
    const policy = unwrap(await app.client.call('auth.policy')).value;
    expect(policy.sso).toBe('Harbour ID');
    const page = browser(app);
    const url = new URL(await page.start('/devices?state=online'));
    expect(url.origin + url.pathname).toBe(`${issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: 'https://hub.test/sso',
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    const first = await page.finish(provider.signIn(url.href, person('ada', { given_name: 'Ada' })));
    expect(first).toMatchObject({
      status: 200,
      body: { session: { username: 'ada', role: 'user', initial_password: false }, return_to: '/devices?state=online' },
    });
    expect(String(first.cookie)).toMatch(/^moorage_session=.*Path=\/api; HttpOnly; SameSite=Strict/);
    expect((await page.call('GET', '/api/user')).body).toMatchObject({ email: 'ada@corp.test', name_given: 'Ada' });
    const again = await signIn({ sub: 's-ada', email: 'other@corp.test', email_verified: false });
    expect(again.body.session.user_id).toBe(first.body.session.user_id);
    expect(await auditedActions(app.storage)).toEqual(['sso.finish', 'sso.finish']);
  });

  // API-RULE-sso-1
  describe('what came back from the provider', () => {
    it('counts once', async () => {
      const page = browser(app);
      const query = provider.signIn(await page.start(), person('once'));
      expect((await page.finish(query)).status).toBe(200);
      expect(await page.finish(query)).toMatchObject(refused(403, 'SSO_STATE'));
    });

    it('counts in the browser that began it, and another one does not use it up', async () => {
      const [mine, other] = [browser(app), browser(app)];
      const query = provider.signIn(await mine.start(), person('attacker'));
      expect(await other.finish(query)).toMatchObject(refused(403, 'SSO_STATE'));
      await other.start();
      expect(await other.finish(query)).toMatchObject(refused(403, 'SSO_STATE'));
      expect((await mine.finish(query)).status).toBe(200);
    });

    it('counts for ten minutes, and is forgotten after that', async () => {
      const page = browser(app);
      const query = provider.signIn(await page.start(), person('late'));
      await app.clock.advance(600_001);
      expect(await page.finish(query)).toMatchObject(refused(403, 'SSO_STATE'));
      await deleteOldSignIns(storage.db, app.clock.now());
      const rows = await storage.db.selectFrom('sso_attempts').select('expires_at').execute();
      expect(rows.filter(({ expires_at }) => expires_at < app.clock.now())).toEqual([]);
    });

    it('does not count from another site', async () => {
      const page = browser(app);
      const strange = { [consoleHeader.name]: '0' };
      expect((await page.call('POST', '/api/auth/sso', {}, strange)).body.code).toBe('CROSS_SITE');
      const query = provider.signIn(await page.start(), person('strange'));
      const body = { query };
      expect((await page.call('POST', '/api/auth/sso/finish', body, strange)).body.code).toBe('CROSS_SITE');
    });

    it('says in its own words that the provider has refused', async () => {
      const page = browser(app);
      const state = new URL(await page.start()).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ error: 'access_denied', state, iss: issuer }).toString();
      expect(await page.finish(query)).toMatchObject({
        ...refused(403, 'SSO_REFUSED'),
        body: { message: 'The provider did not sign you in (access_denied)' },
      });
    });
  });

  it.each(['https://evil.test', '//evil.test', '/\\evil.test', 'evil', '/a\\b', '/a b'])(
    'leads to no other place than the console: %j',
    async (return_to) => {
      const reply = await browser(app).call('POST', '/api/auth/sso', { return_to });
      expect(reply).toMatchObject({ status: 400, body: { validation: { source: 'body', keys: ['return_to'] } } });
    },
  );

  it('has the provider send people to the public address, whatever host a request names', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test' };
    const { body } = await browser(app).call('POST', '/api/auth/sso', {}, headers);
    expect(new URL(body.url).searchParams.get('redirect_uri')).toBe('https://hub.test/sso');
  });

  describe('believes no token', () => {
    const past = 1_000_000_000;
    it.each<[string, Forgery]>([
      ['without a signature', { unsigned: true }],
      ['signed by another key', { wrongKey: true }],
      ['signed by a key that is not known', { header: { kid: 'other' } }],
      ['for another service', { claims: { aud: 'another' } }],
      ['that is over', { claims: { iat: past, exp: past + 60 } }],
      ['of another provider', { claims: { iss: 'https://evil.test' } }],
      ['that was not asked for here', { claims: { nonce: 'another' } }],
      ['without a nonce', { claims: { nonce: undefined } }],
      ['without a person', { claims: { sub: '' } }],
    ])('%s', async (_, forgery) => {
      expect(await signIn(person('forged'), forgery)).toMatchObject(refused(403, 'SSO_INVALID'));
      expect(await userOf('forged@corp.test')).toBeUndefined();
    });
  });

  it.each([
    ['another provider', (query: URLSearchParams) => query.set('iss', 'https://evil.test')],
    ['no provider', (query: URLSearchParams) => query.delete('iss')],
    ['two states', (query: URLSearchParams) => query.append('state', 'another')],
  ])('takes no answer that names %s', async (_, change) => {
    const page = browser(app);
    const query = new URLSearchParams(provider.signIn(await page.start(), person('mixed')));
    change(query);
    expect(await page.finish(query.toString())).toMatchObject(refused(403, 'SSO_INVALID'));
  });

  it('takes no code twice, and none of another sign-in', async () => {
    const [victim, attacker] = [browser(app), browser(app)];
    const stolen = new URLSearchParams(provider.signIn(await victim.start(), person('victim')));
    const own = new URLSearchParams(provider.signIn(await attacker.start(), person('thief')));
    own.set('code', stolen.get('code') ?? '');
    expect(await attacker.finish(own.toString())).toMatchObject(refused(403, 'SSO_INVALID'));
    // The provider has seen it now, and gives nothing for it any more.
    expect(await victim.finish(stolen.toString())).toMatchObject(refused(403, 'SSO_INVALID'));
    const types = await storage.db.selectFrom('logs').select('data').where('type', '=', 'user.login_failed').execute();
    expect(types.map(({ data }) => JSON.parse(data).code)).toContain('SSO_INVALID');
  });

  // API-RULE-sso-2
  describe('an account with the same address', () => {
    it("is nobody else's while it has not confirmed that address", async () => {
      await app.make.user({ email: 'squat@corp.test' });
      expect(await signIn(person('squat'))).toMatchObject(refused(409, 'SSO_ADDRESS_TAKEN'));
    });

    it('is not found by an address that the provider has not confirmed', async () => {
      await app.make.user({ email: 'boss@corp.test', email_confirmed_at: 1 });
      for (const email_verified of [false, undefined, 'no', 1]) {
        expect(await signIn(person('boss', { email_verified }))).toMatchObject(refused(403, 'SSO_NO_ADDRESS'));
      }
    });

    it('is linked when both have confirmed it', async () => {
      const { id } = await app.make.user({ email: 'both@corp.test', email_confirmed_at: 1 });
      expect((await signIn(person('both', { email: 'Both@Corp.test' }))).body.session.user_id).toBe(id);
      expect((await signIn({ sub: 's-both' })).body.session.user_id).toBe(id);
    });

    it("of the same subject at another provider is another person's", async () => {
      await signIn(person('double'));
      const rows = await storage.db
        .selectFrom('sso_links')
        .select(['issuer'])
        .where('subject', '=', 's-double')
        .execute();
      expect(rows).toEqual([{ issuer }]);
      await storage.db
        .updateTable('sso_links')
        .set({ issuer: 'https://old.test' })
        .where('subject', '=', 's-double')
        .execute();
      expect(await signIn(person('double', { email: undefined }))).toMatchObject(refused(403, 'SSO_NO_ADDRESS'));
    });
  });

  it('keeps disabled accounts out', async () => {
    await signIn(person('gone'));
    await storage.db.updateTable('users').set({ disabled_at: 1 }).where('email', '=', 'gone@corp.test').execute();
    expect(await signIn(person('gone'))).toMatchObject(refused(403, 'ACCOUNT_DISABLED'));
    const again = await signIn(person('gone', { sub: 's-gone-again' }));
    expect(again).toMatchObject(refused(403, 'ACCOUNT_DISABLED'));
  });

  it('lets in those with an invitation alone, where the setting says so', async () => {
    const at = await appWith(storage, { accounts: 'invited' });
    expect(await signIn(person('uninvited'), {}, at)).toMatchObject(refused(403, 'SSO_NO_ACCOUNT'));
    const admin = await at.app.make.user({ role: 'admin', username: 'inviter', email: 'inviter@corp.test' });
    const body = { email: 'invited@corp.test', role: 'admin' } as const;
    unwrap(await at.app.client.as(admin.token).call('invitations.create', { body }));
    const { body: reply } = await signIn(person('invited'), {}, at);
    expect(reply.session).toMatchObject({ username: 'invited', role: 'admin' });
    const spent = await storage.db
      .selectFrom('invitations')
      .select('used_by')
      .where('email', '=', body.email)
      .execute();
    expect(spent).toEqual([{ used_by: reply.session.user_id }]);
    expect((await signIn(person('invited'), {}, at)).status).toBe(200);
  });

  // API-RULE-sso-3
  it('gives at each sign-in what the groups say, and takes the rest', async () => {
    const admin = await app.make.user({ role: 'admin' });
    const platform = await app.make.platform();
    const product = () => app.make.product({ platform_id: platform.id, user_id: admin.id });
    const [managed, free] = [await product(), await product()];
    const groups: SsoGroups = {
      claim: 'teams',
      groups: {
        admins: { role: 'admin' },
        makers: { products: { [managed.id]: 'manager' } },
        testers: { products: { [managed.id]: 'tester', '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e': 'tester' } },
      },
    };
    const at = await appWith(storage, { groups });
    const with_ = (...teams: string[]) => signIn(person('grace', { teams }), {}, at);
    const memberships = async (userId: string) =>
      storage.db
        .selectFrom('product_users')
        .select(['product_id', 'role'])
        .where('user_id', '=', userId)
        .orderBy('role')
        .execute();
    expect(await with_('others')).toMatchObject(refused(403, 'SSO_NO_GROUP'));
    const first = (await with_('admins', 'testers', 'makers')).body.session;
    expect(first.role).toBe('admin');
    expect(await memberships(first.user_id)).toEqual([{ product_id: managed.id, role: 'manager' }]);
    await storage.db
      .insertInto('product_users')
      .values({ product_id: free.id, user_id: first.user_id, role: 'tester', created_at: 1 })
      .execute();
    const { body, page } = await with_('testers');
    expect(body.session.role).toBe('user');
    expect((await page.call('GET', '/api/users')).status).toBe(403);
    expect(await memberships(first.user_id)).toHaveLength(2);
    await storage.db.updateTable('users').set({ role: 'admin' }).where('id', '=', first.user_id).execute();
    await storage.db.updateTable('users').set({ role: 'user' }).where('id', '!=', first.user_id).execute();
    // Nobody could administer the service otherwise.
    expect((await with_('makers')).body.session.role).toBe('admin');
    await storage.db.updateTable('users').set({ role: 'admin' }).where('id', '=', admin.id).execute();
    expect((await with_('makers')).body.session.role).toBe('user');
    expect(await with_()).toMatchObject(refused(403, 'SSO_NO_GROUP'));
    const logged = await storage.db.selectFrom('logs').select('message').where('user_id', '=', first.user_id).execute();
    expect(logged.map(({ message }) => message)).toContain('Account grace is user by the groups of the provider');
  });

  // API-EP-POST-user-sso, API-EP-GET-user-sso, API-EP-DELETE-user-sso-link_id
  it('is linked to an account by its user, until they take that back', async () => {
    const page = (await signIn(person('owner'))).page;
    await app.clock.advance(1_000);
    const { body } = await page.call('POST', '/api/user/sso', { return_to: '/account/security' });
    const taken = provider.signIn(body.url, { sub: 's-second', email: 'x@else.test', email_verified: false });
    expect(await page.finish(taken)).toMatchObject({
      status: 200,
      body: { session: null, return_to: '/account/security' },
    });
    const owner = (await signIn({ sub: 's-second' })).body.session;
    expect(owner.username).toBe('owner');
    const links = (await page.call('GET', '/api/user/sso')).body;
    expect(links).toMatchObject([{ issuer, email: 'owner@corp.test' }, { issuer }]);

    const other = (await signIn(person('neighbour'))).page;
    const second = await other.call('POST', '/api/user/sso', {});
    const query = provider.signIn(second.body.url, { sub: 's-second' });
    expect(await other.finish(query)).toMatchObject(refused(409, 'SSO_LINKED'));
    const path = `/api/user/sso/${links[1].id}`;
    expect((await other.call('DELETE', path)).status).toBe(404);
    expect((await page.call('DELETE', path)).status).toBe(200);
    expect(await signIn({ sub: 's-second' })).toMatchObject(refused(403, 'SSO_NO_ADDRESS'));
  });

  it('is ended at the provider too', async () => {
    const { page } = await signIn(person('leaver'));
    const { body } = await page.call('DELETE', '/api/auth/session');
    const url = new URL(body.sign_out_url);
    expect(url.origin + url.pathname).toBe(`${issuer}/leave`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: clientId,
      id_token_hint: expect.stringMatching(/^ey/),
      post_logout_redirect_uri: 'https://hub.test/',
    });
    const { token } = await app.make.user();
    expect(unwrap(await app.client.as(token).call('session.close')).value).toEqual({ result: 'ok' });
  });

  it('waits for a provider that is away, believes what it says for an hour, and lets it change its keys', async () => {
    const at = await appWith(storage);
    at.provider.setAway(true);
    const page = browser(at.app);
    expect(await page.call('POST', '/api/auth/sso', {})).toMatchObject(refused(502, 'SSO_AWAY'));
    at.provider.setAway(false);
    expect((await signIn(person('early'), {}, at)).body).toMatchObject({ return_to: '/' });
    at.provider.rotate();
    expect((await signIn(person('early'), {}, at)).body).toMatchObject({ return_to: '/' });
    expect(at.provider.discoveries()).toBe(1);
    await at.clock.advance(3_600_000);
    await page.start();
    expect(at.provider.discoveries()).toBe(2);
    await at.clock.advance(3_600_000);
    at.provider.setAway(true);
    // What it has said before goes on.
    expect((await page.call('POST', '/api/auth/sso', {})).status).toBe(200);
    const query = at.provider.signIn(await page.start(), person('early'));
    expect(await page.finish(query)).toMatchObject(refused(502, 'SSO_AWAY'));
  });

  // API-LIMIT-sso
  it('is begun so many times from one address', async () => {
    const at = await appWith(storage);
    const page = browser(at.app);
    const { attempts } = at.app.service.deps;
    for (let time = 1; time < limits.ssoOfAddress.most; time++) {
      unwrap(await attempts.begin(limits.ssoOfAddress, page.remoteAddress));
    }
    expect((await page.call('POST', '/api/auth/sso', {})).status).toBe(200);
    expect(await page.call('POST', '/api/auth/sso', {})).toMatchObject(refused(429, 'TOO_MANY_LOGINS'));
  });

  it('is not there without a provider', async () => {
    const without = await buildApp(storage);
    const page = browser(without);
    expect(await page.call('POST', '/api/auth/sso', {})).toMatchObject(refused(409, 'NO_SSO'));
    expect(await page.finish('state=x')).toMatchObject(refused(409, 'NO_SSO'));
    expect(unwrap(await without.client.call('auth.policy')).value.sso).toBeNull();
  });
});
