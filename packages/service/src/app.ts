import type { Server as TlsServer } from 'node:tls';
import { coreContract, endpointsOf, opsContract } from '@moorage/api';
import { type Clock, realClock } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import { nameClashes } from './core/access/names.ts';
import { openAttempts } from './core/auth/throttle.ts';
import { type Identity, openIdentity } from './core/certificates/identity.ts';
import { watchIdentity } from './core/certificates/watch.ts';
import { startDeliveries } from './core/connectors/engine.ts';
import { type Core, coreRoutes, type Foundation, openCore, openDeviceListener, tokenChecks } from './core/core.ts';
import { answeredBy } from './core/hooks.ts';
import { corePieces, startMaintenance } from './core/maintenance.ts';
import { watchClock } from './core/meta/clock.ts';
import { metaRoutes, type OwnState } from './core/meta/routes.ts';
import { version } from './core/meta/version.ts';
import { PollLoad } from './core/ota/poll-load.ts';
import { openBlobs } from './engine/blobs/backends/open.ts';
import type { BlobStore } from './engine/blobs/blob-store.ts';
import { type CheckedBlobs, checkedBlobs, type Damaged } from './engine/blobs/checked-blobs.ts';
import { checkSome, objectOf } from './engine/db/blob-records.ts';
import { quickCheck, wasCut } from './engine/db/dialect/sqlite/quick-check.ts';
import type { StorageOptions } from './engine/db/open.ts';
import { isEmptyFile } from './engine/db/open.ts';
import type { Storage } from './engine/db/storage.ts';
import { storageTroubleOf } from './engine/db/trouble.ts';
import { bearerCheck } from './engine/http/bearer.ts';
import { packJson } from './engine/http/compression.ts';
import { serveConsole } from './engine/http/console-files.ts';
import { serveDocs } from './engine/http/docs.ts';
import { statusOf } from './engine/http/errors.ts';
import { injectFetch } from './engine/http/inject-fetch.ts';
import { type MountOptions, mountAll, mountContract, type Resources } from './engine/http/mount.ts';
import { openApiDocument } from './engine/http/openapi.ts';
import { type CertificateAndKey, OwnCertificate } from './engine/http/own-certificate.ts';
import { deviceRates } from './engine/http/rates.ts';
import { buildServer, type ServerOptions } from './engine/http/server.ts';
import { drain } from './engine/http/stopping.ts';
import type { Timeouts } from './engine/http/timeouts.ts';
import { Traffic } from './engine/http/traffic.ts';
import type { Deps, Handlers } from './engine/http/types.ts';
import { webTls } from './engine/http/web-tls.ts';
import { openOutbound } from './engine/outbound/outbound.ts';
import type { Outbound } from './engine/outbound/ports.ts';
import { deviceAddresses, type LogLevel, type Settings } from './engine/settings/settings.ts';
import { StorageHealth, UnusableError } from './engine/stores/health.ts';
import { openReserve } from './engine/stores/reserve.ts';
import type { SingleSignOn, SsoFiles } from './extensions/accounts/single-sign-on.ts';
import type { Extension, ExtensionParts, Opened } from './extensions/extension.ts';
import { chosenExtensions } from './extensions/index.ts';
import type { Rehearser } from './extensions/rehearsals/rehearser.ts';
import { openRecords } from './tables.ts';

export interface ServiceOptions {
  readonly settings: Settings;
  readonly clock?: Clock;
  /** Of what looks again and again for things to send and for other processes; `clock` without it. */
  readonly lookClock?: Clock;
  /** Opened by the caller, who also closes them; otherwise they are opened from the settings and closed with the service. */
  readonly storage?: Storage;
  readonly blobs?: BlobStore;
  /** The way out of the machine for connectors; made from the settings without it. */
  readonly outbound?: Outbound;
  /** Made from the settings and `ssoFiles` without it. */
  readonly sso?: SingleSignOn;
  readonly ssoFiles?: SsoFiles;
  /** It answers, and does nothing by itself: no delivery, no mail, no step of a rollout. */
  readonly withoutBackgroundWork?: boolean;
  /** Rehearses rollouts; without it nobody does. */
  readonly rehearser?: Rehearser;
  /** Host names and addresses that devices may use for the device listener, beside localhost. */
  readonly deviceHosts?: readonly string[];
  /** What the files of the settings hold. */
  readonly certificates?: Certificates;
  /** Instead of that of the settings. */
  readonly logLevel?: LogLevel;
  readonly logStream?: { write(line: string): void };
  /** Folder of the built console, to be served at `/`; none is served without it. */
  readonly consoleDir?: string | undefined;
  /** How long clients may take; the service's own without it. */
  readonly timeouts?: Timeouts;
}

