import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from './storage.ts';

/** What a row of the log says happened, and to what. */
export interface Logged {
  /** For people: what happened, in a sentence without a final period. */
  readonly message: string;
  readonly userId?: string | null;
  readonly deviceId?: string | null;
  readonly productId?: string | null;
  readonly bundleId?: string | null;
}

/** Follows what the work of one call writes, and may write beside it. */
export interface TransactionObserver {
  /** Rows are added to the log. */
  logged(trx: Db, rows: readonly Logged[]): void;
  /** A record is made. */
  made(id: string): void;
  /** A record is changed or removed that was this before, by the names that its endpoints give the fields. */
  was(record: object): void;
  /** A transaction is about to be committed: what is written in it now is kept with its work. */
  committing(trx: Db, outcome: unknown): Promise<void>;
}

const observers = new AsyncLocalStorage<TransactionObserver>();

/** Runs work whose transactions somebody follows. */
export const observed = <T>(observer: TransactionObserver, work: () => T): T => observers.run(observer, work);

/** Who follows the work that runs. */
export const currentObserver = (): TransactionObserver | undefined => observers.getStore();

/** Says in a transaction what it has made: the contract promises it (`audit`). */
export const noteMade = (id: string): void => currentObserver()?.made(id);

/** Says in a transaction what is there before it, where no endpoint reads it. */
export const noteBefore = (record: object): void => currentObserver()?.was(record);
