import { Worker } from 'node:worker_threads';
import type { CancelTimer, Clock } from '@moorage/base';
import type { SqliteConnection } from './connection.ts';

/** How long after a write its pages are moved at the latest, when there is peace. */
const intervalMs = 1_000;
/** So many pages are moved at once in passing; more are left to a thread of their own. */
const inlinePages = 500;

/**
 * Moves committed pages from the log file into the database file some time after writes. Many pages take long enough
 * to be felt, so a second thread moves those; what was written meanwhile is few, and moving it here at last lets the
 * log begin anew instead of growing.
 */
export class Checkpointer {
  readonly #path: string;
  readonly #writer: SqliteConnection;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  #cancel: CancelTimer | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(path: string, writer: SqliteConnection, clock: Clock, onError: (error: Error) => void) {
    this.#path = path;
    this.#onError = onError;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** To be called after each write. */
  noteWrite(): void {
    if (this.#cancel || this.#closed) return;
    this.#cancel = this.#clock.after(intervalMs, () => this.#guarded(() => this.#move()));
  }

  /** A checkpoint is not awaited: its failure is logged, and the next write asks for another. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#cancel = undefined;
      this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #move(): void {
    // The end of an open transaction is a write, which asks again.
    if (this.#writer.db.isTransaction) this.#cancel = undefined;
    else if (this.#waitingPages() > inlinePages) this.#moveElsewhere();
    else this.#moveHere();
  }

  /** Pages in the log that the database file does not have yet. */
  #waitingPages(): number {
    // Safe: the statement answers with one row of these columns.
    const [row] = this.#writer.all('pragma wal_checkpoint(noop)', []) as { log: number; checkpointed: number }[];
    return row ? row.log - row.checkpointed : 0;
  }

  #moveHere(): void {
    this.#cancel = undefined;
    if (!this.#closed && !this.#writer.db.isTransaction) this.#writer.db.exec('pragma wal_checkpoint(passive)');
  }

  #moveElsewhere(): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage('checkpoint');
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: this.#path });
    // It never keeps the process alive.
    worker.unref();
    worker.on('message', () => this.#guarded(() => this.#moveHere()));
    worker.on('error', (error) => {
      this.#worker = undefined;
      this.#onError(error instanceof Error ? error : new Error(String(error)));
      // Without the thread the pages are moved here, which is slower and just as right.
      this.#guarded(() => this.#moveHere());
    });
    return worker;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#worker?.terminate();
  }
}
