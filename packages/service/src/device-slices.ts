import {
  attributesContract,
  channelFrameLimitBytes,
  dataContract,
  dataRoutesContract,
  ddiContract,
  deviceFilesContract,
  deviceListenerContract,
  deviceRoutesContract,
  devicesContract,
  deviceUpdatesContract,
  doorRoutesContract,
  doorsContract,
  endpointsOf,
  filesRoutesContract,
  identityContract,
  manyDevicesContract,
  menderContract,
  otaRoutesContract,
  type Refusal,
  rolloutsContract,
} from '@moorage/api';
import { type Clock, isDeviceUuid, isUuid, type Result } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import { endpointRefusals, openProductLimits } from './core/access/token-limits.ts';
import { checkDeviceLogin } from './core/auth/credentials.ts';
import { giveTag } from './core/bundles/tags.ts';
import type { Identity } from './core/certificates/identity.ts';
import { identityRoutes } from './core/certificates/routes.ts';
import type { ChannelHub } from './core/channel/hub.ts';
import { deleteReported } from './core/channel/queries.ts';
import { type DataDeviceDeps, dataDeviceRoutes } from './core/data/device-routes.ts';
import { Live } from './core/data/live.ts';
import { deleteDeviceData } from './core/data/queries.ts';
import { type DataDeps, dataRoutes } from './core/data/routes.ts';
import { deviceContacts } from './core/devices/contacts.ts';
import type { DeviceDeps } from './core/devices/deps.ts';
import { accountDeviceRoutes, claimByAccount } from './core/devices/device-routes.ts';
import { deviceFor } from './core/devices/lookup.ts';
import { sortDevices } from './core/devices/many.ts';
import { findDevice } from './core/devices/queries.ts';
import { readyRecords } from './core/devices/ready-records.ts';
import { registerDevices } from './core/devices/register.ts';
import { devicesRoutes } from './core/devices/routes.ts';
import { parseDeviceKey } from './core/devices/rules.ts';
import { logTogether } from './core/devices/together.ts';
import { deleteDeviceFiles } from './core/files/queries.ts';
import { deviceFilesRoutes, type FileDeps, filesDeviceRoutes } from './core/files/routes.ts';
import { buildDeviceListener, channelPath, deviceCheck, deviceStatusOf } from './core/listener/device-listener.ts';
import { openOtaEngine } from './core/ota/engine.ts';
import { PollLoad } from './core/ota/poll-load.ts';
import { namedBundle, toUpdateRecord } from './core/ota/queries.ts';
import { deviceUpdatesRoutes, type OtaDeps, openFile, otaDeviceRoutes, updateFiles } from './core/ota/routes.ts';
import { totalSize } from './core/ota/rules.ts';
import { spendActivationToken } from './core/products/queries.ts';
import { topics } from './engine/bus/topics.ts';
import type { DeviceRow } from './engine/db/hot.ts';
import type { Db } from './engine/db/storage.ts';
import { workOf } from './engine/db/transaction.ts';
import type { Bearers } from './engine/http/bearer.ts';
import { statusOf } from './engine/http/errors.ts';
import { authenticationHook, type MountOptions, mountContract, type TokenChecks } from './engine/http/mount.ts';
import type { OwnCertificate } from './engine/http/own-certificate.ts';
import type { ReadyAnswers } from './engine/http/ready.ts';
import type { ServerOptions } from './engine/http/server.ts';
import type { Deps, DeviceCaller } from './engine/http/types.ts';
import { mountSocket } from './engine/http/web-sockets.ts';
import type { Outbound } from './engine/outbound/ports.ts';
import { manyDevicesRoutes } from './extensions/bulk/bulk.ts';
import type { DdiDeps } from './extensions/doors/ddi/actions.ts';
import { ddiRoutes } from './extensions/doors/ddi/routes.ts';
import { ddiCheck, type KeyKeeper, menderCheck } from './extensions/doors/door-check.ts';
import { DoorKeeper } from './extensions/doors/keeper.ts';
import { type MenderDeps, menderRoutes } from './extensions/doors/mender/routes.ts';
import { readToken } from './extensions/doors/mender/rules.ts';
import { probation } from './extensions/doors/probation.ts';
import { changeDoorDevice, doorDeviceById } from './extensions/doors/queries.ts';
import { type DoorRouteDeps, doorsRoutes } from './extensions/doors/routes.ts';
import { doorStanding } from './extensions/doors/standing.ts';
import { updateBook } from './extensions/doors/update-book.ts';
import { deleteAttributes } from './extensions/fleet/attributes/queries.ts';
import { attributeKeeper, type KeepAttributes, keepVersions } from './extensions/fleet/attributes/reports.ts';
import { type AttributeDeps, attributesRoutes } from './extensions/fleet/attributes/routes.ts';
import { Fleet } from './extensions/fleet/rollouts/engine.ts';
import { holdRoutes } from './extensions/fleet/rollouts/holds.ts';
import { type RolloutDeps, rolloutRoutes } from './extensions/fleet/rollouts/routes.ts';

