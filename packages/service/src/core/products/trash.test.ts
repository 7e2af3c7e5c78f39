import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { type ProductScene, productScene } from '../../testing/product-scene.ts';

// API-RULE-product-4
eachDatabase('product in the trash', (open) => {
  let scene: ProductScene;
  beforeAll(async () => {
    scene = await productScene(await open());
  });

  /** A product with a bundle in preview, put into the trash. */
  const trashed = async () => {
    const { app, add, as, people, platform } = scene;
    const { id: product_id, product } = await add();
    const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const bundle = await app.make.bundle({ product_id, firmware_id: firmware.id, user_id: people.owner.id });
    const setState = async (state: 'active' | 'trash') =>
      unwrap(await as('owner').call('products.setState', { params: { product_id }, body: { state } }));
    await setState('trash');
    const at = `/api/products/${product_id}`;
    const additions: Readonly<Record<string, readonly [url: string, payload: object | Buffer]>> = {
      asset: [`${at}/assets/a.txt`, Buffer.from('x')],
      token: [`${at}/tokens`, {}],
      connector: [`${at}/connectors`, { title: 'T', code: 'HOOK', opts: { url: 'https://example.com/' } }],
      bundle: [`${at}/bundles`, { product_id, firmware_id: firmware.id }],
      resource: [`/api/bundles/${bundle.id}/resources`, { filename: 'a.txt', base64: 'YQ==' }],
    };
    const post = (what: string) => {
      const [url = '', payload = {}] = additions[what] ?? [];
      const headers = { authorization: `Bearer ${people.owner.token}` };
      return app.api.inject({ method: 'POST', url, payload, headers });
    };
    return { product, post, setState, at };
  };

  it.each(['asset', 'token', 'connector', 'bundle', 'resource'])('takes no %s until it is restored', async (what) => {
    const { product, post, setState } = await trashed();
    const message = `Product "${product}" is in the trash and takes nothing new`;
    expect((await post(what)).json()).toMatchObject({ statusCode: 409, code: 'PRODUCT_TRASHED', message });
    await setState('active');
    expect((await post(what)).statusCode).toBe(200);
  });

  it('can be cleared of what it has', async () => {
    const { post, setState, at } = await trashed();
    await setState('active');
    await post('asset');
    await setState('trash');
    const headers = { authorization: `Bearer ${scene.people.owner.token}` };
    const removed = await scene.app.api.inject({ method: 'DELETE', url: `${at}/assets/a.txt`, headers });
    expect(removed.statusCode).toBe(200);
  });
});
