import * as t from '../../engine/db/table.ts';
import { storedBytes } from '../../engine/db/tables.ts';

export const fileTables = {
  /** A file in the store of a device or of a product: exactly one of the two is set. */
  files: t.table(
    {
      ...storedBytes,
      device_id: t.optional(t.part('devices')),
      product_id: t.optional(t.part('products')),
      /** Segments with slashes between them; unique in its store. */
      path: t.name,
      /** Four-part version, when the uploader gave one. */
      version: t.optional(t.text),
      updated_at: t.time,
    },
    [
      // A path is there once in a store.
      { ...t.unique('device_id', 'path'), where: ['device_id'] },
      { ...t.unique('product_id', 'path'), where: ['product_id'] },
      t.index('sha256'),
    ],
  ),
};
