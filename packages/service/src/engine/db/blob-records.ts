import { createHash } from 'node:crypto';
import type { BlobInfo, BlobStore } from '../blobs/blob-store.ts';
import { stateOf } from '../blobs/checked-blobs.ts';
import { countOf } from './paging.ts';
import type { Db, Storage } from './storage.ts';

/** A blob that no record refers to is kept this long after it was last put: its upload may still be on its way. */
const graceMs = 60 * 60_000;
/** The same of one whose record is there: what was put for it is on its way no more. */
const recordedGraceMs = 10 * 60_000;
/** Blobs that are forgotten in one transaction; other writers wait for it. */
const batch = 50;

/** Columns that refer to blobs. */
const references = ['firmware_files', 'resources', 'files', 'avatars'] as const;

/**
 * Records a blob that was just put, in the transaction that will point at it, within an hour of the put. Records
 * refer to this row by foreign key, so none can point at bytes that are not there.
 *
 * @param userId the account whose quota it counts in, if there is one
 */
export async function recordBlob(
  trx: Db,
  { sha256, size, ...blob }: BlobInfo,
  atMs: number,
  userId: string | null,
  digests?: Digests,
): Promise<void> {
  const object = blob.object ?? null;
  const put = { object, created_at: atMs, put_by: userId ?? '', ...digests };
  await trx
    .insertInto('blobs')
    .values({ sha256, size, ...put })
    // The refreshed time keeps the collection away from content that was stored before.
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet(put))
    .execute();
}

/** The object of a blob that its record names, if it names one. */
export async function objectOf(db: Db, sha256: string): Promise<string | undefined> {
  const row = await db.selectFrom('blobs').select('object').where('sha256', '=', sha256).executeTakeFirst();
  return row?.object ?? undefined;
}

/** Check sums beside the one that is the key, lower-case hex. */
export interface Digests {
  readonly sha1: string;
  readonly md5: string;
}

/** Counts the check sums of bytes that come piece by piece. */
export function digestsOfPieces(): { readonly add: (piece: Uint8Array) => void; readonly end: () => Digests } {
  const [sha1, md5] = [createHash('sha1'), createHash('md5')];
  return {
    add(piece) {
      sha1.update(piece);
      md5.update(piece);
    },
    end: () => ({ sha1: sha1.digest('hex'), md5: md5.digest('hex') }),
  };
}

const readBytes = 256 * 1024;

/**
 * The check sums of a recorded blob; read from its bytes and recorded when they are needed for the first time.
 *
 * @throws when the store has lost the blob
 */
export async function digestsOf({ storage, blobs }: DigestDeps, sha256: string): Promise<Digests> {
  const found = storage.db.selectFrom('blobs').select(['sha1', 'md5']).where('sha256', '=', sha256);
  const { sha1, md5 } = (await found.executeTakeFirst()) ?? {};
  if (sha1 && md5) return { sha1, md5 };
  const blob = await blobs.open(sha256);
  if (!blob) throw new Error(`Blob ${sha256} is recorded but not stored`);
  try {
    const counting = digestsOfPieces();
    const buffer = new Uint8Array(readBytes);
    for (let at = 0; at < blob.size; ) {
      const count = await blob.read(buffer, at);
      if (count === 0) throw new Error(`A stored file ended at byte ${at} of ${blob.size}`);
      counting.add(buffer.subarray(0, count));
      at += count;
    }
    const digests = counting.end();
    await storage.db.updateTable('blobs').set(digests).where('sha256', '=', sha256).execute();
    return digests;
  } finally {
    await blob.close();
  }
}

interface DigestDeps {
  readonly storage: Pick<Storage, 'db'>;
  readonly blobs: Pick<BlobStore, 'open'>;
}

/** Blobs that no record refers to. */
const unreferenced = (db: Db) =>
  references.reduce(
    (query, table) =>
      query.where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom(table).select('id').whereRef(`${table}.sha256`, '=', 'blobs.sha256'))),
      ),
    db.selectFrom('blobs'),
  );

