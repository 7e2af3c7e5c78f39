import { createHash, randomUUID } from 'node:crypto';
import {
  type Capabilities,
  capabilitiesLimitBytes,
  capabilitiesProblem,
  type dataRoutesContract,
  type MessageRecord,
  messageLimitBytes,
  messagesPerBox,
  type Refusal,
  refusal,
  refusalOfAll,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { writeLog } from '../../engine/db/logs.ts';
import type { Reads } from '../../engine/db/work.ts';
import { type Call, type Deps, type DeviceCaller, type Handlers, handlers } from '../../engine/http/types.ts';
import type { Live } from './live.ts';
import { offerNamed, offersFor } from './offers.ts';
import {
  activationOf,
  activationRows,
  controlsOf,
  deleteActivation,
  deleteMessage,
  insertActivation,
  insertMessage,
  markDelivered,
  messageById,
  noteBatch,
  putControl,
  waitingMessages,
} from './queries.ts';
import { arrivalMs, type DataPlace, refuseBox, refuseValue, wireSeconds } from './rules.ts';

type Contract = typeof dataRoutesContract;

interface Login {
  readonly username: string;
  readonly password: string;
}

export interface DataDeviceDeps extends Pick<Deps, 'storage' | 'clock'> {
  readonly live: Live;
  /** Reads that devices share which ask together. */
  readonly reads: Reads;
  /** The account of a login. Refusals: WRONG_LOGIN, TOO_MANY_LOGINS, BUSY. */
  readonly checkLogin: (login: Login & { readonly ip: string }) => Promise<Result<{ readonly id: string }, Refusal>>;
  /** Claims the device for that account unless it is its already. Refusals: those of `POST /claim`. */
  readonly claim: (caller: DeviceCaller, login: Login, ip: string) => Promise<Result<unknown, Refusal>>;
}

/** What the calling device can do. Refusals: NOT_ACTIVATED. */
async function capabilitiesOf(
  { reads }: DataDeviceDeps,
  { deviceId }: DeviceCaller,
): Promise<Result<Capabilities, Refusal>> {
  const activation = await reads.get(activationRows, deviceId);
  return activation ? success(JSON.parse(activation.capabilities)) : failure(refusal('NOT_ACTIVATED'));
}

/** Refusals: INVALID_CAPABILITIES. Spec: API-DATA-capabilities. */
function refuseCapabilities(capabilities: Capabilities, text: string): Refusal | undefined {
  const detail =
    Buffer.byteLength(text) > capabilitiesLimitBytes
      ? `they are over ${capabilitiesLimitBytes} bytes`
      : capabilitiesProblem(capabilities);
  return detail === undefined
    ? undefined
    : refusal('INVALID_CAPABILITIES', { detail }, { source: 'body', keys: ['capabilities'] });
}

/**
 * The account that a device names by its login, or the one that has claimed it.
 * Refusals: DEVICE_UNCLAIMED without either, those of a login.
 */
async function accountOf(
  deps: DataDeviceDeps,
  { row }: DeviceCaller,
  { username, password }: Partial<Login>,
  ip: string,
): Promise<Result<{ readonly id: string; readonly login?: Login }, Refusal>> {
  if (username === undefined && password === undefined)
    return row.user_id === null ? failure(refusal('DEVICE_UNCLAIMED')) : success({ id: row.user_id });
  if (username === undefined || password === undefined) {
    const missing = username === undefined ? 'username' : 'password';
    const detail = `"${missing}" is missing`;
    return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [missing] }));
  }
  const login = { username, password };
  const account = await deps.checkLogin({ ...login, ip });
  return account.ok ? success({ id: account.value.id, login }) : account;
}

/** API-DEV-POST-device-v1-activate. Spec: MOD-AUTH-7. */
async function activate(deps: DataDeviceDeps, { caller, body, ip }: Call<Contract['activate']>) {
  const { capabilities } = body;
  const text = JSON.stringify(capabilities);
  const refused = refuseCapabilities(capabilities, text);
  if (refused) return failure(refused);
  const account = await accountOf(deps, caller, body, ip);
  if (!account.ok) return account;
  const { login } = account.value;
  const claimed = login && (await deps.claim(caller, login, ip));
  if (claimed && !claimed.ok) return claimed;
  const { deviceId } = caller;
  const atMs = deps.clock.now();
  return deps.storage.transaction(async (trx) => {
    if (await activationOf(trx, deviceId)) return failure(refusal('ALREADY_ACTIVATED'));
    await insertActivation(trx, {
      device_id: deviceId,
      user_id: account.value.id,
      capabilities: text,
      activated_at: atMs,
    });
    const message = `Device activated at the data cloud as ${capabilities.name}`;
    await writeLog(trx, { type: 'device.data_activate', message, ...subject(caller, account.value.id, atMs, ip) });
    return success({ ...resultOk, device: deviceId });
  });
}

