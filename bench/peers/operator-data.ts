import { randomUUID } from 'node:crypto';
import { realClock } from '@moorage/base';
import { hashPassword } from '@moorage/service/core/auth/passwords';
import { formatBversion } from '@moorage/service/core/bundles/rules';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import type { Row, Schema } from '@moorage/service/engine/db/schema';
import type { Storage } from '@moorage/service/engine/db/storage';
import { fixtures } from '@moorage/service/testing/index';
import type { Insertable } from 'kysely';

const products = { count: 101, bundles: 319 } as const;
const userCount = 60;

/** How much there is; what is left out is that of a middling fleet. */
export interface OperatorCounts {
  readonly devices?: number;
  readonly logs?: number;
}

export const operatorAccount = { email: 'operator@example.com', password: 'correct horse battery staple' } as const;

const harbours = [
  ['Hamburg', 'Germany', 53_540_000, 9_970_000],
  ['Rotterdam', 'Netherlands', 51_950_000, 4_140_000],
  ['Bergen', 'Norway', 60_390_000, 5_320_000],
  ['Halifax', 'Canada', 44_650_000, -63_570_000],
  ['Valparaíso', 'Chile', -33_040_000, -71_630_000],
  ['Cape Town', 'South Africa', -33_920_000, 18_420_000],
  ['Busan', 'South Korea', 35_100_000, 129_040_000],
  ['Auckland', 'New Zealand', -36_840_000, 174_770_000],
] as const;

/** How the updates of devices have gone, in turn; the release is the newest bundle of a product. */
const histories = [
  ...Array<'current'>(12).fill('current'),
  ...Array<'behind'>(4).fill('behind'),
  'offered',
  'downloading',
  'failed',
  'silent',
] as const;

const logKinds = [
  ['ota.ok', 'info', 'Update landed on'],
  ['ota.fail', 'error', 'Update failed on'],
  ['device.online', 'info', 'Connected:'],
  ['device.offline', 'info', 'Disconnected:'],
  ['device.update', 'info', 'Changed:'],
  ['device.first_contact', 'info', 'First contact of'],
  ['device.file_write', 'info', 'File written on'],
  ['device.claim', 'info', 'Claimed:'],
  ['user.login', 'info', 'Signed in beside'],
  ['connector.error', 'warning', 'Delivery failed for'],
] as const;

/** Rows of one statement. */
const statementRows = 500;

/** Numbers that look like chance and are the same in every run. */
const scattered = (index: number, below: number): number => (Math.imul(index + 1, 2_654_435_761) >>> 0) % below;

async function fill<T extends 'devices' | 'updates' | 'logs' | 'channels' | 'labels'>(
  storage: Storage,
  table: T,
  rows: readonly Insertable<Schema[T]>[],
): Promise<void> {
  await storage.transaction(async (trx) => {
    for (let at = 0; at < rows.length; at += statementRows) {
      // Safe: the rows are of this table; the query builder does not follow a table that is a parameter.
      const part = rows.slice(at, at + statementRows) as never;
      await trx.insertInto(table).values(part).execute();
    }
  });
}

interface Made {
  readonly id: string;
  readonly product: string;
  /** Oldest first; the last one is the release. */
  readonly bundles: readonly { readonly id: string; readonly version: string; readonly bversion: string }[];
}

/** Products with their bundles, of one platform. */
async function makeProducts(storage: Storage, adminId: string, nowMs: number) {
  const make = fixtures({ storage, blobs: memoryBlobs(realClock), clock: realClock });
  const platform = await make.platform();
  const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
  const made: Made[] = [];
  for (let index = 0; index < products.count; index++) {
    const product = await make.product({
      platform_id: platform.id,
      user_id: adminId,
      title: `Harbour light ${index}`,
      publication: 'published',
    });
    const bundles = [];
    // Three each, and the rest for the first.
    const count = index === 0 ? products.bundles - 3 * (products.count - 1) : 3;
    for (let version = 1; version <= count; version++) {
      const createdAtMs = nowMs - (count - version + 1) * 86_400_000;
      const bundle = await make.bundle({
        product_id: product.id,
        firmware_id: firmware.id,
        user_id: adminId,
        state: 'published',
        version: `1.${version}.0.0`,
        tag: version === count ? 'release' : version === count - 1 ? 'beta' : null,
        created_at: createdAtMs,
      });
      const bversion = formatBversion({
        product: product.product,
        version: bundle.version,
        createdAtMs,
        firmwareLabel: firmware.label,
        firmwareVersion: firmware.version,
      });
      bundles.push({ id: bundle.id, version: bundle.version, bversion });
    }
    made.push({ id: product.id, product: product.product, bundles });
  }
  return { platform, products: made, make };
}

type History = (typeof histories)[number];

/** The update of a device with this history; none for the silent. */
function updateOf(history: History, { id: productId, bundles }: Made, deviceId: string, atMs: number) {
  const newest = bundles.at(-1);
  const former = bundles.at(-2);
  if (history === 'silent' || !newest || !former) return undefined;
  const to = history === 'behind' ? former : newest;
  const state = history === 'current' || history === 'behind' ? ('done' as const) : history;
  const isOver = state === 'done' || state === 'failed';
  return {
    device_id: deviceId,
    product_id: productId,
    cause: 'device' as const,
    from_bundle_id: former.id,
    from_bversion: former.bversion,
    to_bundle_id: to.id,
    to_version: to.version,
    to_bversion: to.bversion,
    state,
    result: null,
    reason: state === 'failed' ? 'The download was not complete after 7 days' : null,
    created_at: atMs,
    downloading_at: state === 'offered' ? null : atMs + 1_000,
    installed_at: isOver ? atMs + 60_000 : null,
    finished_at: isOver ? atMs + 90_000 : null,
  };
}

