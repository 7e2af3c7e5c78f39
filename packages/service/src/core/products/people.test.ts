import { randomUUID } from 'node:crypto';
import { productUsersLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase, extensionsRun } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';
import { everybody, type ProductScene, productScene } from '../../testing/product-scene.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('people of a product', (open) => {
  let scene: ProductScene;
  beforeAll(async () => {
    scene = await productScene(await open());
  });
  const on = (product_id: string) => ({ params: { product_id } });

  // API-EP-GET-products-product_id-users, API-EP-POST-products-product_id-users, API-EP-DELETE-products-product_id-users-user_id
  it('are let in, change their role and are taken off', async () => {
    const { id } = await scene.add();
    const { stranger } = scene.people;
    const body = { user: stranger.email.toUpperCase(), role: 'tester' } as const;
    const made = unwrap(await scene.as('owner').call('productPeople.add', { ...on(id), body })).value;
    expect(made).toMatchObject({ user_id: stranger.id, user: 'stranger', role: 'tester', name_given: 'Given' });
    expect(unwrap(await scene.as('owner').call('productPeople.add', { ...on(id), body })).value).toEqual(made);
    expect((await scene.get(id, 'stranger')).role).toBe('tester');
    const changed = { user: 'stranger', role: 'manager' } as const;
    expect(unwrap(await scene.as('owner').call('productPeople.add', { ...on(id), body: changed })).value.role).toBe(
      'manager',
    );
    const listed = unwrap(await scene.as('manager').call('productPeople.list', { ...on(id), query: { sort: 'user' } }));
    expect(listed.value.map(({ user, role }) => `${user} ${role}`)).toEqual([
      'manager manager',
      'stranger manager',
      'tester tester',
    ]);
    expect(listed.total).toBe(3);
    const params = { product_id: id, user_id: stranger.id };
    expect(unwrap(await scene.as('owner').call('productPeople.remove', { params })).value).toEqual({ result: 'ok' });
    expect(await scene.as('owner').call('productPeople.remove', { params })).toMatchObject({ error: { status: 404 } });
    expect(await scene.as('stranger').call('products.get', on(id))).toMatchObject({ error: { status: 404 } });
    const types = await scene.logTypes(id);
    expect(types.filter((type) => type === 'product.user_add')).toHaveLength(2);
    expect(types).toContain('product.user_remove');
    // A user who is let in or put out learns of it, also a tester, who sees nothing else of the product's log.
    const heard = unwrap(
      await scene.as('stranger').call('logs.list', { query: { product_id: id, sort: 'created_at' } }),
    );
    expect(heard.value.map(({ type }) => type).toSorted()).toEqual([
      'product.user_add',
      'product.user_add',
      'product.user_remove',
    ]);
  });

  // API-LIMIT-product-users
  it('are 500 at most; those who are there may still change their role', async () => {
    const { id } = await scene.add();
    const { db } = scene.app.storage;
    const { total: have = 0 } = unwrap(await scene.as('owner').call('productPeople.list', on(id)));
    const crowd = Array.from({ length: productUsersLimit - have }, () => ({
      ...scene.people.stranger,
      id: randomUUID(),
    }));
    for (let from = 0; from < crowd.length; from += 100) {
      const part = crowd.slice(from, from + 100);
      const users = part.map(({ token: _, ...user }) => ({
        ...user,
        email: `${user.id}@x.example`,
        username: user.id,
      }));
      await db.insertInto('users').values(users).execute();
      const members = part.map((user) => ({
        product_id: id,
        user_id: user.id,
        role: 'tester' as const,
        created_at: 1,
      }));
      await db.insertInto('product_users').values(members).execute();
    }
    const add = (user: string) =>
      scene.as('owner').call('productPeople.add', { ...on(id), body: { user, role: 'manager' } });
    expect(await add('stranger')).toMatchObject({ error: { status: 409, body: { code: 'LIMIT_REACHED' } } });
    expect(unwrap(await add('tester')).value.role).toBe('manager');
    const params = { product_id: id, user_id: crowd[0]?.id ?? '' };
    unwrap(await scene.as('owner').call('productPeople.remove', { params }));
    expect(unwrap(await add('stranger')).value.role).toBe('manager');
  });

  it.each([
    [{ user: 'nobody', role: 'tester' }, 404],
    [{ user: 'owner', role: 'manager' }, 409],
    [{ user: 'tester', role: 'owner' }, 400],
    [{ role: 'tester' }, 400],
  ])('%j are refused', async (body, status) => {
    const { id } = await scene.add();
    expect(await scene.as('owner').call('productPeople.add', { ...on(id), body: body as never })).toMatchObject({
      error: { status },
    });
  });

  // API-RULE-access-1, API-RULE-access-2
  it.each(everybody)('are managed by %s as the table says', async (who) => {
    const { id } = await scene.add();
    const add = await scene
      .as(who)
      .call('productPeople.add', { ...on(id), body: { user: 'stranger', role: 'tester' } });
    const list = await scene.as(who).call('productPeople.list', on(id));
    const remove = await scene
      .as(who)
      .call('productPeople.remove', { params: { product_id: id, user_id: scene.people.tester.id } });
    const statuses = [add, list, remove].map((reply) => (reply.ok ? 200 : reply.error.status));
    const expected = {
      admin: [200, 200, 200],
      owner: [200, 200, 200],
      manager: [403, 200, 403],
      // Whoever was let in may leave.
      tester: [403, 403, 200],
      stranger: [404, 404, 404],
    };
    expect(statuses).toEqual(expected[who]);
  });
});

