import { type ProductChoice, type Refusal, refusal } from '@moorage/api';
import { type LogEntry, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { generalRoles, may, productRoles } from '../access/rules.ts';
import { matchProductCode } from '../products/rules.ts';
import type { DeviceDeps } from './deps.ts';
import {
  findPerson,
  findTarget,
  findTargetsByCode,
  listTargets,
  type Person,
  type TargetRow,
  tiesOf,
} from './product-queries.ts';
import { changeDevice, changeDevices, type DetailedDevice } from './queries.ts';
import { defaultTitle, locationColumns, refuseActivation, refuseReset } from './rules.ts';

type Subject = Omit<LogEntry, 'type' | 'message'>;

/**
 * Whether a person may activate devices to a product: they have access to it, and to its platform and flavor.
 * API-RULE-activate-3
 */
const isAccessible = (person: Person, target: TargetRow): boolean =>
  !target.trashed &&
  (target.reachable === 1 || may('platform.access', generalRoles(person))) &&
  may('product.activate', productRoles(person, tiesOf(target)));

/** How near a product is to a person: their own before one that they work on, and that before a stranger's. */
function distanceTo(person: Person, target: TargetRow): number {
  const held = productRoles(person, tiesOf(target));
  if (held.includes('owner')) return 0;
  return target.membership === null ? 2 : 1;
}

/** A product that is named, and whether the person may activate devices to it. */
type Named = TargetRow & { readonly accessible: boolean };

/** The product of an id. */
export async function findNamed(db: Db, productId: string, person: Person): Promise<Named | undefined> {
  const target = await findTarget(db, productId, person);
  return target && { ...target, accessible: isAccessible(person, target) };
}

/** The product that a code means, among those that a device can be on. Spec: API-RULE-product-3. */
async function findCoded(db: Db, code: string, person: Person, device: DetailedDevice): Promise<Named | undefined> {
  const all = await findTargetsByCode(db, code, person);
  const target = matchProductCode(
    all.filter((one) => isAccessible(person, one) || one.id === device.product_id || one.id === device.base_product_id),
    code,
    (one) => distanceTo(person, one),
  );
  return target && { ...target, accessible: true };
}

/** Whether a product takes a device of this owner: a production product only of its customer's people. */
export async function takesDeviceOf(db: Db, ownerId: string | null, target: TargetRow): Promise<boolean> {
  if (!target.production || ownerId === null) return true;
  const owner = await findPerson(db, ownerId);
  const seen = owner && (await findTarget(db, target.id, owner));
  return owner !== undefined && seen !== undefined && isAccessible(owner, seen);
}

/**
 * Activates a device that is locked in this transaction; the refusal, if there is one. What the device was offered
 * before is over; title and files stay. Spec: API-RULE-activate-1 to API-RULE-activate-4.
 *
 * @param person whose access to the product counts
 */
export async function activate(
  deps: Pick<DeviceDeps, 'clock' | 'supersedeUpdate'>,
  trx: Db,
  device: DetailedDevice,
  name: { readonly productId: string } | { readonly code: string },
  person: Person,
  subject: Subject,
): Promise<Refusal | undefined> {
  const target = await ('code' in name
    ? findCoded(trx, name.code, person, device)
    : findNamed(trx, name.productId, person));
  if (!target) return refusal('NOT_FOUND', { what: 'Product' });
  const isOnIt = device.product_id === target.id;
  const isLeaving = device.base_product_id === target.id;
  const accessible = isOnIt || isLeaving || (target.accessible && (await takesDeviceOf(trx, device.user_id, target)));
  const refused = refuseActivation(device, { ...target, accessible });
  if (refused) return refused;
  if (!isOnIt) await moveTo(deps, trx, device, target, subject);
  return undefined;
}

/** Writes an activation that has been allowed. */
export async function moveTo(
  deps: Pick<DeviceDeps, 'clock' | 'supersedeUpdate'>,
  trx: Db,
  device: DetailedDevice,
  target: Pick<TargetRow, 'id' | 'product'>,
  subject: Subject,
): Promise<void> {
  await moveAll(deps, trx, [device], target);
  const message = `Device activated to product "${target.product}"`;
  const data = { from: device.product_id };
  await writeLog(trx, { ...subject, type: 'device.activate', productId: target.id, message, data });
}

/** Writes activations that have been allowed, of devices that are locked in this transaction; the caller writes the log. */
export async function moveAll(
  { clock, supersedeUpdate }: Pick<DeviceDeps, 'clock' | 'supersedeUpdate'>,
  trx: Db,
  devices: readonly DetailedDevice[],
  target: Pick<TargetRow, 'id'>,
): Promise<void> {
  if (devices.length === 0) return;
  for (const device of devices) await supersedeUpdate(trx, device);
  const ids = devices.map(({ id }) => id);
  await changeDevices(trx, ids, {
    product_id: target.id,
    update_id: null,
    activated_at: clock.now(),
    // Its owner has trusted another vendor.
    vendor_files: 0,
  });
}

/** The products of a platform that a person may read, by id. */
async function readableBy(db: Db, platformId: string, person: Person): Promise<ReadonlySet<string>> {
  const targets = await listTargets(db, platformId, person);
  const readable = targets.filter((target) => may('product.read', productRoles(person, tiesOf(target))));
  return new Set(readable.map(({ id }) => id));
}

/**
 * The products that the owner of a device can activate it to, by code; those of the viewer when it has no owner. Of
 * the owner's products the viewer sees those that they may read. A device that is locked or of a production product
 * has only its own: to leave that is no choice among others. Spec: API-EP-GET-devices-id-products.
 *
 * @param viewer who asks; absent when the device asks for itself
 */
export async function productChoices(
  db: Db,
  device: DetailedDevice,
  viewer: Person | undefined,
): Promise<ProductChoice[]> {
  const person = device.user_id === null ? viewer : await findPerson(db, device.user_id);
  const targets = await listTargets(db, device.platform_id, person);
  const isOthers = viewer !== undefined && viewer.userId !== person?.userId;
  const seen = isOthers ? await readableBy(db, device.platform_id, viewer) : undefined;
  const isOnBase = device.product_id === device.base_product_id;
  const standing = isOnBase ? device : { ...device, base_product_id: null };
  return targets
    .filter(
      (target) =>
        target.id === device.product_id ||
        (person &&
          (seen === undefined || seen.has(target.id)) &&
          !refuseActivation(standing, { ...target, accessible: isAccessible(person, target) })),
    )
    .map((target) => ({
      product_id: target.id,
      product: target.product,
      title: target.title,
      version: target.version,
      claimable: target.claimable === 1,
    }));
}

/** Why a device is not taken back to what it was when it left the factory; nothing when it may be. */
export const refuseTakingBack = (device: DetailedDevice): Refusal | undefined =>
  refuseReset(device) ??
  (device.base_product_id === null ? refusal('PLATFORM_WITHOUT_EDITION', { platform: device.platform }) : undefined);

/** The product of a device that is taken back: one of a production product has left the factory with that. */
export const resetProduct = ({ production, product_id, base_product_id }: DetailedDevice): string =>
  production === 1 || base_product_id === null ? product_id : base_product_id;

/**
 * Takes devices that may be back to what they were when they left the factory. Their logs stay, and the caller writes
 * them. Spec: API-RULE-reset-1, API-RULE-production-1.
 */
export async function resetDevices(
  deps: Pick<DeviceDeps, 'supersedeUpdate' | 'clearStores'>,
  trx: Db,
  devices: readonly DetailedDevice[],
): Promise<void> {
  if (devices.length === 0) return;
  const ids = devices.map(({ id }) => id);
  await deps.clearStores(trx, ids);
  for (const device of devices) {
    const stays = device.production === 1;
    if (!stays) await deps.supersedeUpdate(trx, device);
    await changeDevice(trx, device.id, {
      ...(!stays && { product_id: resetProduct(device), update_id: null, activated_at: null }),
      title: defaultTitle(device),
    });
  }
  await changeDevices(trx, ids, {
    state: 'enabled', // API-STATE-device-active-enabled
    user_id: null,
    vendor_files: 0,
    tag: null,
    description: '',
    ...locationColumns(null),
    claimed_at: null,
  });
}
