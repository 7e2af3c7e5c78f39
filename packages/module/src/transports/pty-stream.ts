import { readSync, writeSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { errorCode } from '@moorage/base';

/** Waits of a pseudo-terminal, in milliseconds. */
export interface PtyTimings {
  /** Before bytes are offered again to a terminal that is full. */
  readonly retryMs: number;
  /** After which unread output is lost ... */
  readonly unreadMs: number;
  /** ... unless the terminal's program has sent something in this time, and so is there. */
  readonly presentMs: number;
}

export const ptyTimings: PtyTimings = { retryMs: 20, unreadMs: 1_000, presentMs: 30_000 };

/** Bytes that may wait here besides those in the kernel. */
const writableHighWaterMark = 4096;

/** The open ends of a pseudo-terminal. */
interface PtyEnds {
  readonly master: Duplex;
  readonly masterFd: number;
  /** The end that others open, which this process holds so that the terminal outlives them. */
  readonly heldFd: number;
}

/**
 * The master's end as a stream of bytes.
 *
 * Writes go around the package's stream, whose writes block the whole process while the terminal is full. Output
 * that is not read is thrown away after a while, as on a serial line with no device at its end, so that a program that
 * opens the terminal later starts on a clean line.
 */
export function ptyStream({ master, masterFd, heldFd }: PtyEnds, timings: PtyTimings = ptyTimings): Duplex {
  let retry: NodeJS.Timeout | undefined;
  let unread: NodeJS.Timeout | undefined;
  let heardAtMs = Number.NEGATIVE_INFINITY;
  const dropUnread = (): void => {
    if (performance.now() - heardAtMs < timings.presentMs) return;
    const dropped = Buffer.alloc(writableHighWaterMark);
    while (attempt(() => readSync(heldFd, dropped)) > 0);
  };
  const send = (bytes: Buffer, done: (error?: Error) => void): void => {
    let left = stream.destroyed ? noBytes : bytes;
    while (left.length > 0) {
      const written = attempt(() => writeSync(masterFd, left));
      if (written === 0) break;
      clearTimeout(unread);
      unread = setTimeout(dropUnread, timings.unreadMs).unref();
      left = left.subarray(written);
    }
    if (left.length === 0) done();
    else retry = setTimeout(send, timings.retryMs, left, done).unref();
  };
  const stream = new Duplex({
    writableHighWaterMark,
    read: () => master.resume(),
    write: (bytes: Buffer, _encoding, done) => send(bytes, done),
    destroy(error, done) {
      clearTimeout(retry);
      clearTimeout(unread);
      master.destroy();
      done(error);
    },
  });
  master.on('data', (bytes: Buffer) => {
    heardAtMs = performance.now();
    if (!stream.push(bytes)) master.pause();
  });
  master.on('error', (error) => stream.destroy(error));
  return stream;
}

const noBytes = Buffer.alloc(0);

/** How many bytes went; none when the terminal is full or empty. */
function attempt(transfer: () => number): number {
  try {
    return transfer();
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0;
    throw error;
  }
}
