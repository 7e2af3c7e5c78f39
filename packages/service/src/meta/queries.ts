import { openUpdateStates } from '@moorage/api';
import type { Db } from '../db/storage.ts';

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
