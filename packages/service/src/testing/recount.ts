import type { Db } from '../engine/db/storage.ts';

/** What the counts of a rollout would be if they were counted now. */
export const recount = (db: Db, rolloutId: string) =>
  db
    .selectFrom('executions')
    .select(['stage', 'state', 'kind'])
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('rollout_id', '=', rolloutId)
    .groupBy(['stage', 'state', 'kind'])
    .execute();
