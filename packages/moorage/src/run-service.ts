import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { errorCode, realClock } from '@moorage/base';
import { makeFolder } from '@moorage/base/disk/folder';
import { type DiskLock, lockFolder } from '@moorage/base/disk/lock';
import { buildService, type Certificates, type Service } from '@moorage/service';
import { ensureAdministrator } from '@moorage/service/administration';
import type { Settings } from '@moorage/service/core/config';
import { deviceAddresses } from '@moorage/service/core/device-names';
import { isLoopbackHost } from '@moorage/service/core/setting-texts';
import { readCertificates } from './certificate-files.ts';
import { UserError } from './commands/define.ts';
import { dataPaths, watchData } from './data-watch.ts';
import { whyLinksFail, whyUnreached } from './reach.ts';
import { processRehearser } from './rehearsal/rehearser.ts';
import { readSsoFiles } from './sso-files.ts';
import { storageTrouble } from './trouble.ts';

/** Where the service listens. */
interface ServiceAddresses {
  readonly api: string;
  readonly devices: string;
  readonly console: string;
  /** Names and addresses at which devices can reach the device listener: those in its certificate. */
  readonly deviceNames: readonly string[];
  /** Where people and programs reach the API, when the settings say so. */
  readonly public?: string;
  /** Where monitors ask, when they have a listener of their own. */
  readonly ops?: string;
}

export interface RunningService {
  readonly service: Service;
  readonly addresses: ServiceAddresses;
  /** When it has been tried whether devices reach the listener at its public names; the log and `/readyz` have what was found. */
  readonly reached: Promise<void>;
  /** Calls back, once, when the data is no more where it was; to be asked for when all listens. */
  watchData(onGone: (path: string) => void): Promise<void>;
  stop(): Promise<void>;
}

/** What the set-up of the clone builds; a service without it has no console, and everything else. */
const builtConsole = fileURLToPath(new URL('../../console/dist', import.meta.url));

const consoleDir = (): string | undefined => (existsSync(`${builtConsole}/index.html`) ? builtConsole : undefined);

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

type Announce = (email: string, password: string) => void;

/** Opens the storage, makes what a first run needs, and listens on both addresses. */
export async function startService(
  settings: Settings,
  announce: Announce,
  { listenLan }: { readonly listenLan: boolean },
): Promise<RunningService> {
  const opsHost = settings.opsPort?.host ?? settings.host;
  const outside = [settings.host, opsHost].find((host) => !isLoopbackHost(host));
  if (!listenLan && outside !== undefined) {
    throw new UserError(`Address ${outside} is outside the loopback range; --listen-lan allows that`, 2);
  }
  if (settings.port === settings.devicePort && settings.port !== 0) {
    throw new UserError(`--port and --device-port are both ${settings.port}; they are two listeners`, 2);
  }
  if (settings.bus !== undefined && settings.database.startsWith('sqlite:')) {
    throw new UserError('--bus connects nodes, and several can share a PostgreSQL database only (--database)', 2);
  }
  const ssoFiles = readSsoFiles(settings);
  // Standard output is the command's own.
  const deviceHosts = [hostname(), ...(isWildcard(settings.host) ? [] : [settings.host])];
  let lock: DiskLock | undefined;
  let service: Service | undefined;
  let stopWatching = () => {};
  const stop = async (): Promise<void> => {
    stopWatching();
    await service?.close();
    await lock?.release();
  };
  try {
    // Of this user alone: it holds the key of the authority, and those of modules.
    makeFolder(settings.dataDir, 0o700);
    lock = await lockDatabase(settings.database);
    const certificates = readCertificates(settings);
    service = await buildService({
      settings,
      deviceHosts,
      certificates,
      ssoFiles,
      logStream: process.stderr,
      consoleDir: consoleDir(),
      rehearser: processRehearser(),
    });
    const open = await listen(service.api, settings.host, settings.port, '--port');
    const api = withTls(open, certificates.api !== undefined);
    const listening = await listen(service.devices, settings.host, settings.devicePort, '--device-port');
    const devices = withTls(listening, !settings.deviceInsecure);
    const ops = service.ops && (await listen(service.ops, opsHost, settings.opsPort?.port ?? 0, '--ops-port'));
    // After the listeners: a port that is taken ends the first run before a password is printed.
    await ensureAdministrator(service.deps, announce);
    const { publicUrl } = settings;
    const addresses = {
      api,
      devices,
      console: `${publicUrl ?? api}/`,
      deviceNames: service.identity.hosts,
      ...(publicUrl !== undefined && { public: publicUrl }),
      ...(ops !== undefined && { ops }),
    };
    const reached = Promise.all([
      settings.deviceInsecure ? undefined : checkReach(service, settings, certificates),
      checkLinks(service, settings),
    ]).then(() => undefined);
    const watch = async (onGone: (path: string) => void): Promise<void> => {
      stopWatching = await watchData(dataPaths(settings), realClock, onGone);
    };
    return { service, addresses, reached, watchData: watch, stop };
  } catch (error) {
    await stop();
    throw storageTrouble(error, settings.database);
  }
}

