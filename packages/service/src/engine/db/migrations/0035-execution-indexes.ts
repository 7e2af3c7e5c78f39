import type { Migration } from 'kysely';

/** The devices of a rollout in one state are found by the longer of two indexes that begin alike: the other only cost time. */
export const executionIndexes = (): Migration => ({
  async up(db) {
    await db.schema.dropIndex('executions_rollout_id_state_changed_at').execute();
  },
});