/** Certificates that the operator has brought along. */
export interface Certificates {
  /** For the device listener, under the names in it. */
  readonly devices?: CertificateAndKey;
  /** For the API and the console, which speak TLS with it; where they began without, it counts for nothing. */
  readonly api?: CertificateAndKey;
}

/** The service, built but not listening. */
export interface Service {
  readonly api: FastifyInstance;
  /** The device listener. */
  readonly devices: FastifyInstance;
  /** What monitors ask without a token, when the settings name a port for it. */
  readonly ops: FastifyInstance | undefined;
  readonly identity: Identity;
  readonly deps: Deps;
  /** What keeps devices or people away though requests are answered, by its kind: `/readyz` tells. */
  readonly warnings: Map<string, string>;
  /** Shows these from now on; open connections stay. */
  useCertificates(certificates: Certificates): void;
  /** From now on the log has lines of this level and more serious ones. */
  setLogLevel(level: LogLevel): void;
  /** Calls the API in this process, without a connection. */
  readonly fetch: ReturnType<typeof injectFetch>;
  /** Answers what is under way, then lets go of the storage. */
  close(): Promise<void>;
}

/** How the records are opened; what goes wrong later is logged. */
const storageOptions = (
  { log }: FastifyInstance,
  { bus: url, busCredentials: credentials, busCa: authority }: Settings,
): StorageOptions => ({
  onError: (error) => log.error({ err: error }, 'Trouble with the database'),
  onBusError: (error) => log.error({ err: error }, 'Trouble with the bus (--bus)'),
  ...(url !== undefined && { nats: { url, credentials, authority } }),
});

const damagedText = 'The database is damaged: changes are refused from now on; restore a backup, or repair the file';

/** What is known of the trouble of stores; the operator reads of it in the log. */
const healthOf = (clock: Clock, say: (text: string) => void, stopWrites: () => void): StorageHealth =>
  new StorageHealth(
    clock,
    storageTroubleOf,
    (what) => say(`No room is left in the ${what}`),
    () => {
      say(damagedText);
      stopWrites();
    },
  );

const deviceContractsOf = (chosen: readonly Extension[]) =>
  Object.assign({}, ...chosen.map((extension) => extension.deviceContracts));

const openAll = (chosen: readonly Extension[], parts: ExtensionParts) =>
  chosen.map(({ name, contracts, open }) => ({ name, contracts, ...open(parts) }));

/** What there is before anything is mounted: the server, the stores, the core, the extensions. */
async function openParts(options: ServiceOptions, chosen: readonly Extension[], contracts: Resources) {
  const { settings, clock = realClock, logLevel = options.settings.logLevel, logStream, timeouts } = options;
  const traffic = new Traffic();
  const health = healthOf(
    clock,
    (text) => api.log.error(text),
    () => storage.stopWrites?.(),
  );
  const troubleOf = health.troubleOf.bind(health);
  const serverOptions = { troubleOf, logLevel, traffic, logStream, timeouts, accessLog: settings.accessLog };
  const publicServerOptions = { ...serverOptions, statusOf, trustProxy: settings.trustProxy };
  const endpoints = endpointsOf(contracts).map(({ shape }) => shape);
  const api: FastifyInstance = buildServer({ ...publicServerOptions, web: options.certificates?.api, endpoints });
  if (!options.storage && !options.blobs) await refuseLostRecords(settings);
  const isCut = !options.storage && wasCut(settings.database);
  const reserve = openReserve(settings.database);
  reserve.release();
  const storage = options.storage ?? (await openRecords(settings.database, storageOptions(api, settings)));
  const stored = options.blobs ?? (await openBlobs(settings.blobs, settings, (sha256) => objectOf(storage.db, sha256)));
  const stopCheck = isCut ? quickCheck(settings.database, (error) => void health.troubleOf(error)) : async () => {};
  const warnings = new Map<string, string>();
  const onChange: Parameters<typeof checkedBlobs>[1]['onChange'] = (damaged) => warnOfDamage(api, warnings, damaged);
  const blobs = checkedBlobs(stored, { clock, reads: !settings.blobs.startsWith('s3:'), onChange });
  const attempts = openAttempts({ storage, clock });
  const rates = deviceRates(clock, settings);
  const deps: Deps = { storage, blobs, clock, settings, log: api.log, attempts, health, traffic, rates, reserve };
  const hosts = [...(options.deviceHosts ?? []), ...deviceAddresses(settings).map(({ host }) => host)];
  const identity = await openIdentity(storage, clock, settings.deviceCertificateDays, hosts);
  await reportTroubles(deps, identity, warnings);
  const outbound = options.outbound ?? openOutbound(settings.connectorAllow, clock, settings);
  const foundation: Foundation = { ...deps, outbound, identity, load: new PollLoad() };
  const { sso, ssoFiles, rehearser, lookClock = clock } = options;
  const extensions = openAll(chosen, { ...foundation, sso, ssoFiles, rehearser });
  const hooks = answeredBy(extensions);
  const bearer = bearerCheck(deps);
  const core = openCore(foundation, hooks, lookClock, bearer);
  return {
    api,
    clock,
    storage,
    blobs,
    deps,
    identity,
    warnings,
    extensions,
    hooks,
    bearer,
    core,
    stopCheck,
    serverOptions,
    publicServerOptions,
  };
}

