import { randomUUID } from 'node:crypto';
import {
  type ImportedRow,
  type ImportResult,
  type manyDevicesContract,
  type ProvisionedDevice,
  type Refusal,
  refusal,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import type { Db } from '../../engine/db/storage.ts';
import { afterCommit } from '../../engine/db/transaction.ts';
import type { Call } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { mayUse } from '../access/catalogue.ts';
import { refuseQuota } from '../access/quotas.ts';
import { generalRoles, may, viewerFor } from '../access/rules.ts';
import { revoke } from './actions.ts';
import { logSubject } from './consequences.ts';
import type { DeviceDeps } from './deps.ts';
import { clearIdentity } from './identities.ts';
import { findPlatform, insertDevice, type RecordedDevice } from './queries.ts';
import { deviceRecord } from './records.ts';
import { planProvision, softwarePlatform } from './rules.ts';
import { logTogether, type ManyCall } from './together.ts';

interface NewDevice {
  readonly uuid: string;
  readonly platform_id: string;
  readonly mac?: string;
  readonly bt_addr?: string;
  readonly title?: string;
}

/** A device that has just been made, and the token that it fetches its certificate with. */
interface Made {
  readonly device: RecordedDevice;
  readonly token: string;
}

/** Makes a device, or says what is against it; the caller writes the log, and ends the transaction then. */
async function make(
  { storage, clock, settings, findRecorded }: DeviceDeps,
  trx: Db,
  { caller, ip }: ManyCall,
  request: NewDevice,
): Promise<Result<Made, Refusal>> {
  const { mac = null, bt_addr: btAddress = null } = request;
  const platform = await findPlatform(trx, request.platform_id);
  // Spec: API-RULE-platform-access-1.
  const isOpen = await mayUse(trx, viewerFor('platform.access', caller), { platformId: request.platform_id });
  if (!platform || !isOpen) return failure(refusal('NOT_FOUND', { what: 'Platform' }));
  const isAdministrator = may('device.provision.hardware', generalRoles(caller));
  const plan = planProvision({ ...request, mac }, platform, isAdministrator);
  if (!plan.ok) return plan;
  const { uuid, title, productId, ownedByCaller } = plan.value;
  const full = ownedByCaller ? await refuseQuota(settings, trx, caller.userId, 'devices') : undefined;
  if (full) return failure(full);
  const nowMs = clock.now();
  const isHardware = platform.code !== softwarePlatform;
  const factory = isHardware ? { atMs: nowMs, userId: caller.userId, client: caller.client, ip } : undefined;
  const cleared = await clearIdentity(trx, { uuid, mac, btAddress }, factory);
  if (!cleared.ok) return cleared;
  for (const displaced of cleared.value) afterCommit(trx, () => revoke(storage, displaced));
  const token = newTokenValue();
  const id = randomUUID();
  await insertDevice(trx, {
    id,
    uuid,
    title,
    description: '',
    mac,
    bt_addr: btAddress,
    platform_id: platform.id,
    product_id: productId,
    state: 'enabled', // API-STATE-device-none-enabled
    tag: null,
    user_id: ownedByCaller ? caller.userId : null,
    provision_token_hash: hashSecret(token),
    provision_status: 'pending',
    certificate_fingerprint: null,
    update_id: null,
    bversion: null,
    ip: null,
    created_at: nowMs,
    claimed_at: ownedByCaller ? nowMs : null,
    activated_at: null,
    last_seen_at: null,
  });
  const device = await findRecorded(trx, { by: 'id', value: id }, '', nowMs);
  if (!device) throw new Error(`Device ${id} is not there in the transaction that made it`);
  return success({ device, token });
}

/** Makes one device, in a transaction of its own. */
export const provision = (
  deps: DeviceDeps,
  by: ManyCall,
  request: NewDevice,
): Promise<Result<ProvisionedDevice, Refusal>> =>
  transactionOverConflicts(deps.storage, async (trx): Promise<Result<ProvisionedDevice, Refusal>> => {
    const made = await make(deps, trx, by, request);
    if (!made.ok) return made;
    const { device, token } = made.value;
    noteMade(device.id);
    const subject = logSubject(deps, device, by.caller, by.ip);
    await writeLog(trx, { ...subject, type: 'device.provision', message: `Device ${device.uuid} provisioned` });
    const record = await deviceRecord(trx, device, by.caller);
    return success({ ...record, token, certificates_url: `/api/devices/${device.id}/certificates.zip` });
  });

const outcomeOf = (uuid: string, made: Result<Made, Refusal>): ImportedRow => ({
  uuid,
  device_id: made.ok ? made.value.device.id : null,
  token: made.ok ? made.value.token : null,
  code: made.ok ? null : made.error.code,
  message: made.ok ? null : made.error.message,
});

/**
 * API-EP-POST-devices-import. A preview makes the devices, too, and takes them back: what it says is what would happen.
 * Spec: API-RULE-import-1.
 */
export async function importDevices(
  deps: DeviceDeps,
  { caller, ip, body: { devices, preview } }: Call<typeof manyDevicesContract.import>,
) {
  let rows: ImportedRow[] = [];
  const done = await transactionOverConflicts(deps.storage, async (trx): Promise<Result<number, undefined>> => {
    rows = [];
    const made: RecordedDevice[] = [];
    for (const request of devices) {
      const one = await make(deps, trx, { caller, ip }, request);
      rows.push(outcomeOf(request.uuid, one));
      if (one.ok) made.push(one.value.device);
    }
    if (preview || made.length < devices.length) return failure(undefined);
    const said = { type: 'device.provision', message: (some: string) => `${some} provisioned` } as const;
    await logTogether(deps, trx, made, said, { caller, ip });
    return success(made.length);
  });
  const refused = rows.filter(({ code }) => code !== null).length;
  // What has been taken back has neither an id nor a token.
  const kept = done.ok ? rows : rows.map((row) => ({ ...row, device_id: null, token: null }));
  const result: ImportResult = { imported: done.ok ? done.value : 0, refused, rows: kept };
  return success(result);
}
