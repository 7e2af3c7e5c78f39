import { parseArguments } from './arguments.ts';
import type { SessionBoard } from './board-port.ts';
import type { SessionPort } from './command.ts';
import type { Registry } from './registry.ts';
import { codes, fail, type Reply } from './reply.ts';
import { tokenise } from './tokeniser.ts';

/** A line without a word on it: no command has run. */
export const emptyLine = { kind: 'empty' } as const;

/**
 * Runs one command line in its turn: quoting (2), name (3), arguments (4 to 7), then the command itself. Synchronous
 * when the command is and no other one runs. Spec: reference module-commands 1.5.
 */
export function dispatch<Board extends SessionBoard>(
  board: Board,
  registry: Registry<Board>,
  line: string,
  port: SessionPort,
): Reply | typeof emptyLine | Promise<Reply> {
  const tokens = tokenise(line);
  if (!tokens.ok) return fail(codes.PARSE);
  const [name, ...rest] = tokens.value;
  if (name === undefined) return emptyLine;
  const command = registry.find(name.text);
  if (command === undefined || (board.safeMode && !command.safeMode)) return fail(codes.UNKNOWN_COMMAND);
  const values = parseArguments(command, rest);
  if (!values.ok) return fail(values.error);
  // The values were parsed from the declaration that the types of `run` derive from.
  const run = (): Reply | Promise<Reply> => command.run(board, values.value as Record<string, never>, port);
  return board.queue.run(run) ?? fail(codes.FAILED);
}
