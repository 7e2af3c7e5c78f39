import type { Db } from '../../engine/db/storage.ts';

/** When the attempts of a bucket were made, epoch ms, and the text that says so. */
export async function timesOf(
  db: Db,
  bucket: string,
): Promise<{ readonly times: readonly number[]; readonly text: string } | undefined> {
  const row = await db.selectFrom('attempts').select('times').where('bucket', '=', bucket).executeTakeFirst();
  // Safe: only this file writes them.
  return row && { times: JSON.parse(row.times) as number[], text: row.times };
}

/** Replaces the attempts of a bucket in one statement; false when they are not those that were read. */
export async function replaceAttempts(
  db: Db,
  bucket: string,
  read: string | undefined,
  times: readonly number[],
  expiresAt: number,
): Promise<boolean> {
  const values = { times: JSON.stringify(times), expires_at: expiresAt };
  if (read === undefined) {
    const { numInsertedOrUpdatedRows: inserted = 0n } = await db
      .insertInto('attempts')
      .values({ bucket, ...values })
      .onConflict((conflict) => conflict.column('bucket').doNothing())
      .executeTakeFirst();
    return inserted > 0n;
  }
  const { numUpdatedRows } = await db
    .updateTable('attempts')
    .set(values)
    .where('bucket', '=', bucket)
    .where('times', '=', read)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteAttempts(db: Db, bucket: string): Promise<void> {
  await db.deleteFrom('attempts').where('bucket', '=', bucket).execute();
}

/** Forgets attempts that no longer count. */
export const deleteOldAttempts = (db: Db, nowMs: number) =>
  db.deleteFrom('attempts').where('expires_at', '<', nowMs).execute();