// Production products are of a customer.
describe.runIf(extensionsRun)('of customers', () =>
  eachDatabase('production', (open) => {
    let scene: ProductScene;
    let customer: string;
    beforeAll(async () => {
      scene = await productScene(await open());
      const body = { name: 'Acme', title: 'Acme Ltd', users: ['stranger'] };
      customer = unwrap(await scene.as('admin').call('customers.create', { body })).value.id;
      await acceptAll(scene.as('stranger'));
    });
    const on = (product_id: string) => ({ params: { product_id } });

    async function candidate() {
      const product = await scene.add();
      const { make } = scene.app;
      const firmware = await make.firmware({ platform_id: scene.platform.id, flavor_id: scene.platform.flavor.id });
      const of = { product_id: product.id, firmware_id: firmware.id, user_id: scene.people.owner.id };
      await make.bundle({ ...of, state: 'published', tag: 'alpha', version: '1.0.0.2' });
      const bundle = await make.bundle({ ...of, state: 'published', tag: 'beta', version: '1.0.0.1' });
      await make.resource(Buffer.from('x'), { bundle_id: bundle.id, filename: 'a.txt' });
      return product;
    }

    // API-EP-POST-products-product_id-production, API-RULE-production-2
    it('product is made from a release candidate, for a customer', async () => {
      const source = await candidate();
      const body = { customer_id: customer.toUpperCase(), part_number: 'PN-1' };
      const made = unwrap(
        await scene.as('admin').call('productPeople.makeProduction', { ...on(source.id), body }),
      ).value;
      expect(made).toMatchObject({
        code: source.code,
        product: source.product.replace('OWNER-', 'ACME-'),
        customer_id: customer,
        customer: 'acme',
        user_id: null,
        production: true,
        claimable: false,
        part_number: 'PN-1',
        bundle_count: 1,
        version: '1.0.0.1',
        tag: 'beta',
        state: 'preview',
      });
      expect((await scene.get(made.id, 'stranger')).role).toBe('owner');
      const bundles = unwrap(await scene.as('stranger').call('bundles.list', on(made.id))).value;
      expect(bundles).toMatchObject([{ version: '1.0.0.1', part_number: 'PN-1' }]);
      const again = await scene.as('admin').call('productPeople.makeProduction', { ...on(source.id), body });
      expect(again).toMatchObject({ error: { status: 409, body: { code: 'DUPLICATE' } } });
      const twice = await scene.as('admin').call('productPeople.makeProduction', { ...on(made.id), body });
      expect(twice).toMatchObject({ error: { status: 409, body: { code: 'ILLEGAL_TRANSITION' } } });
    });

    it('product is refused without a candidate, a customer or the right', async () => {
      const { id } = await scene.add();
      const body = { customer_id: customer, part_number: 'PN' };
      const ask = (who: 'admin' | 'owner' | 'stranger', more = {}) =>
        scene.as(who).call('productPeople.makeProduction', { ...on(id), body: { ...body, ...more } });
      expect(await ask('admin')).toMatchObject({ error: { status: 409, body: { code: 'NO_RELEASE_CANDIDATE' } } });
      expect(await ask('admin', { customer_id: unknownId })).toMatchObject({ error: { status: 404 } });
      expect(await ask('admin', { part_number: '' })).toMatchObject({ error: { status: 400 } });
      expect(await ask('owner')).toMatchObject({ error: { status: 403 } });
      expect(
        await scene.app.storage.db.selectFrom('products').select('id').where('part_number', '=', 'PN').execute(),
      ).toEqual([]);
    });

    // API-RULE-access-1: claimable by owners, part numbers by administrators
    it('fields are changed by those who may', async () => {
      const { id, code } = await scene.add();
      const put = async (who: 'admin' | 'owner' | 'manager', change: object) => {
        const reply = await scene.as(who).call('products.update', { ...on(id), body: { code, ...change } });
        return reply.ok
          ? { claimable: reply.value.value.claimable, part_number: reply.value.value.part_number }
          : reply.error.status;
      };
      expect(await put('manager', { claimable: false })).toBe(403);
      expect(await put('manager', { claimable: true, title: 'Same' })).toEqual({ claimable: true, part_number: null });
      expect(await put('owner', { claimable: false })).toEqual({ claimable: false, part_number: null });
      expect(await put('owner', { part_number: 'X' })).toBe(403);
      expect(await put('admin', { part_number: 'X' })).toEqual({ claimable: false, part_number: 'X' });
      expect(await put('owner', { part_number: 'X' })).toEqual({ claimable: false, part_number: 'X' });
      expect(await put('admin', { part_number: null })).toEqual({ claimable: false, part_number: null });
    });
  }),
);
