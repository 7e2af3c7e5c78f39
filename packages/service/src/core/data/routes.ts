import { randomUUID } from 'node:crypto';
import {
  type Capabilities,
  type ControlRecord,
  type DataCapability,
  type DataValue,
  type dataContract,
  type LiveEventType,
  type MessageRecord,
  messageLimitBytes,
  type Refusal,
  refusal,
  resultOk,
  type SampleRecord,
  type StreamRecord,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import type { Db } from '../../engine/db/storage.ts';
import {
  type Call,
  type Caller,
  type Deps,
  type EventsReply,
  type Handlers,
  handlers,
} from '../../engine/http/types.ts';
import type { Action } from '../access/rules.ts';
import type { Live } from './live.ts';
import {
  activationOf,
  activationWithUser,
  type ControlRow,
  controlHistory,
  controlsOf,
  deleteMessage,
  insertMessage,
  listMessages,
  type MessageRow,
  messageById,
  putControl,
} from './queries.ts';
import { described, refuseBox, refuseValue, sampleValue, wireSeconds } from './rules.ts';

type Contract = typeof dataContract;

/** A device as these routes need it. */
export interface OwnedDevice {
  readonly id: string;
  readonly product_id: string;
  readonly title: string;
}

export interface DataDeps extends Pick<Deps, 'storage' | 'clock'> {
  readonly live: Live;
  /** The device of a path, if the caller may do this to it. Refusals: NOT_FOUND, FORBIDDEN. */
  readonly deviceFor: (db: Db, caller: Caller, action: Action, name: string) => Promise<Result<OwnedDevice, Refusal>>;
  /** Tells the device something over the message channel, if it is there. */
  readonly sendToDevice: (
    deviceId: string,
    action: Readonly<Record<string, unknown>> & { readonly action: string },
  ) => void;
}

interface Activated {
  readonly device: OwnedDevice;
  readonly capabilities: Capabilities;
}

/** The device of a path with what it can do. Refusals: NOT_FOUND, FORBIDDEN, NOT_ACTIVATED. */
async function activated(
  { deviceFor }: DataDeps,
  db: Db,
  caller: Caller,
  action: Action,
  name: string,
): Promise<Result<Activated, Refusal>> {
  const device = await deviceFor(db, caller, action, name);
  if (!device.ok) return device;
  const activation = await activationOf(db, device.value.id);
  if (!activation) return failure(refusal('NOT_ACTIVATED'));
  return success({ device: device.value, capabilities: JSON.parse(activation.capabilities) });
}

const description = (name: string, { title, type, units, min, max }: DataCapability) => ({
  name,
  title: title ?? null,
  type,
  units: units ?? null,
  min: min ?? null,
  max: max ?? null,
});

const messageRecord = ({ id, box, length, headers, created_at }: MessageRow): MessageRecord => ({
  id,
  box,
  length,
  headers: JSON.parse(headers),
  created_at: String(created_at),
});

function controlRecord(name: string, { controls = {} }: Capabilities, row: ControlRow | undefined): ControlRecord {
  const { default: otherwise, ...capability } = controls[name] ?? { type: 'string' as const };
  return {
    ...description(name, capability),
    value: row ? JSON.parse(row.value) : (otherwise ?? null),
    at: row ? String(row.at) : null,
    source: row?.source ?? null,
    delivered: row?.delivered === 1,
  };
}

/** API-EP-GET-devices-device_id-streams */
async function streams(deps: DataDeps, { caller, params }: Call<Contract['streams']>) {
  const found = await activated(deps, deps.storage.db, caller, 'device.read', params.device_id);
  if (!found.ok) return found;
  const last = await deps.storage.samples.last(found.value.device.id);
  const records = Object.entries(found.value.capabilities.streams ?? {}).map(([name, capability]): StreamRecord => {
    const row = last.get(name);
    return {
      ...description(name, capability),
      last: row ? { at: String(row.at), value: sampleValue(row) } : null,
    };
  });
  return success(records);
}

/** API-EP-GET-devices-device_id-streams-name */
async function samples(deps: DataDeps, { caller, params, query }: Call<Contract['samples']>) {
  const { db, samples: kept } = deps.storage;
  const found = await activated(deps, db, caller, 'device.read', params.device_id);
  if (!found.ok) return found;
  const capability = described(found.value.capabilities, 'stream', params.name);
  if (!capability.ok) return failure(refusal('NOT_FOUND', { what: 'Stream' }));
  const { from, to, interval, limit = 1000 } = query;
  const range = { deviceId: found.value.device.id, name: params.name, from, to, limit };
  if (interval === undefined) {
    const rows = await kept.query(range);
    return success(rows.map((row): SampleRecord => ({ at: String(row.at), value: sampleValue(row) })));
  }
  const buckets = await kept.buckets(range, interval, capability.value.type === 'string');
  return success(
    buckets.map(
      ({ at, count, min, max, mean, text }): SampleRecord => ({
        at: String(at),
        value: mean ?? text ?? '',
        ...(min !== null && max !== null && { min, max }),
        count,
      }),
    ),
  );
}

/** A value that somebody sets a control of a device to. */
export interface ControlChange {
  readonly caller: Caller;
  /** Address of the client. */
  readonly ip: string;
  /** A name of the device, as in a path. */
  readonly device: string;
  readonly name: string;
  readonly value: DataValue;
}

/** Sets a control and tells the device. Refusals: NOT_FOUND, FORBIDDEN, NOT_ACTIVATED, WRONG_VALUE. */
export const changeControl =
  (deps: DataDeps) =>
  async (change: ControlChange): Promise<Result<ControlRecord, Refusal>> => {
    const { caller, name } = change;
    const changed = await deps.storage.transaction(async (trx) => {
      const found = await activated(deps, trx, caller, 'device.update', change.device);
      if (!found.ok) return found;
      const { device, capabilities } = found.value;
      if (!described(capabilities, 'control', name).ok) return failure(refusal('NOT_FOUND', { what: 'Control' }));
      const refused = refuseValue(capabilities, 'control', name, change.value);
      if (refused) return failure(refused);
      const before = (await controlsOf(trx, device.id)).find((row) => row.name === name);
      // What the device set with a clock that is ahead gives way all the same.
      const nowMs = deps.clock.now();
      const atMs = Math.max(nowMs, before?.at ?? 0);
      const value = JSON.stringify(change.value);
      const row: ControlRow = { device_id: device.id, name, value, at: atMs, source: 'user', delivered: 0 };
      await putControl(trx, { ...row, user_id: caller.userId });
      await writeLog(trx, {
        ...byCaller(change, nowMs),
        type: 'device.control',
        message: `Control ${name} of device ${device.title} set to ${value}`,
        deviceId: device.id,
        productId: device.product_id,
        data: { name, value: change.value },
      });
      return success({ device, record: controlRecord(name, capabilities, row), atMs });
    });
    if (!changed.ok) return changed;
    const { device, record, atMs } = changed.value;
    deps.sendToDevice(device.id, { action: 'control', controls: [{ n: name, v: change.value, t: wireSeconds(atMs) }] });
    deps.live.notify(device.id, { type: 'control', data: record });
    return success(record);
  };

/** API-EP-PUT-devices-device_id-controls-name */
const setControl = (deps: DataDeps, { caller, ip, params, body }: Call<Contract['setControl']>) =>
  changeControl(deps)({ caller, ip, device: params.device_id, name: params.name, value: body.value });

/** API-EP-POST-devices-device_id-messages */
async function postMessage(deps: DataDeps, { caller, params, body }: Call<Contract['postMessage']>) {
  const length = Buffer.byteLength(body.data);
  if (length > messageLimitBytes) return failure(refusal('BODY_TOO_LARGE', { limitBytes: messageLimitBytes }));
  const posted = await deps.storage.transaction(async (trx) => {
    const found = await activated(deps, trx, caller, 'device.update', params.device_id);
    if (!found.ok) return found;
    const refused = refuseBox(found.value.capabilities, 'to-device');
    if (refused) return failure(refused);
    const row = await insertMessage(trx, {
      id: randomUUID(),
      device_id: found.value.device.id,
      box: 'to-device',
      headers: JSON.stringify(body.headers ?? {}),
      data: body.data,
      length,
      created_at: deps.clock.now(),
    });
    noteMade(row.id);
    return success(row);
  });
  if (!posted.ok) return posted;
  const record = messageRecord(posted.value);
  deps.sendToDevice(posted.value.device_id, { action: 'message', message_id: record.id });
  deps.live.notify(posted.value.device_id, { type: 'message', data: record });
  return success(record);
}

/** API-EP-GET-devices-device_id-capabilities */
async function capabilities(deps: DataDeps, { caller, params }: Call<Contract['capabilities']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const activation = await activationWithUser(deps.storage.db, device.value.id);
  return success({
    activated: activation !== undefined,
    activated_at: activation ? String(activation.activated_at) : null,
    user: activation?.username ?? null,
    capabilities: activation ? JSON.parse(activation.capabilities) : null,
  });
}

/** API-EP-GET-devices-device_id-controls */
async function controls(deps: DataDeps, { caller, params }: Call<Contract['controls']>) {
  const found = await activated(deps, deps.storage.db, caller, 'device.read', params.device_id);
  if (!found.ok) return found;
  const { device, capabilities } = found.value;
  const rows = new Map((await controlsOf(deps.storage.db, device.id)).map((row) => [row.name, row]));
  const names = Object.keys(capabilities.controls ?? {});
  return success(names.map((name) => controlRecord(name, capabilities, rows.get(name))));
}

/** API-EP-GET-devices-device_id-controls-name-history */
async function controlHistoryRoute(deps: DataDeps, { caller, params, query }: Call<Contract['controlHistory']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const { items, total } = await controlHistory(deps.storage.db, device.value.id, params.name, query);
  return success({
    items: items.map(({ at, value, source, username }) => ({
      at: String(at),
      value: JSON.parse(value),
      source,
      user: username,
    })),
    total,
  });
}

/** API-EP-GET-devices-device_id-messages */
async function messages(deps: DataDeps, { caller, params, query }: Call<Contract['messages']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.private', params.device_id);
  if (!device.ok) return device;
  const { items, total } = await listMessages(deps.storage.db, device.value.id, query);
  return success({ items: items.map(messageRecord), total });
}

/** API-EP-GET-devices-device_id-messages-message_id */
async function message(deps: DataDeps, { caller, params }: Call<Contract['message']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.private', params.device_id);
  if (!device.ok) return device;
  const row = await messageById(deps.storage.db, device.value.id, params.message_id);
  return row ? success({ ...messageRecord(row), data: row.data }) : noMessage();
}

const privateEvents: readonly LiveEventType[] = ['message', 'telemetry'];

/** API-EP-GET-devices-device_id-live */
async function live(deps: DataDeps, { caller, params }: Call<Contract['live']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const { id } = device.value;
  const isAllowed = async (action: Action) => (await deps.deviceFor(deps.storage.db, caller, action, id)).ok;
  // What the record and the messages hide from a caller is not sent to them either.
  const seesPrivate = await isAllowed('device.private');
  return success({
    subscribe: (send: Parameters<EventsReply['subscribe']>[0]) =>
      deps.live.watch(id, ({ type, data }) => {
        if (seesPrivate || !privateEvents.includes(type)) send(type, data);
      }),
    isStillAllowed: () => isAllowed(seesPrivate ? 'device.private' : 'device.read'),
  });
}

/** Events of several devices for one caller, each with the id of its device. */
export type WatchDevices = (caller: Caller, ids: readonly string[]) => Promise<EventsReply>;

/** Of the devices that the caller may read; one that they may read no longer leaves the others alone. */
export const watchDevices =
  (deps: DataDeps): WatchDevices =>
  async (caller, ids) => {
    const mayRead = (id: string) => deps.deviceFor(deps.storage.db, caller, 'device.read', id);
    const found = await Promise.all(ids.map(mayRead));
    const devices = new Set(found.flatMap((device) => (device.ok ? device.value.id : [])));
    const watches = new Map<string, () => void>();
    return {
      subscribe(send) {
        for (const id of devices) {
          watches.set(
            id,
            deps.live.watch(id, ({ type, data }) => send('device', { device_id: id, type, data })),
          );
        }
        return () => {
          for (const leave of watches.values()) leave();
        };
      },
      async isStillAllowed() {
        for (const [id, leave] of watches) {
          if ((await mayRead(id)).ok) continue;
          leave();
          watches.delete(id);
        }
        return true;
      },
    };
  };

/** API-EP-DELETE-devices-device_id-messages-message_id */
async function removeMessage(deps: DataDeps, { caller, params }: Call<Contract['removeMessage']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.update', params.device_id);
  if (!device.ok) return device;
  const id = params.message_id;
  const removed = await deleteMessage(deps.storage.db, device.value.id, id);
  if (removed) deps.live.notify(device.value.id, { type: 'message', data: { id, removed: true } });
  return removed ? success(resultOk) : noMessage();
}

/** Streams, controls, messages and capabilities of devices, for users. */
export const dataRoutes = (deps: DataDeps): Handlers<Contract> =>
  handlers(deps, {
    setControl,
    capabilities,
    streams,
    samples,
    controls,
    controlHistory: controlHistoryRoute,
    messages,
    postMessage,
    message,
    live,
    removeMessage,
  });

const noMessage = () => failure(refusal('NOT_FOUND', { what: 'Message' }));
