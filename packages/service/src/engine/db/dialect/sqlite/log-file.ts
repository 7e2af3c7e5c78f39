import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '@moorage/base';
import { StorageError } from '../../../stores/health.ts';
import { groupWriter } from '../../groups.ts';

/** A disk that takes longer at the mean, in ms, is slow: for so long nothing else would go on here. */
const slowMs = 2;
/** What the last time counts in that mean. */
const lastShare = 0.2;
/** How long a slow disk is waited for elsewhere, in ms, before it is tried here again: twice as long after each try, up to a limit. */
const elsewhereMs = { first: 2_000, most: 60_000 } as const;

/** What brings a file to the disk: in this thread, or in another one. */
export interface DiskSync {
  here(descriptor: number): void;
  elsewhere(descriptor: number): Promise<void>;
}

const diskSync: DiskSync = { here: fdatasyncSync, elsewhere: promisify(fdatasync) };

/**
 * The log file of a database, and when what is in it is on the disk. A quick disk is waited for at once, which costs
 * less than to ask another thread; a slow one, a memory card for instance, by another thread, so that it stops no request.
 */
export class LogFile {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #disk: DiskSync;
  #descriptor: number | undefined;
  #meanMs = 0;
  #slowUntilMs = Number.NEGATIVE_INFINITY;
  #elsewhereMs: number = elsewhereMs.first;
  #failure: StorageError | undefined;

  /** @param path of the database; the file is there once something has been written */
  constructor(path: string, clock: Pick<Clock, 'monotonic'>, disk = diskSync) {
    this.#path = `${path}-wal`;
    this.#clock = clock;
    this.#disk = disk;
  }

  /** Whether the disk is to be waited for elsewhere now. */
  get isSlow(): boolean {
    return this.#clock.monotonic() < this.#slowUntilMs;
  }

  /** Those who come while the disk is at work share its next turn. */
  readonly #syncShared = groupWriter<undefined>(() => this.#guarded(this.#disk.elsewhere));

  /**
   * Resolves when all that was committed before is durable. Rejects when the disk fails, and from then on always: it
   * does not tell a second time what it has lost, and what is committed later would build upon that.
   */
  async sync(): Promise<void> {
    if (this.isSlow) return this.#syncShared(undefined);
    const startMs = this.#clock.monotonic();
    await this.#guarded(this.#disk.here);
    const endMs = this.#clock.monotonic();
    this.#meanMs += (endMs - startMs - this.#meanMs) * lastShare;
    if (this.#meanMs <= slowMs) return;
    const isAgain = startMs - this.#slowUntilMs < this.#elsewhereMs;
    this.#elsewhereMs = isAgain ? Math.min(this.#elsewhereMs * 2, elsewhereMs.most) : elsewhereMs.first;
    this.#slowUntilMs = endMs + this.#elsewhereMs;
    this.#meanMs = 0;
  }

  async #guarded(sync: (descriptor: number) => void | Promise<void>): Promise<void> {
    if (this.#failure) throw this.#failure;
    try {
      this.#descriptor ??= openSync(this.#path, 'r+');
      await sync(this.#descriptor);
    } catch (error) {
      const message = 'The disk did not take what was committed. Restart the service when it is well again';
      this.#failure = new StorageError({ kind: 'away', what: 'database' }, message, error);
      throw this.#failure;
    }
  }

  /** To be called when nothing is written any more; waits for what the disk is at. */
  async close(): Promise<void> {
    if (this.#descriptor === undefined) return;
    // Who waits for it is told of a failure.
    await this.#syncShared(undefined).catch(() => {});
    closeSync(this.#descriptor);
  }
}
