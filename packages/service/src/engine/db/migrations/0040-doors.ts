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
  optionalText,
  optionalTime,
  part,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

const ofUpdate: Column = { type: 'int64', key: true, references: ['updates.id', 'cascade'] };

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  product_doors: {
    product_id: { ...part('products'), key: true },
    ddi: flag,
    mender: flag,
    waiting: flag,
    updated_at: time,
  },
  door_tokens: {
    id: key,
    product_id: part('products'),
    door: text,
    title: text,
    token_hash: text,
    tail: text,
    user_id: forgets('users'),
    created_at: time,
    last_used_at: optionalTime,
  },
  door_devices: {
    device_id: { ...part('devices'), key: true },
    product_id: part('products'),
    door: text,
    name: text,
    token_hash: optionalText,
    reported_at: optionalTime,
    created_at: time,
  },
  door_waiting: {
    id: key,
    product_id: part('products'),
    door: text,
    name: text,
    secret_hash: text,
    ip: optionalText,
    first_at: time,
    last_at: time,
  },
  door_updates: {
    update_id: ofUpdate,
    device_id: part('devices'),
    shown_at: time,
    cancel_at: optionalTime,
    closed_at: optionalTime,
  },
  update_messages: { update_id: ofUpdate, seq: { ...integer, key: true }, at: time, step: text, text },
};

const indexes: readonly Index[] = [
  unique('door_tokens', 'token_hash'),
  index('door_tokens', 'product_id', 'created_at'),
  index('door_tokens', 'user_id'),
  unique('door_devices', 'product_id', 'door', 'name'),
  { table: 'door_devices', columns: ['token_hash'], whereSet: 'token_hash' },
  index('door_waiting', 'product_id', 'last_at'),
  index('door_waiting', 'last_at'),
  index('door_updates', 'device_id'),
];

/** Update clients of other makers: how they come in, and what they say. A blob has the check sums that they ask for. */
export const doors = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    for (const wanted of indexes) await makeIndex(db, wanted);
    for (const name of ['sha1', 'md5']) await db.schema.alterTable('blobs').addColumn(name, 'text').execute();
  },
});
