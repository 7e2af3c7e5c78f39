import { randomUUID } from 'node:crypto';
import type { LogType } from '@moorage/api';
import type { Db } from './storage.ts';

export type { LogType };

/** Types that come too often to be read one by one: counted, and listed only when asked for. */
const quietTypes: readonly LogType[] = ['ota.check', 'ota.none', 'device.message'];

export const isQuiet = (type: LogType): boolean => quietTypes.includes(type);

export interface LogEntry {
  readonly type: LogType;
  /** `info` when absent. */
  readonly level?: 'info' | 'warning' | 'error';
  /** For people: what happened, in a sentence without a final period. */
  readonly message: string;
  readonly atMs: number;
  readonly userId?: string | null;
  readonly deviceId?: string | null;
  readonly productId?: string | null;
  readonly bundleId?: string | null;
  readonly ip?: string | null;
  readonly client?: string | null;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Whom it is about, where it is about no device: they may read it, whatever they may see of the product. */
  readonly concernedId?: string;
}

/**
 * Writes a row of the log in the transaction of the change that it tells of: both are kept, or neither. The same goes
 * for what the product's connectors shall be told of it.
 */
export async function writeLog(trx: Db, entry: LogEntry): Promise<void> {
  const id = randomUUID();
  const { type, atMs, deviceId, productId } = entry;
  await trx
    .insertInto('logs')
    .values((eb) => ({
      id,
      type,
      level: entry.level ?? 'info',
      message: entry.message,
      user_id: entry.userId ?? null,
      device_id: deviceId ?? null,
      product_id: productId ?? null,
      bundle_id: entry.bundleId ?? null,
      ip: entry.ip ?? null,
      client: entry.client ?? null,
      data: JSON.stringify(entry.data ?? {}),
      created_at: atMs,
      owner_id: deviceId
        ? eb.selectFrom('devices').select('devices.user_id').where('devices.id', '=', deviceId)
        : (entry.concernedId ?? null),
      quiet: isQuiet(type) ? 1 : 0,
    }))
    .execute();
  if (productId && !isQuiet(type)) await queueDeliveries(trx, id, productId, entry);
}

/** Queues a delivery for each connector of the product that wants the event. Most products have none. */
async function queueDeliveries(trx: Db, id: string, productId: string, entry: LogEntry): Promise<void> {
  const { type, atMs, deviceId } = entry;
  const wanting = await trx
    .selectFrom('connector_events')
    .select('connector_id')
    .where('product_id', '=', productId)
    .where('event', '=', type)
    .execute();
  if (wanting.length === 0) return;
  await trx
    .insertInto('deliveries')
    .values(
      wanting.map(({ connector_id }) => ({
        id: randomUUID(),
        connector_id,
        event: type,
        log_id: id,
        device_id: deviceId ?? null,
        state: 'waiting' as const,
        attempts: 0,
        due_at: atMs,
        status: null,
        error: null,
        created_at: atMs,
        finished_at: null,
      })),
    )
    .execute();
}

/** What the row of a change has of the request that made it. */
export const byCaller = (
  { caller, ip }: { readonly caller: { readonly userId: string; readonly client: string | null }; readonly ip: string },
  atMs: number,
): Pick<LogEntry, 'atMs' | 'userId' | 'ip' | 'client'> => ({ atMs, userId: caller.userId, ip, client: caller.client });
