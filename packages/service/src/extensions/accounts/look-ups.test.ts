import { contract, type EndpointShape } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { lookUps } from '../../core/access/accounts.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';

/** Fields that name an account, or what may be the name of one. */
const naming = ['user', 'users', 'email', 'username', 'heir', 'manufacturer'];
/** What every endpoint with such a field does about it. */
const endpoints = {
  'users.update': 'limited',
  'productPeople.add': 'limited',
  'productPeople.move': 'limited',
  'customers.addUser': 'limited',
  'customers.create': 'administrators',
  'invitations.create': 'administrators',
  'accounts.remove': 'administrators',
  'platforms.create': 'administrators',
  'platforms.setAccess': 'administrators',
  'platforms.setFlavorAccess': 'administrators',
  // Filters of rows that the caller sees anyway.
  'logs.list': 'own rows',
  'audit.list': 'own rows',
} as const;

const entries = Object.entries(contract).flatMap(([group, of]) =>
  Object.entries(of).map(([name, entry]: [string, EndpointShape]) => [`${group}.${name}`, entry] as const),
);
const named = ({ body, query }: EndpointShape) =>
  [body, query].flatMap((part) =>
    // Safe: a schema is an object of keywords; of what has no properties there are none.
    Object.keys((part as { properties?: object } | undefined)?.properties ?? {}).filter((at) => naming.includes(at)),
  );

describe('what says whether a name has an account', () => {
  it('is all in the table', () => {
    const found = entries.filter(([, entry]) => entry.auth !== 'none' && named(entry).length > 0);
    expect(found.map(([name]) => name).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });
});

// API-LIMIT-look-ups
eachDatabase('looking for accounts', (open) => {
  let app: TestApp;
  let eve: MadeUser;
  let admin: MadeUser;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    app = await buildApp(await open());
    admin = await app.make.admin();
    eve = await app.make.user({ username: 'eve' });
    const body = { name: 'acme', users: ['eve'] };
    const customer = unwrap(await app.client.as(admin.token).call('customers.create', { body })).value;
    await acceptAll(app.client.as(eve.token));
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id, user_id: eve.id });
    ids = { customer_id: customer.id, product_id: product.id, platform_id: platform.id, flavor_id: platform.flavor.id };
  });

  const requests: Readonly<Record<string, (name: string) => object>> = {
    'users.update': (name) => ({ email: `${name}@example.com` }),
    'productPeople.add': (user) => ({ user, role: 'tester' }),
    'productPeople.move': (user) => ({ user }),
    'customers.addUser': (user) => ({ user }),
    'customers.create': (user) => ({ name: 'other', users: [user] }),
    'invitations.create': (name) => ({ email: `${name}@example.com` }),
    'accounts.remove': () => ({}),
    'platforms.create': (manufacturer) => ({ code: 'X', title: 'X', manufacturer }),
    'platforms.setAccess': (user) => ({ restricted: true, users: [user] }),
    'platforms.setFlavorAccess': (user) => ({ restricted: true, users: [user] }),
  };
  async function code(endpoint: string, by: MadeUser, name: string): Promise<string> {
    const { method, path } = entries.find(([of]) => of === endpoint)?.[1] ?? { method: 'GET', path: '' };
    const url = path.replace(/\{(\w+)\}/g, (_, key: string) => ids[key] ?? eve.id);
    const headers = { authorization: `Bearer ${by.token}` };
    const payload = requests[endpoint]?.(name) ?? {};
    const reply = await app.api.inject({ method, url, headers, ...(method !== 'DELETE' && { payload }) });
    return reply.json().code ?? 'ok';
  }
  const those = (what: string) => Object.entries(endpoints).flatMap(([name, does]) => (does === what ? [name] : []));

  it('is limited for an account, over all that tells', async () => {
    const codes: string[] = [];
    for (let time = 0; time < lookUps.most; time++) {
      const limited = those('limited');
      codes.push(await code(limited[time % limited.length] ?? '', eve, `nobody${time}`));
    }
    expect([...new Set(codes)].toSorted()).toEqual(['NOT_FOUND', 'ok']);
    for (const endpoint of those('limited')) expect(await code(endpoint, eve, 'nobody')).toBe('TOO_MANY_LOOK_UPS');
    const title = { authorization: `Bearer ${eve.token}` };
    const own = { method: 'PUT', url: '/api/user', headers: title, payload: { name_given: 'Eve' } } as const;
    expect((await app.api.inject(own)).statusCode).toBe(200);
    expect(await code('productPeople.add', admin, 'nobody')).toBe('NOT_FOUND');
    await app.clock.skip(lookUps.windowMs);
    expect(await code('customers.addUser', eve, 'nobody')).toBe('NOT_FOUND');
  });

  it.each(those('administrators'))('%s is for administrators', async (endpoint) => {
    await app.storage.db.updateTable('tokens').set({ proven_at: app.clock.now() }).execute();
    expect(await code(endpoint, eve, 'nobody')).toBe('FORBIDDEN');
  });
});
