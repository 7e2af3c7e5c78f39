import { randomBytes, randomUUID } from 'node:crypto';
import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { writeLogs } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { refuseQuota } from '../access/quotas.ts';
import { insertDevices } from './queries.ts';

/** Devices of one product that register at the same time. */
export interface Registration {
  readonly productId: string;
  /** Owner of the devices where no user owns the product. */
  readonly fallbackOwner: string | null;
  readonly titles: readonly string[];
  /** Who lets them in; nobody where they come by themselves. */
  readonly by: { readonly userId?: string | null; readonly client?: string | null; readonly ip: string | null };
}

/** Uuids of new devices of a platform. */
const newUuid = (partId: string | null): string => `${partId ?? ''}${randomBytes(20).toString('hex')}`.slice(0, 40);

/**
 * Makes devices that are no modules: they are activated to their product from the start, and belong to its owner.
 * Refusals: NOT_FOUND, PRODUCT_ARCHIVED, PRODUCT_TRASHED, QUOTA_REACHED.
 *
 * @returns their ids, in the order of the titles
 */
export async function registerDevices(
  { settings, clock }: Pick<Deps, 'settings' | 'clock'>,
  trx: Db,
  { productId, fallbackOwner, titles, by }: Registration,
): Promise<Result<readonly string[], Refusal>> {
  const product = await trx
    .selectFrom('products as p')
    .innerJoin('platforms as pf', 'pf.id', 'p.platform_id')
    .select(['p.product', 'p.user_id', 'p.publication', 'p.trashed', 'p.platform_id', 'pf.part_id'])
    .where('p.id', '=', productId)
    .executeTakeFirst();
  if (!product) return failure(refusal('NOT_FOUND', { what: 'Product' }));
  if (product.trashed) return failure(refusal('PRODUCT_TRASHED', { product: product.product }));
  if (product.publication === 'archive') return failure(refusal('PRODUCT_ARCHIVED', { product: product.product }));
  const owner = product.user_id ?? fallbackOwner;
  const full = await refuseQuota(settings, trx, owner, 'devices', titles.length);
  if (full) return failure(full);
  const atMs = clock.now();
  const devices = titles.map((title) => ({
    id: randomUUID(),
    uuid: newUuid(product.part_id),
    title,
    description: '',
    mac: null,
    bt_addr: null,
    platform_id: product.platform_id,
    product_id: productId,
    state: 'enabled' as const, // API-STATE-device-none-enabled
    tag: null,
    user_id: owner,
    provision_token_hash: null,
    provision_status: 'complete' as const,
    certificate_fingerprint: null,
    update_id: null,
    bversion: null,
    ip: null,
    created_at: atMs,
    claimed_at: owner === null ? null : atMs,
    activated_at: atMs,
    last_seen_at: null,
  }));
  await insertDevices(trx, devices);
  const entry = { type: 'device.provision', atMs, productId, ...by } as const;
  await writeLogs(
    trx,
    devices.map(({ id, title }) => ({ ...entry, deviceId: id, message: `Device "${title}" registered` })),
  );
  return success(devices.map(({ id }) => id));
}
