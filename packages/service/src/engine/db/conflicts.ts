import type { Transaction } from 'kysely';
import { isForeignKeyViolation, isUniqueViolation } from './errors.ts';
import type { Schema } from './schema.ts';
import type { Storage } from './storage.ts';

/**
 * How often a transaction that lost to others is tried again before its error is a fault. Each time one of the rivals
 * wins, so this is how many may want the same at once.
 */
const conflictAttempts = 60;

/**
 * Runs a transaction that looks before it writes. When another one was faster and an index or foreign key refuses the
 * row, `work` runs again: it then sees what the other wrote, and either goes on or returns its refusal.
 */
export async function transactionOverConflicts<T>(
  storage: Pick<Storage, 'transaction'>,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await storage.transaction(work);
    } catch (error) {
      const lost = isUniqueViolation(error) || isForeignKeyViolation(error);
      if (!lost || attempt === conflictAttempts) throw error;
    }
  }
}
