import { storeProblem } from '@moorage/base';
import type { SessionBoard } from './board-port.ts';
import { codes, fail, type Response } from './reply.ts';

/** The response to a command whose store has failed, with the reason in the log; `undefined` for a mistake of the program. */
export function storeRefusal(board: Pick<SessionBoard, 'log'>, cause: unknown): Response | undefined {
  const problem = storeProblem(cause);
  if (problem === undefined) return undefined;
  board.log.say(problem === 'full' ? 'storageFull' : 'storageFailed');
  return fail(codes.FAILED);
}
