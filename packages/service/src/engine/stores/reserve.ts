import { closeSync, openSync, rmSync, writeSync } from 'node:fs';

/** Room that is kept beside the records, in bytes: a few hundred changes, or a log file that begins anew. */
const reserveBytes = 8 * 1024 * 1024;
const pieceBytes = 64 * 1024;

/** Room on the disk of the records for what makes room or must not be lost. */
export interface Reserve {
  /** Lets go of it, for a start or a change on a full disk. */
  release(): void;
  /** Takes it again, as much of it as there is room for. */
  take(): void;
  /** Does work; once more without the reserve when it found no room. It must be all or nothing. */
  use<T>(work: () => Promise<T>, isFull: (error: unknown) => boolean): Promise<T>;
}

/** None: the room of a server is its own affair. */
const noReserve: Reserve = { release() {}, take() {}, use: (work) => work() };

/**
 * Keeps room beside the file of the records, written out: with an address that is no file there is none. What cannot be
 * kept is not, and what it is for finds no room then.
 */
export function openReserve(database: string): Reserve {
  const path = /^sqlite:(.+)$/.exec(database)?.[1];
  if (path === undefined || path === ':memory:') return noReserve;
  const file = `${path}-reserve`;
  const release = () => rmSync(file, { force: true });
  function take(): void {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(file, 'w', 0o600);
      const piece = Buffer.alloc(pieceBytes, 1);
      for (let at = 0; at < reserveBytes; at += pieceBytes) writeSync(descriptor, piece);
    } catch {
      // There is no more room: the records themselves tell.
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
  return {
    release,
    take,
    async use(work, isFull) {
      try {
        return await work();
      } catch (error) {
        if (!isFull(error)) throw error;
      }
      release();
      try {
        return await work();
      } finally {
        take();
      }
    },
  };
}
