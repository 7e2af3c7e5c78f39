import type { SampleRange, SampleRow } from './samples.ts';
import type { Db } from './storage.ts';

/** Rows of one statement that removes: others wait no longer than one takes. */
const batchRows = 1_000;
/** Streams looked at in one query. */
const streamPage = 500;

/** The samples of a range. */
export function samplesIn(db: Db, { deviceId, name, from, to }: SampleRange) {
  let samples = db
    .selectFrom('samples')
    .where('stream_id', '=', (where) =>
      where.selectFrom('streams').select('id').where('device_id', '=', deviceId).where('name', '=', name),
    );
  if (from !== undefined) samples = samples.where('at', '>=', from);
  if (to !== undefined) samples = samples.where('at', '<', to);
  return samples;
}

/** The newest samples of a range, oldest first. */
export async function newestOf(db: Db, range: SampleRange): Promise<SampleRow[]> {
  const rows = await samplesIn(db, range)
    .select(['at', 'number', 'text'])
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(range.limit)
    .execute();
  return rows.reverse();
}

/** The last sample of each stream of a device, by name. */
export async function lastOf(db: Db, deviceId: string): Promise<ReadonlyMap<string, SampleRow>> {
  const streams = await db.selectFrom('streams').select(['id', 'name']).where('device_id', '=', deviceId).execute();
  const found = await Promise.all(
    streams.map(async ({ id, name }) => {
      const row = await db
        .selectFrom('samples')
        .select(['at', 'number', 'text'])
        .where('stream_id', '=', id)
        .orderBy('at', 'desc')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && ([name, row] as const);
    }),
  );
  return new Map(found.filter((entry) => entry !== undefined));
}

/** Stream by stream: the key of samples begins with the stream, and an index by time alone would double their size. */
export async function removeRows(db: Db, beforeMs: number): Promise<void> {
  for (let after = 0; ; ) {
    const streams = await db
      .selectFrom('streams')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(streamPage)
      .execute();
    for (const { id } of streams) await removeRowsOf(db, id, beforeMs);
    const last = streams.at(-1);
    if (!last || streams.length < streamPage) return;
    after = last.id;
  }
}

/** The oldest first, some at a time: a stream that has been written for a year must not keep others from writing. */
async function removeRowsOf(db: Db, streamId: number, beforeMs: number): Promise<void> {
  for (;;) {
    const old = db.selectFrom('samples').where('stream_id', '=', streamId).where('at', '<', beforeMs);
    const last = await old.select('at').orderBy('at').offset(batchRows).limit(1).executeTakeFirst();
    await db
      .deleteFrom('samples')
      .where('stream_id', '=', streamId)
      .where('at', last ? '<=' : '<', last?.at ?? beforeMs)
      .execute();
    if (!last) return;
  }
}
