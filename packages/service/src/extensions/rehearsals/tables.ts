import type { RehearsalState } from '@moorage/api';
import * as t from '../../engine/db/table.ts';

export const rehearsalTables = {
  /** A rollout on twins of its fleet. */
  rehearsals: t.table(
    {
      id: t.key,
      rollout_id: t.part('rollouts'),
      /** Among those of its rollout. */
      number: t.integer,
      state: t.word<RehearsalState>(),
      /** Why it has failed. */
      reason: t.optional(t.text),
      percent: t.integer,
      /** Of the work that it is: another one's means that its process is gone. */
      fence: t.integer,
      devices: t.integer,
      seeds: t.integer,
      /** JSON, as the contract has it. */
      report: t.optional(t.text),
      /** The same as a page. */
      page: t.optional(t.text),
      created_at: t.time,
      finished_at: t.optional(t.time),
    },
    [t.unique('rollout_id', 'number'), t.index('state')],
  ),
  /** A person who was refused a rehearsal because another one ran. */
  rehearsal_turns: t.table(
    {
      user_id: t.keyed(t.part('users')),
      /** Of those who wait, the longest is the next. */
      since: t.time,
      /** The last time. */
      asked_at: t.time,
    },
    [t.index('since')],
  ),
};
