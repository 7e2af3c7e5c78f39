import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';

const password = 'a good password';

eachDatabase('accounts in the hands of administrators', (open) => {
  let app: TestApp;
  let admin: ReturnType<TestApp['client']['as']>;
  beforeAll(async () => {
    app = await buildApp(await open());
    admin = app.client.as((await app.make.admin()).token);
  });

  /** Somebody who has signed up, with a session. */
  async function person(name: string) {
    const body = { email: `${name}@example.com`, username: name, password };
    const { token } = unwrap(await app.client.call('auth.signup', { body })).value;
    const client = app.client.as(token);
    const { id } = unwrap(await client.call('users.get')).value;
    const login = async (word = password) =>
      outcome(await app.client.call('auth.login', { body: { username: name, password: word } }));
    return { id, client, login, params: { user_id: id } };
  }
  const works = async ({ client }: { readonly client: TestApp['client'] }) => outcome(await client.call('users.get'));
  const lastLog = async (type: 'user.update' | 'user.delete') =>
    unwrap(await admin.call('logs.list', { query: { type, limit: 1 } })).value[0];

  // API-EP-PUT-users-user_id, API-EP-GET-users-user_id, API-RULE-accounts-1
  it('are disabled, with their tokens and password, and let in again', async () => {
    const ada = await person('ada');
    const made = unwrap(await ada.client.call('tokens.create')).value;
    const byHand = { client: app.client.as(made.token) };
    expect(await works(byHand)).toBe('ok');
    const off = await admin.call('accounts.update', { params: ada.params, body: { disabled: true } });
    expect(unwrap(off).value).toMatchObject({
      username: 'ada',
      disabled_at: String(app.clock.now()),
      sessions: 1,
      tokens: 1,
    });
    expect([await works(ada), await works(byHand)]).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    expect([await ada.login(), await ada.login('another password')]).toEqual(['ACCOUNT_DISABLED', 'WRONG_LOGIN']);
    expect(await lastLog('user.update')).toMatchObject({
      message: 'Account ada disabled',
      data: { user_id: ada.id, disabled: true, before: { role: 'user', disabled: false } },
    });
    const listed = unwrap(await admin.call('users.list', { query: { q: 'ada@' } })).value;
    expect(listed).toMatchObject([{ username: 'ada', disabled_at: String(app.clock.now()) }]);
    unwrap(await admin.call('accounts.update', { params: ada.params, body: { disabled: false } }));
    expect([await works(byHand), await ada.login()]).toEqual(['ok', 'ok']);
  });

  it('change their role, and fall back to that of their customer', async () => {
    const bo = await person('bo');
    const role = async (wanted: 'user' | 'admin') =>
      unwrap(await admin.call('accounts.update', { params: bo.params, body: { role: wanted } })).value.role;
    expect(await role('admin')).toBe('admin');
    expect(outcome(await bo.client.call('users.list'))).toBe('ok');
    expect(await role('user')).toBe('user');
    expect(outcome(await bo.client.call('users.list'))).toBe('FORBIDDEN');
    unwrap(await admin.call('customers.create', { body: { name: 'quay', users: ['bo'] } }));
    await acceptAll(bo.client);
    expect(await role('admin')).toBe('admin');
    expect(await role('user')).toBe('customer');
  });

  // API-RULE-accounts-1
  it('keep one administrator, whoever asks and however many at once', async () => {
    const own = await buildApp(await open());
    const [one, two] = [await own.make.admin(), await own.make.admin()];
    const [asOne, asTwo] = [own.client.as(one.token), own.client.as(two.token)];
    const off = { disabled: true };
    const found = await Promise.all([
      asOne.call('accounts.update', { params: { user_id: two.id }, body: off }),
      asTwo.call('accounts.update', { params: { user_id: one.id }, body: off }),
    ]);
    expect(found.map(outcome).toSorted()).toEqual(['LAST_ADMINISTRATOR', 'ok']);
    const [last, lastId] = found[0]?.ok ? [asOne, one.id] : [asTwo, two.id];
    const params = { user_id: lastId };
    expect([
      outcome(await last.call('accounts.update', { params, body: { role: 'user' } })),
      outcome(await last.call('accounts.update', { params, body: off })),
      outcome(await last.call('accounts.remove', { params })),
    ]).toEqual(['LAST_ADMINISTRATOR', 'LAST_ADMINISTRATOR', 'LAST_ADMINISTRATOR']);
  });

  // API-EP-POST-users-user_id-password
  it('get another password, which ends their sessions and is to be changed', async () => {
    const cy = await person('cy');
    const byHand = { client: app.client.as(unwrap(await cy.client.call('tokens.create')).value.token) };
    const { value } = unwrap(await admin.call('accounts.resetPassword', { params: cy.params }));
    expect([await works(cy), await works(byHand), await cy.login()]).toEqual(['UNAUTHENTICATED', 'ok', 'WRONG_LOGIN']);
    expect(await cy.login(value.password)).toBe('ok');
    expect(unwrap(await byHand.client.call('session.get')).value).toMatchObject({ initial_password: true });
    expect(JSON.stringify(await lastLog('user.update'))).not.toContain(value.password);
  });

  // API-EP-DELETE-users-user_id-sessions
  it('lose their sessions, and their tokens when asked for', async () => {
    const di = await person('di');
    const byHand = { client: app.client.as(unwrap(await di.client.call('tokens.create')).value.token) };
    await di.login();
    const end = async (query: { tokens?: boolean }) =>
      unwrap(await admin.call('accounts.endSessions', { params: di.params, query })).value;
    expect(await end({})).toEqual({ ended: 2 });
    expect([await works(di), await works(byHand)]).toEqual(['UNAUTHENTICATED', 'ok']);
    expect(await end({ tokens: true })).toEqual({ ended: 1 });
    expect(await works(byHand)).toBe('UNAUTHENTICATED');
  });

  // API-EP-DELETE-users-user_id, API-RULE-accounts-2
  it('are deleted with what they own going to the heir, all of it or nothing', async () => {
    const [ed, fay] = [await person('ed'), await person('fay')];
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id, user_id: ed.id });
    const device = await app.make.device({ platform_id: platform.id, product_id: product.id, user_id: ed.id });
    const remove = async (heir?: string) =>
      admin.call('accounts.remove', { params: ed.params, query: { ...(heir && { heir }) } });
    expect(await remove()).toMatchObject({
      error: { body: { code: 'ACCOUNT_OWNS', message: expect.stringContaining('owns 1 product, 1 device;') } },
    });
    expect([outcome(await remove('nobody')), outcome(await remove('ed'))]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await works(ed)).toBe('ok');
    expect(outcome(await remove('fay@example.com'))).toBe('ok');
    expect([await works(ed), await ed.login()]).toEqual(['UNAUTHENTICATED', 'WRONG_LOGIN']);
    expect(unwrap(await fay.client.call('products.get', { params: { product_id: product.id } })).value.role).toBe(
      'owner',
    );
    const found = await fay.client.call('devices.get', { params: { identifier: device.id } });
    expect(found).toMatchObject({ value: { value: { user_id: fay.id } } });
    expect(await lastLog('user.delete')).toMatchObject({
      data: { user: 'ed', heir: 'fay', owns: { products: 1, bundles: 0, devices: 1 } },
    });
    expect(outcome(await admin.call('accounts.get', { params: ed.params }))).toBe('NOT_FOUND');
    // The name is free again.
    expect((await person('ed')).id).not.toBe(ed.id);
  });

  it('go without an heir when nothing is theirs', async () => {
    const gil = await person('gil');
    expect(outcome(await admin.call('accounts.remove', { params: gil.params }))).toBe('ok');
    expect(await works(gil)).toBe('UNAUTHENTICATED');
  });

  // API-EP-DELETE-products-product_id-users-user_id
  it('leave a product that they work on, and take nobody else off it', async () => {
    const [hal, ida] = [await person('hal'), await person('ida')];
    const product = await app.make.product({ platform_id: (await app.make.platform()).id });
    for (const { id } of [hal, ida]) await app.make.member(product.id, id, 'tester');
    const leave = async (user_id: string) =>
      outcome(await hal.client.call('productPeople.remove', { params: { product_id: product.id, user_id } }));
    expect([await leave(ida.id), await leave(hal.id), await leave(hal.id)]).toEqual(['FORBIDDEN', 'ok', 'NOT_FOUND']);
  });
});
