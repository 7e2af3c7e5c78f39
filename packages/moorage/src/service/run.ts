import { X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import { type CancelTimer, errorCode, realClock } from '@moorage/base';
import { makeFolder } from '@moorage/base/disk/folder';
import { type DiskLock, lockFolder } from '@moorage/base/disk/lock';
import { buildService, type Service } from '@moorage/service';
import { ensureAdministrator, isPasswordLate } from '@moorage/service/administration';
import { isLoopbackHost } from '@moorage/service/engine/settings/setting-texts';
import { deviceAddresses, type Settings, whyNotTogether } from '@moorage/service/engine/settings/settings';
import { openReserve } from '@moorage/service/engine/stores/reserve';
import { UserError } from '../command-line/define.ts';
import { consoleFolder } from '../console-folder.ts';
import { readCertificates } from '../files/certificate-files.ts';
import { processRehearser } from '../rehearsal/rehearser.ts';
import { dataPaths, watchData } from './data-watch.ts';
import { type ReachWatch, watchReach, whyLinksFail, whyUnreached } from './reach.ts';
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
  /** When it has first been tried whether devices reach the listener at its public names; the log and `/readyz` have what was found. */
  readonly reached: Promise<void>;
  /** Calls back, once, when the data is no more where it was; to be asked for when all listens. */
  watchData(onGone: (path: string) => void): Promise<void>;
  stop(): Promise<void>;
}

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
  const problem = whyNotTogether(settings);
  if (problem !== undefined) throw new UserError(problem, 2);
  const ssoFiles = readSsoFiles(settings);
  // Standard output is the command's own.
  const deviceHosts = [hostname(), ...(isWildcard(settings.host) ? [] : [settings.host])];
  let lock: DiskLock | undefined;
  let service: Service | undefined;
  const watches: CancelTimer[] = [];
  const stop = async (): Promise<void> => {
    for (const end of watches) end();
    await service?.close();
    await lock?.release();
  };
  try {
    // Of this user alone: it holds the key of the authority, and those of modules.
    makeFolder(settings.data, 0o700);
    lock = await openReserve(settings.database).use(() => lockDatabase(settings.database), isDiskFull);
    const certificates = readCertificates(settings);
    service = await buildService({
      settings,
      deviceHosts,
      certificates,
      ssoFiles,
      logStream: process.stderr,
      consoleDir: consoleFolder(),
      rehearser: processRehearser(),
    });
    const open = await listen(service.api, settings.host, settings.port, '--port');
    const api = withTls(open, certificates.api !== undefined);
    const listening = await listen(service.devices, settings.host, settings.devicePort, '--device-port');
    const devices = withTls(listening, !settings.deviceInsecure);
    const ops = service.ops && (await listen(service.ops, opsHost, settings.opsPort?.port ?? 0, '--ops-port'));
    // After the listeners: a port that is taken ends the first run before a password is printed.
    const ensured = await ensureAdministrator(service.deps, announce);
    if (!ensured.ok) throw new UserError(`MOORAGE_ADMIN_PASSWORD: ${ensured.error.message}`, 2);
    if (!ensured.value && (await isPasswordLate(service.deps))) {
      service.deps.log.warn(
        'MOORAGE_ADMIN_PASSWORD is for the first start: there is an administrator, whose other password stays',
      );
    }
    const { publicUrl } = settings;
    const addresses = {
      api,
      devices,
      console: `${publicUrl ?? api}/`,
      deviceNames: service.identity.hosts,
      ...(publicUrl !== undefined && { public: publicUrl }),
      ...(ops !== undefined && { ops }),
    };
    const { first: reached, stop: stopReach } = watchReaches(service, settings);
    watches.push(stopReach);
    const watch = async (onGone: (path: string) => void): Promise<void> => {
      watches.push(await watchData(dataPaths(settings), realClock, onGone));
    };
    return { service, addresses, reached, watchData: watch, stop };
  } catch (error) {
    await stop();
    throw storageTrouble(error, settings.database);
  }
}

/** That of the certificate which another authority has signed. Its files change; while they are being changed there is none. */
function shownFingerprint(settings: Settings): string | undefined {
  try {
    const { devices } = readCertificates(settings);
    return devices && new X509Certificate(devices.certificate).fingerprint256;
  } catch {
    return undefined;
  }
}

/** What is wrong with public names at which the device listener is not reached from here. A name may be reached from outside alone, so it is no failure. */
async function reachWarning(service: Service, settings: Settings): Promise<string | undefined> {
  const address = service.devices.server.address();
  if (address === null || typeof address === 'string') return undefined;
  const expected = { ca: service.identity.ca, port: address.port, fingerprint: shownFingerprint(settings) };
  const found = await Promise.all(deviceAddresses(settings).map((each) => whyUnreached(each, expected)));
  const reasons = found.filter((reason) => reason !== undefined);
  if (reasons.length === 0) return undefined;
  return `Devices may not reach the device listener: from this machine ${reasons.join(', ')}`;
}

/** What is wrong where the links that devices get do not lead back to a device listener, as far as this machine can tell. */
async function linksWarning(deviceUrl: string): Promise<string | undefined> {
  const reason = await whyLinksFail(deviceUrl);
  return reason && `Links to files may not lead back: ${reason} (--device-url)`;
}

/** Looks from time to time whether devices find their way, and warns as long as they do not. */
function watchReaches(service: Service, settings: Settings): ReachWatch {
  const { warnings, deps } = service;
  const report = {
    warnings,
    warn: (message: string) => deps.log.warn(message),
    info: (message: string) => deps.log.info(message),
  };
  const { deviceUrl, deviceInsecure } = settings;
  const watch = (kind: string, warningNow: () => Promise<string | undefined>) =>
    watchReach(kind, warningNow, report, deps.clock);
  const watches = [
    deviceInsecure ? [] : watch('reach', () => reachWarning(service, settings)),
    deviceUrl === undefined ? [] : watch('links', () => linksWarning(deviceUrl)),
  ].flat();
  return {
    first: Promise.all(watches.map(({ first }) => first)).then(() => undefined),
    stop() {
      for (const { stop } of watches) stop();
    },
  };
}

const isDiskFull = (error: unknown): boolean => errorCode(error) === 'ENOSPC';

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