/** Warns of public names at which the device listener is not reached from here. A name may be reached from outside alone, so it is no failure. */
async function checkReach(service: Service, settings: Settings, { devices }: Certificates): Promise<void> {
  const address = service.devices.server.address();
  if (address === null || typeof address === 'string') return;
  const fingerprint = devices && new X509Certificate(devices.certificate).fingerprint256;
  const expected = { ca: service.identity.ca, port: address.port, fingerprint };
  const found = await Promise.all(deviceAddresses(settings).map((each) => whyUnreached(each, expected)));
  const reasons = found.filter((reason) => reason !== undefined);
  if (reasons.length === 0) return;
  const warning = `Devices may not reach the device listener: from this machine ${reasons.join(', ')}`;
  service.warnings.set('reach', warning);
  service.deps.log.warn(warning);
}

/** Warns where the links that devices get do not lead back to a device listener, as far as this machine can tell. */
async function checkLinks(service: Service, { deviceUrl }: Settings): Promise<void> {
  const reason = deviceUrl && (await whyLinksFail(deviceUrl));
  if (!reason) return;
  const warning = `Links to files may not lead back: ${reason} (--device-url)`;
  service.warnings.set('links', warning);
  service.deps.log.warn(warning);
}

/**
 * Takes a database file for this service alone: changes in one process do not reach others over a file, as they do
 * over PostgreSQL. The commands that work beside a service do not ask.
 */
async function lockDatabase(database: string): Promise<DiskLock | undefined> {
  const path = /^sqlite:(?!:memory:)(.+)$/.exec(database)?.[1];
  if (path === undefined) return undefined;
  const folder = `${path}-service`;
  makeFolder(folder, 0o700);
  const lock = await lockFolder(folder);
  if (!lock)
    throw new UserError(`Another service runs on ${path}; several can share a PostgreSQL database (--database)`);
  return lock;
}

/** The servers with TLS are made outside the framework, which takes them for plain ones. */
const withTls = (address: string, isOn: boolean): string => (isOn ? address.replace(/^http:/, 'https:') : address);

/** Connections that may wait to be accepted: a fleet that comes back at once is that many. The system may allow fewer. */
const backlog = 4_096;

interface Listening {
  listen(options: { host: string; port: number; backlog: number }): Promise<string>;
}

async function listen(app: Listening, host: string, port: number, flag: string): Promise<string> {
  try {
    return await app.listen({ host, port, backlog });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE') throw new UserError(`Port ${port} on ${host} is taken; choose another with ${flag}`);
    if (code === 'EACCES') throw new UserError(`Port ${port} on ${host} needs rights that this user does not have`);
    if (code === 'EADDRNOTAVAIL') throw new UserError(`Address ${host} is not one of this machine's`);
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') throw new UserError(`Host ${host} has no address`);
    throw error;
  }
}
