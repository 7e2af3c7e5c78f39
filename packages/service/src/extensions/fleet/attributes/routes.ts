import type { attributesContract, LogType, ManyResult, Refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Action } from '../../../core/access/rules.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../../engine/http/types.ts';
import { attributesOf, changeLabels, labelsOf } from './queries.ts';
import { changedLabels } from './rules.ts';

type Contract = typeof attributesContract;
type Device = {
  readonly id: string;
  readonly title: string;
  readonly product_id: string;
  readonly user_id: string | null;
};

/** What is written of a change of devices: by their number, or of one. */
interface LoggedChange {
  readonly type: LogType;
  readonly message: (devices: string) => string;
  readonly single: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What this slice needs of that of devices. */
export interface AttributeDeps extends Deps {
  /** The device of a path, if the caller may do this to it. Refusals: NOT_FOUND, FORBIDDEN. */
  deviceFor(db: Db, caller: Caller, action: Action, name: string): Promise<Result<Device, Refusal>>;
  /** Locks devices, and tells those apart that their caller may change. */
  sortDevices(
    trx: Db,
    caller: Caller,
    selection: { readonly action: Action; readonly ids: readonly string[] },
  ): Promise<{ readonly allowed: readonly Device[]; readonly refused: ManyResult['refused'] }>;
  /** Writes the log of a change of several devices. */
  logTogether(
    trx: Db,
    devices: readonly Device[],
    change: LoggedChange,
    by: { caller: Caller; ip: string },
  ): Promise<void>;
}

/** API-EP-GET-devices-device_id-attributes */
async function list({ storage: { db }, deviceFor }: AttributeDeps, { caller, params }: Call<Contract['list']>) {
  const device = await deviceFor(db, caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const rows = await attributesOf(db, [device.value.id]);
  return success(rows.map(({ name, value, since }) => ({ name, value, since: String(since) })));
}

const labelRecord = async (db: Db, id: string) => Object.fromEntries((await labelsOf(db, [id])).get(id) ?? []);

/** API-EP-GET-devices-device_id-labels */
async function labels({ storage: { db }, deviceFor }: AttributeDeps, { caller, params }: Call<Contract['labels']>) {
  const device = await deviceFor(db, caller, 'device.read', params.device_id);
  return device.ok ? success(await labelRecord(db, device.value.id)) : device;
}

/** A change of labels of devices by a person. */
interface LabelChange {
  readonly caller: Caller;
  readonly ip: string;
  readonly ids: readonly string[];
  readonly wanted: Readonly<Record<string, string | null>>;
}

/** Changes labels in one transaction; devices that would have too many are refused. Spec: API-RULE-labels-1. */
const change = ({ storage, sortDevices, logTogether }: AttributeDeps, { caller, ip, ids, wanted }: LabelChange) =>
  storage.transaction(async (trx, work): Promise<ManyResult> => {
    const { allowed, refused } = await sortDevices(trx, caller, { action: 'device.update', ids });
    const before = await labelsOf(
      trx,
      allowed.map(({ id }) => id),
    );
    const full: ManyResult['refused'] = [];
    const changed: Device[] = [];
    for (const device of allowed) {
      const known = before.get(device.id) ?? new Map();
      const after = changedLabels(known, wanted);
      if (!after.ok) full.push({ device_id: device.id, code: after.error.code, message: after.error.message });
      else if (Object.entries(wanted).some(([name, value]) => (known.get(name) ?? null) !== value))
        changed.push(device);
    }
    if (changed.length > 0) {
      const changedIds = changed.map(({ id }) => id);
      await changeLabels(trx, changedIds, wanted);
      work.touch('devices', changedIds);
    }
    const message = `Labels changed: ${Object.keys(wanted).join(', ')}`;
    const logged = {
      type: 'device.update',
      message: (devices: string) => `${message} of ${devices}`,
      single: message,
      data: { labels: wanted },
    } as const;
    await logTogether(trx, changed, logged, { caller, ip });
    return { ok: allowed.length - full.length, refused: [...refused, ...full] };
  });

/** API-EP-PUT-devices-device_id-labels */
async function setLabels(deps: AttributeDeps, { caller, params, body, ip }: Call<Contract['setLabels']>) {
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.update', params.device_id);
  if (!device.ok) return device;
  const { id } = device.value;
  const { refused } = await change(deps, { caller, ip, ids: [id], wanted: body.labels });
  const why = refused[0];
  // Safe: the codes of refusals are those of the table.
  if (why) return failure({ code: why.code, message: why.message } as Refusal);
  return success(await labelRecord(deps.storage.db, id));
}

/** API-EP-POST-devices-labels */
const setManyLabels = async (deps: AttributeDeps, { caller, body, ip }: Call<Contract['setManyLabels']>) =>
  success(await change(deps, { caller, ip, ids: body.device_ids, wanted: body.labels }));

/** What devices report of themselves, and their labels. */
export const attributesRoutes = (deps: AttributeDeps): Handlers<Contract> =>
  handlers(deps, { list, labels, setLabels, setManyLabels });
