import { customerUsersLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';

eachDatabase('customers', (open) => {
  let scene: ProductScene;
  beforeAll(async () => {
    scene = await productScene(await open());
  });

  // API-EP-POST-customers, API-EP-GET-customers, API-EP-POST-customers-customer_id-users
  it('are made with their people, and get more', async () => {
    const body = { name: 'Acme', users: [scene.people.tester.email] };
    const made = unwrap(await scene.as('admin').call('customers.create', { body })).value;
    expect(made).toMatchObject({ name: 'acme', title: 'Acme', users: [], product_count: 0 });
    // By the address that they were invited by, and nothing else: API-RULE-customer-4.
    expect(made.invited).toMatchObject([{ user: scene.people.tester.email, role: 'owner' }]);
    await acceptAll(scene.as('tester'));
    expect(unwrap(await scene.as('tester').call('users.get')).value).toMatchObject({
      role: 'customer',
      customer_id: made.id,
    });
    const params = { customer_id: made.id.toUpperCase() };
    const add = async (user: string) => scene.as('admin').call('customers.addUser', { params, body: { user } });
    const more = unwrap(await add('stranger')).value;
    expect(more).toMatchObject({ users: [{ user: 'tester' }], invited: [{ user: 'stranger' }] });
    expect(unwrap(await add('Stranger')).value).toEqual(more);
    const listed = unwrap(await scene.as('admin').call('customers.list', { query: { q: 'ACM' } }));
    expect(listed).toMatchObject({ value: [more], total: 1 });
    await acceptAll(scene.as('stranger'));
    const all = unwrap(await scene.as('admin').call('customers.get', { params })).value;
    expect(all).toMatchObject({ users: [{ user: 'stranger' }, { user: 'tester' }], invited: [] });
    // Who names themselves has accepted.
    const admin = scene.people.admin.username;
    expect(unwrap(await add(admin)).value.users).toContainEqual(expect.objectContaining({ user: admin }));
    const another = { name: 'other', users: [admin] };
    expect(await scene.as('admin').call('customers.create', { body: another })).toMatchObject({
      error: { status: 409 },
    });
  });

  // API-LIMIT-customer
  it('have 100 people at most, made with them or later', async () => {
    const body = { name: 'crowded', title: 'Crowded' };
    const users = Array.from({ length: customerUsersLimit + 1 }, (_, index) => `guest${index}`);
    for (const username of users) await scene.app.make.user({ username, email: `${username}@x.example` });
    const tooMany = await scene.as('admin').call('customers.create', { body: { ...body, users } });
    expect(tooMany).toMatchObject({ error: { status: 400, body: { code: 'INVALID_REQUEST' } } });
    const made = await scene.as('admin').call('customers.create', { body: { ...body, users: users.slice(1) } });
    const { id } = unwrap(made).value;
    const add = (user: string) =>
      scene.as('admin').call('customers.addUser', { params: { customer_id: id }, body: { user } });
    expect(await add('guest0')).toMatchObject({ error: { status: 409, body: { code: 'LIMIT_REACHED' } } });
    // A user who is in already, or invited, does not count again.
    expect(unwrap(await add('guest1')).value.invited).toHaveLength(customerUsersLimit);
  });

  it.each([
    [{ name: 'a b' }, 400],
    [{}, 400],
    [{ name: 'owner' }, 409],
    [{ name: 'new', users: ['nobody'] }, 404],
  ])('%j are refused', async (body, status) => {
    expect(await scene.as('admin').call('customers.create', { body: body as never })).toMatchObject({
      error: { status },
    });
    expect(unwrap(await scene.as('admin').call('customers.list', { query: { q: 'new' } })).value).toEqual([]);
  });

  it('are for administrators alone', async () => {
    const params = { customer_id: '00000000-0000-4000-8000-000000000000' };
    const call = (who: 'owner' | 'admin') =>
      scene.as(who).call('customers.addUser', { params, body: { user: 'owner' } });
    expect(await scene.as('owner').call('customers.list')).toMatchObject({ error: { status: 403 } });
    expect(await scene.as('owner').call('customers.create', { body: { name: 'x' } })).toMatchObject({
      error: { status: 403 },
    });
    expect(await call('owner')).toMatchObject({ error: { status: 403 } });
    expect(await call('admin')).toMatchObject({ error: { status: 404 } });
    expect(await scene.app.client.call('customers.list')).toMatchObject({ error: { status: 401 } });
  });
});

eachDatabase('overview', (open) => {
  // API-EP-GET-user-init
  it('begins with everything that products are made from', async () => {
    const scene = await productScene(await open());
    const { make } = scene.app;
    const firmware = await make.firmware({ platform_id: scene.platform.id, flavor_id: scene.platform.flavor.id });
    await make.firmwareFile(Buffer.from('f'), { firmware_id: firmware.id });
    const value = unwrap(await scene.as('owner').call('overview.init')).value;
    expect(value).toMatchObject({
      user: { username: 'owner' },
      platforms: [{ id: scene.platform.id, flavor_ids: [scene.platform.flavor.id] }],
      flavors: [{ id: scene.platform.flavor.id }],
      firmwares: [{ id: firmware.id, files: [{ size: 1 }] }],
      tags: ['alpha', 'beta', 'release'],
      connector_types: ['webhook', 'mqtt'],
      server: { time: String(scene.app.clock.now()) },
    });
    expect(await scene.app.client.call('overview.init')).toMatchObject({ error: { status: 401 } });
    expect(await scene.app.client.call('overview.status')).toMatchObject({ error: { status: 401 } });
  });

  // API-EP-GET-user-status
  it('counts what the caller may see', async () => {
    const scene = await productScene(await open());
    const one = await scene.add({ state: 'published' });
    await scene.add();
    const { make, storage } = scene.app;
    const firmware = await make.firmware({ platform_id: scene.platform.id, flavor_id: scene.platform.flavor.id });
    const of = { product_id: one.id, firmware_id: firmware.id, user_id: scene.people.owner.id };
    const bundle = await make.bundle({ ...of, state: 'published' });
    await make.bundle(of);
    for (const state of ['offered', 'failed', 'done', 'downloading'] as const) {
      const device = await scene.occupy(one.id, scene.people.stranger.id);
      const update = {
        device_id: device.id,
        product_id: one.id,
        to_bundle_id: bundle.id,
        to_version: '1',
        to_bversion: 'b',
      };
      const { id } = await storage.db
        .insertInto('updates')
        .values({ ...update, cause: 'device', state, created_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      await storage.db
        .updateTable('devices')
        .set({ update_id: id, state: 'active' })
        .where('id', '=', device.id)
        .execute();
    }
    await scene.occupy(scene.platform.edition.id);
    const status = async (who: 'owner' | 'manager' | 'stranger' | 'admin') =>
      unwrap(await scene.as(who).call('overview.status')).value;
    const devices = { total: 4, online: 0, active: 4, enabled: 0, unclaimed_offers: 1, outdated: 2, failed: 1 };
    const owner = await status('owner');
    expect(owner).toMatchObject({
      devices,
      products: { owned: 2, managed: 0, published: 1 },
      bundles: { preview: 1, published: 1 },
      tokens: 1,
    });
    expect(owner.recent_logs.map(({ type }) => type)).toContain('product.create');
    expect(await status('manager')).toMatchObject({ devices, products: { owned: 0, managed: 2, published: 1 } });
    expect(await status('stranger')).toMatchObject({
      devices,
      products: { owned: 0, managed: 0, published: 0 },
      bundles: { preview: 0, published: 0 },
      recent_logs: [],
    });
    expect((await status('admin')).devices).toMatchObject({ total: 5, enabled: 1 });
  });
});