/** Bytes that an account has put within the last minutes and that no record refers to any more: they wait for the collection. */
export async function waitingBytes(db: Db, userId: string): Promise<number> {
  const { bytes } = await unreferenced(db)
    .where('blobs.put_by', '=', userId)
    .select(({ fn }) => fn.sum<number | null>('blobs.size').as('bytes'))
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

interface Collection {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly nowMs: number;
}

/** Forgets blobs that no record refers to, of those that were put before a moment; returns how many. */
async function forget({ storage, blobs }: Collection, beforeMs: number, isLate: boolean): Promise<number> {
  let forgotten = 0;
  for (let count = batch; count === batch; forgotten += count) {
    count = await storage.transaction(async (trx) => {
      const found = unreferenced(trx).select('blobs.sha256').where('blobs.created_at', '<', beforeMs).limit(batch);
      const rows = await trx
        .deleteFrom('blobs')
        .where('sha256', 'in', isLate ? found.where('blobs.put_by', 'is not', null) : found)
        .returning('sha256')
        .execute();
      // Before the commit: if it fails the rows stay, which then have no file, but nothing refers to them either.
      for (const { sha256 } of rows) await blobs.remove(sha256, beforeMs);
      return rows.length;
    });
  }
  return forgotten;
}

/**
 * Removes what was put within the last minutes and that no record refers to: a file that is written again and again
 * leaves one content each time. What is in use counts as put no longer. Spec: API-LIMIT-writes.
 */
export async function collectLately(collection: Collection): Promise<number> {
  const beforeMs = collection.nowMs - recordedGraceMs;
  const forgotten = await forget(collection, beforeMs, true);
  const seen = collection.storage.db.updateTable('blobs').set({ put_by: null }).where('put_by', 'is not', null);
  await seen.where('created_at', '<', beforeMs).execute();
  return forgotten;
}

/**
 * Removes blobs that no record refers to, and files that were put but never recorded. Safe beside uploads of the same
 * content: a file that was put again meanwhile stays, and a record that is being written keeps its row.
 *
 * @returns how many blobs were removed from the records, and how many unrecorded files were looked at and removed
 */
export async function collectGarbage(
  collection: Collection,
): Promise<{ readonly forgotten: number; readonly strays: number }> {
  const { storage, blobs, nowMs } = collection;
  const beforeMs = nowMs - graceMs;
  const forgotten = await forget(collection, beforeMs, false);
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

/** Rounds, an hour each, in which all contents are looked at: a week. */
const roundsOfAll = 7 * 24;
/** Contents that one round looks at in any case. */
const leastOfRound = 20;
/** Row of the settings that says how far the rounds have come. */
const positionName = 'files-checked-to';

/** Looks at some of the stored contents, going on where the last round ended. What is wrong, the store remembers. */
export async function checkSome(db: Db, blobs: { verify(sha256: string): Promise<unknown> }): Promise<void> {
  const at = await db.selectFrom('settings').select('value').where('name', '=', positionName).executeTakeFirst();
  const all = await countOf(db.selectFrom('blobs'));
  const limit = Math.max(leastOfRound, Math.ceil(all / roundsOfAll));
  const next = db
    .selectFrom('blobs')
    .select('sha256')
    .where('sha256', '>', at?.value ?? '')
    .orderBy('sha256');
  const rows = await next.limit(limit).execute();
  for (const { sha256 } of rows) {
    await blobs.verify(sha256);
  }
  const value = rows.length < limit ? '' : (rows.at(-1)?.sha256 ?? '');
  await db
    .insertInto('settings')
    .values({ name: positionName, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Looks at all stored contents one after the other: what has become of each, and which records have what is damaged. */
export async function* lookAtBlobs(db: Db, blobs: Pick<BlobStore, 'open'>) {
  for (let after = ''; ; ) {
    const rows = db.selectFrom('blobs').select('sha256').where('sha256', '>', after).orderBy('sha256').limit(1_000);
    const found = await rows.execute();
    for (const { sha256 } of found) {
      const state = await stateOf(blobs, sha256);
      yield { sha256, state, usedBy: state === 'whole' ? [] : await usersOf(db, sha256) };
    }
    const last = found.at(-1);
    if (!last) return;
    after = last.sha256;
  }
}

/** Which records have a content, for people. */
async function usersOf(db: Db, sha256: string): Promise<string[]> {
  const users: string[] = [];
  for (const table of references) {
    const rows = await db.selectFrom(table).select('id').where('sha256', '=', sha256).limit(5).execute();
    users.push(...rows.map(({ id }) => `${table} ${id}`));
  }
  return users;
}
