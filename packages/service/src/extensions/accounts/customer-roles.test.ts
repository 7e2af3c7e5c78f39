import { type CustomerRole, customerRoleNames } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase, type MadeUser } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';

/** What a reply comes to: the code of its refusal, or `ok`. */
const outcome = (reply: { ok: true } | { ok: false; error: { body: { code: string } } }): string =>
  reply.ok ? 'ok' : reply.error.body.code;

eachDatabase('the people of a customer', (open) => {
  let scene: ProductScene;
  let customer_id: string;
  let product_id: string;
  let device_id: string;
  let people: Record<CustomerRole, MadeUser>;
  const as = (role: CustomerRole) => scene.app.client.as(people[role].token);

  beforeAll(async () => {
    scene = await productScene(await open());
    const { make } = scene.app;
    people = {
      owner: await make.user(),
      maintainer: await make.user(),
      operator: await make.user(),
      viewer: await make.user(),
    };
    const body = { name: 'acme', users: [people.owner.username] };
    customer_id = unwrap(await scene.as('admin').call('customers.create', { body })).value.id;
    await acceptAll(as('owner'));
    for (const role of customerRoleNames) {
      if (role === 'owner') continue;
      const joining = { params: { customer_id }, body: { user: people[role].username, role } };
      unwrap(await as('owner').call('customers.addUser', joining));
      await acceptAll(as(role));
    }
    product_id = (await scene.add()).id;
    unwrap(await scene.as('admin').call('productPeople.move', { params: { product_id }, body: { customer_id } }));
    device_id = (await scene.occupy(product_id, people.owner.id)).id;
  });

  // API-RULE-customer-1, API-EP-POST-customers-customer_id-users
  describe.each([
    ['owner', 'owner', { read: 'ok', rename: 'ok', change: 'ok', people: 'ok', remove: 'ok' }],
    ['maintainer', 'manager', { read: 'ok', rename: 'ok', change: 'ok', people: 'ok', remove: 'FORBIDDEN' }],
    ['operator', 'operator', { read: 'ok', rename: 'ok', change: 'FORBIDDEN', people: 'ok', remove: 'FORBIDDEN' }],
    [
      'viewer',
      'tester',
      { read: 'ok', rename: 'FORBIDDEN', change: 'FORBIDDEN', people: 'FORBIDDEN', remove: 'FORBIDDEN' },
    ],
  ] as const)('as %s', (role, productRole, may) => {
    it('do with its products what the role lets them', async () => {
      const client = as(role);
      const params = { product_id };
      const product = unwrap(await client.call('products.get', { params })).value;
      expect(product).toMatchObject({ role: productRole, customer: 'acme', user_id: null });
      const { code } = product;
      expect({
        read: outcome(await client.call('devices.get', { params: { identifier: device_id } })),
        rename: outcome(await client.call('devices.update', { params: { device_id }, body: { title: role } })),
        change: outcome(await client.call('products.update', { params, body: { code, title: role } })),
        people: outcome(await client.call('productPeople.list', { params })),
        remove: outcome(await client.call('productPeople.remove', { params: { product_id, user_id: customer_id } })),
      }).toEqual({ ...may, ...(may.remove === 'ok' && { remove: 'NOT_FOUND' }) });
    });

    it('find its products and devices in the lists, and its log where it is theirs to watch', async () => {
      const client = as(role);
      const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
      const listed = async (query: object) => ids(unwrap(await client.call('products.list', { query })).value);
      expect(await listed({ role: 'any' })).toEqual([product_id]);
      expect(await listed({ role: 'owner' })).toEqual(role === 'owner' ? [product_id] : []);
      expect(await listed({ role: 'manager' })).toEqual(role === 'maintainer' ? [product_id] : []);
      expect(ids(unwrap(await client.call('devices.list', { query: {} })).value)).toEqual([device_id]);
      const logs = unwrap(await client.call('logs.list', { query: { product_id } }));
      expect(logs.value.length > 0).toBe(role !== 'viewer');
    });

    it('see who else belongs to it, and say so as owners alone', async () => {
      const client = as(role);
      const params = { customer_id };
      const { users } = unwrap(await client.call('customers.get', { params })).value;
      expect(new Map(users.map((one) => [one.user, one.role])).get(people[role].username)).toBe(role);
      expect(unwrap(await client.call('users.get')).value).toMatchObject({ customer_id, customer_role: role });
      const body = { user: people.viewer.username, role: 'viewer' } as const;
      expect(outcome(await client.call('customers.addUser', { params, body }))).toBe(
        role === 'owner' ? 'ok' : 'FORBIDDEN',
      );
    });
  });

  // API-EP-GET-customers-customer_id
  it('are nobody to another customer', async () => {
    const body = { name: 'other', users: [scene.people.stranger.username] };
    const other = unwrap(await scene.as('admin').call('customers.create', { body })).value.id;
    await acceptAll(scene.as('stranger'));
    const there = { params: { customer_id: other } };
    expect(outcome(await as('owner').call('customers.get', there))).toBe('NOT_FOUND');
    const joining = { ...there, body: { user: people.viewer.username } };
    expect(outcome(await as('owner').call('customers.addUser', joining))).toBe('FORBIDDEN');
    // Who belongs to another one is invited like anybody else, which the other does not find out, and leaves that first.
    const { invited } = unwrap(await scene.as('stranger').call('customers.addUser', joining)).value;
    expect(invited).toMatchObject([{ user: people.viewer.username, role: 'owner' }]);
    const membership_id = invited[0]?.id ?? '';
    expect(outcome(await as('viewer').call('memberships.accept', { params: { membership_id } }))).toBe('DUPLICATE');
    unwrap(await as('viewer').call('memberships.decline', { params: { membership_id } }));
    const leaving = { params: { customer_id, user_id: people.viewer.id } };
    expect(outcome(await scene.as('stranger').call('customers.removeUser', leaving))).toBe('FORBIDDEN');
    expect(outcome(await scene.as('stranger').call('products.get', { params: { product_id } }))).toBe('NOT_FOUND');
  });

  // API-EP-DELETE-customers-customer_id-users-user_id
  it('lose all of it at once when they leave or are taken off, and get another role at once', async () => {
    const guest = await scene.app.make.user();
    const client = scene.app.client.as(guest.token);
    const joining = (role: CustomerRole) =>
      as('owner').call('customers.addUser', { params: { customer_id }, body: { user: guest.username, role } });
    const rename = async () =>
      outcome(await client.call('devices.update', { params: { device_id }, body: { title: 'Guest' } }));
    unwrap(await joining('viewer'));
    // API-RULE-customer-4
    expect(await rename()).toBe('NOT_FOUND');
    await acceptAll(client);
    expect(await rename()).toBe('FORBIDDEN');
    unwrap(await joining('operator'));
    expect(await rename()).toBe('ok');
    const params = { customer_id, user_id: guest.id };
    unwrap(await client.call('customers.removeUser', { params }));
    expect(await rename()).toBe('NOT_FOUND');
    expect(unwrap(await client.call('users.get')).value).toMatchObject({ role: 'user', customer_role: null });
    unwrap(await joining('operator'));
    await acceptAll(client);
    unwrap(await as('owner').call('customers.removeUser', { params }));
    expect(await rename()).toBe('NOT_FOUND');
    expect(outcome(await as('owner').call('customers.removeUser', { params }))).toBe('NOT_FOUND');
  });

  // API-RULE-customer-2, API-EP-PUT-products-product_id-owner
  describe('move products', () => {
    const move = (client: ReturnType<typeof as>, id: string, body: { user?: string; customer_id?: string }) =>
      client.call('productPeople.move', { params: { product_id: id }, body });

    it('between themselves and the customer that they own', async () => {
      const { platform } = scene;
      const made = await scene.app.make.product({ platform_id: platform.id, user_id: people.owner.id });
      const moved = unwrap(await move(as('owner'), made.id, { customer_id })).value;
      expect(moved).toMatchObject({ customer_id, user_id: null, product: made.product });
      expect(outcome(await as('maintainer').call('products.get', { params: { product_id: made.id } }))).toBe('ok');
      expect(outcome(await move(as('maintainer'), made.id, { user: people.maintainer.username }))).toBe('FORBIDDEN');
      expect(outcome(await move(as('owner'), made.id, { user: people.viewer.username }))).toBe('FORBIDDEN');
      const back = unwrap(await move(as('owner'), made.id, { user: people.owner.username })).value;
      expect(back).toMatchObject({ customer_id: null, user_id: people.owner.id, product: made.product });
      expect(outcome(await as('maintainer').call('products.get', { params: { product_id: made.id } }))).toBe(
        'NOT_FOUND',
      );
    });

    it('of nobody else, to nobody else, and of production to no user', async () => {
      const { id } = await scene.add();
      expect(outcome(await move(scene.as('owner'), id, { customer_id }))).toBe('FORBIDDEN');
      expect(outcome(await move(scene.as('manager'), id, { user: 'manager' }))).toBe('FORBIDDEN');
      expect(outcome(await move(scene.as('stranger'), id, { user: 'stranger' }))).toBe('NOT_FOUND');
      expect(outcome(await move(scene.as('admin'), id, {}))).toBe('INVALID_REQUEST');
      expect(outcome(await move(scene.as('admin'), id, { user: 'owner', customer_id }))).toBe('INVALID_REQUEST');
      expect(outcome(await move(scene.as('admin'), id, { user: 'nobody-there' }))).toBe('NOT_FOUND');
      const { platform } = scene;
      const production = { platform_id: platform.id, customer_id, production: 1 } as const;
      const made = await scene.app.make.product(production);
      expect(outcome(await move(scene.as('admin'), made.id, { user: 'owner' }))).toBe('ILLEGAL_TRANSITION');
      expect(unwrap(await move(scene.as('admin'), id, { user: 'stranger' })).value.user_id).toBe(
        scene.people.stranger.id,
      );
    });
  });
});
