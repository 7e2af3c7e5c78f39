import { randomUUID } from 'node:crypto';
import type { Db } from './storage.ts';

/** Every type of event (reference 8). */
export const logTypes = [
  'user.login',
  'user.login_failed',
  'user.create',
  'user.update',
  'token.create',
  'token.revoke',
  'device.provision',
  'device.certificate',
  'device.first_contact',
  'device.claim',
  'device.activate',
  'device.reset',
  'device.update',
  'device.tag',
  'device.online',
  'device.offline',
  'device.file_write',
  'device.file_delete',
  'device.command',
  'ota.check',
  'ota.none',
  'ota.start',
  'ota.ok',
  'ota.fail',
  'platform.create',
  'platform.update',
  'firmware.create',
  'product.create',
  'product.update',
  'product.state',
  'product.delete',
  'product.user_add',
  'product.user_remove',
  'bundle.create',
  'bundle.state',
  'bundle.tag',
  'resource.add',
  'resource.delete',
  'asset.write',
  'asset.delete',
  'connector.create',
  'connector.update',
  'connector.delete',
  'connector.error',
  'activation_token.create',
  'activation_token.revoke',
  'activation_token.use',
] as const;

export type LogType = (typeof logTypes)[number];

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
}

/** Writes a row of the log in the transaction of the change that it tells of: both are kept, or neither. */
export async function writeLog(trx: Db, entry: LogEntry): Promise<void> {
  await trx
    .insertInto('logs')
    .values({
      id: randomUUID(),
      type: entry.type,
      level: entry.level ?? 'info',
      message: entry.message,
      user_id: entry.userId ?? null,
      device_id: entry.deviceId ?? null,
      product_id: entry.productId ?? null,
      bundle_id: entry.bundleId ?? null,
      ip: entry.ip ?? null,
      client: entry.client ?? null,
      data: JSON.stringify(entry.data ?? {}),
      created_at: entry.atMs,
    })
    .execute();
}

/** What the row of a change has of the request that made it. */
export const byCaller = (
  { caller, ip }: { readonly caller: { readonly userId: string; readonly client: string | null }; readonly ip: string },
  atMs: number,
): Pick<LogEntry, 'atMs' | 'userId' | 'ip' | 'client'> => ({ atMs, userId: caller.userId, ip, client: caller.client });
