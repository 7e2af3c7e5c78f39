import type { ControlledTransactionBuilder, Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** Whether work has returned a failure, a `Result` that is not ok. */
const isFailure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false && 'error' in value;

/** Runs work in a transaction, which is committed unless the work throws or returns a failure. */
export async function runTransaction<T>(
  builder: ControlledTransactionBuilder<Schema>,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const trx = await builder.execute();
  try {
    const outcome = await work(trx);
    if (!isFailure(outcome)) await trx.commit().execute();
    return outcome;
  } finally {
    // Of a commit that fails, too: the connection goes back to the pool without a transaction.
    if (!trx.isCommitted) await trx.rollback().execute();
  }
}
