import type { IncomingMessage } from 'node:http';
import {
  attributesContract,
  channelFrameLimitBytes,
  dataContract,
  dataRoutesContract,
  deviceFilesContract,
  deviceListenerContract,
  deviceRoutesContract,
  devicesContract,
  deviceUpdatesContract,
  endpointsOf,
  filesRoutesContract,
  identityContract,
  manyDevicesContract,
  otaRoutesContract,
  rolloutsContract,
} from '@moorage/api';
import type { FastifyInstance } from 'fastify';
import { deleteAttributes } from './attributes/queries.ts';
import { attributeKeeper, type KeepAttributes, keepVersion } from './attributes/reports.ts';
import { type AttributeDeps, attributesRoutes } from './attributes/routes.ts';
import { checkCredentials } from './auth/credentials.ts';
import { giveTag } from './bundles/tags.ts';
import { topics } from './bus/topics.ts';
import type { ChannelHub } from './channel/hub.ts';
import { deleteReported } from './channel/queries.ts';
import { RecordCache } from './core/record-cache.ts';
import type { Deps, DeviceCaller } from './core/types.ts';
import { type DataDeviceDeps, dataDeviceRoutes } from './data/device-routes.ts';
import { Live } from './data/live.ts';
import { deleteDeviceData } from './data/queries.ts';
import { type DataDeps, dataRoutes } from './data/routes.ts';
import type { Db } from './db/storage.ts';
import { deviceContacts } from './devices/contacts.ts';
import { type DeviceDeps, recordKey } from './devices/deps.ts';
import { accountDeviceRoutes, claimByAccount } from './devices/device-routes.ts';
import { updateLedger } from './devices/ledger.ts';
import { manyDevicesRoutes, sortDevices } from './devices/many.ts';
import { deviceFor, devicesRoutes } from './devices/routes.ts';
import { deleteDeviceFiles } from './filestore/queries.ts';
import { deviceFilesRoutes, type FileDeps, filesDeviceRoutes } from './filestore/routes.ts';
import type { Bearers } from './http/bearer.ts';
import { buildDeviceListener, channelPath, deviceCheck, deviceStatusOf } from './http/device-listener.ts';
import { authenticationHook, type MountOptions, mountContract } from './http/mount.ts';
import type { OwnCertificate } from './http/own-certificate.ts';
import type { ServerOptions } from './http/server.ts';
import { mountSocket } from './http/web-sockets.ts';
import type { Identity } from './identity/identity.ts';
import { identityRoutes } from './identity/routes.ts';
import { openOtaEngine } from './ota/engine.ts';
import { namedBundle } from './ota/queries.ts';
import { deviceUpdatesRoutes, type OtaDeps, otaDeviceRoutes, updateFiles } from './ota/routes.ts';
import { totalSize } from './ota/rules.ts';
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
  readonly keepAttributes: KeepAttributes;
  readonly identity: Identity;
}

/** Device records kept ready to send; about 1 KB each. */
const cachedRecords = 100_000;

