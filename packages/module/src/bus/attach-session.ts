import type { Duplex } from 'node:stream';
import type { SessionBoard } from '../interpreter/board-port.ts';
import type { Registry } from '../interpreter/registry.ts';
import { Session, type SessionOrigin } from '../interpreter/session.ts';
import type { Bus } from './bus.ts';
import { BusPort, type SerialPlace } from './bus-port.ts';

/** A board as a transport is given it; without a bus its serial line is a command line for good. */
export type AttachableBoard<Board extends SessionBoard> = Board & {
  readonly registry: Registry<Board>;
  readonly bus?: Bus;
};

/** Called with a programmer's mistake in a command; without it the mistake is thrown where the process sees it. */
export type OnMistake = (error: unknown) => void;

/** Runs a session over a duplex stream until the stream closes; an error of the stream ends the session. */
export function attachSession<Board extends SessionBoard>(
  board: AttachableBoard<Board>,
  origin: SessionOrigin,
  stream: Duplex,
  onMistake?: OnMistake,
  place: SerialPlace = {},
): void {
  const { bus, registry } = board;
  if (origin === 'serial' && bus) {
    const wire = wireOf(stream);
    const port = new BusPort<Board>({ board, registry, bus, wire, onMistake, ...place });
    stream.on('data', (chunk: Buffer) => port.receive(chunk));
    tie(stream, port);
    return;
  }
  attachCommandLine(board, origin, stream, onMistake);
}

/** The same for a command line that is never anything else. */
export function attachCommandLine<Board extends SessionBoard>(
  board: AttachableBoard<Board>,
  origin: SessionOrigin,
  stream: Duplex,
  onMistake?: OnMistake,
): Session<Board> {
  const wire = wireOf(stream);
  const session = new Session<Board>({
    board,
    registry: board.registry,
    origin,
    ...(onMistake && { onMistake }),
    write: wire.write,
    writeAll: wire.writeAll,
    ready: wire.resume,
    ended: wire.end,
  });
  stream.on('data', (chunk: Buffer) => {
    if (!session.receive(chunk)) stream.pause();
  });
  tie(stream, session);
  return session;
}

function tie(stream: Duplex, user: { drained(): void; end(): void; close(): void }): void {
  stream.on('drain', () => user.drained());
  stream.on('end', () => user.end());
  // The user of a serial line cannot be sent an error of the stream below it.
  stream.on('error', () => user.close());
  stream.on('close', () => user.close());
}

const wireOf = (stream: Duplex) => ({
  write: (bytes: Uint8Array): boolean => stream.write(bytes),
  writeAll: (pieces: readonly Uint8Array[]): boolean => {
    stream.cork();
    const taken = pieces.map((piece) => stream.write(piece));
    stream.uncork();
    return !taken.includes(false);
  },
  pause: (): void => void stream.pause(),
  resume: (): void => void stream.resume(),
  end: (): void => void stream.end(),
});
