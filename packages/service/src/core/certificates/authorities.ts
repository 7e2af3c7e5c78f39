import { type AuthorityRecord, type Refusal, refusal } from '@moorage/api';
import { dayMs, failure, type Result, success, type Transition, transition } from '@moorage/base';
import { topics } from '../../engine/bus/topics.ts';
import { type LogEntry, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { afterCommit } from '../../engine/db/transaction.ts';
import type { Deps } from '../../engine/http/types.ts';
import { fingerprintOf, makeAuthority, validityOf } from './certificates.ts';
import {
  type AuthorityRow,
  allAuthorities,
  changeAuthority,
  devicesByAuthority,
  insertAuthority,
  liveAuthorities,
} from './queries.ts';

export type AuthorityState = AuthorityRow['state'];

/**
 * Life of an authority. `next`: trusted everywhere, and signs nothing yet. `active`: signs the certificates of devices.
 * `retiring`: still trusted, and still signs the certificate of the device listener. Spec: API-STATE-authority.
 */
export const authorityTransitions: readonly Transition<AuthorityState, 'settled' | 'superseded' | 'retire'>[] = [
  { from: 'next', trigger: 'settled', to: 'active' },
  { from: 'active', trigger: 'superseded', to: 'retiring' },
  { from: 'retiring', trigger: 'retire', to: 'retired' },
];

/** How long a new authority signs nothing, so that every process trusts it when it begins to, in ms. */
export const settleMs = 60_000;

/** A device that has been heard of in this time will come again before long, in ms. */
const recentMs = 30 * dayMs;

type AuthorityDeps = Pick<Deps, 'storage' | 'clock'>;
type Actor = Pick<LogEntry, 'userId' | 'ip' | 'client'>;

/** Order of the certificates in the bundle: a client that reads only the first gets the one that signs. */
const bundleOrder: readonly AuthorityState[] = ['active', 'retiring', 'next'];

/** Those that are trusted: the one that signs comes first. */
export const inBundleOrder = (rows: readonly AuthorityRow[]): AuthorityRow[] =>
  bundleOrder.flatMap((state) => rows.filter((row) => row.state === state));

async function step(trx: Db, row: AuthorityRow, trigger: 'settled' | 'superseded' | 'retire', atMs: number) {
  const to = transition(authorityTransitions, row.state, trigger);
  if (to === undefined) throw new Error(`An authority that is ${row.state} takes no "${trigger}"`);
  await changeAuthority(trx, row.fingerprint, to, atMs);
}

const withState = (rows: readonly AuthorityRow[], state: AuthorityState) => rows.find((row) => row.state === state);

/** What people know it by. */
const nameOf = ({ certificate }: AuthorityRow): string => validityOf(certificate).name;

const newRow = (made: { certificate: string; key: string }, state: AuthorityState, atMs: number): AuthorityRow => ({
  fingerprint: fingerprintOf(made.certificate),
  certificate: made.certificate,
  private_key: made.key,
  state,
  created_at: atMs,
  changed_at: atMs,
});

/**
 * The trusted authorities. The first one is made when there is none; one whose time has come becomes the one that signs.
 * Of several processes that do this at once, one does.
 */
export async function openAuthorities({ storage, clock }: AuthorityDeps): Promise<readonly AuthorityRow[]> {
  const atMs = clock.now();
  const found = await liveAuthorities(storage.db);
  const isDue = (row: AuthorityRow) => row.state === 'next' && atMs - row.changed_at >= settleMs;
  if (found.length > 0 && !found.some(isDue)) return inBundleOrder(found);
  const first = found.length === 0 ? newRow(await makeAuthority(atMs), 'active', atMs) : undefined;
  return storage.transaction(async (trx) => {
    const rows = await liveAuthorities(trx);
    if (rows.length === 0 && first) await insertAuthority(trx, first);
    const due = rows.find(isDue);
    const active = withState(rows, 'active');
    if (due) {
      if (active) await step(trx, active, 'superseded', atMs);
      await step(trx, due, 'settled', atMs);
    }
    return inBundleOrder(await liveAuthorities(trx));
  });
}

/** After the change all processes read the authorities again. */
function announce({ storage }: AuthorityDeps, trx: Db): void {
  afterCommit(trx, () => storage.bus.publish(topics.authorityChanged, {}));
}

/**
 * Makes another authority, which is trusted at once and signs a minute later. The refusal is ROTATION_OPEN.
 * Spec: API-RULE-authority-1.
 */
export async function rotateAuthority(deps: AuthorityDeps, actor: Actor = {}): Promise<Result<void, Refusal>> {
  const atMs = deps.clock.now();
  const made = newRow(await makeAuthority(atMs), 'next', atMs);
  return deps.storage.transaction(async (trx) => {
    const open = (await liveAuthorities(trx)).find(({ state }) => state !== 'active');
    if (open) return failure(refusal('ROTATION_OPEN', { name: nameOf(open) }));
    await insertAuthority(trx, made);
    const data = { fingerprint: made.fingerprint };
    await writeLog(trx, { ...actor, atMs, type: 'authority.rotate', message: 'New authority made', data });
    announce(deps, trx);
    return success(undefined);
  });
}

/**
 * Ends the trust in the authority that has been replaced. Refusals: NOTHING_TO_RETIRE, ROTATION_SETTLING,
 * DEVICES_STRANDED.
 * Spec: API-RULE-authority-2.
 *
 * @param force although devices still go by it, which then have to be provisioned again
 */
export function retireAuthority(
  deps: AuthorityDeps,
  force: boolean,
  actor: Actor = {},
): Promise<Result<void, Refusal>> {
  const atMs = deps.clock.now();
  return deps.storage.transaction(async (trx) => {
    const rows = await liveAuthorities(trx);
    const [old, active] = [withState(rows, 'retiring'), withState(rows, 'active')];
    const next = withState(rows, 'next');
    if (!old && next) return failure(refusal('ROTATION_SETTLING', { name: nameOf(next) }));
    if (!old || !active) return failure(refusal('NOTHING_TO_RETIRE'));
    const stranded = (await devicesByAuthority(trx, 0))
      .filter(({ authority }) => authority !== active.fingerprint)
      .reduce((sum, { devices }) => sum + devices, 0);
    if (stranded > 0 && !force) return failure(refusal('DEVICES_STRANDED', { devices: stranded }));
    await step(trx, old, 'retire', atMs);
    const data = { fingerprint: old.fingerprint, stranded };
    await writeLog(trx, { ...actor, atMs, type: 'authority.retire', message: 'Authority retired', data });
    announce(deps, trx);
    return success(undefined);
  });
}

/** All authorities with the devices that go by each, the newest first. */
export async function listAuthorities({ storage, clock }: AuthorityDeps): Promise<AuthorityRecord[]> {
  const rows = await allAuthorities(storage.db);
  const counts = await devicesByAuthority(storage.db, clock.now() - recentMs);
  return rows.map(({ fingerprint, certificate, state, changed_at }) => {
    const count = counts.find(({ authority }) => authority === fingerprint);
    const { fromMs, toMs, name } = validityOf(certificate);
    return {
      fingerprint,
      name,
      state,
      changed_at: String(changed_at),
      valid_from: String(fromMs),
      valid_to: String(toMs),
      devices: count?.devices ?? 0,
      recent_devices: count?.recent ?? 0,
    };
  });
}
