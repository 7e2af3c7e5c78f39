import type { Client, ProductRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { Storage } from '../engine/db/storage.ts';
import { buildApp, type TestAppOptions } from './build-app.ts';

/** Everybody who can be something to a product. */
export const everybody = ['admin', 'owner', 'manager', 'tester', 'stranger'] as const;
export type Who = (typeof everybody)[number];

/** Everything that tests of products begin with: a platform, and people with a client each. */
export async function productScene(storage: Storage, options: TestAppOptions = {}) {
  const app = await buildApp(storage, options);
  const platform = await app.make.platform({ code: 'BRT106' });
  const people = {
    admin: await app.make.admin(),
    owner: await app.make.user({ username: 'owner' }),
    manager: await app.make.user({ username: 'manager' }),
    tester: await app.make.user({ username: 'tester' }),
    stranger: await app.make.user({ username: 'stranger' }),
  };
  const as = (who: Who): Client => app.client.as(people[who].token);
  let count = 0;

  return {
    app,
    platform,
    people,
    as,
    /** A product of the owner, with the manager and the tester on it. */
    async add({ code = `P${++count}`, state }: { code?: string; state?: 'published' } = {}): Promise<ProductRecord> {
      const body = { title: 'T', code, meta: '', platform_id: platform.id };
      const made = unwrap(await as('owner').call('products.create', { body })).value;
      await app.make.member(made.id, people.manager.id, 'manager');
      await app.make.member(made.id, people.tester.id, 'tester');
      if (!state) return made;
      const params = { product_id: made.id };
      return unwrap(await as('owner').call('products.update', { params, body: { code, state } })).value;
    },
    get: async (id: string, who: Who = 'owner'): Promise<ProductRecord> =>
      unwrap(await as(who).call('products.get', { params: { product_id: id } })).value,
    /** A device that is activated to a product. */
    occupy: (product_id: string, user_id: string | null = null) =>
      app.make.device({ platform_id: platform.id, product_id, user_id }),
    /** Types of the log rows of a product. */
    logTypes: async (product_id: string): Promise<string[]> =>
      (await app.storage.db.selectFrom('logs').select('type').where('product_id', '=', product_id).execute()).map(
        ({ type }) => type,
      ),
  };
}

export type ProductScene = Awaited<ReturnType<typeof productScene>>;
