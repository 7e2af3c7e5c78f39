import { randomUUID } from 'node:crypto';
import { dayMs, unwrap } from '@moorage/base';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashSecret } from '../../engine/secrets.ts';
import { auditWorld } from '../../testing/audited.ts';
import type { MadeUser } from '../../testing/fixtures.ts';
import { eachDatabase, type TestApp } from '../../testing/index.ts';

async function changesOf(app: TestApp, token: string, query: Record<string, unknown> = {}) {
  return unwrap(await app.client.as(token).call('audit.list', { query: { sort: 'seq', limit: 500, ...query } })).value;
}

// API-RULE-audit-1
eachDatabase('the audit', (open) => {
  let app: TestApp;
  let admin: MadeUser;
  let as: TestApp['client'];
  let platform: { readonly id: string };
  beforeAll(async () => {
    ({ app, admin, as, platform } = await auditWorld(await open()));
  });
  afterAll(() => app.service.close());

  const product = async (owner = admin) => {
    const body = { title: 'Lamp', code: `L${randomUUID().slice(0, 8)}`, meta: '', platform_id: platform.id };
    return unwrap(await app.client.as(owner.token).call('products.create', { body })).value;
  };
  const ofObject = (object: string) => changesOf(app, admin.token, { object });

  it('says who has changed what, with which token and from where, and what it was before', async () => {
    const { id, code } = await product();
    const params = { product_id: id };
    unwrap(await as.call('products.update', { params, body: { code, title: 'Lantern', summary: '' } }));
    unwrap(await as.call('products.setState', { params, body: { state: 'trash' } }));
    unwrap(await as.call('products.remove', { params }));
    const rows = await ofObject(id);
    expect(rows.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: 'products.create', before: null, after: { title: 'Lamp', code, meta: '', platform_id: platform.id } },
      { action: 'products.update', before: { title: 'Lamp' }, after: { title: 'Lantern' } },
      { action: 'products.setState', before: { state: 'preview' }, after: { state: 'trash' } },
      { action: 'products.remove', before: expect.objectContaining({ title: 'Lantern', state: 'trash' }), after: null },
    ]);
    for (const row of rows) {
      const token = { user_id: admin.id, user: admin.username, token: 'Test', ip: '127.0.0.1' };
      expect(row).toMatchObject({ ...token, object_kind: 'product', object_id: id, product_id: id });
      expect(row.message).toMatch(/[Pp]roduct/);
    }
  });

  it('names what was made, and reads a device by any of its names', async () => {
    const { id: product_id } = await product();
    const { id, uuid } = await app.make.device({ platform_id: platform.id, product_id, user_id: admin.id, title: 'A' });
    unwrap(await as.call('devices.update', { params: { device_id: uuid }, body: { title: 'B' } }));
    const change = { action: 'devices.update', object_kind: 'device', object_id: id, product_id };
    expect(await ofObject(id)).toMatchObject([{ ...change, before: { title: 'A' }, after: { title: 'B' } }]);
    const segment = unwrap(
      await as.call('segments.create', { params: { product_id }, body: { title: 'x', filter: 'tag==beta' } }),
    );
    expect(await ofObject(segment.value.id)).toMatchObject([
      { action: 'segments.create', object_kind: 'segment', product_id, after: { title: 'x', filter: 'tag==beta' } },
    ]);
  });

  it('keeps no secret, and of what is long its beginning', async () => {
    const { id: product_id } = await product();
    const opts = { url: 'https://example.com/', headers: { authorization: 'Bearer hush-hush' } };
    unwrap(await as.call('connectors.create', { params: { product_id }, body: { title: 'x', code: 'HUSH', opts } }));
    const body = { email: `${randomUUID()}@example.com`, password: 'hush-hush-hush' };
    const { token } = unwrap(await app.client.call('auth.signup', { body })).value;
    const account = app.client.as(token);
    const change = { current_password: 'hush-hush-hush', password: 'hush-hush-hush-2' };
    unwrap(await account.call('session.changePassword', { body: change }));
    const made = unwrap(await account.call('tokens.create', { body: { title: 'x'.repeat(90), days: 3 } })).value;
    const description = 'long '.repeat(300);
    const { id: device_id } = await app.make.device({ platform_id: platform.id, product_id, user_id: admin.id });
    unwrap(await as.call('devices.update', { params: { device_id }, body: { description } }));
    const all = JSON.stringify(await changesOf(app, admin.token));
    for (const secret of ['hush-hush-hush', token, made.token]) expect(all).not.toContain(secret);
    expect(all).not.toContain(description);
    expect((await ofObject(device_id)).at(-1)?.after).toEqual({ description: `${description.slice(0, 200)}…` });
  });

  it('is left out by nobody, and keeps nothing of fields that an endpoint does not know', async () => {
    const { id, code } = await product();
    const unknown = { preview: true, ['x'.repeat(5_000)]: 'x' };
    // Unknown fields pass: what is sent is wider than the type.
    const body: { code: string; title: string } = { code, title: 'Unseen', ...unknown };
    unwrap(await as.call('products.update', { params: { product_id: id }, body }));
    expect((await ofObject(id)).at(-1)).toMatchObject({ action: 'products.update', after: { title: 'Unseen' } });
    expect(Object.keys((await ofObject(id)).at(-1)?.after ?? {})).toEqual(['title']);
  });

  it('names the file of an upload, of which it keeps nothing else', async () => {
    const { id } = await product();
    const address = await app.api.listen({ host: '127.0.0.1', port: 0 });
    const upload = { method: 'POST', headers: { authorization: `Bearer ${admin.token}` }, body: 'bytes of a file' };
    const reply = await fetch(`${address}/api/products/${id}/assets/plans/light.txt`, upload);
    expect(reply.status).toBe(200);
    expect((await ofObject(id)).at(-1)).toMatchObject({
      action: 'assets.upload',
      object_kind: 'product',
      after: { path: 'plans/light.txt' },
    });
  });

  /** A link that an account was mailed. */
  const mailedLink = (user_id: string, email: string, kind: 'email' | 'password' | 'undo') =>
    app.storage.db
      .insertInto('mail_links')
      .values({
        id: randomUUID(),
        user_id,
        kind,
        email,
        token_hash: hashSecret(`${kind}-link`),
        created_at: app.clock.now(),
        expires_at: app.clock.now() + dayMs,
        attempts: 1,
        due_at: null,
        used_at: null,
      })
      .execute();

  it('has a row for signing in and out, for a second factor and for links in mails', async () => {
    const email = `${randomUUID()}@example.com`;
    const console = { 'x-console': '1', origin: 'http://service', host: 'service' };
    const send = async (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object, token?: string) => {
      const headers = { ...console, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      return app.api.inject({ method, url, headers, ...(payload && { payload }) });
    };
    const password = 'correct horse';
    const signedUp = await send('POST', '/api/auth/session/signup', { email, password });
    expect(signedUp.statusCode, signedUp.payload).toBe(200);
    const login = { username: email, password };
    expect((await send('POST', '/api/auth/login', { ...login, password: 'wrong one' })).statusCode).toBe(401);
    const token = String((await send('POST', '/api/auth/login', login)).json().token);
    const set = await send('POST', '/api/user/second-factor/totp', undefined, token);
    const totp = new TOTP({ secret: set.json().secret });
    const code = () => totp.generate({ timestamp: app.clock.now() });
    const confirmed = await send('POST', '/api/user/second-factor/totp/confirm', { code: code() }, token);
    const [first, second] = confirmed.json().recovery_codes;
    for (const [path, one] of [
      ['/api/auth/second-factor', first],
      ['/api/auth/session/second-factor', second],
    ]) {
      const { challenge } = (await send('POST', '/api/auth/login', login)).json();
      expect((await send('POST', String(path), { challenge, code: one })).statusCode).toBe(200);
    }
    expect((await send('POST', '/api/user/second-factor/recovery-codes', undefined, token)).statusCode).toBe(200);
    expect((await send('POST', '/api/user/second-factor/totp/remove', undefined, token)).statusCode).toBe(200);
    const opened = await send('POST', '/api/auth/session', login);
    expect(opened.statusCode, opened.payload).toBe(200);
    expect((await send('DELETE', '/api/auth/session', undefined, token)).statusCode).toBe(200);
    const { username, id } = await app.storage.db
      .selectFrom('users')
      .select(['username', 'id'])
      .where('email', '=', email)
      .executeTakeFirstOrThrow();
    const again = String((await send('POST', '/api/auth/login', login)).json().token);
    expect((await send('POST', '/api/user/confirmation', undefined, again)).statusCode).toBe(200);
    for (const [kind, path, more] of [
      ['email', '/api/auth/confirm', {}],
      ['undo', '/api/auth/undo', {}],
      ['password', '/api/auth/reset', { password: 'another horse yet' }],
    ] as const) {
      await mailedLink(id, email, kind);
      expect((await send('POST', path, { token: `${kind}-link`, ...more })).statusCode).toBe(200);
    }
    const next = String(
      (await send('POST', '/api/auth/login', { ...login, password: 'another horse yet' })).json().token,
    );
    const change = { current_password: 'another horse yet', password: 'the third horse' };
    expect((await send('PUT', '/api/user/password', change, next)).statusCode).toBe(200);
    expect((await changesOf(app, admin.token, { user: username })).map(({ action }) => action)).toEqual([
      'session.signup',
      'auth.login',
      'factors.setUpTotp',
      'factors.confirmTotp',
      'factors.login',
      'factors.open',
      'factors.renewCodes',
      'factors.removeTotp',
      'session.open',
      'session.close',
      'auth.login',
      'links.askConfirmation',
      'links.confirm',
      'links.undo',
      'links.reset',
      'auth.login',
      'session.changePassword',
    ]);
  });

  it('is filtered by person, object, action and time, for administrators', async () => {
    const maker = await app.make.user();
    await app.clock.skip(dayMs);
    const from = app.clock.now();
    const { id } = await product(maker);
    const only = async (query: Record<string, unknown>) =>
      (await changesOf(app, admin.token, query)).map(({ object_id }) => object_id);
    expect(await only({ user: maker.username.toUpperCase() })).toEqual([id]);
    expect(await only({ from })).toEqual([id]);
    expect(await only({ to: from })).not.toContain(id);
    expect(await only({ action: 'products.create', product_id: id })).toEqual([id]);
  });

  it('shows others their own changes and those of their products', async () => {
    const [owner, manager, stranger] = [await app.make.user(), await app.make.user(), await app.make.user()];
    const { id, code } = await product(owner);
    await app.make.member(id, manager.id, 'manager');
    const body = { code, title: 'By the manager' };
    unwrap(await app.client.as(manager.token).call('products.update', { params: { product_id: id }, body }));
    const seen = async (user: MadeUser) => (await changesOf(app, user.token)).map(({ action }) => action);
    expect(await seen(owner)).toEqual(['products.create', 'products.update']);
    expect(await seen(manager)).toEqual(['products.create', 'products.update']);
    expect(await seen(stranger)).toEqual([]);
    const refused = await app.client.as(owner.token).call('audit.verify', { query: {} });
    expect(refused).toMatchObject({ ok: false, error: { status: 403 } });
  });

  it('comes as a file, whole and in order', async () => {
    const get = async (format: string, more = '') => {
      const url = `/api/audit?sort=seq&format=${format}${more}`;
      return (await app.api.inject({ url, headers: { authorization: `Bearer ${admin.token}` } })).payload;
    };
    const all = await changesOf(app, admin.token);
    expect(
      (await get('jsonl'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(all);
    const [head, ...rows] = (await get('csv', `&user=${admin.username}`)).trim().split('\r\n');
    expect(head).toContain('seq,at,user_id,user,token_id,token,ip,action');
    expect(rows).toHaveLength(all.filter(({ user }) => user === admin.username).length);
  });
});