/** Puts the service together. Nothing listens yet: `api.listen` or `api.inject` is the caller's. */
export async function buildService(options: ServiceOptions): Promise<Service> {
  const { settings } = options;
  const chosen = chosenExtensions(settings.extensions);
  const contracts = { ...coreContract, ...Object.assign({}, ...chosen.map((extension) => extension.contracts)) };
  const parts = await openParts(options, chosen, contracts);
  const { api, clock, storage, blobs, deps, identity, warnings, extensions, hooks, bearer, core } = parts;
  const { lookClock = clock } = options;
  const { hub } = core.channel;
  const own = new OwnCertificate(() => identity.ca);
  const useCertificates = certificatesOf(own, api, options.certificates?.api !== undefined);
  useCertificates(options.certificates ?? {});
  const devices = openDeviceListener(core, own, parts.serverOptions, deviceContractsOf(chosen));
  for (const { mountOnDevices } of extensions) mountOnDevices?.(devices.app, core, devices.mounting);
  const [bus, tokens] = [storage.bus, tokenChecks(storage.db, clock)];
  const room = { reserve: deps.reserve, isFull: deps.health.isFull };
  const mounting = {
    blobs,
    clock,
    ...room,
    statusOf,
    bus,
    intercept: hooks.intercept,
    tokens,
    authenticate: { bearer },
  };
  const running = { isStopping: () => hub.isClosed, channels: () => hub.size };
  const meta = metaRoutes({ ...deps, ...ownStateOf(identity, warnings), ...running });
  packJson(api);
  mountAll(api, coreContract, coreRoutes(core, meta.api), mounting);
  for (const { contracts, routes } of extensions) mountAll(api, contracts, routes(core), mounting);
  servePages(api, contracts, options.consoleDir, settings);
  const ops = settings.opsPort && openOpsListener(parts.publicServerOptions, meta.ops, mounting);
  const polling = { ...deps, clock: lookClock };
  const stopWatching = watchIdentity(polling, identity);
  const stopClock = await watchClock(polling, warnings);
  const start = options.withoutBackgroundWork ? async () => noWork : startBackgroundWork;
  const background = await start(core, blobs, extensions, lookClock);
  const listeners = [api, devices.app, ops ?? []].flat();
  deps.reserve.take();
  async function close(): Promise<void> {
    // First the channels and connections: what comes from now on goes to another process.
    const gone = hub.close();
    const drained = listeners.map((app) => drain(app, clock, gone));
    await Promise.all([
      gone,
      ...drained,
      parts.stopCheck(),
      stopWatching(),
      stopClock(),
      gone.then(() => background.stop()),
    ]);
    await Promise.all([background.stopDeliveries(), ...extensions.map(({ close }) => close?.())]);
    core.live.close();
    if (!options.storage) await storage.close();
  }
  return {
    api,
    devices: devices.app,
    ops,
    identity,
    deps,
    warnings,
    useCertificates,
    setLogLevel(level) {
      for (const { log } of listeners) log.level = level;
    },
    fetch: injectFetch(api),
    close,
  };
}

