import * as t from '../../engine/db/table.ts';
import { storedFile } from '../../engine/db/tables.ts';

export const bundleTables = {
  /** Spec: API-RULE-model-3. */
  bundles: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      firmware_id: t.needs('firmwares'),
      user_id: t.needs('users'),
      state: t.word<'preview' | 'published' | 'archive'>(),
      /** Unique in its product when set. */
      tag: t.optional(t.word<'alpha' | 'beta' | 'release'>()),
      version: t.text,
      version_key: t.text,
      description: t.text,
      remote_id: t.optional(t.text),
      remote_product: t.optional(t.text),
      created_at: t.time,
    },
    [
      // API-BNDL: a version is used once in a product, and at most one bundle of a product carries a tag.
      t.unique('product_id', 'version'),
      { ...t.unique('product_id', 'tag'), where: ['tag'] },
      t.index('firmware_id'),
      t.index('product_id', 'created_at'),
      t.index('product_id', 'version_key'),
      t.index('user_id'),
    ],
    { known: ['bundle', 'version'] },
  ),
  resources: t.table({ ...storedFile, bundle_id: t.part('bundles'), exclude: t.flag }, [
    t.index('bundle_id'),
    t.index('sha256'),
  ]),
  /** What a resource that is an artifact for Mender says of itself. */
  artifact_headers: t.table({
    resource_id: t.keyed(t.part('resources')),
    /** What a device reports that has installed it. */
    name: t.text,
    /** JSON list. */
    device_types: t.text,
  }),
};
