import { groupWriter } from '../../groups.ts';
import { nextSequence, type SampleBatch, type Samples, valueColumns } from '../../samples.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteDatabase } from './database.ts';

const addBatch = `insert into sample_batches (device_id, batch, created_at)
  select id, ?, ? from devices where id = ? on conflict do nothing`;
const addStream = 'insert into streams (device_id, name) values (?, ?) on conflict do nothing';
const addSample = `insert into samples (stream_id, at, seq, number, text)
  select id, ?, ?, ?, ? from streams where device_id = ? and name = ?`;

function writeBatch(connection: SqliteConnection, { deviceId, batch, atMs, samples }: SampleBatch): void {
  const { statement: insertBatch } = connection.prepare(addBatch);
  if (insertBatch.run(batch, atMs, deviceId).changes === 0) return;
  const { statement: insertSample } = connection.prepare(addSample);
  for (const { name, atMs: at, value } of samples) {
    const [number, text] = valueColumns(value);
    const insert = () => insertSample.run(at, nextSequence(), number, text, deviceId, name).changes;
    // The first sample of a stream makes it.
    if (insert() === 0) {
      connection.prepare(addStream).statement.run(deviceId, name);
      insert();
    }
  }
}

/** Samples of devices, on SQLite. */
export const sampleWriter = (database: SqliteDatabase): Samples['append'] =>
  groupWriter<SampleBatch>((batches) =>
    // Nothing here is cached.
    database.writeMarks([], (connection) => {
      connection.db.exec('begin immediate');
      try {
        for (const batch of batches) writeBatch(connection, batch);
        connection.db.exec('commit');
      } catch (error) {
        if (connection.db.isTransaction) connection.db.exec('rollback');
        throw error;
      }
    }),
  );
