import { groupWriter } from '../../groups.ts';
import { nextSequence, type SampleBatch, type Samples, valueColumns } from '../../samples.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteDatabase } from './database.ts';

const addBatch = `insert into sample_batches (device_id, batch, created_at)
  select id, ?, ? from devices where id = ? on conflict do nothing`;
const findStream = 'select id from streams where device_id = ? and name = ?';
const addStream = 'insert into streams (device_id, name) values (?, ?) returning id';
const addSample = 'insert into samples (stream_id, at, seq, number, text) values (?, ?, ?, ?, ?)';

/** The stream of a device, which its first sample makes. */
function streamId(connection: SqliteConnection, deviceId: string, name: string): number {
  const row = connection.get(findStream, deviceId, name) ?? connection.get(addStream, deviceId, name);
  // Safe: one of the statements has given it.
  return (row as { readonly id: number }).id;
}

function writeBatch(connection: SqliteConnection, { deviceId, batch, atMs, samples }: SampleBatch): void {
  const { statement: insertBatch } = connection.prepare(addBatch);
  if (insertBatch.run(batch, atMs, deviceId).changes === 0) return;
  const { statement: insertSample } = connection.prepare(addSample);
  const streams = new Map<string, number>();
  for (const { name, atMs: at, value } of samples) {
    const stream = streams.get(name) ?? streamId(connection, deviceId, name);
    streams.set(name, stream);
    insertSample.run(stream, at, nextSequence(), ...valueColumns(value));
  }
}

/** Samples of devices, on SQLite. */
export const sampleWriter = (database: SqliteDatabase): Samples['append'] =>
  groupWriter<SampleBatch>((batches) =>
    // Nothing here is cached.
    database.writeMarks((connection) => {
      for (const batch of batches) writeBatch(connection, batch);
    }),
  );
