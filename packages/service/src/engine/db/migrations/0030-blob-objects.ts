import type { Migration } from 'kysely';

/** Which object of an object store holds a blob, so that it is read without a list of them. */
export const blobObjects = (): Migration => ({
  async up(db) {
    await db.schema.alterTable('blobs').addColumn('object', 'text').execute();
  },
});
