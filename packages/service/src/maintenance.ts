import { repeat } from '@moorage/base';
import { deleteOldAttempts } from './core/auth/attempt-queries.ts';
import { deleteOldSessions } from './core/auth/queries.ts';
import { removeOldDeliveries } from './core/connectors/engine.ts';
import { removeOldData } from './core/data/retention.ts';
import { mergeDeviceCounts } from './core/devices/counts.ts';
import { logRetentionMs, removeOldLogs } from './core/logs/retention.ts';
import { deletePollsBefore } from './core/metrics/queries.ts';
import { collectGarbage } from './engine/db/blob-records.ts';
import { doForAll, type WorkLease } from './engine/db/leases.ts';
import { sessionIdleS, sessionMaxAgeS } from './engine/http/console-session.ts';
import type { Deps } from './engine/http/types.ts';
import { deleteOldChallenges } from './extensions/accounts/factor-queries.ts';
import { removeOldLinks } from './extensions/accounts/link-mails.ts';
import { deleteOldSignIns } from './extensions/accounts/sso-queries.ts';
import { removeOldAlerts } from './extensions/alerts/engine.ts';
import { removeOldMails } from './extensions/alerts/mails.ts';
import { maintainAudit } from './extensions/audit/keeper.ts';
import { forgetWaiting } from './extensions/doors/queries.ts';

/** What is maintained, and the slices that know how. */
export interface MaintenanceDeps extends Deps {
  /** Ends updates of which nothing was heard for too long. */
  readonly expireUpdates: () => Promise<void>;
  readonly lease: WorkLease;
  /** Does what is due of rollouts; the process that planned it may be gone. */
  readonly runRollouts: () => Promise<void>;
}

/** Between the ends of one round and the start of the next, in milliseconds. */
const intervalMs = 3_600_000;
/** What the clocks of two processes may differ by, in milliseconds. */
const skewMs = 60_000;

/** A device that waits to be let in is forgotten when it has not come again for this long, in milliseconds. */
const waitingMs = 30 * 86_400_000;

/** Work in the background, each piece on its own: what one fails at, the others still do. */
const pieces: readonly { readonly name: string; readonly run: (deps: MaintenanceDeps) => Promise<unknown> }[] = [
  {
    name: 'blobs that nothing refers to',
    run: ({ storage, blobs, clock }) => collectGarbage({ storage, blobs, nowMs: clock.now() }),
  },
  { name: 'old logs', run: removeOldLogs },
  { name: 'the audit', run: maintainAudit },
  {
    name: 'old counts of polls',
    run: ({ storage, clock }) => deletePollsBefore(storage, clock.now() - logRetentionMs),
  },
  { name: 'counts of devices', run: mergeDeviceCounts },
  { name: 'old attempts', run: ({ storage, clock }) => deleteOldAttempts(storage.db, clock.now()) },
  {
    name: 'old sessions',
    run: ({ storage, clock }) =>
      deleteOldSessions(storage.db, clock.now() - sessionMaxAgeS * 1_000, clock.now() - sessionIdleS * 1_000),
  },
  { name: 'old challenges', run: ({ storage, clock }) => deleteOldChallenges(storage.db, clock.now()) },
  { name: 'old links', run: removeOldLinks },
  { name: 'old sign-ins', run: ({ storage, clock }) => deleteOldSignIns(storage.db, clock.now()) },
  { name: 'old deliveries', run: removeOldDeliveries },
  { name: 'old alerts', run: removeOldAlerts },
  { name: 'old mails', run: removeOldMails },
  {
    name: 'devices that no longer wait to be let in',
    run: ({ storage, clock }) => forgetWaiting(storage.db, clock.now() - waitingMs),
  },
  { name: 'old data of devices', run: removeOldData },
  { name: 'what is due of rollouts', run: ({ runRollouts }) => runRollouts() },
  { name: 'updates that never ended', run: ({ expireUpdates }) => expireUpdates() },
];

/** Runs the pieces that no other process has run within an hour, every hour until the returned function is called, which waits for the round under way. */
export function startMaintenance(deps: MaintenanceDeps): () => Promise<void> {
  const { clock, log } = deps;
  const onError = (error: unknown) => log.error({ err: error }, 'Maintenance failed');
  return repeat({ clock, pauseMs: intervalMs, onError }, () =>
    runPieces({ ...deps, storage: deps.storage.background }),
  );
}

async function runPieces(deps: MaintenanceDeps): Promise<void> {
  for (const { name, run } of pieces) {
    const work = async () => {
      await run(deps);
      return true;
    };
    await doForAll(deps, { name, everyMs: intervalMs, skewMs }, work).catch((error: unknown) =>
      deps.log.error({ err: error }, `Maintenance failed: ${name}`),
    );
  }
}
