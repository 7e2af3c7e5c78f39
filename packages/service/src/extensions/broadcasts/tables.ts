import * as t from '../../engine/db/table.ts';

export const broadcastTables = {
  /** Lets modules post their status broadcasts without a certificate, for the devices of one user. */
  broadcast_keys: t.table(
    {
      id: t.key,
      user_id: t.part('users'),
      title: t.text,
      /** SHA-256 of the key, hex; unique. */
      key_hash: t.text,
      /** Last 4 characters of the key, to recognise it by. */
      tail: t.text,
      created_at: t.time,
      last_used_at: t.optional(t.time),
    },
    [t.unique('key_hash'), t.index('user_id', 'created_at')],
    { known: ['broadcast key', 'title'] },
  ),
};