const subject = ({ deviceId, row }: DeviceCaller, userId: string, atMs: number, ip: string) => ({
  atMs,
  deviceId,
  productId: row.product_id,
  userId,
  ip,
});

/** API-DEV-POST-device-v1-deactivate */
async function deactivate(deps: DataDeviceDeps, { caller, body, ip }: Call<Contract['deactivate']>) {
  const account = await accountOf(deps, caller, body, ip);
  if (!account.ok) return account;
  const atMs = deps.clock.now();
  return deps.storage.transaction(async (trx) => {
    const activation = await activationOf(trx, caller.deviceId);
    if (!activation) return failure(refusal('NOT_ACTIVATED'));
    if (activation.user_id !== account.value.id) return failure(refusal('DEVICE_OF_ANOTHER_USER'));
    await deleteActivation(trx, caller.deviceId);
    const message = 'Device deactivated at the data cloud';
    await writeLog(trx, { type: 'device.data_deactivate', message, ...subject(caller, account.value.id, atMs, ip) });
    return success(resultOk);
  });
}

const placeOf = (list: 'samples' | 'controls', index: number): DataPlace => ({
  name: { source: 'body', keys: [`${list}.${index}.n`] },
  value: { source: 'body', keys: [`${list}.${index}.v`] },
});

/** API-DEV-POST-device-v1-data */
async function write(deps: DataDeviceDeps, { caller, body }: Call<Contract['write']>) {
  const capabilities = await capabilitiesOf(deps, caller);
  if (!capabilities.ok) return capabilities;
  const { batch, samples = [], controls = [] } = body;
  const refused = [
    ...samples.map(({ n, v }, index) => refuseValue(capabilities.value, 'stream', n, v, placeOf('samples', index))),
    ...controls.map(({ n, v }, index) => refuseValue(capabilities.value, 'control', n, v, placeOf('controls', index))),
  ];
  const all = refusalOfAll(refused);
  // Devices show the text, which is of one value.
  if (all) return failure({ ...all, message: refused.find(Boolean)?.message ?? all.message });
  const { deviceId } = caller;
  const atMs = deps.clock.now();
  if (samples.length > 0) {
    const written = samples.map(({ n, v, t }) => ({ name: n, atMs: arrivalMs(t, atMs), value: v }));
    await deps.storage.samples.append({ deviceId, batch, atMs, samples: written });
    deps.live.notify(deviceId, {
      type: 'samples',
      data: written.map(({ name, atMs: at, value }) => ({ name, at: String(at), value })),
    });
  }
  if (controls.length > 0) {
    const changed = await deps.storage.transaction(async (trx) => {
      // The samples of the batch have their own note.
      if (!(await noteBatch(trx, deviceId, `${batch}c`, atMs))) return [];
      const put: { name: string; value: unknown; at: string }[] = [];
      for (const { n: name, v, t } of controls) {
        const at = arrivalMs(t, atMs);
        const value = JSON.stringify(v);
        const row = { device_id: deviceId, name, value, at, source: 'device' as const, delivered: 1 as const };
        if (await putControl(trx, { ...row, user_id: null })) put.push({ name, value: v, at: String(at) });
      }
      return put;
    });
    for (const data of changed) deps.live.notify(deviceId, { type: 'control', data });
  }
  return success(resultOk);
}

