import type { Client } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { softwarePlatform } from '../../core/devices/rules.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';

const everyone = { restricted: false, users: [], customers: [] };

// API-RULE-platform-access-1, API-RULE-platform-access-2
eachDatabase('access to platforms and flavors', (open) => {
  let app: TestApp;
  let admin: Client;
  let given: MadeUser;
  let stranger: MadeUser;
  let employee: MadeUser;
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;
  let closed: Awaited<ReturnType<TestApp['make']['flavor']>>;
  const as = ({ token }: MadeUser): Client => app.client.as(token);

  beforeEach(async () => {
    app = await buildApp(await open());
    admin = app.client.as((await app.make.admin()).token);
    [given, stranger, employee] = [await app.make.user(), await app.make.user(), await app.make.user()];
    platform = await app.make.platform({ part_id: null, code: softwarePlatform });
    closed = await app.make.flavor();
    const link = { platform_id: platform.id, flavor_id: closed.id };
    await app.storage.db.insertInto('platform_flavors').values(link).execute();
    unwrap(await admin.call('customers.create', { body: { name: 'acme', users: [employee.username] } }));
    await acceptAll(app.client.as(employee.token));
  });

  const restrictPlatform = async () =>
    unwrap(
      await admin.call('platforms.setAccess', {
        params: { platform_id: platform.id },
        body: { restricted: true, users: [given.email.toUpperCase()], customers: ['ACME'] },
      }),
    ).value;
  const restrictFlavor = async (users: string[]) =>
    unwrap(
      await admin.call('platforms.setFlavorAccess', {
        params: { flavor_id: closed.id },
        body: { restricted: true, users },
      }),
    );
  const product = (client: Client, code: string, flavor_id?: string) =>
    client.call('products.create', {
      body: { title: 'x', code, meta: '', platform_id: platform.id, ...(flavor_id && { flavor_id }) },
    });
  const notFound = (what: string) => ({
    ok: false,
    error: { status: 404, body: { code: 'NOT_FOUND', message: `${what} not found` } },
  });

  // API-EP-GET-platforms-platform_id-access, API-EP-PUT-platforms-platform_id-access
  it('is for everybody, or for those who are named, and administrators alone say so', async () => {
    const params = { platform_id: platform.id };
    expect(unwrap(await admin.call('platforms.access', { params })).value).toEqual(everyone);
    const access = {
      restricted: true,
      users: [{ user_id: given.id, user: given.username }],
      customers: [{ customer_id: expect.any(String), customer: 'acme' }],
    };
    const made = await restrictPlatform();
    expect(made).toEqual(access);
    expect(unwrap(await admin.call('platforms.access', { params })).value).toEqual(access);
    const refused = { error: { status: 403, body: { code: 'FORBIDDEN' } } };
    expect(await as(given).call('platforms.access', { params })).toMatchObject(refused);
    expect(await as(given).call('platforms.setAccess', { params, body: { restricted: false } })).toMatchObject(refused);
    const body = { restricted: true, users: ['nobody@example.com'] };
    expect(await admin.call('platforms.setAccess', { params, body })).toMatchObject(
      notFound('User "nobody@example.com"'),
    );
    // A refused change has changed nothing.
    expect(unwrap(await admin.call('platforms.access', { params })).value).toEqual(access);
    unwrap(await admin.call('platforms.setAccess', { params, body: { restricted: false } }));
    expect(unwrap(await admin.call('platforms.access', { params })).value).toEqual(everyone);
    const row = await app.storage.db
      .selectFrom('logs')
      .select('message')
      .where('type', '=', 'platform.update')
      .orderBy('message')
      .execute();
    expect(row.map(({ message }) => message)).toEqual([
      `Platform ${softwarePlatform} is for 1 users and the people of 1 customers now`,
      `Platform ${softwarePlatform} is for everybody now`,
    ]);
  });

  // API-LIMIT-catalogue-grants
  it('is for 500 users and 500 customers at most', async () => {
    const params = { platform_id: platform.id };
    for (const list of ['users', 'customers'] as const) {
      const body = { restricted: true, [list]: Array.from({ length: 501 }, (_, number) => `name${number}`) };
      expect(await admin.call('platforms.setAccess', { params, body })).toMatchObject({
        error: { status: 400, body: { validation: { keys: [list] } } },
      });
    }
  });

  it('decides who sees a platform, its picture, its products, and who makes some', async () => {
    await app.make.product({ platform_id: platform.id, publication: 'published', code: 'SHOP' });
    const published = async (client: Client) =>
      unwrap(await client.call('products.list', { query: { category: 'published' } })).total;
    expect(await published(as(stranger))).toBe(2);
    await restrictPlatform();
    const params = { platform_id: platform.id };
    for (const [who, sees] of [
      [stranger, false],
      [given, true],
      [employee, true],
    ] as const) {
      const client = as(who);
      expect(unwrap(await client.call('platforms.list', {})).total).toBe(sees ? 1 : 0);
      expect((await client.call('platforms.get', { params })).ok).toBe(sees);
      expect((await client.call('avatars.platform', { params })).ok).toBe(sees);
      const { platforms, flavors } = unwrap(await client.call('overview.init', {})).value;
      expect([platforms.length, flavors.length]).toEqual(sees ? [1, 2] : [0, 0]);
      expect(await published(client)).toBe(sees ? 2 : 0);
      const made = await product(client, 'MINE');
      if (sees) expect(made.ok).toBe(true);
      else expect(made).toMatchObject(notFound('Platform'));
      const uuid = who.id.replaceAll('-', '').padEnd(40, '0');
      const provisioned = await client.call('devices.provision', { body: { uuid, platform_id: platform.id } });
      if (sees) expect(provisioned.ok).toBe(true);
      else expect(provisioned).toMatchObject(notFound('Platform'));
    }
    expect(unwrap(await admin.call('platforms.list', {})).total).toBe(1);
  });

  // API-EP-GET-flavors-flavor_id-access, API-EP-PUT-flavors-flavor_id-access
  it('to a flavor decides who makes products and bundles with it', async () => {
    const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: closed.id });
    const own = unwrap(await product(as(given), 'OWN', closed.id)).value;
    await app.make.member(own.id, stranger.id, 'manager');
    await restrictFlavor([given.username]);
    const params = { flavor_id: closed.id };
    expect(unwrap(await admin.call('platforms.flavorAccess', { params })).value.users).toHaveLength(1);
    expect(await product(as(stranger), 'OTHER', closed.id)).toMatchObject(notFound('Flavor'));
    expect((await product(as(stranger), 'BASE')).ok).toBe(true);
    const bundle = (client: Client) =>
      client.call('bundles.create', {
        params: { product_id: own.id },
        body: { product_id: own.id, firmware_id: firmware.id },
      });
    expect((await bundle(as(given))).ok).toBe(true);
    expect(await bundle(as(stranger))).toMatchObject(notFound('Firmware'));
    expect((await bundle(admin)).ok).toBe(true);
    const detail = async (client: Client) => {
      const { value } = unwrap(await client.call('platforms.get', { params: { platform_id: platform.id } }));
      return [value.flavors.length, value.flavor_ids.length, value.firmwares.length];
    };
    expect(await detail(as(given))).toEqual([2, 2, 1]);
    expect(await detail(as(stranger))).toEqual([1, 1, 0]);
  });

  // API-RULE-activate-3
  it('is needed to activate a device, but never to leave for the base edition', async () => {
    const shop = await app.make.product({ platform_id: platform.id, flavor_id: closed.id, publication: 'published' });
    const at = { platform_id: platform.id, product_id: platform.product_id };
    const device = await app.make.device({ ...at, user_id: stranger.id, state: 'active' });
    await restrictFlavor([]);
    const params = { device_id: device.id };
    const activate = (product_id: string) => as(stranger).call('devices.activate', { params, body: { product_id } });
    const choices = async () =>
      unwrap(await as(stranger).call('devices.products', { params: { id: device.id } })).value.map(
        ({ product_id }) => product_id,
      );
    expect(await activate(shop.id)).toMatchObject(notFound('Product'));
    expect(await choices()).not.toContain(shop.id);
    await restrictFlavor([stranger.username]);
    expect(await choices()).toContain(shop.id);
    unwrap(await activate(shop.id));
    await restrictFlavor([]);
    await restrictPlatform();
    unwrap(await activate(platform.product_id));
  });
});