/** Writes what the operator has to put right into the log; `/readyz` shows it as well. */
async function reportTroubles(
  { storage, log }: Deps,
  identity: Identity,
  warnings: Map<string, string>,
): Promise<void> {
  const trouble = identity.trouble();
  if (trouble !== undefined) log.error(trouble);
  const clashes = await nameClashes(storage.db);
  if (clashes.length === 0) return;
  const warning = `Users, customers or manufacturers have the same name: ${clashes.join(', ')}`;
  warnings.set('names', warning);
  log.warn(warning);
}

/** @throws {UnusableError} when the file of the records is empty beside stored files: that is no first start */
async function refuseLostRecords(settings: Settings): Promise<void> {
  if (!isEmptyFile(settings.database) || settings.blobs.startsWith('s3:')) return;
  for await (const _ of (await openBlobs(settings.blobs, settings)).list()) {
    const what = `Setting --database names an empty file, and --blobs has files`;
    throw new UnusableError(`${what}: restore a backup, or remove the empty file to begin anew`);
  }
}

/** Names in a warning; of more it says the number. */
const namedFiles = 3;

/** Tells of stored files that are not what was stored. */
function warnOfDamage({ log }: FastifyInstance, warnings: Map<string, string>, damaged: Damaged): void {
  if (damaged.size === 0) return void warnings.delete('files');
  const named = [...damaged].slice(-namedFiles).map(([sha256, state]) => `${sha256} (${state})`);
  const more = damaged.size > namedFiles ? ` and ${damaged.size - namedFiles} more` : '';
  const warning = `Stored files are not what was stored: ${named.join(', ')}${more}`;
  warnings.set('files', warning);
  log.error(warning);
}

const noWork = { stop: async () => {}, stopDeliveries: async () => {} };

/** Begins what the service does by itself. Resolves with what ends it. */
async function startBackgroundWork(
  core: Core,
  blobs: CheckedBlobs,
  extensions: readonly Opened<Record<never, never>>[],
  lookClock: Clock,
): Promise<{ stop(): Promise<void>; stopDeliveries(): Promise<void> }> {
  const { lease } = core.channel.hub;
  const timed = { ...core, storage: core.storage.background, lease };
  const background = { ...timed, clock: lookClock };
  const ofUpdates = { name: 'updates that never ended', run: () => core.ota.engine.expire() };
  const ofFiles = { name: 'stored files', run: () => checkSome(core.storage.background.db, blobs) };
  const pieces = [...corePieces, ofFiles, ...extensions.flatMap(({ maintenance = [] }) => maintenance), ofUpdates];
  const stopMaintenance = startMaintenance(timed, pieces);
  const stops: (() => Promise<void>)[] = [];
  for (const { start } of extensions) if (start) stops.push(await start(core, background));
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await stopMaintenance();
    },
    stopDeliveries: startDeliveries(background),
  };
}

/** Shows certificates that the operator has brought along. */
const certificatesOf =
  (own: OwnCertificate, { server }: FastifyInstance, speaksTls: boolean) =>
  ({ devices, api }: Certificates): void => {
    if (devices) own.use(devices);
    // Safe: a server that has begun with a certificate is one of TLS.
    if (api && speaksTls) (server as unknown as TlsServer).setSecureContext(webTls(api));
  };

const ownStateOf = (
  identity: Identity,
  warnings: ReadonlyMap<string, string>,
): Pick<OwnState, 'deviceNames' | 'trouble'> => ({
  deviceNames: identity.hosts,
  trouble: () => [identity.trouble() ?? [], ...warnings.values()].flat().join('; ') || undefined,
});

/** The listener of monitors; not listening. */
function openOpsListener(
  serverOptions: Omit<ServerOptions, 'endpoints'>,
  handlers: Handlers<typeof opsContract>,
  mounting: MountOptions,
) {
  const endpoints = endpointsOf({ ops: opsContract }).map(({ shape }) => shape);
  const app = buildServer({ ...serverOptions, endpoints, listener: 'ops' });
  mountContract(app, opsContract, handlers, mounting);
  return app;
}

/** What people see: the documentation, and the console where it has been built. */
function servePages(
  api: FastifyInstance,
  contracts: Parameters<typeof openApiDocument>[0],
  consoleDir: string | undefined,
  { publicUrl, mapTiles }: Pick<Settings, 'publicUrl' | 'mapTiles'>,
): void {
  serveDocs(api, () => openApiDocument(contracts, version, publicUrl));
  if (consoleDir !== undefined) serveConsole(api, consoleDir, statusOf, mapTiles);
  else api.get('/', (_request, reply) => reply.redirect('/docs'));
}
