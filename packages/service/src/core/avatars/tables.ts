import * as t from '../../engine/db/table.ts';
import { storedBytes } from '../../engine/db/tables.ts';

export const avatarTables = {
  /** The picture of a user or of a platform: exactly one of the two is set. */
  avatars: t.table(
    {
      ...storedBytes,
      user_id: t.optional(t.part('users')),
      platform_id: t.optional(t.part('platforms')),
    },
    [
      { ...t.unique('platform_id'), where: ['platform_id'] },
      { ...t.unique('user_id'), where: ['user_id'] },
      t.index('sha256'),
    ],
  ),
};
