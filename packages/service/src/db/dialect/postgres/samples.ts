import { groupWriter } from '../../group-writer.ts';
import { nextSequence, type SampleBatch, valueColumns, type WriteSamples } from '../../samples.ts';
import type { PostgresPool } from './pool.ts';

// A stream that another process is making is waited for, and seen by the next statement.
const addStreams = `
  insert into streams (device_id, name)
  select t.device_id, t.name from unnest($1::text[], $2::text[]) as t(device_id, name)
  join devices d on d.id = t.device_id order by 1, 2 on conflict do nothing`;

const addSamples = `
  with fresh as (
    insert into sample_batches (device_id, batch, created_at)
    select t.device_id, t.batch, t.at from unnest($1::text[], $2::text[], $3::bigint[]) as t(device_id, batch, at)
    join devices d on d.id = t.device_id order by 1, 2 on conflict do nothing returning device_id, batch)
  insert into samples (stream_id, at, seq, number, text)
  select s.id, t.at, t.seq, t.number, t.text
  from unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::float8[], $10::text[])
    as t(device_id, batch, name, at, seq, number, text)
  join fresh on fresh.device_id = t.device_id and fresh.batch = t.batch
  join streams s on s.device_id = t.device_id and s.name = t.name`;

/** Streams of which this process knows that they exist; when there are more, it asks again. */
const knownStreamLimit = 200_000;

const keyOf = (deviceId: string, name: string): string => `${deviceId} ${name}`;

/** Samples of devices, on PostgreSQL. */
export function sampleWriter(pool: PostgresPool): WriteSamples {
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
    const rows = batches.flatMap(({ deviceId, batch, samples }) =>
      samples.map(({ name, atMs, value }) => [deviceId, batch, name, atMs, nextSequence(), ...valueColumns(value)]),
    );
    const column = (index: number) => rows.map((row) => row[index]);
    await pool.query({
      name: 'add-samples',
      text: addSamples,
      values: [
        batches.map(({ deviceId }) => deviceId),
        batches.map(({ batch }) => batch),
        batches.map(({ atMs }) => atMs),
        ...[0, 1, 2, 3, 4, 5, 6].map(column),
      ],
    });
  });
}
