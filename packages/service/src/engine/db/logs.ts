import { randomUUID } from 'node:crypto';
import type { LogType } from '@moorage/api';
import { currentObserver, type Logged } from './observer.ts';
import type { NewRow } from './schema.ts';
import type { Db } from './storage.ts';

export type { LogType };

/** Types that come too often to be read one by one: counted, and listed only when asked for. */
const quietTypes: readonly LogType[] = ['ota.check', 'ota.none', 'device.message'];

/** Whether logs of a type are left out of lists that do not ask for it. Spec: API-RULE-log-2. */
export const isQuiet = (type: LogType): boolean => quietTypes.includes(type);

export interface LogEntry extends Logged {
  readonly type: LogType;
  /** `info` when absent. */
  readonly level?: 'info' | 'warning' | 'error';
  readonly atMs: number;
  /** Where the row is about several: connectors get an event for each. */
  readonly deviceIds?: readonly string[];
  readonly ip?: string | null;
  readonly client?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Whom it is about, where it is about no device: they may read it, whatever they may see of the product. */
  readonly concernedId?: string;
  /** Connectors of the product that send it, beside those that subscribe to its type. */
  readonly connectorIds?: readonly string[];
  /** What connectors send the events of in order, where it is neither the device nor the product. */
  readonly line?: string;
}

/**
 * Writes a row of the log in the transaction of the change that it describes: both are kept, or neither. The same goes
 * for the events that the product's connectors shall send.
 */
export const writeLog = (trx: Db, entry: LogEntry): Promise<void> => writeLogs(trx, [entry]);

interface Written {
  readonly id: string;
  readonly entry: LogEntry;
}

/** What devices cause by themselves, however often: the same of one again and again is one row with a number. */
const repeatedTypes: ReadonlySet<LogType> = new Set<LogType>([
  'device.online',
  'device.offline',
  'device.certificate',
  'device.cloned',
  'device.claim',
  'device.activate',
  'device.data_activate',
  'device.data_deactivate',
  'device.file_write',
  'device.file_delete',
  'device.message',
  'connector.error',
  'rollout.device',
  'ota.start',
  'ota.ok',
  'ota.fail',
]);

/** Rows of one device that say the same within a time, in ms; more are one with a number. */
const repeatsLimit = 5;
const repeatsMs = 10 * 60_000;
/** Devices and texts that are counted; then all begin anew. */
const countedRepeats = 50_000;

const repeats = new Map<string, number>();
let repeatsSinceMs = 0;

/** Whether this process has seen the same of the device so often lately that a look for its last row is worth it. */
function isRepeated({ type, deviceId, message, atMs }: LogEntry): boolean {
  if (!deviceId || !repeatedTypes.has(type)) return false;
  if (Math.abs(atMs - repeatsSinceMs) > repeatsMs || repeats.size >= countedRepeats) {
    repeats.clear();
    repeatsSinceMs = atMs;
  }
  const key = `${deviceId} ${type} ${message}`;
  const count = (repeats.get(key) ?? 0) + 1;
  repeats.set(key, count);
  return count > repeatsLimit;
}

/** The rows that a connector of the product has not told of yet: it reads what happened from its row. */
const untold = (trx: Db, productId: string | null | undefined) =>
  trx
    .selectFrom('deliveries')
    .innerJoin('connectors', 'connectors.id', 'deliveries.connector_id')
    .select('deliveries.log_id')
    .where('connectors.product_id', '=', productId ?? '')
    .where('deliveries.due_at', 'is not', null)
    .where('deliveries.log_id', 'is not', null)
    .$narrowType<{ log_id: string }>();

/**
 * The row of an entry: a new one, or the last of the same text with how often it was and since when, which moves up to
 * where the newest are. Spec: API-RULE-log-5.
 */
async function repeated(trx: Db, entry: LogEntry): Promise<Written> {
  const { type, deviceId, productId, message, atMs, data } = entry;
  const fresh = { id: randomUUID(), entry };
  if (!deviceId || !isRepeated(entry)) return fresh;
  const last = await trx
    .selectFrom('logs')
    .select('id')
    .where('device_id', '=', deviceId)
    .where('created_at', '>', atMs - repeatsMs)
    .where('type', '=', type)
    .where('message', '=', message)
    .where('id', 'not in', untold(trx, productId))
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last) return fresh;
  const [gone] = await trx.deleteFrom('logs').where('id', '=', last.id).returning(['data', 'created_at']).execute();
  if (!gone) return fresh;
  const { times = 1, since = String(gone.created_at) } = JSON.parse(gone.data) as { times?: number; since?: string };
  return { id: last.id, entry: { ...entry, data: { ...data, times: times + 1, since } } };
}

