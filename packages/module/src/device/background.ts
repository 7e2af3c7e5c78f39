import { storeProblem } from '@moorage/base';
import { mishapReason } from '../texts/reasons.ts';
import type { Log } from './log.ts';

/**
 * Runs work that no caller waits for. A store that fails is said in the log, and the work comes to nothing; a mistake of
 * the program is thrown.
 */
export async function inBackground<T>(log: Pick<Log, 'say'>, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (cause) {
    if (storeProblem(cause) === undefined) throw cause;
    log.say(...mishapReason(cause));
    return undefined;
  }
}
