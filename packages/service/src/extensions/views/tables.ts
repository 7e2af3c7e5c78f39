import * as t from '../../engine/db/table.ts';

export const viewTables = {
  /** What a user has saved of a page of some program under a name. */
  saved_views: t.table(
    {
      id: t.key,
      user_id: t.part('users'),
      page: t.text,
      title: t.text,
      /** Text of that program. */
      state: t.text,
      created_at: t.time,
      updated_at: t.time,
    },
    [t.index('user_id', 'page')],
    { known: ['saved view', 'title'] },
  ),
};
