import type { ControlledTransactionBuilder, Transaction } from 'kysely';
import type { Db, Expressions } from './expressions.ts';
import { currentObserver } from './observer.ts';
import { isFailure } from './outcomes.ts';
import type { Schema } from './schema.ts';
import { type Followers, Work } from './work.ts';

const works = new WeakMap<Db, Work>();

/** The work that a transaction is, for who has its handle alone. Throws outside of a transaction. */
export function workOf(trx: Db): Work {
  const work = works.get(trx);
  if (!work) throw new Error('Only a transaction is a work');
  return work;
}

/** Calls `run` once the transaction is committed, never if it is rolled back. Throws outside of a transaction. */
export const afterCommit = (trx: Db, run: () => void): void => workOf(trx).afterCommit(run);

/** Runs work in a transaction, which is committed unless the work throws or returns a failure. */
export async function runTransaction<T>(
  builder: ControlledTransactionBuilder<Schema>,
  { expressions, followers }: { readonly expressions: Expressions; readonly followers: Followers },
  run: (trx: Transaction<Schema>, work: Work) => Promise<T>,
): Promise<T> {
  const trx = await builder.execute();
  const work = new Work(trx, expressions, followers);
  works.set(trx, work);
  try {
    const outcome = await run(trx, work);
    if (!isFailure(outcome)) {
      await work.settle();
      await currentObserver()?.committing(trx, outcome);
      await trx.commit().execute();
    }
    if (trx.isCommitted) work.follow();
    return outcome;
  } finally {
    // Of a commit that fails, too: the connection goes back to the pool without a transaction.
    if (!trx.isCommitted) await trx.rollback().execute();
  }
}
