import type { Migration } from 'kysely';
import { index, makeIndex, makeTable, part, time } from './columns.ts';
import type { Ddl } from './index.ts';

/** Who waits to rehearse. */
export const rehearsalTurns = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'rehearsal_turns', {
      user_id: { ...part('users'), key: true },
      since: time,
      asked_at: time,
    });
    await makeIndex(db, index('rehearsal_turns', 'since'));
  },
});
