import { topics } from '../../engine/bus/topics.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';
import type { DeviceDeps } from './deps.ts';
import type { DetailedDevice } from './queries.ts';

/** Who and what a log row of a device is about. */
export const logSubject = (
  deps: Pick<DeviceDeps, 'clock'>,
  device: Pick<DetailedDevice, 'id' | 'product_id'>,
  by: Caller,
  ip: string,
) => ({
  atMs: deps.clock.now(),
  userId: by.userId,
  client: by.client,
  ip,
  deviceId: device.id,
  productId: device.product_id,
});

/** What the log says of another tag. */
export const tagMessage = (tag: string | null): string =>
  tag === null ? 'Tag taken off the device' : `Device follows the tag "${tag}"`;

/** Whether a device would be offered another bundle with this product and tag than with those it has. */
export async function leadsElsewhere(
  { bundleOnOffer }: DeviceDeps,
  db: Db,
  device: DetailedDevice,
  next: Parameters<DeviceDeps['bundleOnOffer']>[1],
): Promise<boolean> {
  const version = await bundleOnOffer(db, next);
  return version !== null && version !== (await bundleOnOffer(db, device));
}

/** The device has another product: notices to that product's devices go to it too, and there may be an update. */
export const notifyMoved = (deps: DeviceDeps, device: DetailedDevice): Promise<void> =>
  notifyAllMoved(deps, [device], device);

/** The same of devices that have this product and tag now. */
export async function notifyAllMoved(
  { storage, bundleOnOffer }: DeviceDeps,
  devices: readonly Pick<DetailedDevice, 'id'>[],
  now: Parameters<DeviceDeps['bundleOnOffer']>[1],
): Promise<void> {
  const isDue = (await bundleOnOffer(storage.db, now)) !== null;
  for (const { id: deviceId } of devices) {
    storage.bus.publish(topics.deviceMoved, { deviceId, productId: now.product_id });
    if (isDue) storage.bus.publish(topics.otaDue, { deviceId });
  }
}
