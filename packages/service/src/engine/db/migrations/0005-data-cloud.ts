import type { Migration } from 'kysely';
import {
  type Column,
  flag,
  forgets,
  type Index,
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  part,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

const device = part('devices');
const keyDevice: Column = { ...device, key: true };
const keyName: Column = { type: 'name', key: true };

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  activations: { device_id: keyDevice, user_id: part('users'), capabilities: text, activated_at: time },
  streams: { id: { type: 'counter' }, device_id: device, name: { type: 'name' } },
  sample_batches: { device_id: keyDevice, batch: key, created_at: time },
  controls: { device_id: keyDevice, name: keyName, value: text, at: time, source: text, delivered: flag },
  control_values: {
    id: { type: 'counter' },
    device_id: device,
    name: { type: 'name' },
    value: text,
    at: time,
    source: text,
    user_id: forgets('users'),
  },
  messages: {
    seq: { type: 'counter' },
    id: text,
    device_id: device,
    box: text,
    headers: text,
    data: text,
    length: integer,
    created_at: time,
  },
};

/** A hundred million of these: nothing but the key, which is the order in which they are read, and the value. */
const samples: Readonly<Record<string, Column>> = {
  stream_id: { type: 'int64', key: true, references: ['streams.id', 'cascade'] },
  at: { type: 'int64', key: true },
  seq: { type: 'int64', key: true },
  number: { type: 'real', optional: true },
  text: { type: 'text', optional: true },
};

const indexes: readonly Index[] = [
  unique('streams', 'device_id', 'name'),
  index('sample_batches', 'created_at'),
  index('control_values', 'device_id', 'name', 'at'),
  index('control_values', 'at'),
  unique('messages', 'id'),
  index('messages', 'device_id', 'box', 'seq'),
  index('messages', 'created_at'),
];

/** Activations, streams with their samples, controls and messages of devices. */
export const dataCloud = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    await makeTable(db, ddl, 'samples', samples, { ordered: true });
    for (const wanted of indexes) await makeIndex(db, wanted);
  },
});