/** The slices that meet in a device: each is handed what it needs of the others. */
export interface DeviceSlices {
  readonly devices: DeviceDeps;
  readonly ota: OtaDeps;
  readonly files: FileDeps;
  readonly data: DataDeps & DataDeviceDeps;
  readonly attributes: AttributeDeps;
  readonly rollouts: RolloutDeps;
  readonly doors: DoorRouteDeps;
  readonly keeper: DoorKeeper;
  readonly ddi: DdiDeps;
  readonly mender: MenderDeps;
  readonly keepAttributes: KeepAttributes;
  readonly identity: Identity;
  /** How busy the queries of devices keep this process. */
  readonly load: PollLoad;
}

/** What rollouts, pins and freezes are handed of devices, bundles and updates. */
function holdDeps(
  deps: Deps,
  { filesOf }: Pick<OtaDeps, 'filesOf'>,
  fleet: Fleet,
  outbound: Pick<Outbound, 'refusedHost'>,
): RolloutDeps {
  return {
    ...deps,
    fleet,
    outbound,
    deviceFor,
    async publishedBundle(db, productId, bundleId) {
      const bundle = (await namedBundle(db, productId, { id: bundleId })).find(({ state }) => state === 'published');
      return bundle && { version: bundle.version, bytes: totalSize(await filesOf(db, bundleId)) };
    },
  };
}

/** Puts the slices together that answer devices and speak of them: each is handed what it needs of the others. */
export function deviceSlices(deps: Deps, identity: Identity, outbound: Pick<Outbound, 'refusedHost'>): DeviceSlices {
  const live = new Live(deps.storage.bus, deps.clock);
  const load = new PollLoad();
  const fleet = new Fleet({ ...deps, tagBundle: giveTag, stretch: (nowMs) => load.stretch(nowMs) });
  const engine = openOtaEngine({ ...deps, load }, live, {
    updateHooks: fleet,
    versionsReported: (trx, bversions) => keepVersions(trx, bversions, deps.clock.now()),
  });
  const keepAttributes = attributeKeeper(deps.storage);
  const devices: DeviceDeps = {
    ...deps,
    records: readyRecords(deps),
    identity,
    supersedeUpdate: engine.supersede,
    async clearStores(trx, deviceIds) {
      await deleteDeviceFiles(trx, deviceIds);
      await deleteReported(trx, deviceIds);
      await deleteDeviceData(trx, deps.storage, deviceIds);
      await deleteAttributes(trx, deviceIds);
    },
    leaveRollouts: (trx, deviceId) => fleet.forget(workOf(trx), deviceId),
    skipRollouts: (trx, deviceId) => fleet.skip(workOf(trx), deviceId, 'blocked'),
    async updateOf(db, device) {
      const update = await engine.current(db, device);
      return update ? toUpdateRecord(update) : null;
    },
    live,
    spendActivationToken,
    checkLogin: (credentials) => checkDeviceLogin(deps, credentials),
    bundleOnOffer: engine.onOffer,
  };
  const ota: OtaDeps = {
    ...deps,
    engine,
    keepAttributes,
    filesOf: updateFiles(),
    deviceFor: (caller, action, name) => deviceFor(deps.storage.db, caller, action, name),
  };
  // Whichever process the device is connected to hears of it.
  const sendToDevice: FileDeps['sendToDevice'] = (deviceId, action) =>
    deps.storage.bus.publish(topics.channelAction, { deviceId, action });
  const files: FileDeps = { ...deps, deviceFor, sendToDevice };
  const data: DeviceSlices['data'] = {
    ...deps,
    live,
    deviceFor,
    sendToDevice,
    checkLogin: devices.checkLogin,
    claim: (caller, login, ip) => claimByAccount(devices, caller, login, ip),
  };
  const attributes: AttributeDeps = {
    ...deps,
    deviceFor,
    sortDevices: (trx, caller, selection) => sortDevices(deps, trx, caller, selection),
    logTogether: (...change) => logTogether(deps, ...change),
  };
  const rollouts = holdDeps(deps, ota, fleet, outbound);
  return { devices, ota, files, data, attributes, rollouts, ...doorSlices(deps, ota), keepAttributes, identity, load };
}

