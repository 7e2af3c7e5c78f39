import * as t from '../../engine/db/table.ts';

export const metricTables = {
  /** How often the devices of one owner on one product have asked for an update within an hour. */
  polls: t.table(
    {
      product_id: t.key,
      /** Owner of the devices then; empty for devices without an owner. */
      owner_id: t.key,
      /** Start of the hour. */
      at: t.keyed(t.time),
      polls: t.integer,
    },
    [t.index('at'), t.index('owner_id', 'at')],
  ),
};
