import type { Kysely, Migration, OnModifyForeignAction } from 'kysely';
import { sql } from 'kysely';
import type { Ddl } from './index.ts';

interface Column {
  readonly type: 'text' | 'int64' | 'counter';
  readonly optional?: true;
  readonly key?: true;
  /** `table.column`, and what happens to this row when that one goes. */
  readonly references?: readonly [target: string, onDelete: OnModifyForeignAction];
}

interface Index {
  readonly table: string;
  readonly columns: readonly string[];
  readonly unique?: true;
  /** Only rows where this column has a value are in the index. */
  readonly whereSet?: string;
}

const text: Column = { type: 'text' };
const optionalText: Column = { type: 'text', optional: true };
const key: Column = { type: 'text', key: true };
const time: Column = { type: 'int64' };
const optionalTime: Column = { type: 'int64', optional: true };
const integer: Column = { type: 'int64' };
const optionalInteger: Column = { type: 'int64', optional: true };
const flag: Column = { type: 'int64' };

const part = (target: string): Column => ({ type: 'text', references: [`${target}.id`, 'cascade'] });
const needs = (target: string): Column => ({ type: 'text', references: [`${target}.id`, 'restrict'] });
const mayHave = (target: string): Column => ({ ...needs(target), optional: true });
const forgets = (target: string): Column => ({
  type: 'text',
  optional: true,
  references: [`${target}.id`, 'set null'],
});
/** A record never points at bytes that are not stored, and bytes in use cannot be forgotten. */
const blob: Column = { type: 'text', references: ['blobs.sha256', 'restrict'] };

const storedFile = {
  filename: text,
  type: text,
  version: text,
  mime: text,
  size: integer,
  crc: integer,
  sha256: blob,
  created_at: time,
};

/**
 * In the order of their references. Two references have no foreign key, because each would close a circle:
 * platforms.product_id and devices.update_id. Logs have none at all: they outlive what they speak of.
 */
const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  settings: { name: key, value: text },
  blobs: { sha256: key, size: integer, created_at: time },
  users: {
    id: key,
    email: text,
    username: text,
    password_hash: text,
    name_given: text,
    name_family: text,
    organisation: text,
    role: text,
    customer_id: optionalText,
    avatar_id: optionalText,
    created_at: time,
  },
  tokens: {
    id: key,
    user_id: part('users'),
    title: text,
    token_hash: text,
    tail: text,
    client: optionalText,
    created_at: time,
    last_used_at: optionalTime,
  },
  platforms: {
    id: key,
    code: text,
    title: text,
    description: text,
    part_id: optionalText,
    manufacturer: optionalText,
    avatar_id: optionalText,
    product_id: optionalText,
    created_at: time,
  },
  flavors: { id: key, code: text, title: text, description: text, sdk: flag, created_at: time },
  platform_flavors: { platform_id: { ...part('platforms'), key: true }, flavor_id: { ...part('flavors'), key: true } },
  firmwares: {
    id: key,
    platform_id: needs('platforms'),
    flavor_id: needs('flavors'),
    label: text,
    version: text,
    version_key: text,
    created_at: time,
  },
  firmware_files: { id: key, firmware_id: part('firmwares'), ...storedFile },
  products: {
    id: key,
    code: text,
    product: text,
    title: text,
    meta: text,
    summary: text,
    description: text,
    user_id: mayHave('users'),
    customer_id: optionalText,
    platform_id: needs('platforms'),
    flavor_id: mayHave('flavors'),
    publication: text,
    trashed: flag,
    claimable: flag,
    production: flag,
    edition: flag,
    part_number: optionalText,
    created_at: time,
    updated_at: time,
  },
  product_users: {
    product_id: { ...part('products'), key: true },
    user_id: { ...part('users'), key: true },
    role: text,
    created_at: time,
  },
  activation_tokens: {
    id: key,
    product_id: part('products'),
    user_id: part('users'),
    token_hash: text,
    tail: text,
    uses_left: integer,
    created_at: time,
  },
  bundles: {
    id: key,
    product_id: part('products'),
    firmware_id: needs('firmwares'),
    user_id: needs('users'),
    state: text,
    tag: optionalText,
    version: text,
    version_key: text,
    description: text,
    remote_id: optionalText,
    remote_product: optionalText,
    created_at: time,
  },
  resources: { id: key, bundle_id: part('bundles'), exclude: flag, ...storedFile },
  devices: {
    id: key,
    uuid: text,
    title: text,
    description: text,
    mac: optionalText,
    bt_addr: optionalText,
    platform_id: needs('platforms'),
    product_id: needs('products'),
    state: text,
    tag: optionalText,
    user_id: forgets('users'),
    provision_token_hash: optionalText,
    provision_status: text,
    certificate_fingerprint: optionalText,
    update_id: optionalInteger,
    bversion: optionalText,
    ip: optionalText,
    created_at: time,
    claimed_at: optionalTime,
    activated_at: optionalTime,
    last_seen_at: optionalTime,
  },
  updates: {
    id: { type: 'counter' },
    device_id: part('devices'),
    product_id: part('products'),
    cause: text,
    from_bundle_id: forgets('bundles'),
    from_bversion: optionalText,
    to_bundle_id: forgets('bundles'),
    to_version: text,
    to_bversion: text,
    state: text,
    result: optionalInteger,
    reason: optionalText,
    created_at: time,
    downloading_at: optionalTime,
    installed_at: optionalTime,
    finished_at: optionalTime,
  },
  logs: {
    id: key,
    type: text,
    level: text,
    message: text,
    user_id: optionalText,
    device_id: optionalText,
    product_id: optionalText,
    bundle_id: optionalText,
    ip: optionalText,
    client: optionalText,
    data: text,
    created_at: time,
  },
};

