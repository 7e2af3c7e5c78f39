import type { Migration } from 'kysely';
import {
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  optionalText,
  optionalTime,
  part,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

/** Rehearsals of rollouts, with what they have shown. */
export const rehearsals = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'rehearsals', {
      id: key,
      rollout_id: part('rollouts'),
      number: integer,
      state: text,
      reason: optionalText,
      percent: integer,
      fence: integer,
      devices: integer,
      seeds: integer,
      report: optionalText,
      page: optionalText,
      created_at: time,
      finished_at: optionalTime,
    });
    await makeIndex(db, unique('rehearsals', 'rollout_id', 'number'));
    await makeIndex(db, index('rehearsals', 'state'));
  },
});
