import { groupWriter } from '../../groups.ts';
import { type SampleBatch, type Samples, takeSequences, valueColumns } from '../../samples.ts';
import type { PostgresPool } from './pool.ts';

// A stream that another process is making is waited for, and seen by the next statement.
const addStreams = `
  insert into streams (device_id, name)
  select t.device_id, t.name from unnest($1::text[], $2::text[]) as t(device_id, name)
  join devices d on d.id = t.device_id order by 1, 2 on conflict do nothing`;

const findStreams = `
  select s.id, s.device_id, s.name from unnest($1::text[], $2::text[]) as t(device_id, name)
  join streams s on s.device_id = t.device_id and s.name = t.name`;

// Samples name their batch by its place in the lists: no id is sent twice.
const addSamples = `
  with fresh as (
    insert into sample_batches (device_id, batch, created_at)
    select t.device_id, t.batch, t.at from unnest($1::text[], $2::text[], $3::bigint[]) as t(device_id, batch, at)
    join devices d on d.id = t.device_id order by 1, 2 on conflict do nothing returning device_id, batch),
  of_batch as (
    select t.place from unnest($1::text[], $2::text[]) with ordinality as t(device_id, batch, place)
    join fresh on fresh.device_id = t.device_id and fresh.batch = t.batch)
  insert into samples (stream_id, at, seq, number, text)
  select t.stream, t.at, $4::bigint + t.place, t.number, t.text
  from unnest($5::int[], $6::bigint[], $7::bigint[], $8::float8[], $9::text[]) with ordinality
    as t(batch, stream, at, number, text, place)
  join of_batch on of_batch.place = t.batch`;

/** Streams whose ids this process knows; when there are more, it asks again. */
const knownStreamLimit = 200_000;

const keyOf = (deviceId: string, name: string): string => `${deviceId} ${name}`;

/** The samples of a group, column by column. */
interface Columns {
  readonly batch: number[];
  readonly stream: number[];
  readonly at: number[];
  readonly number: (number | null)[];
  readonly text: (string | null)[];
}

interface StreamRow {
  readonly id: number;
  readonly device_id: string;
  readonly name: string;
}

/** Samples of devices, on PostgreSQL. */
export function sampleWriter(pool: PostgresPool): Samples['append'] {
  const known = new Map<string, number>();

  /** Makes the streams that are new, and knows the ids of all in the batches then, but for those of devices that are gone. */
  async function learnStreams(batches: readonly SampleBatch[]): Promise<void> {
    const missing = new Map<string, readonly [deviceId: string, name: string]>();
    for (const { deviceId, samples } of batches) {
      for (const { name } of samples) {
        const key = keyOf(deviceId, name);
        if (!known.has(key)) missing.set(key, [deviceId, name]);
      }
    }
    if (missing.size === 0) return;
    const pairs = [...missing.values()];
    const values = [pairs.map(([id]) => id), pairs.map(([, name]) => name)];
    await pool.query(addStreams, values);
    const { rows } = await pool.query<StreamRow>(findStreams, values);
    for (const { id, device_id, name } of rows) known.set(keyOf(device_id, name), id);
  }

  return groupWriter<SampleBatch>(async (given) => {
    // The statement would write the samples of both copies of a batch.
    const batches = [...new Map(given.map((batch) => [keyOf(batch.deviceId, batch.batch), batch])).values()];
    if (known.size > knownStreamLimit) known.clear();
    await learnStreams(batches);
    const columns = { batch: [], stream: [], at: [], number: [], text: [] } as Columns;
    for (const [index, { deviceId, samples }] of batches.entries()) {
      for (const { name, atMs, value } of samples) {
        const stream = known.get(keyOf(deviceId, name));
        // The statement drops the batch as well.
        if (stream === undefined) continue;
        const [number, text] = valueColumns(value);
        columns.batch.push(index + 1);
        columns.stream.push(stream);
        columns.at.push(atMs);
        columns.number.push(number);
        columns.text.push(text);
      }
    }
    await pool.query(addSamples, [
      batches.map(({ deviceId }) => deviceId),
      batches.map(({ batch }) => batch),
      batches.map(({ atMs }) => atMs),
      takeSequences(columns.at.length),
      columns.batch,
      columns.stream,
      columns.at,
      columns.number,
      columns.text,
    ]);
  });
}
