import { unlessAborted } from '@moorage/base';
import { announcedBytes } from './announced.ts';
import { parseArguments } from './arguments.ts';
import type { SessionBoard } from './board-port.ts';
import type { SessionPort } from './command.ts';
import type { Registry } from './registry.ts';
import { codes, fail, type RefusalCode, type Reply, type Response } from './reply.ts';
import { splitPlain, tokenise } from './tokeniser.ts';

/** A line without a word on it: no command has run. */
export const emptyLine = { kind: 'empty' } as const;

/** A line that is no command, or one that is used wrongly. */
interface Refused {
  readonly kind: 'refused';
  readonly response: Response;
  /** Bytes of data that follow it all the same. */
  readonly announced: number | undefined;
}

/** A command with its arguments, ready to run when its turn comes. */
export interface Prepared {
  readonly kind: 'prepared';
  /** Bytes of data that follow the line, whatever comes of it. */
  readonly announced: number | undefined;
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
 * Reads one command line: its length (8), quoting (2), name (3), arguments (4 to 7). What comes back is the refusal or
 * the command that the caller then runs in the board's queue, with the count of data behind the line. Spec: MOD-LINE-order.
 */
export function prepare<Board extends SessionBoard>(
  board: Board,
  registry: Registry<Board>,
  line: string,
  port: SessionPort,
  overflowed = false,
): Refused | typeof emptyLine | Prepared {
  const tokens = tokenise(line);
  const [name, ...rest] = tokens.ok ? tokens.value : splitPlain(line);
  const command = registry.find(name?.text ?? '');
  const announced = command && announcedBytes(command, rest);
  const refuse = (code: RefusalCode): Refused => ({ kind: 'refused', response: fail(code), announced });
  if (overflowed) return refuse(codes.OVERFLOW);
  // Spec: MOD-ERR-2.
  if (!tokens.ok) return refuse(codes.PARSE);
  if (name === undefined) return emptyLine;
  // Spec: MOD-ERR-3.
  if (command === undefined || (board.safeMode && !command.safeMode)) return refuse(codes.UNKNOWN_COMMAND);
  const values = parseArguments(command, rest);
  if (!values.ok) return refuse(values.error);
  const run = (session: SessionPort): Reply | Promise<Reply> => {
    // The values were parsed from the declaration that the types of `run` derive from.
    const reply = command.run(board, values.value as Record<string, never>, session);
    return reply instanceof Promise ? reply.then(checked) : checked(reply);
  };
  const checked = (reply: Reply): Reply => {
    if (reply.kind !== 'data' || reply.size === announced) return reply;
    throw new Error(`'${command.name}' takes ${reply.size} bytes and announces ${announced ?? 'none'}`);
  };
  return {
    kind: 'prepared',
    announced,
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
