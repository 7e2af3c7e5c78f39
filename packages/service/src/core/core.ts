import {
  channelFrameLimitBytes,
  type coreContract,
  deviceListenerContract,
  endpointsOf,
  type metaContract,
} from '@moorage/api';
import type { Clock } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import { topics } from '../engine/bus/topics.ts';
import type { Db } from '../engine/db/storage.ts';
import { sharedReads } from '../engine/db/work.ts';
import {
  type Authenticate,
  authenticationHook,
  type MountOptions,
  mountAll,
  type Resources,
  type Routes,
  type TokenChecks,
  withRate,
} from '../engine/http/mount.ts';
import type { OwnCertificate } from '../engine/http/own-certificate.ts';
import type { ServerOptions } from '../engine/http/server.ts';
import type { Caller, Deps, DeviceCaller, Handlers } from '../engine/http/types.ts';
import { mountSocket } from '../engine/http/web-sockets.ts';
import type { Outbound } from '../engine/outbound/ports.ts';
import { endpointRefusals, openProductLimits } from './access/token-limits.ts';
import type { Viewer } from './access/viewer.ts';
import { checkDeviceLogin } from './auth/credentials.ts';
import { authRoutes, tokenRoutes } from './auth/routes.ts';
import { sessionRoutes } from './auth/session.ts';
import { invitationRoutes } from './auth/sign-up.ts';
import { avatarsRoutes } from './avatars/routes.ts';
import { handOverBundles } from './bundles/queries.ts';
import { bundlesRoutes } from './bundles/routes.ts';
import { copyReleaseCandidate } from './bundles/tags.ts';
import type { Identity } from './certificates/identity.ts';
import { identityRoutes } from './certificates/routes.ts';
import { deleteReported } from './channel/queries.ts';
import { type ChannelDeps, channelRoutes } from './channel/routes.ts';
import { connectorsRoutes } from './connectors/routes.ts';
import { type DataDeviceDeps, dataDeviceRoutes } from './data/device-routes.ts';
import { Live } from './data/live.ts';
import { deleteDeviceData, handOverActivations } from './data/queries.ts';
import { type DataDeps, dataRoutes } from './data/routes.ts';
import { schemaRoutes } from './data/schemas.ts';
import { deviceContacts } from './devices/contacts.ts';
import type { DeviceDeps } from './devices/deps.ts';
import { accountDeviceRoutes, claimByAccount } from './devices/device-routes.ts';
import { deviceFor } from './devices/lookup.ts';
import { findDevice, handOverDevices, recordFinder } from './devices/queries.ts';
import { devicesRoutes } from './devices/routes.ts';
import { parseDeviceKey } from './devices/rules.ts';
import { deleteDeviceFiles } from './files/queries.ts';
import { assetsRoutes, deviceFilesRoutes, type FileDeps, filesDeviceRoutes } from './files/routes.ts';
import type { Hooks } from './hooks.ts';
import { buildDeviceListener, channelPath, deviceCheck, deviceStatusOf } from './listener/device-listener.ts';
import { logsRoutes, recentLogs } from './logs/routes.ts';
import { version } from './meta/version.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { openChannel } from './open-channel.ts';
import { openOtaEngine } from './ota/engine.ts';
import type { PollLoad } from './ota/poll-load.ts';
import { toUpdateRecord } from './ota/queries.ts';
import { deviceUpdatesRoutes, type OtaDeps, otaDeviceRoutes, updateFiles } from './ota/routes.ts';
import { catalogue } from './platforms/catalogue.ts';
import { platformsRoutes } from './platforms/routes.ts';
import { productPeopleRoutes } from './products/people.ts';
import { handOverProducts, spendActivationToken } from './products/queries.ts';
import { productsRoutes } from './products/routes.ts';
import { overviewRoutes } from './users/overview.ts';
import { usersRoutes } from './users/routes.ts';

/** What is there before the core is put together. */
export interface Foundation extends Deps {
  readonly outbound: Outbound;
  readonly identity: Identity;
  /** How busy the queries of devices keep this process. */
  readonly load: PollLoad;
}

/** The slices of the specification, put together: each is handed what it needs of the others. */
export interface Core extends Foundation, DeviceDeps {
  readonly hooks: Hooks;
  readonly identity: Identity;
  readonly live: Live;
  readonly ota: OtaDeps;
  readonly files: FileDeps;
  readonly data: DataDeps & DataDeviceDeps;
  readonly channel: ChannelDeps;
  /** Who a device is that shows its certificate. */
  readonly deviceCheck: Authenticate<DeviceCaller>;
}

/** What gives all that one account owns to another, in a transaction of the caller: each slice its own tables. */
export const handOvers = [handOverProducts, handOverBundles, handOverDevices, handOverActivations];

/**
 * Puts the slices together.
 *
 * @param lookClock of what looks again and again for things to send and for other processes
 * @param bearer the check of a user
 */
