import { dayMs } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import type { Deps } from '../../engine/http/types.ts';
import { dropBefore, seal } from './queries.ts';

/** A change gets its place in the chain this much later, in ms: many at a time cost no more than one. */
const sealAfterMs = 1_000;

/** Gives changes their places in the chain, soon after they were made. */
export interface AuditKeeper {
  /** There is a change that waits. */
  soon(): void;
  close(): Promise<void>;
}

/** Seals what has been changed at this process. */
export function auditKeeper({
  storage,
  clock,
  log,
  health,
}: Pick<Deps, 'storage' | 'clock' | 'log' | 'health'>): AuditKeeper {
  let cancel: (() => void) | undefined;
  let sealing: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    await sealing;
    await seal(storage.background).catch((error: unknown) => {
      // They wait on: every list, and the maintenance, seals as well.
      if (!health.troubleOf(error)) log.error({ err: error }, 'Changes could not be added to the audit');
    });
  };
  return {
    soon() {
      cancel ??= clock.after(sealAfterMs, () => {
        cancel = undefined;
        sealing = run();
      });
    },
    async close() {
      cancel?.();
      await sealing;
    },
  };
}

/** Gives what waits its place, and lets go what is older than it is kept. Spec: API-RULE-audit-3. */
export async function maintainAudit({
  storage,
  clock,
  settings,
}: Pick<Deps, 'storage' | 'clock' | 'settings'>): Promise<void> {
  await seal(storage);
  const { auditDays } = settings;
  if (auditDays === 0) return;
  const beforeMs = clock.now() - auditDays * dayMs;
  await removeInBatches(storage, (trx, rows) => dropBefore(storage, trx, beforeMs, rows));
}
