import { hourMs, unwrap } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { limits } from '../../core/auth/throttle.ts';
import { workOff } from '../../engine/db/queue.ts';
import type { MailMessage } from '../../engine/outbound/ports.ts';
import { fakeOutbound } from '../../testing/fake-outbound.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { linkQueue, removeOldLinks } from './link-mails.ts';

const password = 'correct horse';
const email = 'ada@example.com';
const settings = { smtpUrl: 'smtp://mail.test', publicUrl: 'https://hub.test/', signUp: 'open' } as const;

/** What a refused call looks like. */
const refusedWith = (status: number, code: string) => ({ ok: false, error: { status, body: { code } } });

// API-RULE-link-1, API-RULE-link-2
eachDatabase('links in mails', (open) => {
  let app: TestApp;
  let outside: ReturnType<typeof fakeOutbound>;
  let token: string;

  beforeEach(async () => {
    outside = fakeOutbound();
    app = await buildApp(await open(), { settings, outbound: outside.outbound });
    token = unwrap(await app.client.call('auth.signup', { body: { email, password } })).value.token;
  });

  const send = () => workOff(linkQueue({ ...app.service.deps, outbound: outside.outbound }));
  // Safe: nothing else leaves the machine here.
  const mails = () => outside.sent as MailMessage[];
  /** Sends what is due; the tokens of the mails with a page, to one address if it is named: mails have no order. */
  const tokensOf = async (page: string, address?: string): Promise<string[]> => {
    await send();
    return mails().flatMap(({ text, to }) => {
      if (address !== undefined && !to.includes(address)) return [];
      const found = new RegExp(`^https://hub.test/${page}#(\\S+)$`, 'm').exec(text)?.[1];
      return found ? [decodeURIComponent(found)] : [];
    });
  };
  const ask = (address = email) => app.client.call('links.forgotten', { body: { email: address } });
  const reset = (link: string, chosen = 'battery staple') =>
    app.client.call('links.reset', { body: { token: link, password: chosen } });
  const login = (chosen: string) => app.client.call('auth.login', { body: { username: email, password: chosen } });
  const confirm = (link: string) => app.client.call('links.confirm', { body: { token: link } });
  const undo = (link: string) => app.client.call('links.undo', { body: { token: link } });
  /** Gives the account another address, with a session of its user. */
  const moveTo = async (address: string, session = token) => {
    unwrap(await app.client.as(session).call('users.update', { body: { email: address } }));
    unwrap(await confirm((await tokensOf('confirm-email', address)).at(-1) ?? ''));
  };
  const passwordLink = async (): Promise<string> => {
    unwrap(await ask());
    return (await tokensOf('reset-password')).at(-1) ?? '';
  };

  // API-EP-POST-auth-forgotten, API-EP-POST-auth-reset
  it('replace a password once, and end the sessions but no tokens', async () => {
    const made = unwrap(await app.client.as(token).call('tokens.create', {})).value.token;
    const link = await passwordLink();
    expect(mails()).toContainEqual(
      expect.objectContaining({ to: [email], subject: 'Another password for your account' }),
    );
    expect(unwrap(await reset(link)).value).toEqual({ result: 'ok' });
    expect(await login(password)).toMatchObject(refusedWith(401, 'WRONG_LOGIN'));
    expect(await login('battery staple')).toMatchObject({ ok: true });
    expect(await app.client.as(token).call('users.get')).toMatchObject(refusedWith(401, 'UNAUTHENTICATED'));
    expect(await app.client.as(made).call('users.get')).toMatchObject({ ok: true });
    expect(await reset(link, 'another one of mine')).toMatchObject(refusedWith(403, 'WRONG_LINK'));
  });

  it('are good for one of many at once', async () => {
    const link = await passwordLink();
    const replies = await Promise.all([1, 2, 3].map((number) => reset(link, `battery staple ${number}`)));
    expect(replies.filter(({ ok }) => ok).length).toBe(1);
  });

  it('are good for an hour', async () => {
    const link = await passwordLink();
    const pass = (ms: number) => app.storage.db.updateTable('mail_links').set({ expires_at: app.clock.now() - ms });
    const rows = () => app.storage.db.selectFrom('mail_links').selectAll().execute();
    expect((await rows()).map(({ expires_at }) => expires_at)).toEqual(
      [hourMs, hourMs].map((ms) => app.clock.now() + ms),
    );
    await pass(0).execute();
    expect(await reset(link)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    await pass(hourMs).execute();
    await removeOldLinks(app.service.deps);
    expect(await rows()).toHaveLength(2);
    await pass(hourMs + 1).execute();
    await removeOldLinks(app.service.deps);
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['that there is not', async () => 'x'.repeat(32)],
    ['of the other kind', async () => (await tokensOf('confirm-email')).at(-1) ?? ''],
  ])('%s open nothing', async (_, link) => {
    expect(await reset(await link())).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    expect(await login(password)).toMatchObject({ ok: true });
  });

  it('are over when the account has another address, or is disabled', async () => {
    const link = await passwordLink();
    await moveTo('ada@other.example');
    expect(await reset(link)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    await app.storage.db.updateTable('users').set({ email }).execute();
    await app.storage.db.updateTable('users').set({ disabled_at: 1 }).where('email', '=', email).execute();
    expect(await reset(link)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
  });

  it('go to the account alone, and the answer does not tell whether there is one', async () => {
    await send();
    outside.sent.length = 0;
    const [known, unknown] = [await ask('ADA@example.com'), await ask('bob@example.com')];
    expect(unwrap(unknown).value).toEqual(unwrap(known).value);
    await send();
    expect(mails().map(({ to }) => to)).toEqual([[email]]);
    for (const address of [email, 'bob@example.com']) {
      for (const _ of [1, 2]) unwrap(await ask(address));
      expect(await ask(address)).toMatchObject(refusedWith(429, 'TOO_MANY_MAILS'));
    }
  });

  // API-LIMIT-links
  it('are asked for no more often from one network address', async () => {
    for (let number = 0; number < 20; number++) unwrap(await ask(`user${number}@example.com`));
    expect(await ask('one.more@example.com')).toMatchObject(refusedWith(429, 'TOO_MANY_MAILS'));
  });

  it('are asked for twice as often from its network, and for nobody by any number of networks', async () => {
    const from = (remoteAddress: string, address: string) =>
      app.api
        .inject({ method: 'POST', url: '/api/auth/forgotten', payload: { email: address }, remoteAddress })
        .then(({ statusCode }) => statusCode);
    await send();
    outside.sent.length = 0;
    let number = 0;
    const codes: number[] = [];
    // Ten /64 of seven /48: each network may make 40 requests.
    for (let net = 0; net < 7; net++)
      for (let time = 0; time < 45; time++)
        codes.push(await from(`2001:db8:${net}:${time % 10}::1`, `user${++number}@example.com`));
    expect(codes.filter((code) => code === 200)).toHaveLength(7 * 40);
    expect(await from('192.0.2.1', email)).toBe(200);
    await send();
    expect(mails().map(({ to }) => to)).toEqual([[email]]);
  });

  it('are bounded for all together, whoever they are for', async () => {
    const { attempts } = app.service.deps;
    for (let mail = 1; mail < limits.linkInAll.most - 1; mail++) unwrap(await attempts.begin(limits.linkInAll, ''));
    // Two are left: the request for nobody takes none. Without any, the reply is the same for both.
    for (const address of ['bob@example.com', email]) expect(await ask(address)).toMatchObject({ ok: true });
    unwrap(await attempts.begin(limits.linkInAll, ''));
    for (const address of ['bob@example.com', email])
      expect(await ask(address)).toMatchObject(refusedWith(429, 'TOO_MANY_MAILS'));
  });

  it('open an account whose password others try, from where the link was used', async () => {
    const login = (remoteAddress: string, chosen: string) =>
      app.api
        .inject({
          method: 'POST',
          url: '/api/auth/login',
          payload: { username: email, password: chosen },
          remoteAddress,
        })
        .then(({ statusCode }) => statusCode);
    for (let net = 0; net < limits.loginInAll.most; net++) await login(`10.2.${net}.1`, 'wrong horse');
    expect(await login('192.0.2.1', password)).toBe(429);
    const payload = { token: await passwordLink(), password: 'battery staple' };
    await app.api.inject({ method: 'POST', url: '/api/auth/reset', payload, remoteAddress: '192.0.2.1' });
    expect([await login('192.0.2.1', 'battery staple'), await login('10.3.0.1', 'battery staple')]).toEqual([200, 429]);
  });

  it('lead where the settings say, whatever host a request names', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test' };
    await app.api.inject({ method: 'POST', url: '/api/auth/forgotten', headers, payload: { email } });
    expect(await tokensOf('reset-password')).toHaveLength(1);
    expect(JSON.stringify(mails())).not.toContain('evil');
  });

  it('are mailed again when the mail server was away, with another token; nothing stored opens an account', async () => {
    await send();
    outside.sent.length = 0;
    unwrap(await ask());
    outside.fail({ kind: 'failed', detail: 'ECONNREFUSED' });
    await send();
    await send();
    expect(mails()).toHaveLength(1);
    // The clock stands still, so that the service itself sends nothing beside the test.
    const again = { due_at: app.clock.now() };
    await app.storage.db.updateTable('mail_links').set(again).where('attempts', '=', 1).execute();
    const [lost, link = ''] = await tokensOf('reset-password');
    expect(await reset(lost ?? '')).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    const rows = await app.storage.db.selectFrom('mail_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(link);
    expect(await reset(link)).toMatchObject({ ok: true });
  });

  // API-EP-POST-auth-confirm, API-EP-POST-user-confirmation
  it('confirm an address, and a new one anew', async () => {
    const own = app.client.as(token);
    const confirmed = async () => unwrap(await own.call('users.get')).value.email_confirmed_at;
    expect(await confirmed()).toBeNull();
    const [first = ''] = await tokensOf('confirm-email');
    unwrap(await own.call('links.askConfirmation', {}));
    const again = (await tokensOf('confirm-email')).at(-1) ?? '';
    expect(await app.client.call('links.confirm', { body: { token: first } })).toMatchObject(
      refusedWith(403, 'WRONG_LINK'),
    );
    unwrap(await app.client.call('links.confirm', { body: { token: again } }));
    expect(await confirmed()).toBe(String(app.clock.now()));
  });

  // API-RULE-link-3
  it('give an account another address once it is confirmed', async () => {
    const own = app.client.as(token);
    const change = (body: object) => own.call('users.update', { body });
    const record = async () => unwrap(await own.call('users.get')).value;
    const other = 'ada@other.example';
    await send();
    expect(unwrap(await change({ email: other })).value).toMatchObject({ email, email_pending: other });
    outside.sent.length = 0;
    const [first = ''] = await tokensOf('confirm-email', other);
    expect(mails().map(({ to }) => to)).toEqual([[other]]);
    // Nothing new: nothing is mailed again.
    unwrap(await change({ email: other, name_given: 'Ada' }));
    await send();
    expect(mails()).toHaveLength(1);
    unwrap(await change({ email: 'ada@third.example' }));
    expect(await confirm(first)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    unwrap(await confirm((await tokensOf('confirm-email', 'ada@third.example'))[0] ?? ''));
    const confirmed = { email: 'ada@third.example', email_pending: null, email_confirmed_at: String(app.clock.now()) };
    expect(await record()).toMatchObject(confirmed);
  });

  it('are not mailed to an address that another has, which looks the same', async () => {
    const bob = { email: 'bob@example.com', password };
    unwrap(await app.client.call('auth.signup', { body: bob }));
    await send();
    outside.sent.length = 0;
    const reply = await app.client.as(token).call('users.update', { body: { email: bob.email } });
    expect(unwrap(reply).value).toMatchObject({ email, email_pending: bob.email });
    await send();
    expect(mails()).toEqual([]);
  });

  it('give no address that another has got meanwhile', async () => {
    const other = 'ada@other.example';
    unwrap(await app.client.as(token).call('users.update', { body: { email: other } }));
    const [link = ''] = await tokensOf('confirm-email', other);
    unwrap(await app.client.call('auth.signup', { body: { email: other, password } }));
    expect(await confirm(link)).toMatchObject(refusedWith(409, 'DUPLICATE'));
  });

  // API-EP-POST-auth-undo, API-RULE-link-3
  it('give the former address back for a week, and end what came with the change', async () => {
    const former = unwrap(await app.client.as(token).call('tokens.create', { body: { title: 'of the owner' } })).value;
    await app.clock.skip(2 * hourMs);
    const thief = unwrap(await login(password)).value.token;
    const made = unwrap(await app.client.as(thief).call('tokens.create', { body: { title: 'of the thief' } })).value;
    await moveTo('eve@example.com', thief);
    await moveTo('eve@third.example', thief);
    const [mine = ''] = await tokensOf('undo-address', email);
    const [theirs = ''] = await tokensOf('undo-address', 'eve@example.com');
    // Neither does the address go to another meanwhile.
    expect(await app.client.call('auth.signup', { body: { email, password } })).toMatchObject(
      refusedWith(409, 'DUPLICATE'),
    );
    await app.clock.skip(6 * 24 * hourMs);
    outside.sent.length = 0;
    unwrap(await undo(mine));
    expect(await undo(mine)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    expect(await undo(theirs)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
    const ofThief = await Promise.all([thief, made.token].map((one) => app.client.as(one).call('users.get')));
    expect(ofThief.map(({ ok }) => ok)).toEqual([false, false]);
    const record = unwrap(await app.client.as(former.token).call('users.get')).value;
    expect(record).toMatchObject({ email, email_confirmed_at: String(app.clock.now()) });
    const [link = ''] = await tokensOf('reset-password');
    expect(mails().map(({ to }) => to)).toEqual([[email]]);
    expect(await reset(link, 'battery staple 2')).toMatchObject({ ok: true });
  });

  it('give nothing back after a week', async () => {
    await moveTo('ada@other.example');
    const [link = ''] = await tokensOf('undo-address');
    await app.clock.skip(7 * 24 * hourMs);
    expect(await undo(link)).toMatchObject(refusedWith(403, 'WRONG_LINK'));
  });

  it('are there only where the service sends mail', async () => {
    expect(unwrap(await app.client.call('auth.policy')).value.mail).toBe(true);
    const without = await buildApp(app.storage, { settings: { signUp: 'open' } });
    expect(unwrap(await without.client.call('auth.policy')).value.mail).toBe(false);
    const body = { email };
    expect(await without.client.call('links.forgotten', { body })).toMatchObject(refusedWith(409, 'NO_MAIL_SERVER'));
    const asked = await without.client.as(token).call('links.askConfirmation', {});
    expect(asked).toMatchObject(refusedWith(409, 'NO_MAIL_SERVER'));
  });
});