const unique = (table: string, ...columns: string[]): Index => ({ table, columns, unique: true });
const index = (table: string, ...columns: string[]): Index => ({ table, columns });

/** Unique rules first, then what the lists and the foreign keys need. */
const indexes: readonly Index[] = [
  unique('users', 'email'),
  unique('users', 'username'),
  unique('tokens', 'token_hash'),
  unique('platforms', 'code'),
  unique('platforms', 'part_id'),
  unique('flavors', 'code'),
  unique('firmwares', 'platform_id', 'flavor_id', 'label', 'version'),
  unique('products', 'product'),
  unique('activation_tokens', 'token_hash'),
  // API-BNDL: a version is used once in a product, and at most one bundle of a product carries a tag.
  unique('bundles', 'product_id', 'version'),
  { table: 'bundles', columns: ['product_id', 'tag'], unique: true, whereSet: 'tag' },
  unique('devices', 'uuid'),
  unique('devices', 'mac'),
  index('tokens', 'user_id', 'created_at'),
  index('platform_flavors', 'flavor_id'),
  index('firmwares', 'flavor_id'),
  index('firmware_files', 'firmware_id'),
  index('firmware_files', 'sha256'),
  index('products', 'user_id'),
  index('products', 'platform_id'),
  index('products', 'flavor_id'),
  index('products', 'created_at', 'id'),
  index('product_users', 'user_id'),
  index('activation_tokens', 'product_id'),
  index('activation_tokens', 'user_id'),
  index('bundles', 'product_id', 'version_key'),
  index('bundles', 'product_id', 'created_at'),
  index('bundles', 'firmware_id'),
  index('bundles', 'user_id'),
  index('resources', 'bundle_id'),
  index('resources', 'sha256'),
  index('devices', 'bt_addr'),
  index('devices', 'user_id', 'created_at'),
  index('devices', 'product_id', 'created_at'),
  index('devices', 'platform_id'),
  index('devices', 'created_at', 'id'),
  index('devices', 'provision_token_hash'),
  index('devices', 'update_id'),
  index('updates', 'device_id'),
  index('updates', 'product_id'),
  index('updates', 'from_bundle_id'),
  index('updates', 'to_bundle_id', 'state'),
  index('logs', 'created_at', 'id'),
  index('logs', 'user_id', 'created_at'),
  index('logs', 'device_id', 'created_at'),
  index('logs', 'product_id', 'created_at'),
  index('logs', 'type', 'created_at'),
  index('blobs', 'created_at'),
];

async function makeTable(
  db: Kysely<unknown>,
  ddl: Ddl,
  name: string,
  columns: Readonly<Record<string, Column>>,
): Promise<void> {
  let table = db.schema.createTable(name).modifyEnd(ddl.tableEnd);
  const keys = Object.keys(columns).filter((column) => columns[column]?.key);
  for (const [column, { type, optional, references }] of Object.entries(columns)) {
    if (type === 'counter') {
      table = table.addColumn(column, ddl.int64, (made) => ddl.counter(made.primaryKey()));
      continue;
    }
    table = table.addColumn(column, type === 'int64' ? ddl.int64 : 'text', (made) => {
      const value = optional ? made : made.notNull();
      return references ? value.references(references[0]).onDelete(references[1]) : value;
    });
  }
  // The names of the columns are data here, so the builder's own check of them does not apply.
  if (keys.length > 0) table = table.addPrimaryKeyConstraint(`${name}_key`, keys as never[]);
  await table.execute();
}

async function makeIndex(db: Kysely<unknown>, { table, columns, unique: isUnique, whereSet }: Index): Promise<void> {
  const made = db.schema
    .createIndex([table, ...columns].join('_'))
    .on(table)
    .columns([...columns]);
  const limited = whereSet === undefined ? made : made.where(sql.ref(whereSet), 'is not', null);
  await (isUnique ? limited.unique() : limited).execute();
}

/** All tables of the first version. */
export const initial = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    for (const wanted of indexes) await makeIndex(db, wanted);
  },
});
