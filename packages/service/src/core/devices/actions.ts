import { optionalTimestamp, type Refusal, refusal, type UpdateProgress } from '@moorage/api';
import { topics } from '../../engine/bus/topics.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import type { DeviceDeps } from './deps.ts';
import { changeDevices, type DetailedDevice, deleteDevices } from './queries.ts';

/** The connections of a device end, on all processes. Spec: API-DEV-revoked. */
export const revoke = (storage: Storage, { id, uuid }: Pick<DetailedDevice, 'id' | 'uuid'>): void =>
  storage.bus.publish(topics.deviceRevoked, { deviceId: id, uuid });

/**
 * Deletes devices with everything that is kept of them, but their log. They are locked in this transaction.
 * Spec: API-RULE-delete-1.
 */
export async function deleteAll(deps: DeviceDeps, trx: Db, devices: readonly DetailedDevice[]): Promise<void> {
  const ids = devices.map(({ id }) => id);
  if (ids.length === 0) return;
  // First those who count them: what they count has to be there still.
  for (const id of ids) await deps.hooks.deviceLeaves(trx, id);
  await deps.clearStores(trx, ids);
  await deleteDevices(trx, ids);
}

/** Notes that devices shall look for their updates at once. Spec: API-RULE-ask-1. */
export const askAll = (deps: DeviceDeps, trx: Db, ids: readonly string[]): Promise<unknown> =>
  ids.length === 0
    ? Promise.resolve()
    : changeDevices(trx, ids, { update_asked_at: deps.clock.now(), update_looked_at: null });

/** After the transaction: what is on the message channel begins, and those who watch see that it was asked. */
export function notifyAsked({ storage, live }: DeviceDeps, deviceId: string): void {
  storage.bus.publish(topics.otaDue, { deviceId });
  live.notify(deviceId, { type: 'progress', data: { update: null, percent: null } });
}

/** Why a device is not asked to update; nothing when it may be. Refusal: DEVICE_DISABLED. */
export const refuseAsking = ({ state }: Pick<DetailedDevice, 'state'>): Refusal | undefined =>
  state === 'disabled' ? refusal('DEVICE_DISABLED') : undefined;

/** How far the update of a device is. */
export const progressOf = async (deps: DeviceDeps, device: DetailedDevice): Promise<UpdateProgress> => ({
  online: device.online_since !== null,
  asked_at: optionalTimestamp(device.update_asked_at),
  looked_at: optionalTimestamp(device.update_looked_at),
  update: await deps.updateOf(deps.storage.db, device),
});
