import type { Db } from '../db/storage.ts';
import { readExecutionsAhead, writeExecutionsBehind } from './execution-queries.ts';
import { beginWritingBehind, readMarksOnce, writeRolloutsBehind } from './queries.ts';

/** Begins a transaction of steps of many devices: what rollouts have of them is read at once, and written by `endSteps`. */
export function beginSteps(trx: Db, deviceIds: readonly string[]): Promise<void> {
  readMarksOnce(trx);
  beginWritingBehind(trx);
  return readExecutionsAhead(trx, deviceIds);
}

/** Writes what the steps of a transaction have changed. */
export async function endSteps(trx: Db): Promise<void> {
  await writeRolloutsBehind(trx);
  await writeExecutionsBehind(trx);
}
