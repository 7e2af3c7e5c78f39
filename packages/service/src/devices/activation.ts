import { type ProductChoice, type Refusal, refusal } from '@moorage/api';
import { may, productRoles } from '../auth/rules.ts';
import { type LogEntry, writeLog, writeLogs } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
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

/** Whether a person may activate devices to a product. API-RULE-activate-3 */
const isAccessible = (person: Person, target: TargetRow): boolean =>
  !target.trashed && may('product.activate', productRoles(person, tiesOf(target)));

/** The product that is named, by id or by a code that is unique among those the person may activate to. */
export async function findNamed(
  db: Db,
  name: { readonly productId: string } | { readonly code: string },
  person: Person,
): Promise<(TargetRow & { readonly accessible: boolean }) | undefined> {
  if ('productId' in name) {
    const target = await findTarget(db, name.productId, person.userId);
    return target && { ...target, accessible: isAccessible(person, target) };
  }
  const all = await findTargetsByCode(db, name.code, person.userId);
  const target = matchProductCode(
    all.filter((one) => isAccessible(person, one)),
    name.code,
  );
  return target && { ...target, accessible: true };
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
  const target = await findNamed(trx, name, person);
  if (!target) return refusal('NOT_FOUND', { what: 'Product' });
  const refused = refuseActivation(device, target);
  if (refused) return refused;
  if (device.product_id !== target.id) await moveTo(deps, trx, device, target, subject);
  return undefined;
}

/** Writes an activation that has been allowed. */
export const moveTo = (
  deps: Pick<DeviceDeps, 'clock' | 'supersedeUpdate'>,
  trx: Db,
  device: DetailedDevice,
  target: Pick<TargetRow, 'id' | 'product'>,
  subject: Subject,
): Promise<void> => moveAll(deps, trx, [device], target, () => subject);

/** Writes activations that have been allowed, of devices that are locked in this transaction. */
export async function moveAll(
  { clock, supersedeUpdate }: Pick<DeviceDeps, 'clock' | 'supersedeUpdate'>,
  trx: Db,
  devices: readonly DetailedDevice[],
  target: Pick<TargetRow, 'id' | 'product'>,
  subjectOf: (device: DetailedDevice) => Subject,
): Promise<void> {
  if (devices.length === 0) return;
  for (const device of devices) await supersedeUpdate(trx, device);
  const ids = devices.map(({ id }) => id);
  await changeDevices(trx, ids, { product_id: target.id, update_id: null, activated_at: clock.now() });
  const entries = devices.map(
    (device): LogEntry => ({
      ...subjectOf(device),
      type: 'device.activate',
      productId: target.id,
      message: `Device activated to product "${target.product}"`,
      data: { from: device.product_id },
    }),
  );
  await writeLogs(trx, entries);
}

/**
 * The products that the owner of a device can activate it to, by code; those of `otherwise` when it has no owner.
 * A device that is locked or of a production product has only its own. Spec: API-EP-GET-devices-id-products.
 */
export async function productChoices(
  db: Db,
  device: DetailedDevice,
  otherwise: Person | undefined,
): Promise<ProductChoice[]> {
  const person = device.user_id === null ? otherwise : await findPerson(db, device.user_id);
  const targets = await listTargets(db, device.platform_id, person?.userId ?? '');
  return targets
    .filter(
      (target) =>
        target.id === device.product_id ||
        (person && !refuseActivation(device, { ...target, accessible: isAccessible(person, target) })),
    )
    .map((target) => ({
      product_id: target.id,
      product: target.product,
      title: target.title,
      version: target.version,
      claimable: target.claimable === 1,
    }));
}

/**
 * Takes a device back to what it was when it left the factory: one of a production product has left it with that, and
 * stays on it. Its logs stay. Spec: API-RULE-reset-1, API-RULE-production-1.
 */
export async function resetDevice(
  deps: Pick<DeviceDeps, 'supersedeUpdate' | 'clearStores'>,
  trx: Db,
  device: DetailedDevice,
  subject: Subject,
): Promise<Refusal | undefined> {
  const refused = refuseReset(device);
  if (refused) return refused;
  if (device.base_product_id === null) return refusal('PLATFORM_WITHOUT_EDITION', { platform: device.platform });
  const stays = device.production === 1;
  if (!stays) await deps.supersedeUpdate(trx, device);
  await deps.clearStores(trx, device.id);
  await changeDevice(trx, device.id, {
    state: 'enabled', // API-STATE-device-active-enabled
    ...(!stays && { product_id: device.base_product_id, update_id: null, activated_at: null }),
    user_id: null,
    tag: null,
    title: defaultTitle(device),
    description: '',
    ...locationColumns(null),
    claimed_at: null,
  });
  await writeLog(trx, { ...subject, type: 'device.reset', message: 'Device reset' });
  return undefined;
}
