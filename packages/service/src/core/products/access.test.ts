import type { Client } from '@moorage/api';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { everybody, type ProductScene, productScene } from '../../testing/product-scene.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('access to products', (open) => {
  let app: ProductScene['app'];
  let as: ProductScene['as'];
  let add: ProductScene['add'];
  beforeAll(async () => {
    ({ app, as, add } = await productScene(await open()));
  });

  // API-RULE-access-1, API-RULE-access-2: 404 for what the caller cannot see, 403 for what they may not do with it.
  const calls = {
    update: (client: Client, product_id: string, code: string) =>
      client.call('products.update', { params: { product_id }, body: { code, title: 'T' } }),
    setState: (client: Client, product_id: string) =>
      client.call('products.setState', { params: { product_id }, body: { state: 'active' } }),
    listTokens: (client: Client, product_id: string) => client.call('products.listTokens', { params: { product_id } }),
    addToken: (client: Client, product_id: string) =>
      client.call('products.addToken', { params: { product_id }, body: {} }),
    removeToken: (client: Client, product_id: string) =>
      client.call('products.removeToken', { params: { product_id, token_id: unknownId } }),
    remove: (client: Client, product_id: string) => client.call('products.remove', { params: { product_id } }),
  };
  const rows = (Object.keys(calls) as (keyof typeof calls)[]).flatMap((name) =>
    (['preview', 'published'] as const).map((state) => ({ name, state })),
  );
  const status = (reply: Awaited<ReturnType<(typeof calls)[keyof typeof calls]>>) =>
    reply.ok || reply.error.body.message === 'Activation token not found' ? 200 : reply.error.status;

  it.each(rows)('$name of a product in $state', async ({ name, state }) => {
    const found: Record<string, number> = {};
    for (const who of everybody) {
      const { id, code } = await add(state === 'published' ? { state } : {});
      found[who] = status(await calls[name](as(who), id, code));
    }
    expect(found).toEqual({
      admin: 200,
      owner: 200,
      manager: name === 'remove' ? 403 : 200,
      tester: 403,
      stranger: state === 'preview' ? 404 : 403,
    });
  });

  it.each(Object.keys(calls) as (keyof typeof calls)[])('%s without a token, or of no product', async (name) => {
    expect(await calls[name](app.client, unknownId, 'X')).toMatchObject({ error: { status: 401 } });
    expect(await calls[name](as('admin'), unknownId, 'X')).toMatchObject({
      error: { status: 404, body: { code: 'NOT_FOUND', message: 'Product not found' } },
    });
  });
});
