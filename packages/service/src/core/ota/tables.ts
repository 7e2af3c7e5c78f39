import * as t from '../../engine/db/table.ts';

export const otaTables = {
  /** One update of one device: who caused it, from what to what, and when it reached each state. */
  updates: t.table(
    {
      id: t.counter,
      device_id: t.part('devices'),
      product_id: t.part('products'),
      cause: t.word<'device' | 'bridge'>(),
      /** Both become null when the bundle is trashed; the version texts stay. */
      from_bundle_id: t.forgets('bundles'),
      from_bversion: t.optional(t.text),
      to_bundle_id: t.forgets('bundles'),
      to_version: t.text,
      to_bversion: t.text,
      state: t.word<'offered' | 'downloading' | 'installed' | 'done' | 'failed' | 'superseded'>(),
      /** Result code of the module (Reference: wire 4.1), when it has sent one. */
      result: t.optional(t.integer),
      /** Why it failed. */
      reason: t.optional(t.text),
      created_at: t.time,
      downloading_at: t.optional(t.time),
      installed_at: t.optional(t.time),
      finished_at: t.optional(t.time),
    },
    [
      t.index('device_id'),
      t.index('from_bundle_id'),
      t.index('product_id'),
      // What is rare among many, such as failed updates, is found without a walk through all.
      t.index('state'),
      t.index('to_bundle_id', 'state'),
    ],
  ),
};