/** The slices of update clients of other makers. */
function doorSlices(deps: Deps, ota: OtaDeps) {
  const doors = doorDeps(deps);
  const keeper = new DoorKeeper(doors);
  const behindDoors = doorUpdates(ota, keeper);
  return { doors, keeper, ddi: ddiDeps(behindDoors), mender: menderDeps(behindDoors, keeper) };
}

/** What update clients of other makers come in by. */
const doorDeps = (deps: Deps): DoorRouteDeps => ({
  ...deps,
  deviceFor,
  registerDevices: (trx, registration) => registerDevices(deps, trx, registration),
  firstContact: deviceContacts(deps).firstContact,
});

/** What all doors do with updates. */
const doorUpdates = (ota: OtaDeps, keeper: DoorKeeper, proving = probation({ ...ota, updates: ota.engine })) => ({
  ...ota,
  updates: ota.engine,
  probation: proving,
  standing: doorStanding({ ...ota, updates: ota.engine, probation: proving }),
  openFile: (row: DeviceRow, bundleId: string, name: string) => openFile(ota, row, bundleId, name),
  ticketFor: (updateId: number, name: string) => keeper.ticketFor(updateId, name),
  book: updateBook(ota),
});

const ddiDeps = (behindDoors: ReturnType<typeof doorUpdates>): DdiDeps => ({
  ...behindDoors,
  noteReport: (deviceId) =>
    changeDoorDevice(behindDoors.storage.db, deviceId, { reported_at: behindDoors.clock.now() }),
  autoConfirm: async (deviceId) => (await doorDeviceById(behindDoors.storage.db, deviceId))?.auto_confirm ?? null,
  setAutoConfirm: (deviceId, value) =>
    behindDoors.storage.transaction((trx) => changeDoorDevice(trx, deviceId, { auto_confirm: value })),
});

const menderDeps = (behindDoors: ReturnType<typeof doorUpdates>, keeper: DoorKeeper): MenderDeps => ({
  ...behindDoors,
  byKey: (shown) => keeper.byKey(shown),
  signingKey: keeper.signingKey,
  say: behindDoors.book.say,
});

/** Who knows the clients of Mender: what they hold is signed here. */
const keyKeeper = ({ clock }: Deps, keeper: DoorKeeper): KeyKeeper => ({
  async byBearer(token, ip) {
    const claims = readToken(await keeper.signingKey(), token, clock.now());
    return keeper.byKeptKey(claims?.deviceId ?? '', claims?.keyHash ?? '', ip);
  },
  byDownload: (ticket, updateId, ip) => keeper.byTicketOf(ticket, updateId, ip),
});

/** What tokens may do less than their users; the product of a device is found by any of its names. */
export const tokenChecks = (db: Db, clock: Clock): TokenChecks => ({
  endpoint: endpointRefusals(clock),
  products: openProductLimits({
    db,
    async productOfDevice(name) {
      const key = parseDeviceKey(name);
      return key && (await findDevice(db, key))?.product_id;
    },
  }),
});

