import { sql } from 'kysely';
import { samplesIn } from './sample-rows.ts';
import type { Bucket, SampleRange } from './samples.ts';
import type { Db } from './storage.ts';

/** An interval, or the part of one that has been read; `numbers` of its samples are numbers. */
interface Part extends Omit<Bucket, 'text'> {
  readonly numbers: number;
  /** When its last sample was. */
  readonly last: number;
}

/**
 * Samples that are read at once. A stream may have millions, and SQLite reads them where everything else is done: between
 * two portions others have their turn.
 */
const portionSamples = 20_000;

/** Of two parts of one interval the whole. */
const merged = (newer: Part, older: Part): Part => {
  const numbers = newer.numbers + older.numbers;
  const least = [newer.min, older.min].filter((value) => value !== null);
  const greatest = [newer.max, older.max].filter((value) => value !== null);
  const share = (part: Part) => (part.mean ?? 0) * (part.numbers / numbers);
  return {
    at: newer.at,
    last: newer.last,
    count: newer.count + older.count,
    numbers,
    min: least.length > 0 ? Math.min(...least) : null,
    max: greatest.length > 0 ? Math.max(...greatest) : null,
    mean: numbers > 0 ? share(newer) + share(older) : null,
  };
};

/** The newest intervals of a range that have samples, oldest first. Spec: API-DATA-down-sampling. */
export async function bucketsOf(db: Db, range: SampleRange, intervalMs: number, texts: boolean): Promise<Bucket[]> {
  const parts: Part[] = [];
  let { to } = range;
  for (;;) {
    const { from, rows } = await newestPortion(db, { ...range, to }, intervalMs);
    for (const row of rows) {
      const newer = parts.at(-1);
      if (newer?.at === row.at) parts[parts.length - 1] = merged(newer, row);
      else parts.push(row);
    }
    // One more than asked for: the last one may have a part that has not been read.
    if (from === range.from || parts.length > range.limit) break;
    to = from;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const newest = parts.slice(0, range.limit);
  const ends = texts ? await textsAt(db, range, newest) : new Map<number, string | null>();
  return newest
    .reverse()
    .map(({ at, count, min, max, mean, last }) => ({ at, count, min, max, mean, text: ends.get(last) ?? null }));
}

/** The intervals of the newest samples of a range, newest first, and where those begin. */
async function newestPortion(
  db: Db,
  range: SampleRange,
  intervalMs: number,
): Promise<{ from: number | undefined; rows: Part[] }> {
  const beyond = await samplesIn(db, range)
    .select('at')
    .orderBy('at', 'desc')
    .offset(portionSamples)
    .limit(1)
    .executeTakeFirst();
  const from = beyond ? beyond.at + 1 : range.from;
  const rows = await partsOf(db, { ...range, from }, intervalMs);
  if (!beyond || rows.length > 0) return { from, rows };
  // More than a portion within one millisecond.
  return { from: beyond.at, rows: await partsOf(db, { ...range, from: beyond.at }, intervalMs) };
}

function partsOf(db: Db, range: SampleRange, intervalMs: number): Promise<Part[]> {
  // Both databases divide whole numbers without a remainder; times are never negative.
  const start = sql<number>`(at / ${sql.lit(intervalMs)}) * ${sql.lit(intervalMs)}`;
  return samplesIn(db, range)
    .select(({ fn }) => [
      start.as('start'),
      fn.countAll<number>().as('count'),
      fn.count<number>('number').as('numbers'),
      fn.min<number | null>('number').as('min'),
      fn.max<number | null>('number').as('max'),
      // An average would be computed with squares, which overflow on PostgreSQL.
      fn.sum<number | null>('number').as('sum'),
      fn.max<number>('at').as('last'),
    ])
    .groupBy(start)
    .orderBy('start', 'desc')
    .execute()
    .then((rows) =>
      rows.map(({ start: at, sum, ...row }) => ({ at, ...row, mean: sum === null ? null : sum / row.numbers })),
    );
}

/** The last texts of the milliseconds in which these intervals ended. */
async function textsAt(
  db: Db,
  range: SampleRange,
  parts: readonly Part[],
): Promise<ReadonlyMap<number, string | null>> {
  if (parts.length === 0) return new Map();
  const rows = await samplesIn(db, range)
    .select(['at', 'text'])
    .where(
      'at',
      'in',
      parts.map(({ last }) => last),
    )
    .orderBy('at')
    .orderBy('seq')
    .execute();
  return new Map(rows.map(({ at, text }) => [at, text]));
}
