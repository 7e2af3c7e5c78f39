import type { Client } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type BundleScene, bundleScene } from '../../testing/bundle-scene.ts';
import { eachDatabase } from '../../testing/index.ts';

// API-RULE-access-1, API-RULE-access-2: what of a product's bundles is shown to whom.
eachDatabase('sight of bundles', (open) => {
  let scene: BundleScene;
  beforeAll(async () => {
    scene = await bundleScene(await open());
  });

  /** A product with a bundle in each state, the published one with an excluded file, and people around it. */
  async function productWith(values: { production?: 0 | 1; publication?: 'published' | 'preview' }) {
    const { app, platform, owner, given } = scene;
    const { make } = app;
    const product = await make.product({
      platform_id: platform.id,
      user_id: owner.id,
      publication: 'published',
      ...values,
    });
    const [draft, published, archived] = [
      await given(product.id, 'preview'),
      await given(product.id, 'published', 'release'),
      await given(product.id, 'archive'),
    ];
    const shown = await make.resource(Buffer.from('shown'), { bundle_id: published.id });
    const excluded = await make.resource(Buffer.from('not shown'), { bundle_id: published.id, exclude: 1 });
    const [stranger, deviceOwner, tester] = [await make.user(), await make.user(), await make.user()];
    await make.member(product.id, tester.id, 'tester');
    const at = { platform_id: platform.id, product_id: product.id };
    const device = await make.device({ ...at, user_id: deviceOwner.id });
    await make.device({ ...at, user_id: null });
    const getting = (bundle: { id: string; version: string }) =>
      make.update({
        device_id: device.id,
        product_id: product.id,
        to_bundle_id: bundle.id,
        to_version: bundle.version,
      });
    const as = {
      stranger: app.client.as(stranger.token),
      deviceOwner: app.client.as(deviceOwner.token),
      tester: app.client.as(tester.token),
    };
    return { product, draft, published, archived, shown, excluded, as, getting };
  }

  const seenBy = async (client: Client, product_id: string) => {
    const { value, total } = unwrap(await client.call('bundles.list', { params: { product_id } }));
    expect(total).toBe(value.length);
    return value.map(({ id }) => id).sort();
  };
  const found = async (client: Client, bundle_id: string, resource_id: string) =>
    [
      await client.call('bundles.get', { params: { bundle_id } }),
      await client.call('bundles.binary', { params: { bundle_id, resource_id } }),
    ].map((reply) => (reply.ok ? 200 : reply.error.status));

  it('strangers and device owners see published bundles without excluded files, testers all of them', async () => {
    const { product, draft, published, archived, shown, excluded, as } = await productWith({});
    const all = [draft.id, published.id, archived.id].sort();
    for (const [who, ids, resources] of [
      ['stranger', [published.id], [shown.id]],
      ['deviceOwner', [published.id], [shown.id]],
      ['tester', all, [shown.id, excluded.id].sort()],
    ] as const) {
      expect(await seenBy(as[who], product.id)).toEqual(ids);
      const params = { bundle_id: published.id };
      const detail = unwrap(await as[who].call('bundles.get', { params })).value;
      expect(detail.resources.map(({ id }) => id).sort()).toEqual(resources);
      const tagged = await as[who].call('bundles.byTag', { params: { product_id: product.id, tag: 'release' } });
      expect(
        unwrap(tagged)
          .value.resources.map(({ id }) => id)
          .sort(),
      ).toEqual(resources);
      const hidden = who === 'tester' ? 200 : 404;
      expect(await found(as[who], published.id, excluded.id)).toEqual([200, hidden]);
      expect(await found(as[who], published.id, shown.id)).toEqual([200, 200]);
      expect((await found(as[who], draft.id, shown.id))[0]).toBe(hidden);
      expect((await found(as[who], archived.id, shown.id))[0]).toBe(hidden);
    }
  });

  it('what a device of theirs is getting stays in sight of its owner when it is archived, and no one else’s', async () => {
    const { product, published, archived, as, getting } = await productWith({});
    await getting(archived);
    expect(await seenBy(as.deviceOwner, product.id)).toEqual([published.id, archived.id].sort());
    expect(await seenBy(as.stranger, product.id)).toEqual([published.id]);
  });

  it('a production product shows its bundles to its people, and to the owner of a device what that is getting', async () => {
    const { product, draft, published, archived, shown, as, getting } = await productWith({ production: 1 });
    expect(await seenBy(as.stranger, product.id)).toEqual([]);
    expect(await seenBy(as.deviceOwner, product.id)).toEqual([]);
    expect(await seenBy(as.tester, product.id)).toEqual([draft.id, published.id, archived.id].sort());
    await getting(published);
    expect(await seenBy(as.deviceOwner, product.id)).toEqual([published.id]);
    expect(await found(as.deviceOwner, published.id, shown.id)).toEqual([200, 200]);
    expect(await found(as.stranger, published.id, shown.id)).toEqual([404, 404]);
    const tagged = await as.stranger.call('bundles.byTag', { params: { product_id: product.id, tag: 'release' } });
    expect(tagged).toMatchObject({ ok: false, error: { status: 404 } });
    const record = await as.stranger.call('products.get', { params: { product_id: product.id } });
    expect(record).toMatchObject({ ok: true, value: { value: { bundle_count: 0, device_count: 0 } } });
  });

  it('figures of bundles and products count for outsiders what they see', async () => {
    const { product, published, as, getting } = await productWith({});
    await getting(published);
    const figures = async (client: Client) => {
      const params = { product_id: product.id };
      const [bundle] = unwrap(await client.call('bundles.list', { params, query: { tag: 'release' } })).value;
      const { device_count, bundle_count } = unwrap(await client.call('products.get', { params })).value;
      return [bundle?.device_count, device_count, bundle_count];
    };
    expect(await figures(as.stranger)).toEqual([0, 0, 1]);
    expect(await figures(as.deviceOwner)).toEqual([1, 1, 1]);
    expect(await figures(as.tester)).toEqual([1, 2, 3]);
  });
});
