import { hash } from 'node:crypto';
import type { Clock } from '@moorage/base';
import { withoutZone } from '../core/setting-texts.ts';
import type { Storage } from '../db/storage.ts';
import {
  type DeviceCertificate,
  endMs,
  makeAuthority,
  makeDeviceCertificate,
  makeServerCertificate,
  serves,
  timeTrouble,
} from './certificates.ts';
import { deleteSetting, keepSetting, readSetting, readSettings, replaceSetting } from './queries.ts';
import type { KeyedCertificate } from './x509.ts';

/** Who this installation is to its devices: the private authority, and what it signs. */
export interface Identity {
  /** Certificate of the authority; devices and users may have it. */
  readonly ca: string;
  /** Certificate and key of the device listener. */
  readonly server: KeyedCertificate;
  /** Names and addresses that devices may reach the listener by: those in its certificate. */
  readonly hosts: readonly string[];
  /** Why devices refuse the authority now; it is not made anew, since every device would have to be provisioned again. */
  trouble(): string | undefined;
  /** Issues a certificate with CN = `uuid`. The caller stores its fingerprint, which outdates an earlier one. */
  issueDeviceCertificate(uuid: string): Promise<DeviceCertificate>;
}

/** Names under which the device listener is always reachable. */
const ownHosts = ['localhost', '127.0.0.1', '::1'] as const;

const settings = { authority: 'identity.authority', server: 'identity.server' } as const;

/** Server certificates that are kept: a container has another name at each start, and makes one more. */
const keptServers = 32;

/** A server certificate is replaced at start when it has less than this to live. */
const renewalMarginDays = 365;

/**
 * Opens the identity of the installation, making the authority on the first run.
 *
 * It lives in the records, so that every process on one database has the same; of two processes that start at once on
 * an empty one, the first to commit makes it and the other takes that.
 *
 * @param deviceDays how long certificates of devices are good, in days
 * @param hosts further host names and addresses that devices may use: the machine's name, the configured host
 */
export async function openIdentity(
  storage: Storage,
  clock: Clock,
  deviceDays: number,
  hosts: readonly string[] = [],
): Promise<Identity> {
  const nowMs = clock.now();
  const authority = await openAuthority(storage, nowMs);
  const names = [...new Set([...ownHosts, ...hosts].map(withoutZone))];
  const server = await openServerCertificate(storage, authority, names, nowMs);
  return {
    ca: authority.certificate,
    server,
    hosts: names,
    trouble() {
      const trouble = timeTrouble(authority.certificate, clock.now());
      return (
        trouble &&
        `The authority of this installation ${trouble}; the clock says ${new Date(clock.now()).toISOString()}`
      );
    },
    issueDeviceCertificate: (uuid) => makeDeviceCertificate(authority, uuid, clock.now(), deviceDays),
  };
}

async function openAuthority(storage: Storage, nowMs: number): Promise<KeyedCertificate> {
  const kept = await readSetting(storage.db, settings.authority);
  if (kept !== undefined) return parse(kept);
  const made = JSON.stringify(await makeAuthority(nowMs));
  return parse(await storage.transaction((trx) => keepSetting(trx, settings.authority, made)));
}

async function openServerCertificate(
  storage: Storage,
  authority: KeyedCertificate,
  hosts: readonly string[],
  nowMs: number,
): Promise<KeyedCertificate> {
  const kept = (await readSettings(storage.db, settings.server)).map(({ name, value }) => ({ name, ...parse(value) }));
  const fits = ({ certificate }: KeyedCertificate): boolean =>
    serves(certificate, authority.certificate, hosts, nowMs, renewalMarginDays);
  const found = kept.find(fits);
  if (found) return { certificate: found.certificate, key: found.key };
  const made = await makeServerCertificate(authority, hosts, nowMs);
  // Under a name of these hosts alone: processes on machines of other names keep theirs.
  const name = `${settings.server}.${hash('sha256', [...hosts].sort().join(), 'hex').slice(0, 16)}`;
  const oldest = kept.sort((one, other) => endMs(other.certificate) - endMs(one.certificate)).slice(keptServers - 1);
  await storage.transaction(async (trx) => {
    for (const old of oldest) await deleteSetting(trx, old.name);
    await replaceSetting(trx, name, JSON.stringify(made));
  });
  return made;
}

/** Only this file writes these settings, so their shape is known. */
const parse = (text: string): KeyedCertificate => JSON.parse(text) as KeyedCertificate;
