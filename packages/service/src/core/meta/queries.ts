import { openUpdateStates } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';

/** How many devices are in each state. */
export const devicesByState = (db: Db) =>
  db
    .selectFrom('devices')
    .select(['state', (count) => count.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();

/** How many updates that have not ended are in each state. */
export const openUpdatesByState = (db: Db) =>
  db
    .selectFrom('updates')
    .select(['state', (count) => count.fn.countAll<number>().as('count')])
    .where('state', 'in', openUpdateStates)
    .groupBy('state')
    .execute();

/** The newest moment in the records, epoch ms: of the log, of counted polls, and of the life signs of processes. */
export async function newestRecordMs(db: Db): Promise<number | undefined> {
  const { log, poll, process } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('logs')
        .select(({ fn }) => fn.max('created_at').as('at'))
        .as('log'),
      eb
        .selectFrom('polls')
        .select(({ fn }) => fn.max('at').as('at'))
        .as('poll'),
      eb
        .selectFrom('processes')
        .select(({ fn }) => fn.max('seen_at').as('at'))
        .as('process'),
    ])
    .executeTakeFirstOrThrow();
  const known = [log, poll, process].filter((at) => at !== null);
  return known.length === 0 ? undefined : Math.max(...known.map(Number));
}
