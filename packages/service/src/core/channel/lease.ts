import { randomUUID } from 'node:crypto';
import type { CancelTimer } from '@moorage/base';
import type { Deps } from '../../engine/http/types.ts';
import { beat, livingProcesses, putProcess, removeDeadProcess, removeProcess } from './queries.ts';

/** Between two signs of life of a process, and between two looks at those of others, in ms. */
const beatMs = 1_500;
/**
 * Looks in a row at which a process has given no new sign of life: then it is gone, at most 9 s after its last one. What
 * counts is looks and not time: while the database stands still there are none.
 */
const silentLooks = 5;

export interface LeaseDeps extends Pick<Deps, 'storage' | 'clock' | 'log'> {
  /** Processes have ended, in order or not: who waits for them need not. */
  readonly gone: (processes: ReadonlySet<string>) => Promise<void>;
  /** This process stood still for so long that others took it for gone. */
  readonly revived: () => void;
}

interface Other {
  readonly beats: number;
  /** Looks since then. */
  readonly silent: number;
}

/**
 * The life of this process among those on one database. Each counts its signs of life in a row, and others compare what
 * they see with what they saw before: no two clocks have to agree. Spec: API-CHAN-online.
 */
export class ProcessLease {
  readonly id = randomUUID();
  readonly #deps: LeaseDeps;
  #others = new Map<string, Other>();
  #signedOn: Promise<unknown> | undefined;
  #looking: Promise<void> | undefined;
  #timer: CancelTimer;
  #failed = false;
  #closed = false;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
    this.#timer = this.#repeat();
  }

  /** Resolves when the records have this process: what it holds would be taken from it without that. */
  signOn(): Promise<unknown> {
    if (this.#closed) return Promise.resolve();
    this.#signedOn ??= putProcess(this.#deps.storage.background.db, this.id, this.#deps.clock.now()).catch((error) => {
      this.#signedOn = undefined;
      throw error;
    });
    return this.#signedOn;
  }

  /** Gives the lease back. With the database away the row stays, and others take this process for gone. */
  async end(): Promise<void> {
    this.#closed = true;
    this.#timer();
    await this.#looking;
    if (!this.#signedOn) return;
    await removeProcess(this.#deps.storage.background.db, this.id).catch((error) =>
      this.#deps.log.error({ err: error }, 'A process could not be signed off'),
    );
  }

  #repeat(): CancelTimer {
    return this.#deps.clock.after(beatMs, () => {
      this.#timer = this.#repeat();
      // One at a time, however slow the database is.
      this.#looking ??= this.#look()
        .then(() => {
          this.#failed = false;
        })
        .catch((error: unknown) => {
          if (!this.#failed) this.#deps.log.error({ err: error }, 'The signs of life of processes are not exchanged');
          this.#failed = true;
        })
        .finally(() => {
          this.#looking = undefined;
        });
    });
  }

  async #look(): Promise<void> {
    const { clock } = this.#deps;
    const { kind, db } = this.#deps.storage.background;
    // A file has one process: nobody would read its signs.
    if (this.#signedOn && kind === 'postgres' && !(await beat(db, this.id, clock.now()))) {
      this.#signedOn = undefined;
      await this.signOn();
      this.#deps.revived();
    }
    const rows = await livingProcesses(db);
    const ended = new Set(this.#others.keys());
    const others = new Map<string, Other>();
    for (const { id, beats } of rows) {
      if (id === this.id) continue;
      const known = this.#others.get(id);
      const silent = known?.beats === beats ? known.silent + 1 : 0;
      // One that gives a sign at the last moment stays.
      if (silent >= silentLooks && (await removeDeadProcess(db, id, beats))) continue;
      ended.delete(id);
      others.set(id, { beats, silent });
    }
    this.#others = others;
    if (ended.size > 0) await this.#deps.gone(ended);
  }
}
