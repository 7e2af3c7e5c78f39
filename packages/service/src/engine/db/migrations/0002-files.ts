import type { Migration } from 'kysely';
import {
  blob,
  type Column,
  type Index,
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  mayBePart,
  optionalText,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

const stored = { mime: text, size: integer, crc: integer, sha256: blob };

/** Exactly one of the owners of a row is set; the row goes when its owner does. */
const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  files: {
    id: key,
    device_id: mayBePart('devices'),
    product_id: mayBePart('products'),
    path: { type: 'name' },
    version: optionalText,
    ...stored,
    created_at: time,
    updated_at: time,
  },
  avatars: { id: key, user_id: mayBePart('users'), platform_id: mayBePart('platforms'), ...stored, created_at: time },
};

const indexes: readonly Index[] = [
  // A path is there once in a store, and an owner has one avatar.
  { ...unique('files', 'device_id', 'path'), whereSet: 'device_id' },
  { ...unique('files', 'product_id', 'path'), whereSet: 'product_id' },
  { ...unique('avatars', 'user_id'), whereSet: 'user_id' },
  { ...unique('avatars', 'platform_id'), whereSet: 'platform_id' },
  index('files', 'sha256'),
  index('avatars', 'sha256'),
];

/** Files of devices and products, and avatars. */
export const files = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    for (const wanted of indexes) await makeIndex(db, wanted);
  },
});
