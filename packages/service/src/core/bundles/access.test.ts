import type { Client } from '@moorage/api';
import { beforeAll, expect, it } from 'vitest';
import { type BundleScene, bundleScene } from '../../testing/bundle-scene.ts';
import { eachDatabase } from '../../testing/index.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

eachDatabase('access to bundles', (open) => {
  let app: BundleScene['app'];
  let platform: BundleScene['platform'];
  let owner: BundleScene['owner'];
  let client: BundleScene['client'];
  let firmware_id: BundleScene['firmware_id'];
  let given: BundleScene['given'];
  beforeAll(async () => {
    ({ app, platform, owner, client, firmware_id, given } = await bundleScene(await open()));
  });

  const calls = {
    list: (as: Client, { product_id }: Ids) => as.call('bundles.list', { params: { product_id } }),
    byTag: (as: Client, { product_id }: Ids) => as.call('bundles.byTag', { params: { product_id, tag: 'beta' } }),
    get: (as: Client, { bundle_id }: Ids) => as.call('bundles.get', { params: { bundle_id } }),
    binary: (as: Client, ids: Ids) => as.call('bundles.binary', { params: ids }),
    create: (as: Client, { product_id }: Ids) =>
      as.call('bundles.create', { params: { product_id }, body: { product_id, firmware_id } }),
    setState: (as: Client, { bundle_id }: Ids) =>
      as.call('bundles.setState', { params: { bundle_id }, body: { state: 'published' } }),
    setTag: (as: Client, { bundle_id }: Ids) =>
      as.call('bundles.setTag', { params: { bundle_id }, body: { tag: 'beta' } }),
    addResource: (as: Client, { preview_id }: Ids) =>
      as.call('bundles.addResource', { params: { bundle_id: preview_id }, body: {} }),
    removeResource: (as: Client, { preview_id, removable_id }: Ids) =>
      as.call('bundles.removeResource', { params: { bundle_id: preview_id, resource_id: removable_id } }),
  };
  type Ids = Record<'product_id' | 'bundle_id' | 'resource_id' | 'preview_id' | 'removable_id', string>;
  type Name = keyof typeof calls;
  const names = Object.keys(calls) as Name[];
  const reading: readonly Name[] = ['list', 'byTag', 'get', 'binary'];

  const scene = async (publication: 'preview' | 'published'): Promise<Ids> => {
    const product = await app.make.product({ platform_id: platform.id, user_id: owner.id, publication });
    const [bundle, preview] = [await given(product.id, 'published', 'beta'), await given(product.id, 'preview')];
    const resource = await app.make.resource(Buffer.from('x'), { bundle_id: bundle.id });
    const removable = await app.make.resource(Buffer.from('y'), { bundle_id: preview.id });
    const ids = { product_id: product.id, bundle_id: bundle.id, resource_id: resource.id };
    return { ...ids, preview_id: preview.id, removable_id: removable.id };
  };
  const status = async (reply: ReturnType<(typeof calls)[Name]>) => {
    const outcome = await reply;
    return outcome.ok ? 200 : outcome.error.status;
  };

  // API-RULE-access-1, API-RULE-access-2
  it.each(names.flatMap((name) => (['preview', 'published'] as const).map((state) => ({ name, state }))))(
    '$name of a product in $state',
    async ({ name, state }) => {
      const people = { admin: await app.make.admin(), owner, manager: await app.make.user() };
      const others = {
        tester: await app.make.user(),
        deviceOwner: await app.make.user(),
        stranger: await app.make.user(),
      };
      const found: Record<string, number> = {};
      for (const [who, { token }] of Object.entries({ ...people, ...others })) {
        const ids = await scene(state);
        await app.make.member(ids.product_id, people.manager.id, 'manager');
        await app.make.member(ids.product_id, others.tester.id, 'tester');
        const tied = { product_id: ids.product_id, user_id: others.deviceOwner.id };
        await app.make.device({ platform_id: platform.id, ...tied });
        found[who] = await status(calls[name](app.client.as(token), ids));
      }
      const visible = reading.includes(name) ? 200 : 403;
      const hidden = state === 'preview' ? 404 : visible;
      const insiders = { admin: 200, owner: 200, manager: 200 };
      expect(found).toEqual({ ...insiders, tester: visible, deviceOwner: visible, stranger: hidden });
    },
  );

  it.each(names)('%s without a token, or of nothing that is there', async (name) => {
    const ids = { product_id: unknownId, bundle_id: unknownId, resource_id: unknownId };
    const all = { ...ids, preview_id: unknownId, removable_id: unknownId };
    expect(await calls[name](app.client, all)).toMatchObject({ error: { status: 401 } });
    const what = ['list', 'byTag', 'create'].includes(name) ? 'Product' : 'Bundle';
    expect(await calls[name](client, all)).toMatchObject({
      error: { status: 404, body: { code: 'NOT_FOUND', message: `${what} not found` } },
    });
  });
});
