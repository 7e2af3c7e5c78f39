import { openUpdateStates } from '@moorage/api';
import type { Db } from '../db/storage.ts';

/** Asks the database for something small; throws when it does not answer. */
export const askDatabase = async (db: Db): Promise<void> => {
  await db.selectFrom('settings').select('name').limit(1).execute();
};

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
