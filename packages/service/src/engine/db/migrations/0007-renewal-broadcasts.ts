import type { Migration } from 'kysely';
import {
  type Column,
  type Index,
  index,
  key,
  makeIndex,
  makeTable,
  optionalTime,
  part,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  retired_certificates: { fingerprint: key, device_id: part('devices'), retired_at: time, seen_at: optionalTime },
  broadcast_keys: {
    id: key,
    user_id: part('users'),
    title: text,
    key_hash: text,
    tail: text,
    created_at: time,
    last_used_at: optionalTime,
  },
};

const indexes: readonly Index[] = [
  index('retired_certificates', 'device_id'),
  unique('broadcast_keys', 'key_hash'),
  index('broadcast_keys', 'user_id', 'created_at'),
];

/** Certificates of devices before and after the one in use, and keys for status broadcasts. */
export const renewalBroadcasts = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    await db.schema.alterTable('devices').addColumn('next_fingerprint', 'text').execute();
    for (const wanted of indexes) await makeIndex(db, wanted);
  },
});
