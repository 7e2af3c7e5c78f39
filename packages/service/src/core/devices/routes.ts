import { type devicesContract, type Refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { topics } from '../../engine/bus/topics.ts';
import { writeLog } from '../../engine/db/logs.ts';
import { type Call, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { authorise, deviceRoles, generalRoles, may, viewerFor } from '../access/rules.ts';
import { askAll, deleteAll, notifyAsked, progressOf, refuseAsking, revoke } from './actions.ts';
import { activate, productChoices, refuseTakingBack, resetDevices } from './activation.ts';
import { certificatesZip, issueCertificate } from './certificates.ts';
import { leadsElsewhere, logSubject, notifyMoved, tagMessage } from './consequences.ts';
import { contentsOf } from './contents.ts';
import type { DeviceDeps } from './deps.ts';
import { listDevices, privateTo } from './list-queries.ts';
import { allowed, changing, deviceFor, notFound } from './lookup.ts';
import { provision } from './provisioning.ts';
import { changeDevice, type DetailedDevice, lockDevice, retireCertificate } from './queries.ts';
import { deviceRecord, deviceRecords } from './records.ts';
import { degreesOf, locationColumns, parseDeviceKey, planBlock, refuseDelete } from './rules.ts';

type Contract = typeof devicesContract;

/** API-EP-GET-devices */
async function list(
  { storage: { db, expressions }, clock, hooks }: DeviceDeps,
  { caller, query }: Call<Contract['list']>,
) {
  const filter = query.filter === undefined ? undefined : hooks.listFilter(query.filter);
  if (filter && !filter.ok) return filter;
  const viewer = viewerFor('device.read', caller);
  const nowMs = clock.now();
  const filtering = filter?.value({ expressions, nowMs, seesPrivate: await privateTo(db, viewer) });
  const { items, total } = await listDevices({ db, expressions, hooks }, viewer, query, nowMs, filtering);
  return success({ items: await deviceRecords(db, items, caller), total });
}

/** API-EP-GET-devices-identifier */
async function get({ storage: { db }, clock, findRecorded }: DeviceDeps, { caller, params }: Call<Contract['get']>) {
  const key = parseDeviceKey(params.identifier);
  const row = key && (await findRecorded(db, key, caller.userId, clock.now()));
  const device = allowed(key, row, caller, 'device.read');
  return device.ok ? success(await deviceRecord(db, device.value, caller)) : device;
}

/** API-EP-GET-devices-id-products */
async function products({ storage: { db } }: DeviceDeps, { caller, params }: Call<Contract['products']>) {
  const device = await deviceFor(db, caller, 'device.read', params.id);
  return device.ok ? success(await productChoices(db, device.value, caller)) : device;
}

/** API-EP-PUT-devices-device_id */
async function update(deps: DeviceDeps, { caller, params, body, ip }: Call<Contract['update']>) {
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
    const fields = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((field) => wanted[field] !== device[field]);
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
}

/** API-EP-POST-devices-device_id-activate */
async function activateRoute(deps: DeviceDeps, { caller, params, body, ip }: Call<Contract['activate']>) {
  const changed = await changing(deps, caller, 'device.activate', params.device_id, (trx, device) =>
    activate(deps, trx, device, { productId: body.product_id }, caller, logSubject(deps, device, caller, ip)),
  );
  if (changed.ok) await notifyMoved(deps, changed.value);
  return changed.ok ? success(await deviceRecord(deps.storage.db, changed.value, caller)) : changed;
}

/** API-EP-POST-devices-device_id-reset */
async function reset(deps: DeviceDeps, { caller, params, ip }: Call<Contract['reset']>) {
  const changed = await changing(deps, caller, 'device.reset', params.device_id, async (trx, device) => {
    const refused = refuseTakingBack(device);
    if (refused) return refused;
    await resetDevices(deps, trx, [device]);
    await writeLog(trx, { ...logSubject(deps, device, caller, ip), type: 'device.reset', message: 'Device reset' });
    return undefined;
  });
  if (changed.ok) await notifyMoved(deps, changed.value);
  return changed.ok ? success(resultOk) : changed;
}

/** API-EP-POST-devices-device_id-tag */
async function setTag(deps: DeviceDeps, { caller, params, body, ip }: Call<Contract['setTag']>) {
  let due = false;
  const changed = await changing(deps, caller, 'device.tag', params.device_id, async (trx, device) => {
    const tag = body.tag === '' ? null : body.tag;
    due = false;
    if (tag === device.tag) return undefined;
    due = await leadsElsewhere(deps, trx, device, { product_id: device.product_id, tag });
    await changeDevice(trx, device.id, { tag });
    const said = { type: 'device.tag', message: tagMessage(tag), data: { tag } } as const;
    await writeLog(trx, { ...logSubject(deps, device, caller, ip), ...said });
    return undefined;
  });
  if (changed.ok && due) deps.storage.bus.publish(topics.otaDue, { deviceId: changed.value.id });
  return changed.ok ? success(resultOk) : changed;
}

/** API-EP-POST-devices-device_id-state */
async function setState(deps: DeviceDeps, { caller, params, body, ip }: Call<Contract['setState']>) {
  const changed = await changing(deps, caller, 'device.disable', params.device_id, async (trx, device) => {
    const plan = planBlock(device, body.state, may('device.unblock.any', generalRoles(caller)));
    if (!plan.ok) return plan.error;
    const { state, blocked_by } = plan.value;
    if (state === device.state && blocked_by === device.blocked_by) return undefined;
    await changeDevice(trx, device.id, { state, blocked_by });
    const message = state === 'disabled' ? 'Device blocked' : 'Device let in again';
    const said = { type: 'device.state', message, data: { state } } as const;
    await writeLog(trx, { ...logSubject(deps, device, caller, ip), ...said });
    return undefined;
  });
  if (changed.ok && changed.value.state === 'disabled') revoke(deps.storage, changed.value);
  return changed.ok ? success(resultOk) : changed;
}

/** API-EP-GET-devices-device_id-contents */
async function contents({ storage: { db } }: DeviceDeps, { caller, params }: Call<Contract['contents']>) {
  const device = await deviceFor(db, caller, 'device.delete', params.device_id);
  return device.ok ? success(await contentsOf(db, device.value.id)) : device;
}

/** API-EP-DELETE-devices-device_id */
async function remove(deps: DeviceDeps, { caller, params, ip }: Call<Contract['remove']>) {
  const { storage } = deps;
  const found = await deviceFor(storage.db, caller, 'device.delete', params.device_id);
  if (!found.ok) return found;
  const removed = await storage.transaction(async (trx): Promise<Result<DetailedDevice, Refusal>> => {
    const device = await lockDevice(trx, storage.expressions, found.value.id, caller.userId);
    if (!device) return notFound();
    const refused =
      authorise('device.delete', deviceRoles(caller, device), 'Device') ??
      refuseDelete(device, may('device.delete.any', generalRoles(caller)));
    if (refused) return failure(refused);
    const { uuid, title } = device;
    const entry = { ...logSubject(deps, device, caller, ip), type: 'device.delete', data: { uuid, title } } as const;
    await writeLog(trx, { ...entry, message: `Device "${title}" (${uuid}) deleted` });
    await deleteAll(deps, trx, [device]);
    return success(device);
  });
  if (!removed.ok) return removed;
  revoke(storage, removed.value);
  return success(resultOk);
}

/** API-EP-POST-devices-device_id-update */
async function askUpdate(deps: DeviceDeps, { caller, params, ip }: Call<Contract['askUpdate']>) {
  const changed = await changing(deps, caller, 'device.ota', params.device_id, async (trx, device) => {
    const refused = refuseAsking(device);
    if (refused) return refused;
    await askAll(deps, trx, [device.id]);
    const message = 'Device asked to look for its update at once';
    await writeLog(trx, { ...logSubject(deps, device, caller, ip), type: 'ota.ask', message });
    return undefined;
  });
  if (!changed.ok) return changed;
  notifyAsked(deps, changed.value.id);
  return success(await progressOf(deps, changed.value));
}

/** API-EP-GET-devices-device_id-update */
async function updateProgress(deps: DeviceDeps, { caller, params }: Call<Contract['updateProgress']>) {
  const device = await deviceFor(deps.storage.db, caller, 'device.read', params.device_id);
  return device.ok ? success(await progressOf(deps, device.value)) : device;
}

async function certificates(deps: DeviceDeps, { caller, params, ip }: Call<Contract['certificates']>) {
  const device = await deviceFor(deps.storage.db, caller, 'device.certificates', params.device_id);
  if (!device.ok) return device;
  const issued = await issueCertificate(deps, device.value, logSubject(deps, device.value, caller, ip));
  if (!issued.ok) return issued;
  const bytes = certificatesZip(issued.value, deps.clock.now());
  return success({ bytes, mime: 'application/zip', filename: 'certificates.zip' });
}

/** API-EP-POST-devices-device_id-token */
async function renewToken(deps: DeviceDeps, { caller, params, ip }: Call<Contract['renewToken']>) {
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
}

/** Devices as their users see them. */
export const devicesRoutes = (deps: DeviceDeps): Handlers<Contract> => ({
  ...handlers(deps, {
    list,
    get,
    products,
    update,
    activate: activateRoute,
    reset,
    setTag,
    setState,
    contents,
    remove,
    askUpdate,
    updateProgress,
    certificates,
    renewToken,
  }),
  // API-EP-POST-devices-provision
  provision: ({ caller, body, ip }) => provision(deps, { caller, ip }, body),
});
