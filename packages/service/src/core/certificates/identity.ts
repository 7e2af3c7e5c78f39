import { hash } from 'node:crypto';
import { type Clock, dayMs } from '@moorage/base';
import type { Storage } from '../../engine/db/storage.ts';
import { withoutZone } from '../../engine/settings/setting-texts.ts';
import { inBundleOrder, openAuthorities } from './authorities.ts';
import {
  type DeviceCertificate,
  endMs,
  makeDeviceCertificate,
  makeServerCertificate,
  serves,
  timeTrouble,
  validityOf,
} from './certificates.ts';
import { type AuthorityRow, deleteSetting, readSettings, replaceSetting } from './queries.ts';
import { openTicketKey, ticketKeyFor } from './tickets.ts';
import type { KeyedCertificate } from './x509.ts';

/** A certificate as a device gets it. */
export interface IssuedCertificate extends DeviceCertificate {
  /** Certificates of all trusted authorities, PEM texts one after the other. */
  readonly ca: string;
  /** Fingerprint of the authority that has signed it. */
  readonly authority: string;
}

/** Who this installation is to its devices: the private authorities, and what they sign. */
export interface Identity {
  /** Certificates of the trusted authorities, the one that signs first; devices and users may have them. */
  readonly ca: string;
  /** Certificate and key of the device listener. */
  readonly server: KeyedCertificate;
  /** Key of TLS session tickets, 48 bytes, the same on all nodes. */
  readonly tickets: Buffer;
  /** Names and addresses that devices may reach the listener by: those in its certificate. */
  readonly hosts: readonly string[];
  /** Fingerprint of the authority that signs certificates of devices. */
  readonly active: string;
  /** Why devices refuse an authority now, or soon will; the service never makes another unasked, since devices have to learn of it. */
  trouble(): string | undefined;
  /** Issues a certificate with CN = `uuid`. The caller stores its fingerprint, which outdates an earlier one. */
  issueDeviceCertificate(uuid: string): Promise<IssuedCertificate>;
  /** Reads the authorities again, and has the next one sign when its time has come. */
  refresh(): Promise<void>;
  /** Calls `listener` when authorities, certificate of the listener or key of tickets have changed. */
  onChange(listener: () => void): void;
}

/** Names under which the device listener is always reachable. */
const ownHosts = ['localhost', '127.0.0.1', '::1'] as const;

const serverSetting = 'identity.server';

/** Server certificates that are kept: a container has another name at each start, and makes one more. */
const keptServers = 32;

/** A server certificate is replaced at start when it has less than this to live. */
const renewalMarginDays = 365;

/** An authority is to be rotated this long before its end: modules may sleep for years, in ms. */
const rotationMarginMs = 5 * 365 * dayMs;

/** What one reading of the records came to. */
interface Reading {
  readonly authorities: readonly AuthorityRow[];
  readonly active: AuthorityRow;
  readonly ca: string;
  readonly server: KeyedCertificate;
  readonly tickets: Buffer;
}

const keyed = ({ certificate, private_key: key }: AuthorityRow): KeyedCertificate => ({ certificate, key });

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
  const names = [...new Set([...ownHosts, ...hosts].map(withoutZone))];
  const listeners: (() => void)[] = [];
  let now = await read();

  async function read(present?: KeyedCertificate): Promise<Reading> {
    const authorities = await openAuthorities({ storage, clock });
    const active = authorities.find(({ state }) => state === 'active');
    if (!active) throw new Error('The records have no active authority');
    // Devices that know the old one only have to be able to verify the listener until that is retired.
    const signer = authorities.find(({ state }) => state === 'retiring') ?? active;
    const server = await openServerCertificate(storage, keyed(signer), names, clock.now(), present);
    const ca = authorities.map(({ certificate }) => certificate).join('');
    const tickets = ticketKeyFor(await openTicketKey({ storage, clock }), ca);
    return { authorities, active, server, ca, tickets };
  }

  return {
    hosts: names,
    get ca() {
      return now.ca;
    },
    get server() {
      return now.server;
    },
    get tickets() {
      return now.tickets;
    },
    get active() {
      return now.active.fingerprint;
    },
    trouble: () => troubleOf(now.authorities, clock.now()),
    async issueDeviceCertificate(uuid) {
      const { active, ca } = now;
      const made = await makeDeviceCertificate(keyed(active), uuid, clock.now(), deviceDays);
      return { ...made, ca, authority: active.fingerprint };
    },
    async refresh() {
      const before = now;
      now = await read(before.server);
      // With other authorities the key of tickets is another one, too.
      if (now.tickets.equals(before.tickets) && now.server.certificate === before.server.certificate) return;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function troubleOf(authorities: readonly AuthorityRow[], nowMs: number): string | undefined {
  for (const { certificate } of authorities) {
    const trouble = timeTrouble(certificate, nowMs);
    if (trouble !== undefined)
      return `The authority of this installation ${trouble}; the clock says ${new Date(nowMs).toISOString()}`;
  }
  const [active] = inBundleOrder(authorities);
  const toMs = active ? validityOf(active.certificate).toMs : Number.POSITIVE_INFINITY;
  if (toMs - nowMs > rotationMarginMs) return undefined;
  return `The authority of this installation ends on ${new Date(toMs).toISOString()}; rotate it before: moorage authority rotate`;
}

async function openServerCertificate(
  storage: Storage,
  authority: KeyedCertificate,
  hosts: readonly string[],
  nowMs: number,
  present?: KeyedCertificate,
): Promise<KeyedCertificate> {
  const fits = ({ certificate }: KeyedCertificate): boolean =>
    serves(certificate, authority.certificate, hosts, nowMs, renewalMarginDays);
  if (present && fits(present)) return present;
  const kept = (await readSettings(storage.db, serverSetting)).map(({ name, value }) => ({ name, ...parse(value) }));
  const found = kept.find(fits);
  if (found) return { certificate: found.certificate, key: found.key };
  const made = await makeServerCertificate(authority, hosts, nowMs);
  // Under a name of these hosts alone: processes on machines of other names keep theirs.
  const name = `${serverSetting}.${hash('sha256', [...hosts].sort().join(), 'hex').slice(0, 16)}`;
  const oldest = kept.sort((one, other) => endMs(other.certificate) - endMs(one.certificate)).slice(keptServers - 1);
  await storage.transaction(async (trx) => {
    for (const old of oldest) await deleteSetting(trx, old.name);
    await replaceSetting(trx, name, JSON.stringify(made));
  });
  return made;
}

/** Only this file writes this setting, so its shape is known. */
const parse = (text: string): KeyedCertificate => JSON.parse(text) as KeyedCertificate;
