import type { BundleDetail, Client, Tag } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { Storage } from '../engine/db/storage.ts';
import { buildApp } from './build-app.ts';

/** Everything that tests of bundles begin with: a platform, a firmware, an owner, and calls in the owner's name. */
export async function bundleScene(storage: Storage) {
  const app = await buildApp(storage);
  const platform = await app.make.platform({ code: 'BRT106' });
  const owner = await app.make.user({ username: 'owner' });
  const client: Client = app.client.as(owner.token);
  const fits = { platform_id: platform.id, flavor_id: platform.flavor.id };
  const firmware = await app.make.firmware({ ...fits, label: '2.2', version: '1.0.0.4' });
  const firmware_id = firmware.id;

  const request = (product_id: string, version?: string | null) =>
    client.call('bundles.create', {
      params: { product_id },
      body: { product_id, firmware_id, ...(version !== undefined && { version }) },
    });

  return {
    app,
    platform,
    owner,
    client,
    firmware_id,
    request,
    addProduct: (values: { part_number?: string } = {}) => app.make.product({ ...fits, user_id: owner.id, ...values }),
    add: async (product_id: string, version?: string | null): Promise<BundleDetail> =>
      unwrap(await request(product_id, version)).value,
    get: async (bundle_id: string): Promise<BundleDetail> =>
      unwrap(await client.call('bundles.get', { params: { bundle_id } })).value,
    setState: (bundle_id: string, state: BundleDetail['state'] | 'trash') =>
      client.call('bundles.setState', { params: { bundle_id }, body: { state } }),
    setTag: (bundle_id: string, tag: Tag | '') =>
      client.call('bundles.setTag', { params: { bundle_id }, body: { tag } }),
    /** A bundle in a state, and with a tag, without the calls that lead there. */
    given: (product_id: string, state: BundleDetail['state'], tag: Tag | null = null) =>
      app.make.bundle({ product_id, firmware_id, user_id: owner.id, state, tag }),
    /** Types of the log rows of a bundle. */
    logTypes: async (bundle_id: string): Promise<string[]> =>
      (await app.storage.db.selectFrom('logs').select('type').where('bundle_id', '=', bundle_id).execute()).map(
        ({ type }) => type,
      ),
  };
}

export type BundleScene = Awaited<ReturnType<typeof bundleScene>>;
