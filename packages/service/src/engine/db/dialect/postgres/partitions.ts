import { type Kysely, sql } from 'kysely';
import { removeRows } from '../../sample-rows.ts';
import type { Samples } from '../../samples.ts';
import type { Db } from '../../storage.ts';
import { tableSamples } from '../../table-samples.ts';

const weekMs = 7 * 86_400_000;
/** Partitions are there this long before their time, in ms: a service that stands still for less misses none. */
const aheadMs = 2 * weekMs;
/** How long this waits for those who read or write samples, in ms, and others behind it. */
const lockTimeoutMs = 500;

/** The first one has no beginning: samples that come late. The last one has no end: those of clocks that are ahead. */
const first = 'samples_early';
const last = 'samples_later';

interface Partition {
  readonly name: string;
  /** Epoch ms; `to` is the first that is not in it. */
  readonly from: number;
  readonly to: number;
}

const startOfWeek = (atMs: number): number => atMs - (atMs % weekMs);

/** A table of its own name for each beginning, by day: `samples_20261126`. */
const nameOf = (fromMs: number): string => `samples_${new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The partitions that are missing, when the last one begins at `endMs`: weeks, and one for all that was missed. */
export function missingPartitions(endMs: number, nowMs: number): readonly Partition[] {
  const week = startOfWeek(nowMs);
  const missing: Partition[] = [];
  let from = endMs;
  while (from < nowMs + aheadMs) {
    const to = from < week ? week : from + weekMs;
    missing.push({ name: nameOf(from), from, to });
    from = to;
  }
  return missing;
}

/** The partitions, from the first to the last. */
async function partitionsOf(db: Db): Promise<readonly Partition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'samples'::regclass`.execute(db);
  const number = (bound: string, side: 'FROM' | 'TO', open: number): number =>
    Number(new RegExp(`${side} \\('(-?\\d+)'\\)`).exec(bound)?.[1] ?? open);
  return rows
    .map(({ name, bound }) => ({
      name,
      from: number(bound, 'FROM', Number.NEGATIVE_INFINITY),
      to: number(bound, 'TO', Number.POSITIVE_INFINITY),
    }))
    .sort((a, b) => a.from - b.from);
}

const limit = (atMs: number) => (Number.isFinite(atMs) ? sql.lit(atMs) : sql.raw(atMs < 0 ? 'minvalue' : 'maxvalue'));

const addPartition = (db: Db, { name, from, to }: Partition) =>
  sql`create table ${sql.table(name)} partition of samples for values from (${limit(from)}) to (${limit(to)})`.execute(
    db,
  );

/** The first partitions of the table of samples: what was before this week ends, the weeks to come, and what is beyond. */
export async function splitSamples(own: Kysely<unknown>): Promise<void> {
  // Safe: of the schema nothing is used but the samples.
  const db = own as Db;
  const now = await sql<{ ms: number }>`select floor(extract(epoch from now()) * 1000)::bigint as ms`.execute(db);
  const endMs = startOfWeek(now.rows[0]?.ms ?? 0) + weekMs;
  const weeks = missingPartitions(endMs, endMs);
  await addPartition(db, { name: first, from: Number.NEGATIVE_INFINITY, to: endMs });
  for (const week of weeks) await addPartition(db, week);
  await addPartition(db, { name: last, from: weeks.at(-1)?.to ?? endMs, to: Number.POSITIVE_INFINITY });
}

/** Makes a partition of part of what the last one has. */
async function splitLast(db: Db, missing: readonly Partition[]): Promise<void> {
  const endMs = missing.at(-1)?.to;
  if (endMs === undefined) return;
  await sql`alter table samples detach partition ${sql.table(last)}`.execute(db);
  for (const partition of missing) await addPartition(db, partition);
  await sql`with arrived as (delete from ${sql.table(last)} where at < ${sql.lit(endMs)} returning *)
    insert into samples select * from arrived`.execute(db);
  await sql`alter table samples attach partition ${sql.table(last)}
    for values from (${sql.lit(endMs)}) to (maxvalue)`.execute(db);
}

/** Drops partitions that are too old as a whole; what still comes from that time has a place again. */
async function dropOld(db: Db, old: readonly Partition[]): Promise<void> {
  const to = old.at(-1)?.to;
  if (to === undefined) return;
  for (const { name } of old) await sql`drop table ${sql.table(name)}`.execute(db);
  await addPartition(db, { name: first, from: Number.NEGATIVE_INFINITY, to });
}

const changesOf = (partitions: readonly Partition[], nowMs: number, beforeMs: number) => {
  const old = partitions.filter(({ to }) => to <= beforeMs);
  return {
    // The first one alone is emptied row by row: what comes too late is little.
    old: old.length > 1 ? old : [],
    missing: missingPartitions(partitions.at(-1)?.from ?? nowMs, nowMs),
  };
};

/** Brings the partitions to the present. Of several processes at once the second one finds nothing to do. */
async function turnPartitions(db: Db, nowMs: number, beforeMs: number): Promise<void> {
  const due = changesOf(await partitionsOf(db), nowMs, beforeMs);
  if (due.old.length + due.missing.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(trx);
    // Not the partitions themselves, which the server may be vacuuming.
    await sql`lock table only samples in access exclusive mode`.execute(trx);
    const { old, missing } = changesOf(await partitionsOf(trx), nowMs, beforeMs);
    await splitLast(trx, missing);
    await dropOld(trx, old);
  });
}

/**
 * Samples in partitions of a week. One that is too old is dropped as a whole, so that samples may stay up to a week
 * longer; only of the first partition rows are removed one by one.
 */
export const partitionedSamples = (db: Db, append: Samples['append']): Samples => ({
  ...tableSamples(db, append),
  async maintain(nowMs, beforeMs) {
    const [early] = await partitionsOf(db);
    await removeRows(db, Math.min(beforeMs, early?.to ?? beforeMs));
    await turnPartitions(db, nowMs, beforeMs);
  },
});
