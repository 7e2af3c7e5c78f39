import { collectGarbage } from './blobs/blob-records.ts';
import { removeOldDeliveries } from './connectors/engine.ts';
import type { Deps } from './core/types.ts';
import { removeOldData } from './data/retention.ts';
import { logRetentionMs, removeOldLogs } from './logs/retention.ts';
import { deletePollsBefore } from './metrics/queries.ts';

/** What is maintained, and the slices that know how. */
export interface MaintenanceDeps extends Deps {
  /** Ends updates of which nothing was heard for too long. */
  readonly expireUpdates: () => Promise<void>;
}

/** Between the ends of one round and the start of the next, in milliseconds. */
const intervalMs = 3_600_000;

/** Work in the background, each piece on its own: what one fails at, the others still do. */
const pieces: readonly { readonly name: string; readonly run: (deps: MaintenanceDeps) => Promise<unknown> }[] = [
  {
    name: 'blobs that nothing refers to',
    run: ({ storage, blobs, clock }) => collectGarbage({ storage, blobs, nowMs: clock.now() }),
  },
  { name: 'old logs', run: removeOldLogs },
  {
    name: 'old counts of polls',
    run: ({ storage, clock }) => deletePollsBefore(storage, clock.now() - logRetentionMs),
  },
  { name: 'old deliveries', run: removeOldDeliveries },
  { name: 'old data of devices', run: removeOldData },
  { name: 'updates that never ended', run: ({ expireUpdates }) => expireUpdates() },
];

/** Runs the pieces every hour until the returned function is called, which waits for the round under way. */
export function startMaintenance(deps: MaintenanceDeps): () => Promise<void> {
  const { clock } = deps;
  let round: Promise<void> = Promise.resolve();
  let stopped = false;
  let cancel = clock.after(intervalMs, begin);

  function begin(): void {
    round = runPieces(deps).then(() => {
      if (!stopped) cancel = clock.after(intervalMs, begin);
    });
  }

  return async () => {
    stopped = true;
    cancel();
    await round;
  };
}

async function runPieces(deps: MaintenanceDeps): Promise<void> {
  for (const { name, run } of pieces) {
    try {
      await run(deps);
    } catch (error) {
      deps.log.error({ err: error }, `Maintenance failed: ${name}`);
    }
  }
}
