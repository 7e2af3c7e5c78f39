import { Worker } from 'node:worker_threads';
import type { CancelTimer, Clock } from '@moorage/base';
import type { SqliteConnection } from './connection.ts';
import type { Mutex } from './mutex.ts';

/**
 * How long after a write its pages are moved at the latest, when there is peace. With a slow disk that is more seldom: the
 * first write to a log that begins anew waits for the disk here.
 */
const intervalMs = { quick: 1_000, slow: 10_000 } as const;
/** So many pages are moved at once in passing; more are left to a thread of their own. */
const inlinePages = 500;

/** What the checkpointer works on. */
export interface CheckpointDeps {
  readonly path: string;
  readonly writer: SqliteConnection;
  readonly mutex: Mutex;
  readonly clock: Clock;
  /** Whether the disk is too slow to be waited for here. */
  readonly isSlow: () => boolean;
  readonly onError: (error: Error) => void;
}

/**
 * Moves committed pages from the log file into the database file some time after writes. Many pages take long enough
 * to be felt, so a second thread moves those; what was written meanwhile is few, and moving it at last while nothing is
 * written lets the log begin anew instead of growing. That is done here, or with a slow disk by the thread as well.
 */
export class Checkpointer {
  readonly #deps: CheckpointDeps;
  #cancel: CancelTimer | undefined;
  #worker: Worker | undefined;
  #closed = false;
  /** The thread is at what nothing may be written beside. */
  #isLast = false;

  constructor(deps: CheckpointDeps) {
    this.#deps = deps;
  }

  /** To be called after each write. */
  noteWrite(): void {
    if (this.#cancel || this.#closed) return;
    const { clock, isSlow } = this.#deps;
    const delayMs = isSlow() ? intervalMs.slow : intervalMs.quick;
    this.#cancel = clock.after(delayMs, () => this.#guarded(() => this.#move()));
  }

  /** A checkpoint is not awaited: its failure is logged, and the next write asks for another. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#cancel = undefined;
    this.#deps.onError(error instanceof Error ? error : new Error(String(error)));
  }

  #move(): void {
    const { writer, isSlow } = this.#deps;
    // The end of an open transaction is a write, which asks again.
    if (writer.db.isTransaction) this.#cancel = undefined;
    else if (isSlow() || this.#waitingPages() > inlinePages) this.#moveElsewhere();
    else this.#moveHere();
  }

  /** Pages in the log that the database file does not have yet. */
  #waitingPages(): number {
    // Safe: the statement answers with one row of these columns.
    const [row] = this.#deps.writer.all('pragma wal_checkpoint(noop)', []) as { log: number; checkpointed: number }[];
    return row ? row.log - row.checkpointed : 0;
  }

  #moveHere(): void {
    this.#cancel = undefined;
    const { db } = this.#deps.writer;
    if (!this.#closed && !db.isTransaction) db.exec('pragma wal_checkpoint(passive)');
  }

  #moveElsewhere(): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage('checkpoint');
  }

  /** The thread has moved what there was when it began. */
  #moveRest(): void {
    if (!this.#deps.isSlow()) this.#moveHere();
    else this.#moveLast().catch((error: unknown) => this.#failed(error));
  }

  /** Writers wait meanwhile, readers do not. */
  async #moveLast(): Promise<void> {
    await this.#deps.mutex.lock();
    this.#isLast = true;
    if (this.#closed) this.#endLast();
    else this.#moveElsewhere();
  }

  #endLast(): void {
    if (this.#isLast) this.#deps.mutex.unlock();
    this.#isLast = false;
    this.#cancel = undefined;
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: this.#deps.path });
    // It never keeps the process alive.
    worker.unref();
    worker.on('message', () => {
      if (this.#isLast) this.#endLast();
      else this.#guarded(() => this.#moveRest());
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      this.#endLast();
      this.#deps.onError(error instanceof Error ? error : new Error(String(error)));
      // Without the thread the pages are moved here, which is slower and just as right.
      this.#guarded(() => this.#moveHere());
    });
    return worker;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#worker?.terminate();
    this.#endLast();
  }
}
