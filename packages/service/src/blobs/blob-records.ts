import type { Db, Storage } from '../db/storage.ts';
import type { BlobInfo, BlobStore } from './blob-store.ts';

/** A blob that no record refers to is kept this long after it was last put: its upload may still be on its way. */
const graceMs = 60 * 60_000;
/** Blobs that are forgotten in one transaction; other writers wait for it. */
const batch = 50;

/** Columns that refer to blobs. */
const references = ['firmware_files', 'resources', 'files', 'avatars'] as const;

/**
 * Records a blob that was just put, in the transaction that will point at it, within an hour of the put. Records
 * refer to this row by foreign key, so none can point at bytes that are not there.
 */
export async function recordBlob(trx: Db, { sha256, size }: BlobInfo, atMs: number): Promise<void> {
  await trx
    .insertInto('blobs')
    .values({ sha256, size, created_at: atMs })
    // The refreshed time keeps the collection away from content that was stored before.
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ created_at: atMs }))
    .execute();
}

const unreferenced = (db: Db, beforeMs: number) => {
  let query = db.selectFrom('blobs').select('blobs.sha256').where('blobs.created_at', '<', beforeMs);
  for (const table of references) {
    query = query.where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom(table).select('id').whereRef(`${table}.sha256`, '=', 'blobs.sha256'))),
    );
  }
  return query.limit(batch);
};

/**
 * Removes blobs that no record refers to, and files that were put but never recorded. Safe beside uploads of the same
 * content: a file that was put again meanwhile stays, and a record that is being written keeps its row.
 *
 * @returns how many blobs were removed from the records, and how many unrecorded files were looked at and removed
 */
export async function collectGarbage({
  storage,
  blobs,
  nowMs,
}: {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly nowMs: number;
}): Promise<{ readonly forgotten: number; readonly strays: number }> {
  const beforeMs = nowMs - graceMs;
  let forgotten = 0;
  for (let count = batch; count === batch; forgotten += count) {
    count = await storage.transaction(async (trx) => {
      const rows = await trx
        .deleteFrom('blobs')
        .where('sha256', 'in', unreferenced(trx, beforeMs))
        .returning('sha256')
        .execute();
      // Before the commit: if it fails the rows stay, which then have no file, but nothing refers to them either.
      for (const { sha256 } of rows) await blobs.remove(sha256, beforeMs);
      return rows.length;
    });
  }
  let strays = 0;
  for await (const { sha256, storedAtMs } of blobs.list()) {
    if (storedAtMs >= beforeMs) continue;
    const known = await storage.db.selectFrom('blobs').select('sha256').where('sha256', '=', sha256).executeTakeFirst();
    if (known) continue;
    await blobs.remove(sha256, beforeMs);
    strays += 1;
  }
  return { forgotten, strays };
}
