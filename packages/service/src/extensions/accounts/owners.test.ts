import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomerRole } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';

/** Whatever writes accounts, and what it has to do with owners: what is not here is a way that nobody has looked at. */
const writers = {
  'extensions/accounts/customer-queries.ts': 'setCustomer, after refuseLastOwner',
  'extensions/accounts/account-queries.ts':
    'changeAccount and deleteAccount, after refuseLastOwner; setRole, which changes no owner',
  'core/users/queries.ts': 'own details',
  'core/auth/queries.ts': 'passwords',
  'extensions/accounts/link-queries.ts': 'addresses',
  'extensions/accounts/factor-queries.ts': 'factors',
  'extensions/accounts/service-account-queries.ts': 'service accounts, of no customer',
  'core/avatars/queries.ts': 'pictures',
} as const;

it('what writes accounts is all in the table', () => {
  const folder = join(import.meta.dirname, '..', '..');
  const found = globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts', 'engine/**', 'testing/**'] }).filter(
    (file) => /(updateTable|deleteFrom)\('users'\)/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(found.toSorted()).toEqual(Object.keys(writers).toSorted());
});

// API-RULE-customer-3
eachDatabase('the last owner of a customer', (open) => {
  let app: TestApp;
  let admin: MadeUser;
  let count = 0;
  beforeAll(async () => {
    app = await buildApp(await open());
    admin = await app.make.admin();
  });
  const as = ({ token }: MadeUser) => app.client.as(token);

  /** A customer with an owner, a viewer, and somebody more. */
  async function customerWith(second: CustomerRole) {
    const name = `firm${++count}`;
    const { id } = unwrap(await as(admin).call('customers.create', { body: { name } })).value;
    const person = (customer_role: CustomerRole) => app.make.user({ customer_id: id, customer_role, role: 'customer' });
    return { id, owner: await person('owner'), second: await person(second), viewer: await person('viewer') };
  }
  type Scene = Pick<Awaited<ReturnType<typeof customerWith>>, 'id'>;

  const lower = (by: MadeUser, { id }: Scene, whom: MadeUser) =>
    as(by).call('customers.addUser', { params: { customer_id: id }, body: { user: whom.username, role: 'viewer' } });
  const remove = (by: MadeUser, { id }: Scene, { id: user_id }: MadeUser) =>
    as(by).call('customers.removeUser', { params: { customer_id: id, user_id } });
  const disable = (_: MadeUser, __: Scene, { id: user_id }: MadeUser) =>
    as(admin).call('accounts.update', { params: { user_id }, body: { disabled: true } });
  const deleted = (_: MadeUser, __: Scene, { id: user_id }: MadeUser, heir?: string) =>
    as(admin).call('accounts.remove', { params: { user_id }, query: { ...(heir && { heir }) } });

  /** All that ends or changes what an account is to its customer. */
  const ways = { lower, remove, disable, deleted } as const;

  describe.each(Object.entries(ways))('%s', (_, way) => {
    it('is refused while others would be left without one, to administrators too', async () => {
      const scene = await customerWith('owner');
      // One who cannot come in does not count.
      unwrap(await disable(admin, scene, scene.second));
      for (const by of [scene.owner, admin]) expect(outcome(await way(by, scene, scene.owner))).toBe('LAST_OWNER');
      const { users } = unwrap(
        await as(scene.owner).call('customers.get', { params: { customer_id: scene.id } }),
      ).value;
      expect(users.map(({ role }) => role).toSorted()).toEqual(['owner', 'owner', 'viewer']);
    });

    it('is done where there is another, and of two at once for one', async () => {
      const scene = await customerWith('owner');
      const done = await Promise.all([scene.owner, scene.second].map((one) => way(one, scene, one)));
      expect(done.map(outcome).toSorted()).toEqual(['LAST_OWNER', 'ok']);
    });
  });

  it('leaves an empty customer behind when an administrator takes them off, and no other', async () => {
    const scene = await customerWith('viewer');
    for (const one of [scene.second, scene.viewer]) unwrap(await remove(scene.owner, scene, one));
    expect(outcome(await remove(scene.owner, scene, scene.owner))).toBe('LAST_OWNER');
    expect(outcome(await lower(admin, scene, scene.owner))).toBe('LAST_OWNER');
    expect(outcome(await remove(admin, scene, scene.owner))).toBe('ok');
  });

  it('has an heir among the people, who is an owner then', async () => {
    const { id, owner, viewer, second } = await customerWith('maintainer');
    const stranger = await app.make.user();
    expect(outcome(await deleted(admin, { id }, owner, stranger.username))).toBe('LAST_OWNER');
    unwrap(await deleted(admin, { id }, owner, viewer.username));
    const { users } = unwrap(await as(viewer).call('customers.get', { params: { customer_id: id } })).value;
    const roles = new Map(users.map(({ user, role }) => [user, role]));
    expect([roles.get(viewer.username), roles.get(second.username)]).toEqual(['owner', 'maintainer']);
  });
});
