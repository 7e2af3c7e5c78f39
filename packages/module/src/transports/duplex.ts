import type { Duplex } from 'node:stream';
import type { SessionBoard } from '../interpreter/board-port.ts';
import type { Registry } from '../interpreter/registry.ts';
import { Session } from '../interpreter/session.ts';

/** A board as a transport is given it. */
export type AttachableBoard<Board extends SessionBoard> = Board & { readonly registry: Registry<Board> };

/** Hears of a programmer's mistake in a command; without it the mistake is thrown where the process sees it. */
export type OnMistake = (error: unknown) => void;

/** Runs a session over a duplex stream until the stream closes; an error of the stream ends the session. */
export function attachSession<Board extends SessionBoard>(
  board: AttachableBoard<Board>,
  kind: 'serial' | 'terminal',
  stream: Duplex,
  onMistake?: OnMistake,
): void {
  const session = new Session<Board>({
    board,
    registry: board.registry,
    kind,
    ...(onMistake && { onMistake }),
    write: (bytes) => stream.write(bytes),
    ready: () => stream.resume(),
    ended: () => stream.end(),
  });
  stream.on('data', (chunk: Buffer) => {
    if (!session.receive(chunk)) stream.pause();
  });
  stream.on('drain', () => session.drained());
  stream.on('end', () => session.end());
  // What went wrong below is the other side's business: a serial line has nobody to tell.
  stream.on('error', () => session.close());
  stream.on('close', () => session.close());
}
