import { hourMs, minuteMs, repeat } from '@moorage/base';
import { collectGarbage, collectLately } from '../engine/db/blob-records.ts';
import { doForAll, type WorkLease } from '../engine/db/leases.ts';
import { sessionIdleS, sessionMaxAgeS } from '../engine/http/console-session.ts';
import type { Deps } from '../engine/http/types.ts';
import { deleteOldAttempts } from './auth/attempt-queries.ts';
import { deleteOldSessions } from './auth/queries.ts';
import { removeOldDeliveries } from './connectors/engine.ts';
import { removeOldData } from './data/retention.ts';
import { mergeDeviceCounts } from './devices/counts.ts';
import { logRetentionMs, removeOldLogs } from './logs/retention.ts';
import { deletePollsBefore } from './metrics/queries.ts';

/** Work in the background that is done once in a while, each piece on its own: what one fails at, the others still do. */
export interface MaintenancePiece {
  /** What is maintained. */
  readonly name: string;
  readonly run: (deps: Deps) => Promise<unknown>;
  /** How often it is due, in milliseconds; every hour without it. */
  readonly everyMs?: number;
}

/** Between the ends of one round and the start of the next, in milliseconds: what is not due waits for a later one. */
const roundMs = 5 * minuteMs;
/** What the clocks of two processes may differ by, in milliseconds. */
const skewMs = 60_000;

/** What is maintained of the core. */
export const corePieces: readonly MaintenancePiece[] = [
  {
    name: 'blobs that were put lately and that nothing refers to',
    everyMs: roundMs,
    run: ({ storage, blobs, clock }) => collectLately({ storage, blobs, nowMs: clock.now() }),
  },
  {
    name: 'blobs that nothing refers to',
    run: ({ storage, blobs, clock }) => collectGarbage({ storage, blobs, nowMs: clock.now() }),
  },
  { name: 'old logs', run: removeOldLogs },
  {
    name: 'old counts of polls',
    run: ({ storage, clock, settings }) => deletePollsBefore(storage, clock.now() - logRetentionMs(settings)),
  },
  { name: 'counts of devices', run: mergeDeviceCounts },
  { name: 'old attempts', run: ({ storage, clock }) => deleteOldAttempts(storage.db, clock.now()) },
  {
    name: 'old sessions',
    run: ({ storage, clock }) =>
      deleteOldSessions(storage.db, clock.now() - sessionMaxAgeS * 1_000, clock.now() - sessionIdleS * 1_000),
  },
  { name: 'old deliveries', run: removeOldDeliveries },
  { name: 'old data of devices', run: removeOldData },
  { name: 'room in the database', run: async ({ storage }) => storage.shrink?.() },
];

/**
 * Runs the pieces that are due and that no other process has run, some minutes after the start and every so often from
 * then on, until the returned function is called, which waits for the round under way.
 */
export function startMaintenance(
  deps: Deps & { readonly lease: WorkLease },
  pieces: readonly MaintenancePiece[],
): () => Promise<void> {
  const { clock, log } = deps;
  const onError = (error: unknown) => log.error({ err: error }, 'Maintenance failed');
  return repeat({ clock, pauseMs: roundMs, onError }, async () => {
    for (const { name, run, everyMs = hourMs } of pieces) {
      const work = async () => {
        // What it removes makes room.
        await deps.reserve.use(async () => run(deps), deps.health.isFull);
        return true;
      };
      await doForAll(deps, { name, everyMs, skewMs }, work).catch((error: unknown) =>
        log.error({ err: error }, `Maintenance failed: ${name}`),
      );
    }
  });
}