export function openCore(foundation: Foundation, hooks: Hooks, lookClock: Clock, bearer: Authenticate<Caller>): Core {
  const { storage, clock, identity } = foundation;
  storage.followers.set('devices', hooks.devicesChanged);
  storage.followers.set('devices.follows', hooks.devicesFollow);
  const live = new Live(storage.bus, clock);
  const engine = openOtaEngine(foundation, live, hooks);
  const devices: DeviceDeps = {
    ...foundation,
    hooks,
    findRecorded: recordFinder(hooks),
    identity,
    supersedeUpdate: engine.supersede,
    async clearStores(trx, deviceIds) {
      await deleteDeviceFiles(trx, deviceIds);
      await deleteReported(trx, deviceIds);
      await deleteDeviceData(trx, storage, deviceIds);
      await hooks.devicesCleared(trx, deviceIds);
    },
    async updateOf(db, device) {
      const update = await engine.current(db, device);
      return update ? toUpdateRecord(update) : null;
    },
    live,
    spendActivationToken,
    checkLogin: (credentials) => checkDeviceLogin(foundation, credentials),
    bundleOnOffer: engine.onOffer,
  };
  // Whichever process the device is connected to sends it.
  const sendToDevice: FileDeps['sendToDevice'] = (deviceId, action) =>
    storage.bus.publish(topics.channelAction, { deviceId, action });
  const data = {
    ...foundation,
    live,
    reads: sharedReads(storage.db),
    deviceFor,
    sendToDevice,
    checkLogin: devices.checkLogin,
    claim: (...[caller, login, ip]: Parameters<DataDeviceDeps['claim']>) => claimByAccount(devices, caller, login, ip),
  };
  return {
    ...foundation,
    ...devices,
    hooks,
    identity,
    live,
    ota: {
      ...foundation,
      engine,
      keepAttributes: hooks.attributesReported,
      filesOf: updateFiles(),
      deviceFor: (caller, action, name) => deviceFor(storage.db, caller, action, name),
    },
    files: { ...foundation, deviceFor, sendToDevice },
    data,
    channel: openChannel({ ...foundation, clock: lookClock }, live, bearer, hooks),
    deviceCheck: deviceCheck(foundation, deviceContacts(foundation)),
  };
}

/** The handlers of the core's part of the API. */
export function coreRoutes(core: Core, meta: Handlers<typeof metaContract>): Routes<typeof coreContract> {
  return {
    auth: authRoutes(core),
    session: sessionRoutes(core),
    invitations: invitationRoutes(core),
    users: usersRoutes(core),
    tokens: tokenRoutes(core),
    platforms: platformsRoutes(core),
    products: productsRoutes(core),
    bundles: bundlesRoutes(core),
    overview: overviewRoutes({
      ...core,
      version,
      catalogue: (viewer: Viewer) => catalogue(core.storage.db, viewer),
      recentLogs: recentLogs(core),
    }),
    productPeople: productPeopleRoutes({ ...core, copyReleaseCandidate }),
    connectors: connectorsRoutes(core),
    logs: logsRoutes(core),
    metrics: metricsRoutes(core),
    devices: devicesRoutes(core),
    deviceUpdates: deviceUpdatesRoutes(core.ota),
    deviceFiles: deviceFilesRoutes(core.files),
    assets: assetsRoutes(core.files),
    avatars: avatarsRoutes(core),
    data: dataRoutes(core.data),
    channel: channelRoutes(core.channel),
    schemas: schemaRoutes(),
    identity: identityRoutes(core),
    meta,
  };
}

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

/**
 * The listener of devices with the core's routes; not listening.
 *
 * @param beside what else is mounted on it
 */
export function openDeviceListener(
  core: Core,
  own: OwnCertificate,
  options: Pick<ServerOptions, 'troubleOf' | 'logLevel' | 'logStream' | 'traffic' | 'timeouts' | 'accessLog'>,
  beside: Resources,
): { readonly app: FastifyInstance; readonly mounting: MountOptions } {
  const endpoints = endpointsOf({ ...deviceListenerContract, ...beside }).map(({ shape }) => shape);
  const app = buildDeviceListener(core, core.identity, own, endpoints, options);
  const authenticate = { device: core.deviceCheck };
  const { blobs, clock, rates, reserve, health } = core;
  const mounting = { blobs, clock, rates, reserve, isFull: health.isFull, statusOf: deviceStatusOf, authenticate };
  const routes = {
    device: accountDeviceRoutes(core),
    ota: otaDeviceRoutes(core.ota),
    files: filesDeviceRoutes(core),
    data: dataDeviceRoutes(core.data),
  };
  mountAll(app, deviceListenerContract, routes, mounting);
  // Spec: API-DEV-GET-stream.
  mountSocket(app, {
    path: channelPath,
    frameLimitBytes: channelFrameLimitBytes,
    onRequest: authenticationHook(withRate(core.deviceCheck, 'connects', core.rates), deviceStatusOf),
    open: (request, line) => {
      // Safe: the check has passed, and it is that of devices.
      const { row, certificate } = request.caller as DeviceCaller;
      return core.channel.hub.attach(row, request.ip, line, certificate);
    },
  });
  return { app, mounting };
}