/** Puts the slices together that answer devices and speak of them: each is handed what it needs of the others. */
export function deviceSlices(deps: Deps, identity: Identity): DeviceSlices {
  const live = new Live(deps.storage.bus, deps.clock);
  const versionChanged = (trx: Db, deviceId: string, bversion: string) =>
    keepVersion(trx, deviceId, bversion, deps.clock.now());
  const fleet = new Fleet({ ...deps, tagBundle: giveTag });
  const engine = openOtaEngine(deps, updateLedger(deps.storage.expressions, versionChanged), live, fleet);
  const keepAttributes = attributeKeeper(deps.storage);
  const devices: DeviceDeps = {
    ...deps,
    records: new RecordCache<string>(deps.storage.changes, cachedRecords),
    identity,
    supersedeUpdate: engine.supersede,
    async clearStores(trx, deviceId) {
      await deleteDeviceFiles(trx, deviceId);
      await deleteReported(trx, deviceId);
      await deleteDeviceData(trx, deviceId);
      await deleteAttributes(trx, deviceId);
    },
    spendActivationToken,
    checkLogin: (credentials) => checkCredentials(deps, credentials),
    bundleOnOffer: engine.onOffer,
  };
  const ota: OtaDeps = {
    ...deps,
    engine,
    keepAttributes,
    filesOf: updateFiles(),
    deviceFor: (caller, action, name) => deviceFor(deps.storage.db, caller, action, name),
  };
  const files: FileDeps = { ...deps, deviceFor };
  const data: DeviceSlices['data'] = {
    ...deps,
    live,
    deviceFor,
    // Whichever process the device is connected to hears of it.
    sendToDevice: (deviceId, action) => deps.storage.bus.publish(topics.channelAction, { deviceId, action }),
    checkLogin: devices.checkLogin,
    claim: (caller, login, ip) => claimByAccount(devices, caller, login, ip),
  };
  const attributes: AttributeDeps = {
    ...deps,
    deviceFor,
    sortDevices: (trx, caller, selection) => sortDevices(deps, trx, caller, selection),
  };
  const rollouts: HoldDeps = {
    ...deps,
    fleet,
    deviceFor,
    async publishedBundle(db, productId, bundleId) {
      const bundle = (await namedBundle(db, productId, { id: bundleId })).find(({ state }) => state === 'published');
      return bundle && { version: bundle.version, bytes: totalSize(await ota.filesOf(db, bundleId)) };
    },
    async selection(db, deviceId) {
      const device = await deps.storage.hot.deviceById(deviceId);
      if (!device) throw new Error(`Device ${deviceId} has gone since it was found`);
      return engine.selection(db, device);
    },
  };
  return { devices, ota, files, data, attributes, rollouts, keepAttributes, identity };
}

const devicePath = '/api/devices/';

export const readyDeviceRoute = `${devicePath}:identifier`;

/** The record of a device that its caller has lately asked for, by a name as records spell it, while nothing has changed. */
export const readyDevices =
  (bearers: Bearers, { records }: DeviceDeps) =>
  ({ url = '', headers: { authorization } }: IncomingMessage): string | undefined => {
    if (authorization === undefined || !url.startsWith(devicePath)) return undefined;
    const caller = bearers.remembered(authorization);
    // A path with anything after the name or with escapes in it is no key, and finds nothing.
    return caller && records.get(recordKey(caller.userId, url.slice(devicePath.length)));
  };

/** The part of the REST API that is about devices. */
export function mountDeviceApi(app: FastifyInstance, slices: DeviceSlices, options: MountOptions): void {
  mountContract(app, devicesContract, devicesRoutes(slices.devices), options);
  mountContract(app, manyDevicesContract, manyDevicesRoutes(slices.devices), options);
  mountContract(app, attributesContract, attributesRoutes(slices.attributes), options);
  mountContract(app, rolloutsContract, { ...rolloutRoutes(slices.rollouts), ...holdRoutes(slices.rollouts) }, options);
  mountContract(app, deviceUpdatesContract, deviceUpdatesRoutes(slices.ota), options);
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
  const endpoints = endpointsOf(deviceListenerContract).map(({ shape }) => shape);
  const app = buildDeviceListener(deps, slices.identity, own, endpoints, options);
  const check = deviceCheck({ ...deps, identity: slices.identity }, deviceContacts(deps));
  const mounting = { blobs: deps.blobs, clock: deps.clock, statusOf: deviceStatusOf, authenticate: { device: check } };
  mountContract(app, deviceRoutesContract, accountDeviceRoutes(slices.devices), mounting);
  mountContract(app, otaRoutesContract, otaDeviceRoutes(slices.ota), mounting);
  mountContract(app, filesRoutesContract, filesDeviceRoutes(deps), mounting);
  mountContract(app, dataRoutesContract, dataDeviceRoutes(slices.data), mounting);
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