const devicePath = '/api/devices/';

export const readyDeviceRoute = `${devicePath}:identifier`;

/** The record of a device, by its id or uuid as records spell them, for callers who have lately passed. */
export const readyDevices =
  (bearers: Bearers, { records }: DeviceDeps): ReadyAnswers['find'] =>
  ({ url = '', headers: { authorization } }) => {
    if (authorization === undefined || !url.startsWith(devicePath)) return undefined;
    const caller = bearers.remembered(authorization);
    const name = url.slice(devicePath.length);
    if (!caller || !(isDeviceUuid(name) || isUuid(name))) return undefined;
    const admitted = (found: Result<string, Refusal>) => (found.ok && bearers.admits(caller) ? found.value : undefined);
    const found = records.find(caller, name);
    return found instanceof Promise ? found.then(admitted) : admitted(found);
  };

/** The part of the REST API that is about devices. */
export function mountDeviceApi(app: FastifyInstance, slices: DeviceSlices, options: MountOptions): void {
  mountContract(app, devicesContract, devicesRoutes(slices.devices), options);
  mountContract(app, manyDevicesContract, manyDevicesRoutes(slices.devices), options);
  mountContract(app, attributesContract, attributesRoutes(slices.attributes), options);
  mountContract(app, rolloutsContract, { ...rolloutRoutes(slices.rollouts), ...holdRoutes(slices.rollouts) }, options);
  mountContract(app, deviceUpdatesContract, deviceUpdatesRoutes(slices.ota), options);
  mountContract(app, doorsContract, doorsRoutes(slices.doors), options);
  mountContract(app, deviceFilesContract, deviceFilesRoutes(slices.files), options);
  mountContract(app, dataContract, dataRoutes(slices.data), options);
  mountContract(app, identityContract, identityRoutes({ ...slices.devices, identity: slices.identity }), options);
}

/** The listener of devices with its routes; not listening. */
export function openDeviceListener(
  deps: Deps,
  slices: DeviceSlices,
  hub: ChannelHub,
  own: OwnCertificate,
  options: Pick<ServerOptions, 'troubleOf' | 'logLevel' | 'logStream' | 'traffic' | 'timeouts' | 'accessLog'>,
): FastifyInstance {
  const endpoints = endpointsOf({ ...deviceListenerContract, ...doorRoutesContract }).map(({ shape }) => shape);
  const app = buildDeviceListener(deps, slices.identity, own, endpoints, options);
  const check = deviceCheck({ ...deps, identity: slices.identity }, deviceContacts(deps));
  const mounting = { blobs: deps.blobs, clock: deps.clock, statusOf: deviceStatusOf, authenticate: { device: check } };
  mountContract(app, deviceRoutesContract, accountDeviceRoutes(slices.devices), mounting);
  mountContract(app, otaRoutesContract, otaDeviceRoutes(slices.ota), mounting);
  mountContract(app, filesRoutesContract, filesDeviceRoutes(deps), mounting);
  mountContract(app, dataRoutesContract, dataDeviceRoutes(slices.data), mounting);
  const authenticate = { door: ddiCheck(slices.keeper, check) };
  mountContract(app, ddiContract, ddiRoutes(slices.ddi), { ...mounting, statusOf, authenticate });
  const byKey = { door: menderCheck(keyKeeper(deps, slices.keeper)) };
  mountContract(app, menderContract, menderRoutes(slices.mender), { ...mounting, statusOf, authenticate: byKey });
  // Spec: API-DEV-GET-stream.
  mountSocket(app, {
    path: channelPath,
    frameLimitBytes: channelFrameLimitBytes,
    onRequest: authenticationHook(check, deviceStatusOf),
    open: (request, line) => {
      // Safe: the check has passed, and it is that of devices.
      const { row, certificate } = request.caller as DeviceCaller;
      return hub.attach(row, request.ip, line, certificate);
    },
  });
  return app;
}
