import type { ControlledTransactionBuilder, Transaction } from 'kysely';
import { auditIn } from './audit.ts';
import { isFailure } from './outcomes.ts';
import type { Schema } from './schema.ts';
import type { Db } from './storage.ts';

/** What happens once a transaction is committed. */
const followUps = new WeakMap<Db, (() => void)[]>();

/** Calls `run` once the transaction is committed, never if it is rolled back. Throws outside of a transaction. */
export function afterCommit(trx: Db, run: () => void): void {
  const waiting = followUps.get(trx);
  if (!waiting) throw new Error('Only a transaction has an end to wait for');
  waiting.push(run);
}

/** Runs work in a transaction, which is committed unless the work throws or returns a failure. */
export async function runTransaction<T>(
  builder: ControlledTransactionBuilder<Schema>,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const trx = await builder.execute();
  const waiting: (() => void)[] = [];
  followUps.set(trx, waiting);
  try {
    const outcome = await work(trx);
    if (!isFailure(outcome)) {
      const audited = await auditIn(trx, outcome);
      if (audited) waiting.push(audited);
      await trx.commit().execute();
    }
    for (const run of trx.isCommitted ? waiting : []) run();
    return outcome;
  } finally {
    // Of a commit that fails, too: the connection goes back to the pool without a transaction.
    if (!trx.isCommitted) await trx.rollback().execute();
  }
}
