import { groupWriter } from '../../groups.ts';
import { type SampleBatch, type Samples, takeSequences, valueColumns } from '../../samples.ts';
import type { PostgresPool } from './pool.ts';

// A stream that another process is making is waited for, and seen by the next statement.
const addStreams = `
  insert into streams (device_id, name)
  select t.device_id, t.name from unnest($1::text[], $2::text[]) as t(device_id, name)
  join devices d on d.id = t.device_id order by 1, 2 on conflict do nothing`;

// Samples name their batch and their stream by its place in the lists: a join of numbers, and no id is sent twice.
const addSamples = `
  with fresh as (
    insert into sample_batches (device_id, batch, created_at)
    select t.device_id, t.batch, t.at from unnest($1::text[], $2::text[], $3::bigint[]) as t(device_id, batch, at)
    join devices d on d.id = t.device_id order by 1, 2 on conflict do nothing returning device_id, batch),
  of_batch as (
    select t.place from unnest($1::text[], $2::text[]) with ordinality as t(device_id, batch, place)
    join fresh on fresh.device_id = t.device_id and fresh.batch = t.batch),
  of_stream as (
    select t.place, s.id from unnest($4::text[], $5::text[]) with ordinality as t(device_id, name, place)
    join streams s on s.device_id = t.device_id and s.name = t.name)
  insert into samples (stream_id, at, seq, number, text)
  select of_stream.id, t.at, $6::bigint + t.place, t.number, t.text
  from unnest($7::int[], $8::int[], $9::bigint[], $10::float8[], $11::text[]) with ordinality
    as t(batch, stream, at, number, text, place)
  join of_batch on of_batch.place = t.batch
  join of_stream on of_stream.place = t.stream`;

/** Streams of which this process knows that they exist; when there are more, it asks again. */
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

/** Samples of devices, on PostgreSQL. */
export function sampleWriter(pool: PostgresPool): Samples['append'] {
  const known = new Set<string>();

  async function makeStreams(batches: readonly SampleBatch[]): Promise<void> {
    const missing = new Map<string, readonly [deviceId: string, name: string]>();
    for (const { deviceId, samples } of batches) {
      for (const { name } of samples) {
        const key = keyOf(deviceId, name);
        if (!known.has(key)) missing.set(key, [deviceId, name]);
      }
    }
    if (missing.size === 0) return;
    const pairs = [...missing.values()];
    await pool.query({ text: addStreams, values: [pairs.map(([id]) => id), pairs.map(([, name]) => name)] });
    if (known.size > knownStreamLimit) known.clear();
    for (const key of missing.keys()) known.add(key);
  }

  return groupWriter<SampleBatch>(async (given) => {
    // The statement would write the samples of both copies of a batch.
    const batches = [...new Map(given.map((batch) => [keyOf(batch.deviceId, batch.batch), batch])).values()];
    await makeStreams(batches);
    const streams = new Map<string, { readonly place: number; readonly deviceId: string; readonly name: string }>();
    const columns = { batch: [], stream: [], at: [], number: [], text: [] } as Columns;
    for (const [index, { deviceId, samples }] of batches.entries()) {
      for (const { name, atMs, value } of samples) {
        const key = keyOf(deviceId, name);
        const stream = streams.get(key) ?? { place: streams.size + 1, deviceId, name };
        streams.set(key, stream);
        const [number, text] = valueColumns(value);
        columns.batch.push(index + 1);
        columns.stream.push(stream.place);
        columns.at.push(atMs);
        columns.number.push(number);
        columns.text.push(text);
      }
    }
    const named = [...streams.values()];
    await pool.query({
      name: 'add-samples',
      text: addSamples,
      values: [
        batches.map(({ deviceId }) => deviceId),
        batches.map(({ batch }) => batch),
        batches.map(({ atMs }) => atMs),
        named.map(({ deviceId }) => deviceId),
        named.map(({ name }) => name),
        takeSequences(columns.at.length),
        columns.batch,
        columns.stream,
        columns.at,
        columns.number,
        columns.text,
      ],
    });
  });
}
