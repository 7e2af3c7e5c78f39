import { type CallFailure, customerRoleNames } from '@moorage/api';
import { type Result, unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { eachDatabase, type MadeUser } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';

// API-RULE-customer-4
eachDatabase('invitations of a customer', (open) => {
  let scene: ProductScene;
  let owner: MadeUser;
  let customer_id: string;
  let product_id: string;
  let device_id: string;
  const as = ({ token }: MadeUser) => scene.app.client.as(token);
  const invite = async (user: string, role: (typeof customerRoleNames)[number]) =>
    unwrap(await as(owner).call('customers.addUser', { params: { customer_id }, body: { user, role } })).value;
  const invitations = async (of: MadeUser) => unwrap(await as(of).call('memberships.list')).value;

  beforeAll(async () => {
    scene = await productScene(await open());
    const body = { name: 'acme', title: 'Acme' };
    customer_id = unwrap(await scene.as('admin').call('customers.create', { body })).value.id;
    owner = await scene.app.make.user({ customer_id, customer_role: 'owner', role: 'customer' });
    const { platform } = scene;
    product_id = (await scene.app.make.product({ platform_id: platform.id, customer_id })).id;
    device_id = (await scene.occupy(product_id, owner.id)).id;
  });

  /** What a caller gets of all that membership gives; `none` for a list without anything. */
  async function rights(user: MadeUser): Promise<Readonly<Record<string, string>>> {
    const client = as(user);
    const [product, customer] = [{ params: { product_id } }, { params: { customer_id } }];
    const device = { params: { device_id } };
    const full = (reply: Result<{ readonly value: readonly unknown[] }, CallFailure>) =>
      reply.ok && reply.value.value.length === 0 ? 'none' : outcome(reply);
    return {
      product: outcome(await client.call('products.get', product)),
      products: full(await client.call('products.list', { query: { role: 'any' } })),
      fleet: outcome(await client.call('alerts.rules', product)),
      people: outcome(await client.call('productPeople.list', product)),
      connectors: outcome(await client.call('connectors.list', product)),
      accounts: outcome(await client.call('serviceAccounts.list', product)),
      activation: outcome(await client.call('products.listTokens', product)),
      device: outcome(await client.call('devices.get', { params: { identifier: device_id } })),
      devices: full(await client.call('devices.list', { query: {} })),
      rename: outcome(await client.call('devices.update', { ...device, body: { title: 'x' } })),
      log: full(await client.call('logs.list', { query: { product_id } })),
      customer: outcome(await client.call('customers.get', customer)),
      members: outcome(await client.call('customers.addUser', { ...customer, body: { user: user.username } })),
    };
  }

  describe.each(customerRoleNames)('as %s', (role) => {
    it('give nothing before they are accepted, and no more than the name that was given', async () => {
      const guest = await scene.app.make.user({ email: `${role}@mail.example` });
      const before = await rights(guest);
      const { invited, users } = await invite(guest.email, role);
      expect(invited).toContainEqual(expect.objectContaining({ user: guest.email, role }));
      expect(JSON.stringify({ invited, users })).not.toContain(guest.username);
      expect(JSON.stringify({ invited, users })).not.toContain(guest.id);
      expect(await rights(guest)).toEqual(before);
      expect(unwrap(await as(guest).call('users.get')).value).toMatchObject({ role: 'user', customer_id: null });
      expect(await invitations(guest)).toMatchObject([{ customer_id, customer: 'acme', title: 'Acme', role }]);
      await acceptAll(as(guest));
      expect(await invitations(guest)).toEqual([]);
      expect(await rights(guest)).not.toEqual(before);
      const own = unwrap(await as(guest).call('users.get')).value;
      expect(own).toMatchObject({ role: 'customer', customer_id, customer_role: role });
    });
  });

  it('are accepted by those whom they are for, and until they are taken back or declined', async () => {
    const [guest, other] = [await scene.app.make.user(), await scene.app.make.user()];
    const accept = async (by: MadeUser, membership_id: string) =>
      outcome(await as(by).call('memberships.accept', { params: { membership_id } }));
    await invite(guest.username, 'viewer');
    const [first] = await invitations(guest);
    const params = { customer_id, membership_id: first?.id ?? '' };
    expect(await accept(other, params.membership_id)).toBe('NOT_FOUND');
    expect(outcome(await as(other).call('memberships.decline', { params }))).toBe('NOT_FOUND');
    expect(outcome(await as(other).call('customers.takeBack', { params }))).toBe('FORBIDDEN');
    unwrap(await as(owner).call('customers.takeBack', { params }));
    expect(await accept(guest, params.membership_id)).toBe('NOT_FOUND');
    await invite(guest.username, 'viewer');
    // Another role replaces the one before.
    await invite(guest.username, 'operator');
    const [second, ...more] = await invitations(guest);
    expect([second?.role, more]).toEqual(['operator', []]);
    unwrap(await as(guest).call('memberships.decline', { params: { membership_id: second?.id ?? '' } }));
    expect(await accept(guest, second?.id ?? '')).toBe('NOT_FOUND');
    const { invited } = unwrap(await as(owner).call('customers.get', { params: { customer_id } })).value;
    expect(invited).toEqual([]);
  });

  it('of two customers at once are accepted once', async () => {
    const guest = await scene.app.make.user();
    const body = { name: 'other', users: [guest.username] };
    unwrap(await scene.as('admin').call('customers.create', { body }));
    await invite(guest.username, 'viewer');
    const both = await invitations(guest);
    const done = await Promise.all(
      both.map(({ id }) => as(guest).call('memberships.accept', { params: { membership_id: id } })),
    );
    expect(done.map(outcome).toSorted()).toEqual(['DUPLICATE', 'ok']);
  });
});
