import { type ManyResult, type manyDevicesContract, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { topics } from '../../engine/bus/topics.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Call, Caller } from '../../engine/http/types.ts';
import { type Action, authorise, deviceRoles } from '../access/rules.ts';
import { findNamed, moveAll, takesDeviceOf } from './activation.ts';
import { leadsElsewhere, notifyAllMoved, tagMessage } from './consequences.ts';
import type { DeviceDeps } from './deps.ts';
import { changeDevices, type DetailedDevice, lockDevices } from './queries.ts';
import { refuseActivation } from './rules.ts';
import { logTogether } from './together.ts';

type Contract = typeof manyDevicesContract;

interface Sorted {
  readonly allowed: readonly DetailedDevice[];
  readonly refused: ManyResult['refused'];
}

/** Which devices a call is about, and what the caller wants to do to them. */
interface Selection {
  readonly action: Action;
  readonly ids: readonly string[];
  /** What else may be against it. */
  readonly refuse?: (device: DetailedDevice) => Promise<Refusal | undefined>;
}

const idsOf = (devices: readonly DetailedDevice[]): string[] => devices.map(({ id }) => id);

/** Locks devices, and tells those apart that their caller may change. Spec: API-RULE-many-devices-1. */
export async function sortDevices(
  { storage }: Pick<DeviceDeps, 'storage'>,
  trx: Db,
  caller: Caller,
  { action, ids, refuse }: Selection,
): Promise<Sorted> {
  const wanted = [...new Set(ids)];
  const found = await lockDevices(trx, storage.expressions, wanted, caller.userId);
  const byId = new Map(found.map((device) => [device.id, device]));
  const allowed: DetailedDevice[] = [];
  const refused: ManyResult['refused'] = [];
  for (const id of wanted) {
    const device = byId.get(id);
    const why = device
      ? (authorise(action, deviceRoles(caller, device), 'Device') ?? (await refuse?.(device)))
      : refusal('NOT_FOUND', { what: 'Device' });
    if (why) refused.push({ device_id: id, code: why.code, message: why.message });
    else if (device) allowed.push(device);
  }
  return { allowed, refused };
}

/** Those devices that would be offered another bundle with this tag than with the one they have. */
async function dueWith(
  deps: DeviceDeps,
  trx: Db,
  devices: readonly DetailedDevice[],
  tag: DetailedDevice['tag'],
): Promise<string[]> {
  // Most of many are of few products.
  const known = new Map<string, boolean>();
  const due: string[] = [];
  for (const device of devices) {
    const kind = `${device.product_id} ${device.tag}`;
    const leads = known.get(kind) ?? (await leadsElsewhere(deps, trx, device, { product_id: device.product_id, tag }));
    known.set(kind, leads);
    if (leads) due.push(device.id);
  }
  return due;
}

/** API-EP-POST-devices-tag */
export async function setManyTags(deps: DeviceDeps, { caller, body, ip }: Call<Contract['setTag']>) {
  const tag = body.tag === '' ? null : body.tag;
  const { due, ...result } = await deps.storage.transaction(async (trx) => {
    const selection = { action: 'device.tag', ids: body.device_ids } as const;
    const { allowed, refused } = await sortDevices(deps, trx, caller, selection);
    const changed = allowed.filter((device) => device.tag !== tag);
    if (changed.length > 0) await changeDevices(trx, idsOf(changed), { tag });
    const message = (devices: string) =>
      tag === null ? `Tag taken off ${devices}` : `${devices} follow the tag "${tag}"`;
    const said = { type: 'device.tag', message, single: tagMessage(tag), data: { tag } } as const;
    await logTogether(deps, trx, changed, said, { caller, ip });
    return { ok: allowed.length, refused, due: await dueWith(deps, trx, changed, tag) };
  });
  for (const deviceId of due) deps.storage.bus.publish(topics.otaDue, { deviceId });
  return success(result);
}

/** API-EP-POST-devices-activate */
export async function activateMany(deps: DeviceDeps, { caller, body, ip }: Call<Contract['activate']>) {
  const done = await deps.storage.transaction(
    async (trx): Promise<Result<Sorted & { moved: readonly DetailedDevice[] }, Refusal>> => {
      const target = await findNamed(trx, body.product_id, caller);
      if (!target?.accessible) return failure(refusal('NOT_FOUND', { what: 'Product' }));
      const sorted = await sortDevices(deps, trx, caller, {
        action: 'device.activate',
        ids: body.device_ids,
        refuse: async (device) =>
          refuseActivation(device, { ...target, accessible: await takesDeviceOf(trx, device.user_id, target) }),
      });
      const moved = sorted.allowed.filter(({ product_id }) => product_id !== target.id);
      await moveAll(deps, trx, moved, target);
      const to = `activated to product "${target.product}"`;
      const said = { type: 'device.activate', message: (devices: string) => `${devices} ${to}` } as const;
      // Where they come from differs, and says who else hears of it.
      for (const alike of Map.groupBy(moved, ({ product_id }) => product_id).values()) {
        const data = { from: alike[0]?.product_id };
        const more = { single: `Device ${to}`, data, productId: target.id };
        await logTogether(deps, trx, alike, { ...said, ...more }, { caller, ip });
      }
      return success({ ...sorted, moved: moved.map((device) => ({ ...device, product_id: target.id })) });
    },
  );
  if (!done.ok) return done;
  const { allowed, refused, moved } = done.value;
  for (const alike of Map.groupBy(moved, ({ tag }) => tag).values()) {
    // Safe: a group is not empty.
    await notifyAllMoved(deps, alike, alike[0] as DetailedDevice);
  }
  return success({ ok: allowed.length, refused });
}