interface Surroundings {
  readonly products: readonly Made[];
  readonly users: readonly string[];
  readonly nowMs: number;
}

/** Device number `index`, and its update. */
function deviceOf(index: number, template: Row<'devices'>, { products, users, nowMs }: Surroundings) {
  const product = products[scattered(index, products.length)] ?? products[0];
  if (!product) throw new Error('No product');
  const history = histories[index % histories.length] ?? 'silent';
  const [city, country, lat, lon] = harbours[scattered(index, harbours.length)] ?? harbours[0];
  const update = updateOf(history, product, randomUUID(), nowMs - scattered(index, 30 * 86_400_000));
  const runs = update?.state === 'done' ? update.to_bversion : (update?.from_bversion ?? null);
  const seenMs = nowMs - scattered(index, 20) ** 5 * 60_000;
  const hex = index.toString(16).padStart(6, '0').toUpperCase();
  const row = {
    ...template,
    id: update?.device_id ?? randomUUID(),
    uuid: `${scattered(index, 2 ** 32)
      .toString(16)
      .padStart(8, '0')}${index.toString(16).padStart(32, '0')}`,
    title: `Light ${city} ${index}`,
    mac: `9E:9E:A1:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`,
    product_id: product.id,
    user_id: index % 7 === 0 ? null : (users[scattered(index, users.length)] ?? null),
    state: history === 'silent' ? ('enabled' as const) : index % 97 === 0 ? ('disabled' as const) : ('active' as const),
    tag: index % 11 === 0 ? ('beta' as const) : null,
    bversion: runs,
    ip: '192.0.2.1',
    lat_e6: lat + scattered(index, 400_000) - 200_000,
    lon_e6: lon + scattered(index + 7, 400_000) - 200_000,
    city,
    country,
    created_at: nowMs - index * 60_000,
    claimed_at: nowMs - index * 50_000,
    activated_at: nowMs - index * 40_000,
    last_seen_at: history === 'silent' ? null : seenMs,
  };
  return { row, update };
}

/**
 * Fills an empty storage with what an operator of a middling fleet has. Made with the service's own fixtures where a
 * table has few rows, and in large statements where it has many.
 */
export async function makeOperatorData(
  storage: Storage,
  { devices: deviceCount = 5_001, logs = 200_045 }: OperatorCounts = {},
) {
  const nowMs = Date.now();
  const first = fixtures({ storage, blobs: memoryBlobs(realClock), clock: realClock });
  const { email, password } = operatorAccount;
  const admin = await first.admin({ email, username: 'operator', password_hash: await hashPassword(password) });
  const users = [admin.id];
  for (let index = 1; index < userCount; index++) {
    users.push((await first.user({ email: `keeper${index}@example.com`, username: `keeper${index}` })).id);
  }
  const { platform, products, make } = await makeProducts(storage, admin.id, nowMs);
  const [firstProduct] = products;
  if (!firstProduct) throw new Error('No product');
  const template = await make.device({ platform_id: platform.id, product_id: firstProduct.id });
  await storage.db.deleteFrom('devices').execute();
  const around = { products, users, nowMs };
  const devices = Array.from({ length: deviceCount }, (_, index) => deviceOf(index, template, around));
  await fill(
    storage,
    'devices',
    devices.map(({ row }) => row),
  );
  await fill(
    storage,
    'updates',
    devices.flatMap(({ update }) => (update ? [update] : [])),
  );
  await storage.db
    .updateTable('devices')
    .set((eb) => ({
      update_id: eb.selectFrom('updates').select('updates.id').whereRef('device_id', '=', 'devices.id'),
    }))
    .execute();
  await fill(
    storage,
    'labels',
    devices.map(({ row }, index) => ({
      device_id: row.id,
      name: 'region',
      value: index % 3 === 0 ? 'eu' : 'apac',
    })),
  );
  await fillLogs(storage, logs, { devices: devices.map(({ row }) => row), users, nowMs });
  return { admin, productId: firstProduct.id };
}

type DeviceRows = readonly {
  readonly id: string;
  readonly title: string;
  readonly product_id: string;
  readonly user_id: string | null;
}[];

/** Log rows of a year, newest first. */
async function fillLogs(
  storage: Storage,
  count: number,
  { devices, users, nowMs }: { devices: DeviceRows; users: readonly string[]; nowMs: number },
): Promise<void> {
  const step = (365 * 86_400_000) / count;
  const batch = 10_000;
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: Math.min(batch, count - from) }, (_, at) => {
      const index = from + at;
      const device = devices[scattered(index, devices.length)];
      const drawn = logKinds[scattered(index, logKinds.length)] ?? logKinds[0];
      // Most updates land.
      const [type, level, words] = drawn[0] === 'ota.fail' && index % 24 > 0 ? logKinds[0] : drawn;
      return {
        id: randomUUID(),
        type,
        level,
        message: `${words} ${device?.title ?? ''}`,
        user_id: index % 5 === 0 ? (users[scattered(index, users.length)] ?? null) : null,
        device_id: device?.id ?? null,
        product_id: device?.product_id ?? null,
        bundle_id: null,
        ip: '192.0.2.1',
        client: null,
        data: '{}',
        created_at: Math.round(nowMs - index * step),
        owner_id: device?.user_id ?? null,
      };
    });
    await fill(storage, 'logs', rows);
  }
}
