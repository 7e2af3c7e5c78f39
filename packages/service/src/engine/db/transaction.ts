import type { ControlledTransactionBuilder, Transaction } from 'kysely';
import { currentObserver } from './observer.ts';
import { isFailure } from './outcomes.ts';
import type { Schema } from './schema.ts';
import type { Db } from './storage.ts';

/** What waits for the end of a transaction. */
interface Waiting {
  readonly before: (() => Promise<void>)[];
  readonly after: (() => void)[];
}

const waitingIn = new WeakMap<Db, Waiting>();

function waitingOf(trx: Db): Waiting {
  const waiting = waitingIn.get(trx);
  if (!waiting) throw new Error('Only a transaction has an end to wait for');
  return waiting;
}

/** Calls `run` when the work of a transaction has succeeded, to write in it; in order. Throws outside of a transaction. */
export function beforeCommit(trx: Db, run: () => Promise<void>): void {
  waitingOf(trx).before.push(run);
}

/** Calls `run` once the transaction is committed, never if it is rolled back. Throws outside of a transaction. */
export function afterCommit(trx: Db, run: () => void): void {
  waitingOf(trx).after.push(run);
}

/** Runs work in a transaction, which is committed unless the work throws or returns a failure. */
export async function runTransaction<T>(
  builder: ControlledTransactionBuilder<Schema>,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const trx = await builder.execute();
  const waiting: Waiting = { before: [], after: [] };
  waitingIn.set(trx, waiting);
  try {
    const outcome = await work(trx);
    if (!isFailure(outcome)) {
      for (const run of waiting.before) await run();
      await currentObserver()?.committing(trx, outcome);
      await trx.commit().execute();
    }
    for (const run of trx.isCommitted ? waiting.after : []) run();
    return outcome;
  } finally {
    // Of a commit that fails, too: the connection goes back to the pool without a transaction.
    if (!trx.isCommitted) await trx.rollback().execute();
  }
}
