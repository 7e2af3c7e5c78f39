import type { Board } from '../commands/board.ts';
import { Session, type SessionOrigin } from '../interpreter/session.ts';
import type { Module } from '../module.ts';

/** A program on a command line of a module: what it sends, and what it is sent back. */
export function lineUser(module: Module, pass: (ms: number) => Promise<void>, origin: SessionOrigin = 'serial') {
  let printed = Buffer.alloc(0);
  const session = new Session<Board>({
    board: module,
    registry: module.registry,
    origin,
    write: (bytes) => {
      printed = Buffer.concat([printed, bytes]);
      return true;
    },
    ready: () => {},
    ended: () => {},
  });
  /** Everything that has come since the last call, as bytes (latin1). */
  const said = (): string => {
    const text = printed.toString('latin1');
    printed = Buffer.alloc(0);
    return text;
  };
  return {
    session,
    said,
    /** Sends latin1 bytes; what comes back without time going by. */
    async type(bytes: string): Promise<string> {
      session.receive(Buffer.from(bytes, 'latin1'));
      await pass(0);
      return said();
    },
  };
}
