import * as t from '../../engine/db/table.ts';

export const logTables = {
  /** None of it has a reference: logs outlive what they speak of. */
  logs: t.table(
    {
      id: t.key,
      type: t.text,
      level: t.word<'info' | 'warning' | 'error'>(),
      message: t.text,
      user_id: t.optional(t.text),
      device_id: t.optional(t.text),
      product_id: t.optional(t.text),
      bundle_id: t.optional(t.text),
      ip: t.optional(t.text),
      client: t.optional(t.text),
      /** JSON text. */
      data: t.text,
      created_at: t.time,
      /** Owner of the device when the row was written: who may read it, even when the device has another owner later. */
      owner_id: t.optional(t.text),
      /** Counted in metrics, but left out of lists that do not ask for the type. */
      quiet: t.withDefault(t.flag, 0),
    },
    [
      // They hold type and quiet, so that counts need no rows; none begins with quiet, which would look narrow and is not.
      t.index('created_at', 'type', 'quiet'),
      t.index('device_id', 'created_at'),
      t.index('level', 'created_at'),
      t.index('owner_id', 'quiet', 'created_at', 'type'),
      t.index('product_id', 'quiet', 'created_at', 'type'),
      t.index('type', 'created_at'),
      t.index('user_id', 'quiet', 'created_at', 'type'),
    ],
  ),
};
