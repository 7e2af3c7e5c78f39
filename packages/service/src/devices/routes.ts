import { randomUUID } from 'node:crypto';
import { type devicesContract, type ProvisionedDevice, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type Action, authorise, deviceRoles, generalRoles, may, viewerFor } from '../auth/rules.ts';
import { topics } from '../bus/topics.ts';
import { hashSecret, newTokenValue } from '../core/secrets.ts';
import { type Caller, type Handler, type Handlers, JsonReply } from '../core/types.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { writeLog } from '../db/logs.ts';
import type { Db, Storage } from '../db/storage.ts';
import { afterCommit } from '../db/transaction.ts';
import { parseFilter } from '../filters/parse.ts';
import { filterCondition } from '../filters/queries.ts';
import { activate, productChoices, resetDevice } from './activation.ts';
import { certificatesZip, issueCertificate } from './certificates.ts';
import { leadsElsewhere, logSubject, notifyMoved, tagMessage } from './consequences.ts';
import { type DeviceDeps, recordKey } from './deps.ts';
import { clearIdentity } from './identities.ts';
import {
  changeDevice,
  compileDeviceFinder,
  type DetailedDevice,
  findDevice,
  findPlatform,
  insertDevice,
  listDevices,
  lockDevice,
  privateTo,
  retireCertificate,
} from './queries.ts';
import { deviceRecord, deviceRecords } from './records.ts';
import {
  type DeviceKey,
  degreesOf,
  locationColumns,
  parseDeviceKey,
  planBlock,
  planProvision,
  softwarePlatform,
} from './rules.ts';

type Contract = typeof devicesContract;

const notFound = () => failure(refusal('NOT_FOUND', { what: 'Device' }));

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

