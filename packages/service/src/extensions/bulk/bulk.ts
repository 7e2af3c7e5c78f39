import type { manyDevicesContract } from '@moorage/api';
import { success, unwrap } from '@moorage/base';
import { generalRoles, may } from '../../core/access/rules.ts';
import { askAll, deleteAll, notifyAsked, refuseAsking, revoke } from '../../core/devices/actions.ts';
import { refuseTakingBack, resetDevices, resetProduct } from '../../core/devices/activation.ts';
import { notifyAllMoved } from '../../core/devices/consequences.ts';
import type { DeviceDeps } from '../../core/devices/deps.ts';
import { activateMany, setManyTags, sortDevices } from '../../core/devices/many.ts';
import { importDevices } from '../../core/devices/provisioning.ts';
import { changeDevices, countOnline, type DetailedDevice } from '../../core/devices/queries.ts';
import { planBlock, refuseDelete } from '../../core/devices/rules.ts';
import { logTogether } from '../../core/devices/together.ts';
import { type Call, type Handlers, handlers } from '../../engine/http/types.ts';

type Contract = typeof manyDevicesContract;

const idsOf = (devices: readonly DetailedDevice[]): string[] => devices.map(({ id }) => id);

/** API-EP-POST-devices-state */
async function setManyStates(deps: DeviceDeps, call: Call<Contract['setState']>) {
  const { state: wanted, device_ids: ids } = call.body;
  const isAdministrator = may('device.unblock.any', generalRoles(call.caller));
  const planOf = (device: DetailedDevice) => planBlock(device, wanted, isAdministrator);
  const { blocked, ...result } = await deps.storage.transaction(async (trx) => {
    const { allowed, refused } = await sortDevices(deps, trx, call.caller, {
      action: 'device.disable',
      ids,
      async refuse(device) {
        const plan = planOf(device);
        return plan.ok ? undefined : plan.error;
      },
    });
    const changed = allowed.filter((device) => {
      const { state, blocked_by } = unwrap(planOf(device));
      return state !== device.state || blocked_by !== device.blocked_by;
    });
    // Devices of one state and block become the same: there are few kinds of them.
    for (const alike of Map.groupBy(changed, ({ state, blocked_by }) => `${state} ${blocked_by}`).values()) {
      // Safe: a group is not empty.
      await changeDevices(trx, idsOf(alike), unwrap(planOf(alike[0] as DetailedDevice)));
    }
    const message = (devices: string) => `${devices} ${wanted === 'disabled' ? 'blocked' : 'let in again'}`;
    await logTogether(deps, trx, changed, { type: 'device.state', message }, call);
    return { ok: allowed.length, refused, blocked: wanted === 'disabled' ? allowed : [] };
  });
  for (const device of blocked) revoke(deps.storage, device);
  return success(result);
}

/** API-EP-POST-devices-reset */
async function resetMany(deps: DeviceDeps, call: Call<Contract['reset']>) {
  const { moved, ...result } = await deps.storage.transaction(async (trx) => {
    const { allowed, refused } = await sortDevices(deps, trx, call.caller, {
      action: 'device.reset',
      ids: call.body.device_ids,
      refuse: async (device) => refuseTakingBack(device),
    });
    await resetDevices(deps, trx, allowed);
    await logTogether(deps, trx, allowed, { type: 'device.reset', message: (devices) => `${devices} reset` }, call);
    return { ok: allowed.length, refused, moved: allowed };
  });
  const ofProduct = Map.groupBy(moved, resetProduct);
  for (const [product_id, devices] of ofProduct) await notifyAllMoved(deps, devices, { product_id, tag: null });
  return success(result);
}

/** API-EP-POST-devices-delete */
async function deleteMany(deps: DeviceDeps, call: Call<Contract['remove']>) {
  const isAdministrator = may('device.delete.any', generalRoles(call.caller));
  const { removed, ...result } = await deps.storage.transaction(async (trx) => {
    const { allowed, refused } = await sortDevices(deps, trx, call.caller, {
      action: 'device.delete',
      ids: call.body.device_ids,
      refuse: async (device) => refuseDelete(device, isAdministrator),
    });
    await logTogether(
      deps,
      trx,
      allowed,
      { type: 'device.delete', message: (some) => `${some} deleted`, isEnd: true },
      call,
    );
    await deleteAll(deps, trx, allowed);
    return { ok: allowed.length, refused, removed: allowed };
  });
  for (const device of removed) revoke(deps.storage, device);
  return success(result);
}

/** API-EP-POST-devices-update */
async function askMany(deps: DeviceDeps, call: Call<Contract['askUpdate']>) {
  const { asked, ...result } = await deps.storage.transaction(async (trx) => {
    const { allowed, refused } = await sortDevices(deps, trx, call.caller, {
      action: 'device.ota',
      ids: call.body.device_ids,
      refuse: async (device) => refuseAsking(device),
    });
    const ids = idsOf(allowed);
    await askAll(deps, trx, ids);
    const message = (devices: string) => `${devices} asked to look for an update at once`;
    await logTogether(deps, trx, allowed, { type: 'ota.ask', message }, call);
    return { ok: ids.length, refused, online: await countOnline(trx, ids), asked: ids };
  });
  for (const id of asked) notifyAsked(deps, id);
  return success(result);
}

/** Changes of many devices in one call. */
export const manyDevicesRoutes = (deps: DeviceDeps): Handlers<Contract> =>
  handlers(deps, {
    import: importDevices,
    setTag: setManyTags,
    setState: setManyStates,
    activate: activateMany,
    reset: resetMany,
    remove: deleteMany,
    askUpdate: askMany,
  });