/** The id of a message that has a key: the same however often it is posted, even when the message is gone. */
function idOfKey(deviceId: string, key: string): string {
  const hex = createHash('sha256').update(`${deviceId} ${key}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** API-DEV-POST-device-v1-messages */
async function post(deps: DataDeviceDeps, { caller, body }: Call<Contract['post']>) {
  const capabilities = await capabilitiesOf(deps, caller);
  if (!capabilities.ok) return capabilities;
  const refused = refuseBox(capabilities.value, 'from-device');
  if (refused) return failure(refused);
  const length = Buffer.byteLength(body.data);
  if (length > messageLimitBytes) return failure(refusal('BODY_TOO_LARGE', { limitBytes: messageLimitBytes }));
  const { key } = body;
  const row = {
    id: key === undefined ? randomUUID() : idOfKey(caller.deviceId, key),
    device_id: caller.deviceId,
    box: 'from-device' as const,
    headers: JSON.stringify(body.headers ?? {}),
    data: body.data,
    length,
    created_at: deps.clock.now(),
  };
  const { id, box, created_at } = row;
  // Spec: API-DATA-once.
  const isNew = await deps.storage.transaction(async (trx) => {
    if (key !== undefined && !(await noteBatch(trx, caller.deviceId, `${key}m`, created_at))) return false;
    await insertMessage(trx, row);
    return true;
  });
  if (!isNew) return success({ ...resultOk, id });
  const data: MessageRecord = { id, box, length, headers: body.headers ?? {}, created_at: String(created_at) };
  deps.live.notify(caller.deviceId, { type: 'message', data });
  return success({ ...resultOk, id });
}

/** API-DEV-GET-device-v1-controls */
async function controls(deps: DataDeviceDeps, { caller, query }: Call<Contract['controls']>) {
  const capabilities = await capabilitiesOf(deps, caller);
  if (!capabilities.ok) return capabilities;
  const sinceMs = (query.since ?? 0) * 1000;
  const rows = (await controlsOf(deps.storage.db, caller.deviceId)).filter(({ at }) => at >= sinceMs);
  if (rows.some(({ delivered }) => !delivered)) {
    await deps.storage.transaction((trx) => markDelivered(trx, rows));
    // Watchers of a value that was waiting see that the device has it.
    for (const { name, value, at, delivered } of rows) {
      if (delivered) continue;
      const data = { name, value: JSON.parse(value), at: String(at), delivered: true };
      deps.live.notify(caller.deviceId, { type: 'control', data });
    }
  }
  const known = rows.map(({ name, value, at }) => ({ n: name, v: JSON.parse(value), t: wireSeconds(at) }));
  if (query.since !== undefined) return success(known);
  const names = new Set(known.map(({ n }) => n));
  const defaults = Object.entries(capabilities.value.controls ?? {}).flatMap(([n, { default: v }]) =>
    v === undefined || names.has(n) ? [] : [{ n, v, t: 0 }],
  );
  return success([...known, ...defaults]);
}

/** API-DEV-GET-device-v1-capabilities-name */
async function offer(deps: DataDeviceDeps, { caller, params }: Call<Contract['offer']>) {
  const found = await offerNamed(deps.storage.db, caller.row.product_id, params.name);
  return found ? success(found) : failure(refusal('NOT_FOUND', { what: 'Capabilities file' }));
}

/** API-DEV-GET-device-v1-messages */
async function messages(deps: DataDeviceDeps, { caller, query }: Call<Contract['messages']>) {
  const capabilities = await capabilitiesOf(deps, caller);
  if (!capabilities.ok) return capabilities;
  const sinceMs = (query.since ?? 0) * 1000;
  const rows = await waitingMessages(deps.storage.db, caller.deviceId, query.count ?? messagesPerBox, sinceMs);
  return success(rows.map(({ id, created_at, length }) => ({ id, timestamp: wireSeconds(created_at), length })));
}

/** API-DEV-GET-device-v1-messages-message_id */
async function message(deps: DataDeviceDeps, { caller, params }: Call<Contract['message']>) {
  const capabilities = await capabilitiesOf(deps, caller);
  if (!capabilities.ok) return capabilities;
  const row = await messageById(deps.storage.db, caller.deviceId, params.message_id, 'to-device');
  if (!row) return failure(refusal('NOT_FOUND', { what: 'Message' }));
  return success({ headers: JSON.parse(row.headers), body: { data: row.data } });
}

/** API-DEV-DELETE-device-v1-messages-message_id */
async function remove(deps: DataDeviceDeps, { caller, params }: Call<Contract['remove']>) {
  const capabilities = await capabilitiesOf(deps, caller);
  if (!capabilities.ok) return capabilities;
  const id = params.message_id;
  const removed = await deleteMessage(deps.storage.db, caller.deviceId, id, 'to-device');
  if (removed) deps.live.notify(caller.deviceId, { type: 'message', data: { id, removed: true } });
  return removed ? success(resultOk) : failure(refusal('NOT_FOUND', { what: 'Message' }));
}

/** The data cloud as devices see it. */
export const dataDeviceRoutes = (deps: DataDeviceDeps): Handlers<Contract> => ({
  ...handlers(deps, { activate, deactivate, offer, write, controls, messages, message, post, remove }),
  // API-DEV-GET-device-v1-capabilities
  offers: async ({ caller }) => success(await offersFor(deps.storage.db, caller.row.product_id)),
});
