import { writeLog } from '../../../engine/db/logs.ts';
import type { Db } from '../../../engine/db/storage.ts';
import type { ExecutionRow } from './execution-queries.ts';
import type { RolloutRow } from './queries.ts';

/** Writes what a rollout has come to: to the log, to live views and to the connectors of its product. */
export function logRollout(
  trx: Db,
  { id, product_id: productId, bundle_id: bundleId, state, stage, reason }: RolloutRow,
  atMs: number,
  message: string,
  level: 'info' | 'warning' = 'info',
): Promise<void> {
  const data = { rollout: id, state, stage, ...(reason !== null && { reason }) };
  return writeLog(trx, { type: 'rollout.state', level, message, atMs, productId, bundleId, data });
}

/** Writes that a rollout has failed for good on a device. */
export function logFailure(
  trx: Db,
  { id, title, product_id: productId, bundle_id: bundleId }: RolloutRow,
  { device_id: deviceId, stage, kind, attempt, changed_at: atMs }: ExecutionRow,
): Promise<void> {
  const message = `Rollout "${title}" has failed on the device: ${kind?.replaceAll('_', ' ')}`;
  const data = { rollout: id, stage, kind, attempt };
  return writeLog(trx, {
    type: 'rollout.device',
    level: 'warning',
    message,
    atMs,
    deviceId,
    productId,
    bundleId,
    data,
  });
}
