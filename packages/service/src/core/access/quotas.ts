import { type QuotaName, type QuotaRecord, quotaNames, type Refusal, refusal } from '@moorage/api';
import { waitingBytes } from '../../engine/db/blob-records.ts';
import { countOf } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Settings } from '../../engine/settings/settings.ts';

const mebibyte = 1024 * 1024;

interface Quota {
  /** What an account may have, 0 for any number. */
  limit(settings: Settings): number;
  used(db: Db, userId: string): Promise<number>;
  /** Completes "may have 5 …". */
  readonly things: string;
}

/** Of things that a product has, those in the products of one owner count. What a customer owns counts for no account. */
const ofOwner = (db: Db, userId: string) => db.selectFrom('products').where('products.user_id', '=', userId);

async function bytesOf(db: Db, userId: string): Promise<number> {
  const { devices, assets, resources } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('files')
        .innerJoin('devices', 'devices.id', 'files.device_id')
        .where('devices.user_id', '=', userId)
        .select(({ fn }) => fn.sum<number | null>('files.size').as('n'))
        .as('devices'),
      eb
        .selectFrom('files')
        .innerJoin('products', 'products.id', 'files.product_id')
        .where('products.user_id', '=', userId)
        .select(({ fn }) => fn.sum<number | null>('files.size').as('n'))
        .as('assets'),
      eb
        .selectFrom('resources')
        .innerJoin('bundles', 'bundles.id', 'resources.bundle_id')
        .innerJoin('products', 'products.id', 'bundles.product_id')
        .where('products.user_id', '=', userId)
        .select(({ fn }) => fn.sum<number | null>('resources.size').as('n'))
        .as('resources'),
    ])
    .executeTakeFirstOrThrow();
  // Sums of large integers come as texts.
  return Number(devices ?? 0) + Number(assets ?? 0) + Number(resources ?? 0) + (await waitingBytes(db, userId));
}

const quotas: Readonly<Record<QuotaName, Quota>> = {
  devices: {
    limit: ({ quotaDevices }) => quotaDevices,
    used: (db, userId) => countOf(db.selectFrom('devices').where('user_id', '=', userId)),
    things: 'devices',
  },
  products: {
    limit: ({ quotaProducts }) => quotaProducts,
    used: (db, userId) => countOf(ofOwner(db, userId)),
    things: 'products',
  },
  bundles: {
    limit: ({ quotaBundles }) => quotaBundles,
    used: (db, userId) => countOf(ofOwner(db, userId).innerJoin('bundles', 'bundles.product_id', 'products.id')),
    things: 'bundles',
  },
  connectors: {
    limit: ({ quotaConnectors }) => quotaConnectors,
    used: (db, userId) => countOf(ofOwner(db, userId).innerJoin('connectors', 'connectors.product_id', 'products.id')),
    things: 'connectors',
  },
  bytes: {
    limit: ({ quotaMebibytes }) => quotaMebibytes * mebibyte,
    used: bytesOf,
    things: 'bytes of files and bundles',
  },
};

/**
 * Why an account may not have more of something: QUOTA_REACHED. In the transaction that adds it, so that of many at
 * once no more get through. Administrators may have any number. Spec: API-LIMIT-quotas.
 *
 * @param userId whose it will be; of things that no user owns there may be any number
 * @param adding how many more, or bytes
 */
export async function refuseQuota(
  settings: Settings,
  trx: Db,
  userId: string | null,
  name: QuotaName,
  adding = 1,
): Promise<Refusal | undefined> {
  const { limit: limitOf, used, things } = quotas[name];
  const limit = limitOf(settings);
  if (limit === 0 || userId === null) return undefined;
  // Content in the place of a larger one adds nothing, unless what it has replaced has not gone yet.
  if (adding <= 0 && (name !== 'bytes' || (await waitingBytes(trx, userId)) === 0)) return undefined;
  const user = await trx.selectFrom('users').select(['username', 'role']).where('id', '=', userId).executeTakeFirst();
  if (!user || user.role === 'admin') return undefined;
  const has = await used(trx, userId);
  return has + adding <= limit
    ? undefined
    : refusal('QUOTA_REACHED', { user: user.username, limit, things, used: has });
}

/** What an account has and may have. */
export async function quotasOf(
  settings: Settings,
  db: Db,
  { userId, role }: { readonly userId: string; readonly role: string },
): Promise<QuotaRecord[]> {
  const isFree = role === 'admin';
  const records: QuotaRecord[] = [];
  for (const name of quotaNames) {
    const limit = isFree ? 0 : quotas[name].limit(settings);
    records.push({ name, used: await quotas[name].used(db, userId), limit: limit || null });
  }
  return [...records, { name: 'requests_per_minute', used: null, limit: settings.requestsPerMinute || null }];
}
