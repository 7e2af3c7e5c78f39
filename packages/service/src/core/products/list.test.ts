import type { CallInput, productsContract } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { everybody, type ProductScene, productScene, type Who } from '../../testing/product-scene.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('list of products', (open) => {
  let app: ProductScene['app'];
  let platform: ProductScene['platform'];
  let people: ProductScene['people'];
  let as: ProductScene['as'];
  let add: ProductScene['add'];
  let get: ProductScene['get'];
  let occupy: ProductScene['occupy'];
  beforeAll(async () => {
    ({ app, platform, people, as, add, get, occupy } = await productScene(await open()));
  });

  type Query = NonNullable<CallInput<typeof productsContract.list>['query']>;
  const list = async (who: Who, query: Query = {}) =>
    unwrap(await as(who).call('products.list', { query: { limit: 500, ...query } }));
  const has = async (who: Who, id: string, query: Query = {}) =>
    (await list(who, query)).value.some((product) => product.id === id);

  // API-EP-GET-products: the list shows exactly what GET of one product shows.
  it.each(['preview', 'published', 'archive', 'trash'] as const)(
    'of a product in %s agrees with reading it',
    async (state) => {
      const { id, code } = await add(state === 'published' || state === 'archive' ? { state: 'published' } : {});
      const params = { product_id: id };
      if (state === 'archive') unwrap(await as('owner').call('products.update', { params, body: { code, state } }));
      if (state === 'trash') unwrap(await as('owner').call('products.setState', { params, body: { state } }));
      for (const who of everybody) {
        const readable = (await as(who).call('products.get', { params })).ok;
        expect({ who, listed: await has(who, id, state === 'trash' ? { state } : {}) }).toEqual({
          who,
          listed: readable,
        });
        expect(readable).toBe(who !== 'stranger' || state === 'published');
        if (state === 'trash') expect(await has(who, id)).toBe(false);
      }
    },
  );

  it('shows a product to the owners of devices on it', async () => {
    const { id } = await add();
    expect(await has('stranger', id)).toBe(false);
    const device = await occupy(id, people.stranger.id);
    expect(await has('stranger', id)).toBe(true);
    expect((await get(id, 'stranger')).role).toBe('none');
    await app.storage.db.deleteFrom('devices').where('id', '=', device.id).execute();
  });

  // API-RULE-list-2
  it('filters by role, category, state, platform, flavor and text', async () => {
    const { id, code, flavor_id } = await add({ code: 'FILTERED' });
    const edition = platform.edition.id;
    expect(await has('owner', id, { role: 'owner' })).toBe(true);
    expect(await has('owner', id, { role: 'manager' })).toBe(false);
    expect(await has('manager', id, { role: 'manager' })).toBe(true);
    expect(await has('manager', id, { category: 'managed' })).toBe(true);
    expect(await has('tester', id, { role: 'any' })).toBe(true);
    expect(await has('tester', edition, { role: 'any' })).toBe(false);
    expect(await has('tester', edition)).toBe(true);
    expect(await has('stranger', edition, { category: 'edition' })).toBe(true);
    expect(await has('stranger', edition, { edition: true })).toBe(true);
    expect(await has('admin', edition, { edition: false })).toBe(false);
    expect(await has('owner', id, { category: 'mine' })).toBe(true);
    expect(await has('owner', id, { category: 'published' })).toBe(false);
    expect(await has('owner', id, { state: 'preview', q: 'owner-brt106_filt' })).toBe(true);
    expect(await has('owner', id, { state: 'archive' })).toBe(false);
    expect(await has('owner', id, { platform_id: platform.id.toUpperCase(), flavor_id: flavor_id ?? '' })).toBe(true);
    expect(await has('owner', id, { platform_id: unknownId })).toBe(false);
    expect(await has('owner', id, { production: true })).toBe(false);
    expect(await has('owner', id, { production: false })).toBe(true);
    expect((await list('owner', { q: code.toLowerCase() })).value.map((product) => product.id)).toEqual([id]);
  });

  // API-RULE-list-1
  it('pages and sorts, with the total and links', async () => {
    const made: string[] = [];
    for (const code of ['PAGE_B', 'PAGE_C', 'PAGE_A']) {
      await app.clock.advance(1);
      made.push((await add({ code })).id);
    }
    const ids = async (query: Query) => (await list('owner', { q: 'page_', ...query })).value.map(({ id }) => id);
    expect(await ids({})).toEqual(made.toReversed());
    expect(await ids({ sort: 'created_at' })).toEqual(made);
    expect(await ids({ sort: 'code' })).toEqual([made[2], made[0], made[1]]);
    expect(await ids({ sort: '-code', limit: 1, offset: 1 })).toEqual([made[0]]);
    const page = await list('owner', { q: 'page_', limit: 1, offset: 1 });
    expect(page.total).toBe(3);
    expect(page.headers.get('link')).toContain('offset=2');
  });

  // API-RULE-list-3
  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'offset=-1',
    'sort=meta',
    'role=none',
    'state=active',
    'category=all',
    'platform_id=x',
    'production=maybe',
  ])('with %s is refused', async (query) => {
    const headers = { authorization: `Bearer ${people.owner.token}` };
    const reply = await app.api.inject({ url: `/api/products?${query}`, headers });
    expect(reply.json()).toMatchObject({
      statusCode: 400,
      code: 'INVALID_REQUEST',
      validation: { source: 'query', keys: [query.split('=')[0]] },
    });
  });
});
