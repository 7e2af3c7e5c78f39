import { unlessAborted } from '@moorage/base';
import { parseArguments } from './arguments.ts';
import type { SessionBoard } from './board-port.ts';
import type { SessionPort } from './command.ts';
import type { Registry } from './registry.ts';
import { codes, fail, type Reply, type Response } from './reply.ts';
import { tokenise } from './tokeniser.ts';

/** A line without a word on it: no command has run. */
export const emptyLine = { kind: 'empty' } as const;

/** A command with its arguments, ready to run when its turn comes. */
export interface Prepared {
  readonly kind: 'prepared';
  /** It only waits: others may run meanwhile, and the signal ends it. */
  readonly waits: boolean;
  readonly run: (signal?: AbortSignal) => Reply | Promise<Reply>;
}

/** The reply, or a failure once the signal is aborted. */
export const replyUnlessAborted = async <R extends Reply>(
  signal: AbortSignal,
  reply: R | Promise<R>,
): Promise<R | Response> =>
  // A reply that is here already is not late.
  (await unlessAborted(signal, Promise.resolve(reply))) ?? fail(codes.FAILED);

/**
 * Reads one command line: quoting (2), name (3), arguments (4 to 7). What comes back is the refusal or the command that
 * the caller then runs in the board's queue. Spec: MOD-LINE-order.
 */
export function prepare<Board extends SessionBoard>(
  board: Board,
  registry: Registry<Board>,
  line: string,
  port: SessionPort,
): Response | typeof emptyLine | Prepared {
  const tokens = tokenise(line);
  // Spec: MOD-ERR-2.
  if (!tokens.ok) return fail(codes.PARSE);
  const [name, ...rest] = tokens.value;
  if (name === undefined) return emptyLine;
  // Spec: MOD-ERR-3.
  const command = registry.find(name.text);
  if (command === undefined || (board.safeMode && !command.safeMode)) return fail(codes.UNKNOWN_COMMAND);
  const values = parseArguments(command, rest);
  if (!values.ok) return fail(values.error);
  // The values were parsed from the declaration that the types of `run` derive from.
  const run = (session: SessionPort) => command.run(board, values.value as Record<string, never>, session);
  return {
    kind: 'prepared',
    waits: command.waitsFor !== undefined,
    run: (signal) => {
      if (signal?.aborted) return fail(codes.FAILED);
      return run(
        signal
          ? {
              origin: port.origin,
              ask: (question) => (signal.aborted ? Promise.resolve(undefined) : port.ask(question)),
              signal,
            }
          : port,
      );
    },
  };
}
