import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';

eachDatabase('activation tokens', (open) => {
  let app: ProductScene['app'];
  let people: ProductScene['people'];
  let as: ProductScene['as'];
  let add: ProductScene['add'];
  let logTypes: ProductScene['logTypes'];
  beforeAll(async () => {
    ({ app, people, as, add, logTypes } = await productScene(await open()));
  });

  // API-EP-POST-products-product_id-tokens, API-RULE-token-1
  it('value is shown once and stored as a hash', async () => {
    const { id } = await add();
    const params = { product_id: id };
    const made = unwrap(await as('manager').call('products.addToken', { params, body: { uses: 3 } })).value;
    expect(Buffer.from(made.token, 'base64').toString('latin1')).toMatch(/^[A-Za-z0-9]{24}$/);
    expect(made).toMatchObject({ product_id: id, uses_left: 3, user: 'manager', user_id: people.manager.id });
    const listed = unwrap(await as('owner').call('products.listTokens', { params }));
    expect(listed.value).toEqual([{ ...made, token: made.token.slice(-4) }]);
    expect(listed.total).toBe(1);
    const row = await app.storage.db.selectFrom('activation_tokens').selectAll().where('id', '=', made.id).execute();
    expect(JSON.stringify(row)).not.toContain(made.token);
    expect(await logTypes(id)).toContain('activation_token.create');
  });

  // API-EP-GET-products-product_id-tokens, API-EP-DELETE-products-product_id-tokens-token_id, API-RULE-token-2
  it('revoked token is gone', async () => {
    const { id } = await add();
    const other = await add();
    const params = { product_id: id };
    const made = unwrap(await as('owner').call('products.addToken', { params, body: {} })).value;
    expect(made.uses_left).toBe(1);
    const notFound = { error: { status: 404, body: { message: 'Activation token not found' } } };
    const of = (product_id: string) => ({ params: { product_id, token_id: made.id } });
    expect(await as('owner').call('products.removeToken', of(other.id))).toMatchObject(notFound);
    expect(unwrap(await as('owner').call('products.removeToken', of(id))).value).toEqual({ result: 'ok' });
    expect(await as('owner').call('products.removeToken', of(id))).toMatchObject(notFound);
    expect(unwrap(await as('owner').call('products.listTokens', { params })).value).toEqual([]);
    expect(await logTypes(id)).toContain('activation_token.revoke');
  });

  it.each([0, 10_001, 1.5, '3', null])('token for %s uses is refused', async (uses) => {
    const { id } = await add();
    const body = { uses } as unknown as { uses: number };
    expect(await as('owner').call('products.addToken', { params: { product_id: id }, body })).toMatchObject({
      error: { status: 400, body: { validation: { source: 'body', keys: ['uses'] } } },
    });
  });
});
