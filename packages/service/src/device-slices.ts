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
import { endpointRefusals, openProductLimits } from './access/token-limits.ts';
import { deleteAttributes } from './attributes/queries.ts';
import { attributeKeeper, type KeepAttributes, keepVersions } from './attributes/reports.ts';
import { type AttributeDeps, attributesRoutes } from './attributes/routes.ts';
import { checkDeviceLogin } from './auth/credentials.ts';
import { giveTag } from './bundles/tags.ts';
import { topics } from './bus/topics.ts';
import type { ChannelHub } from './channel/hub.ts';
import { deleteReported } from './channel/queries.ts';
import type { Deps, DeviceCaller } from './core/types.ts';
import { type DataDeviceDeps, dataDeviceRoutes } from './data/device-routes.ts';
import { Live } from './data/live.ts';
import { deleteDeviceData } from './data/queries.ts';
import { type DataDeps, dataRoutes } from './data/routes.ts';
import type { Db } from './db/storage.ts';
import type { DdiDeps } from './ddi/actions.ts';
import { ddiRoutes } from './ddi/routes.ts';
import { manyDevicesRoutes } from './devices/bulk.ts';
import { deviceContacts } from './devices/contacts.ts';
import type { DeviceDeps } from './devices/deps.ts';
import { accountDeviceRoutes, claimByAccount } from './devices/device-routes.ts';
import { updateLedger } from './devices/ledger.ts';
import { deviceFor } from './devices/lookup.ts';
import { sortDevices } from './devices/many.ts';
import { findDevice } from './devices/queries.ts';
import { readyRecords } from './devices/ready-records.ts';
import { registerDevices } from './devices/register.ts';
import { devicesRoutes } from './devices/routes.ts';
import { parseDeviceKey } from './devices/rules.ts';
import { logTogether } from './devices/together.ts';
import { DoorKeeper } from './doors/keeper.ts';
import { probation } from './doors/probation.ts';
import { changeDoorDevice, doorDeviceById } from './doors/queries.ts';
import { type DoorRouteDeps, doorsRoutes } from './doors/routes.ts';
import { doorStanding } from './doors/standing.ts';
import { updateBook } from './doors/update-book.ts';
import { deleteDeviceFiles } from './filestore/queries.ts';
import { deviceFilesRoutes, type FileDeps, filesDeviceRoutes } from './filestore/routes.ts';
import type { Bearers } from './http/bearer.ts';
import { buildDeviceListener, channelPath, deviceCheck, deviceStatusOf } from './http/device-listener.ts';
import { ddiCheck, type KeyKeeper, menderCheck } from './http/door-check.ts';
import { statusOf } from './http/errors.ts';
import { authenticationHook, type MountOptions, mountContract, type TokenChecks } from './http/mount.ts';
import type { OwnCertificate } from './http/own-certificate.ts';
import type { ReadyAnswers } from './http/ready.ts';
import type { ServerOptions } from './http/server.ts';
import { mountSocket } from './http/web-sockets.ts';
import type { Identity } from './identity/identity.ts';
import { identityRoutes } from './identity/routes.ts';
import { type MenderDeps, menderRoutes } from './mender/routes.ts';
import { readToken } from './mender/rules.ts';
import { openOtaEngine } from './ota/engine.ts';
import { PollLoad } from './ota/poll-load.ts';
import { forgetBundles, namedBundle, toUpdateRecord } from './ota/queries.ts';
import { deviceUpdatesRoutes, type OtaDeps, openFile, otaDeviceRoutes, updateFiles } from './ota/routes.ts';
import { totalSize } from './ota/rules.ts';
import type { OtaDeviceRow } from './ota/work.ts';
import type { Outbound } from './outbound/ports.ts';
import { spendActivationToken } from './products/queries.ts';
import { Fleet } from './rollouts/engine.ts';
import { type HoldDeps, holdRoutes } from './rollouts/holds.ts';
import { rolloutRoutes } from './rollouts/routes.ts';

/** The slices that meet in a device: each is handed what it needs of the others. */
export interface DeviceSlices {
  readonly devices: DeviceDeps;
  readonly ota: OtaDeps;
  readonly files: FileDeps;
  readonly data: DataDeps & DataDeviceDeps;
  readonly attributes: AttributeDeps;
  readonly rollouts: HoldDeps;
  readonly doors: DoorRouteDeps;
  readonly keeper: DoorKeeper;
  readonly ddi: DdiDeps;
  readonly mender: MenderDeps;
  readonly keepAttributes: KeepAttributes;
  readonly identity: Identity;
  /** How busy the queries of devices keep this process. */
  readonly load: PollLoad;
}

/** Gives a bundle its tag in the steps of an update, which have read what had it. */
const tagBundle: typeof giveTag = (trx, ...given) => {
  forgetBundles(trx);
  return giveTag(trx, ...given);
};

/** What rollouts, pins and freezes are handed of devices, bundles and updates. */
function holdDeps(
  deps: Deps,
  { engine, filesOf }: Pick<OtaDeps, 'engine' | 'filesOf'>,
  fleet: Fleet,
  outbound: Pick<Outbound, 'refusedHost'>,
): HoldDeps {
  return {
    ...deps,
    fleet,
    outbound,
    deviceFor,
    async publishedBundle(db, productId, bundleId) {
      const bundle = (await namedBundle(db, productId, { id: bundleId })).find(({ state }) => state === 'published');
      return bundle && { version: bundle.version, bytes: totalSize(await filesOf(db, bundleId)) };
    },
    async selection(db, deviceId) {
      const device = await deps.storage.hot.deviceById(deviceId);
      if (!device) throw new Error(`Device ${deviceId} has gone since it was found`);
      return engine.selection(db, device);
    },
  };
}

/** Puts the slices together that answer devices and speak of them: each is handed what it needs of the others. */
export function deviceSlices(deps: Deps, identity: Identity, outbound: Pick<Outbound, 'refusedHost'>): DeviceSlices {
  const live = new Live(deps.storage.bus, deps.clock);
  const versionsChanged = (trx: Db, bversions: ReadonlyMap<string, string>) =>
    keepVersions(trx, bversions, deps.clock.now());
  const load = new PollLoad();
  const fleet = new Fleet({ ...deps, tagBundle, stretch: (nowMs) => load.stretch(nowMs) });
  const engine = openOtaEngine({ ...deps, load }, updateLedger(deps.storage, versionsChanged), live, fleet);
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
    leaveRollouts: (trx, deviceId) => fleet.forget(trx, deviceId),
    skipRollouts: (trx, deviceId) => fleet.skip(trx, deviceId, 'blocked'),
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
  openFile: (row: OtaDeviceRow, bundleId: string, name: string) => openFile(ota, row, bundleId, name),
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
