import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import { type Action, authorise, deviceRoles, may } from '../access/rules.ts';
import type { DeviceDeps } from './deps.ts';
import { type DetailedDevice, findDevice, lockDevice, type RecordedDevice } from './queries.ts';
import { type DeviceKey, parseDeviceKey } from './rules.ts';

/** No device of the name in a path, or none that the caller may see. */
export const notFound = () => failure(refusal('NOT_FOUND', { what: 'Device' }));

/** The device of a path, if the caller may do this to it. Refusals: NOT_FOUND, FORBIDDEN. */
export async function deviceFor(
  db: Db,
  caller: Caller,
  action: Action,
  name: string,
): Promise<Result<DetailedDevice, Refusal>> {
  const key = parseDeviceKey(name);
  return allowed(key, key && (await findDevice(db, key, caller.userId)), caller, action);
}

/** A device that was looked up by a key, if the caller may do this to it. Refusals: NOT_FOUND, FORBIDDEN. */
export function allowed<D extends DetailedDevice>(
  key: DeviceKey | undefined,
  device: D | undefined,
  caller: Caller,
  action: Action,
): Result<D, Refusal> {
  if (!device) return notFound();
  const held = deviceRoles(caller, device);
  // Otherwise an address that the record hides could be found by trying.
  if (key?.by === 'address' && !may('device.private', held)) return notFound();
  const refused = authorise(action, held, 'Device');
  return refused ? failure(refused) : success(device);
}

type Change = (trx: Db, device: DetailedDevice) => Promise<Refusal | undefined>;

/**
 * Changes a device in one transaction, in which it is locked and the caller's right is looked at again.
 * Returns the device as it is afterwards.
 */
export async function changing(
  { storage, clock, findRecorded }: DeviceDeps,
  caller: Caller,
  action: Action,
  name: string,
  change: Change,
): Promise<Result<RecordedDevice, Refusal>> {
  const found = await deviceFor(storage.db, caller, action, name);
  if (!found.ok) return found;
  return storage.transaction(async (trx) => {
    const device = await lockDevice(trx, storage.expressions, found.value.id, caller.userId);
    if (!device) return notFound();
    const refused = authorise(action, deviceRoles(caller, device), 'Device') ?? (await change(trx, device));
    if (refused) return failure(refused);
    const changed = await findRecorded(trx, { by: 'id', value: device.id }, caller.userId, clock.now());
    return changed ? success(changed) : notFound();
  });
}