/** Rows of one statement: a database takes only so many values in one. */
const rowsAtOnce = 1_000;

/** Writes rows of the log, as `writeLog` does. */
export async function writeLogs(trx: Db, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  currentObserver()?.logged(trx, entries);
  const rows: Written[] = [];
  for (const entry of entries) rows.push(await repeated(trx, entry));
  for (let at = 0; at < rows.length; at += rowsAtOnce) await insertLogs(trx, rows.slice(at, at + rowsAtOnce));
  await queueDeliveries(trx, rows);
}

const insertLogs = (trx: Db, rows: readonly Written[]) =>
  trx
    .insertInto('logs')
    .values((eb) =>
      rows.map(({ id, entry: { type, level = 'info', message, atMs, deviceId, ...entry } }) => ({
        id,
        type,
        level,
        message,
        user_id: entry.userId ?? null,
        device_id: deviceId ?? null,
        product_id: entry.productId ?? null,
        bundle_id: entry.bundleId ?? null,
        ip: entry.ip ?? null,
        client: entry.client ?? null,
        data: JSON.stringify(entry.data ?? {}),
        created_at: atMs,
        owner_id: deviceId
          ? eb.selectFrom('devices').select('devices.user_id').where('devices.id', '=', deviceId)
          : (entry.concernedId ?? null),
        quiet: isQuiet(type) ? 1 : 0,
      })),
    )
    .execute();

let lastPlace = 0;

/** Grows with each delivery, whatever the clock does; behind those of other processes that were written before. */
function nextPlace(atMs: number): number {
  lastPlace = Math.max(lastPlace + 1, atMs * 1_000);
  return lastPlace;
}

/** Queues a delivery for each connector of a product that wants an event. Most products have none. */
async function queueDeliveries(trx: Db, written: readonly Written[]): Promise<void> {
  const wanting = new Map<string, readonly string[]>();
  const deliveries: Omit<NewRow<'deliveries'>, 'device_uuid' | 'device_title'>[] = [];
  for (const { id, entry } of written) {
    const { type, atMs, deviceId, deviceIds = [deviceId ?? null], productId, connectorIds = [], line } = entry;
    if (!productId || isQuiet(type)) continue;
    const kind = `${productId} ${type}`;
    const connectors = wanting.get(kind) ?? (await connectorsFor(trx, productId, type));
    wanting.set(kind, connectors);
    const named = connectorIds.length === 0 ? [] : await connectorsOf(trx, productId, connectorIds);
    for (const connector_id of new Set([...connectors, ...named])) {
      for (const device_id of deviceIds) {
        deliveries.push({
          id: randomUUID(),
          connector_id,
          event: type,
          log_id: id,
          device_id,
          state: 'waiting',
          attempts: 0,
          due_at: atMs,
          status: null,
          error: null,
          created_at: atMs,
          finished_at: null,
          rank: type.startsWith('alert.') ? 0 : 1,
          line: line ?? device_id ?? productId,
          place: nextPlace(atMs),
        });
      }
    }
  }
  for (let at = 0; at < deliveries.length; at += rowsAtOnce) {
    await trx
      .insertInto('deliveries')
      .values((eb) => {
        const named = (column: 'uuid' | 'title', id: string | null | undefined) =>
          id == null ? null : eb.selectFrom('devices').select(column).where('devices.id', '=', id);
        return deliveries.slice(at, at + rowsAtOnce).map(({ device_id, ...row }) => ({
          ...row,
          device_id: device_id ?? null,
          // It may have another name, or be gone, when this is sent.
          device_uuid: named('uuid', device_id),
          device_title: named('title', device_id),
        }));
      })
      .execute();
  }
}

/** Those of these connectors that the product has still. */
async function connectorsOf(trx: Db, productId: string, ids: readonly string[]): Promise<string[]> {
  const rows = trx.selectFrom('connectors').select('id').where('id', 'in', ids).where('product_id', '=', productId);
  return (await rows.execute()).map(({ id }) => id);
}

async function connectorsFor(trx: Db, productId: string, type: LogType): Promise<string[]> {
  const rows = await trx
    .selectFrom('connector_events')
    .select('connector_id')
    .where('product_id', '=', productId)
    .where('event', '=', type)
    .execute();
  return rows.map(({ connector_id }) => connector_id);
}

/** What the row of a change has of the request that made it. */
export const byCaller = (
  { caller, ip }: { readonly caller: { readonly userId: string; readonly client: string | null }; readonly ip: string },
  atMs: number,
): Pick<LogEntry, 'atMs' | 'userId' | 'ip' | 'client'> => ({ atMs, userId: caller.userId, ip, client: caller.client });