function allowed(
  key: DeviceKey | undefined,
  device: DetailedDevice | undefined,
  caller: Caller,
  action: Action,
): Result<DetailedDevice, Refusal> {
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
async function changing(
  { storage }: DeviceDeps,
  caller: Caller,
  action: Action,
  name: string,
  change: Change,
): Promise<Result<DetailedDevice, Refusal>> {
  const found = await deviceFor(storage.db, caller, action, name);
  if (!found.ok) return found;
  return storage.transaction(async (trx) => {
    const device = await lockDevice(trx, storage.expressions, found.value.id, caller.userId);
    if (!device) return notFound();
    const refused = authorise(action, deviceRoles(caller, device), 'Device') ?? (await change(trx, device));
    if (refused) return failure(refused);
    const key: DeviceKey = { by: 'id', value: device.id };
    const changed = await findDevice(trx, key, caller.userId);
    return changed ? success(changed) : notFound();
  });
}

interface ProvisionCall {
  readonly uuid: string;
  readonly platform_id: string;
  readonly mac?: string;
  readonly bt_addr?: string;
  readonly title?: string;
}

async function provision(
  { storage, clock }: DeviceDeps,
  caller: Caller,
  ip: string,
  request: ProvisionCall,
): Promise<Result<ProvisionedDevice, Refusal>> {
  const { mac = null, bt_addr: btAddress = null } = request;
  const token = newTokenValue();
  return transactionOverConflicts(storage, async (trx): Promise<Result<ProvisionedDevice, Refusal>> => {
    const platform = await findPlatform(trx, request.platform_id);
    if (!platform) return failure(refusal('NOT_FOUND', { what: 'Platform' }));
    const isAdministrator = may('device.provision.hardware', generalRoles(caller));
    const plan = planProvision({ ...request, mac }, platform, isAdministrator);
    if (!plan.ok) return plan;
    const { uuid, title, productId, ownedByCaller } = plan.value;
    const nowMs = clock.now();
    const isHardware = platform.code !== softwarePlatform;
    const factory = isHardware ? { atMs: nowMs, userId: caller.userId, client: caller.client, ip } : undefined;
    const cleared = await clearIdentity(trx, { uuid, mac, btAddress }, factory);
    if (!cleared.ok) return cleared;
    for (const displaced of cleared.value) afterCommit(trx, () => revoke(storage, displaced));
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
    const made = await findDevice(trx, { by: 'id', value: id });
    if (!made) throw new Error(`Device ${id} is not there in the transaction that made it`);
    const subject = logSubject({ clock }, made, caller, ip);
    await writeLog(trx, { ...subject, type: 'device.provision', message: `Device ${uuid} provisioned` });
    const record = await deviceRecord(trx, made, caller);
    return success({ ...record, token, certificates_url: `/api/devices/${id}/certificates.zip` });
  });
}

/** The connections of the device end, on all processes. Spec: API-DEV-revoked. */
const revoke = (storage: Storage, { id, uuid }: { readonly id: string; readonly uuid: string }): void =>
  storage.bus.publish(topics.deviceRevoked, { deviceId: id, uuid });

/** API-EP-GET-devices */
const list =
  ({ storage: { db, expressions }, clock }: DeviceDeps): Handler<Contract['list']> =>
  async ({ caller, query }) => {
    const filter = query.filter === undefined ? undefined : parseFilter(query.filter, 'query');
    if (filter && !filter.ok) return filter;
    const viewer = viewerFor('device.read', caller);
    const fits = filter && filterCondition(filter.value, expressions, clock.now(), await privateTo(db, viewer));
    const { items, total } = await listDevices(db, expressions, viewer, query, fits);
    return success({ items: await deviceRecords(db, items, caller), total });
  };

/** API-EP-GET-devices-identifier. The statements are compiled once, and records are kept ready to send. */
function get({ storage, records }: DeviceDeps): Handler<Contract['get']> {
  const find = compileDeviceFinder(storage);

  async function readDevice(caller: Caller, name: string, cacheKey: string): Promise<Result<JsonReply, Refusal>> {
    const keep = records.beginRead();
    const key = parseDeviceKey(name);
    const device = allowed(key, key && (await find(key, caller.userId)), caller, 'device.read');
    if (!device.ok) return device;
    const json = JSON.stringify(await deviceRecord(storage.db, device.value, caller));
    keep(cacheKey, json, device.value.id);
    return success(new JsonReply(json));
  }

  return ({ caller, params }) => {
    const cacheKey = recordKey(caller.userId, params.identifier);
    const json = records.get(cacheKey);
    return json === undefined ? readDevice(caller, params.identifier, cacheKey) : success(new JsonReply(json));
  };
}

/** API-EP-GET-devices-id-products */
const products =
  ({ storage: { db } }: DeviceDeps): Handler<Contract['products']> =>
  async ({ caller, params }) => {
    const device = await deviceFor(db, caller, 'device.read', params.id);
    return device.ok ? success(await productChoices(db, device.value, caller)) : device;
  };

/** API-EP-PUT-devices-device_id */
const update =
  (deps: DeviceDeps): Handler<Contract['update']> =>
  async ({ caller, params, body, ip }) => {
    const changed = await changing(deps, caller, 'device.update', params.device_id, async (trx, device) => {
      const title = body.title ?? device.title;
      const description = body.description ?? device.description;
      const location = body.location === undefined ? degreesOf(device) : body.location;
      const vendor_files = body.vendor_files === undefined ? device.vendor_files : body.vendor_files ? 1 : 0;
      const trusts = vendor_files !== device.vendor_files;
      const denied = trusts ? authorise('device.trust', deviceRoles(caller, device), 'Device') : undefined;
      if (denied) return denied;
      const wanted = { title, description, vendor_files, ...locationColumns(location) } as const;
      // Safe: the names are those of the object above.
      const fields = (Object.keys(wanted) as (keyof typeof wanted)[]).filter(
        (field) => wanted[field] !== device[field],
      );
      if (fields.length === 0) return undefined;
      await changeDevice(trx, device.id, wanted);
      const subject = logSubject(deps, device, caller, ip);
      const message = trusts
        ? `Files of device "${title}" are ${vendor_files ? 'open to its vendor now' : 'closed to its vendor again'}`
        : `Device "${title}" changed`;
      await writeLog(trx, { ...subject, type: 'device.update', message, data: { fields } });
      return undefined;
    });
    return changed.ok ? success(await deviceRecord(deps.storage.db, changed.value, caller)) : changed;
  };

/** API-EP-POST-devices-device_id-activate */
const activateRoute =
  (deps: DeviceDeps): Handler<Contract['activate']> =>
  async ({ caller, params, body, ip }) => {
    const changed = await changing(deps, caller, 'device.activate', params.device_id, (trx, device) =>
      activate(deps, trx, device, { productId: body.product_id }, caller, logSubject(deps, device, caller, ip)),
    );
    if (changed.ok) await notifyMoved(deps, changed.value);
    return changed.ok ? success(await deviceRecord(deps.storage.db, changed.value, caller)) : changed;
  };

/** API-EP-POST-devices-device_id-reset */
const reset =
  (deps: DeviceDeps): Handler<Contract['reset']> =>
  async ({ caller, params, ip }) => {
    const changed = await changing(deps, caller, 'device.reset', params.device_id, (trx, device) =>
      resetDevice(deps, trx, device, logSubject(deps, device, caller, ip)),
    );
    if (changed.ok) await notifyMoved(deps, changed.value);
    return changed.ok ? success(resultOk) : changed;
  };

/** API-EP-POST-devices-device_id-tag */
const setTag =
  (deps: DeviceDeps): Handler<Contract['setTag']> =>
  async ({ caller, params, body, ip }) => {
    let due = false;
    const changed = await changing(deps, caller, 'device.tag', params.device_id, async (trx, device) => {
      const tag = body.tag === '' ? null : body.tag;
      due = false;
      if (tag === device.tag) return undefined;
      due = await leadsElsewhere(deps, trx, device, { product_id: device.product_id, tag });
      await changeDevice(trx, device.id, { tag });
      await writeLog(trx, { ...logSubject(deps, device, caller, ip), type: 'device.tag', message: tagMessage(tag) });
      return undefined;
    });
    if (changed.ok && due) deps.storage.bus.publish(topics.otaDue, { deviceId: changed.value.id });
    return changed.ok ? success(resultOk) : changed;
  };

/** API-EP-POST-devices-device_id-state */
const setState =
  (deps: DeviceDeps): Handler<Contract['setState']> =>
  async ({ caller, params, body, ip }) => {
    const changed = await changing(deps, caller, 'device.disable', params.device_id, async (trx, device) => {
      const plan = planBlock(device, body.state, may('device.unblock.any', generalRoles(caller)));
      if (!plan.ok) return plan.error;
      const { state, blocked_by } = plan.value;
      if (state === device.state && blocked_by === device.blocked_by) return undefined;
      await changeDevice(trx, device.id, { state, blocked_by });
      const message = state === 'disabled' ? 'Device blocked' : 'Device let in again';
      await writeLog(trx, { ...logSubject(deps, device, caller, ip), type: 'device.state', message });
      return undefined;
    });
    if (changed.ok && changed.value.state === 'disabled') revoke(deps.storage, changed.value);
    return changed.ok ? success(resultOk) : changed;
  };

const certificates =
  (deps: DeviceDeps): Handler<Contract['certificates']> =>
  async ({ caller, params, ip }) => {
    const device = await deviceFor(deps.storage.db, caller, 'device.certificates', params.device_id);
    if (!device.ok) return device;
    const issued = await issueCertificate(deps, device.value, logSubject(deps, device.value, caller, ip));
    if (!issued.ok) return issued;
    const bytes = certificatesZip(issued.value, deps.clock.now());
    return success({ bytes, mime: 'application/zip', filename: 'certificates.zip' });
  };

/** API-EP-POST-devices-device_id-token */
const renewToken =
  (deps: DeviceDeps): Handler<Contract['renewToken']> =>
  async ({ caller, params, ip }) => {
    const token = newTokenValue();
    const changed = await changing(deps, caller, 'device.certificates', params.device_id, async (trx, device) => {
      await changeDevice(trx, device.id, {
        provision_token_hash: hashSecret(token),
        provision_status: 'pending',
        certificate_fingerprint: null,
        next_fingerprint: null,
        authority: null,
        next_authority: null,
      });
      const subject = logSubject(deps, device, caller, ip);
      for (const over of [device.certificate_fingerprint, device.next_fingerprint]) {
        if (over !== null) await retireCertificate(trx, device.id, over, subject.atMs);
      }
      await writeLog(trx, { ...subject, type: 'device.certificate', message: 'Device may be provisioned again' });
      return undefined;
    });
    if (changed.ok) revoke(deps.storage, changed.value);
    return changed.ok ? success({ token }) : changed;
  };

/** Devices as their users see them. */
export const devicesRoutes = (deps: DeviceDeps): Handlers<Contract> => ({
  list: list(deps),
  get: get(deps),
  products: products(deps),
  // API-EP-POST-devices-provision
  provision: ({ caller, body, ip }) => provision(deps, caller, ip, body),
  update: update(deps),
  activate: activateRoute(deps),
  reset: reset(deps),
  setTag: setTag(deps),
  setState: setState(deps),
  certificates: certificates(deps),
  renewToken: renewToken(deps),
});
