import { randomBytes, randomUUID } from 'node:crypto';
import { type Clock, parseVersion, unwrap, versionSortKey } from '@moorage/base';
import { makeToken } from '../core/auth/accounts.ts';
import type { BlobStore } from '../engine/blobs/blob-store.ts';
import { recordBlob } from '../engine/db/blob-records.ts';
import type { NewRow, Row, Schema } from '../engine/db/schema.ts';
import type { Storage } from '../engine/db/storage.ts';

type Some<T extends keyof Schema> = Partial<NewRow<T>>;

/** A user and a bearer token of theirs. */
export type MadeUser = Row<'users'> & { readonly token: string };

/** Password hash that no password has, cheap to check: users made here log in with their token. */
const noPassword = `$argon2id$v=19$m=8,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

interface Sources {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** What every maker needs: a table to put rows into, numbers for names, and the time. */
function rowsOf({ storage, clock }: Sources) {
  let count = 0;
  const next = (): number => ++count;
  const now = () => clock.now();

  /** Inserts a row and gives it back as the database has it. */
  async function insert<T extends keyof Schema>(table: T, values: NewRow<T>): Promise<Row<T>> {
    const row = await storage.db.insertInto(table).values(values).returningAll().executeTakeFirstOrThrow();
    // Safe: all columns of the table were asked for.
    return row as Row<T>;
  }

  return { insert, next, now, storage };
}

type Rows = ReturnType<typeof rowsOf>;

function peopleMakers({ insert, next, now, storage }: Rows) {
  async function user(values: Some<'users'> = {}): Promise<MadeUser> {
    const number = next();
    const row = await insert('users', {
      id: randomUUID(),
      email: `user${number}@example.com`,
      username: `user${number}`,
      password_hash: noPassword,
      name_given: 'Given',
      name_family: 'Family',
      organisation: 'Organisation',
      role: 'user',
      customer_id: null,
      avatar_id: null,
      created_at: now(),
      disabled_at: null,
      second_factor: 0,
      ...values,
    });
    const atMs = now();
    const made = await makeToken(storage.db, { userId: row.id, title: 'Test', client: null, atMs, provenAtMs: atMs });
    return { ...row, token: made.token };
  }

  const admin = (values: Some<'users'> = {}): Promise<MadeUser> => user({ role: 'admin', ...values });

  return { user, admin };
}

function productMakers({ insert, next, now }: Rows) {
  async function product(values: Some<'products'> & { platform_id: string }): Promise<Row<'products'>> {
    const number = next();
    return insert('products', {
      id: randomUUID(),
      code: `CODE${number}`,
      product: `OWNER-CODE${number}`,
      title: `Product ${number}`,
      meta: '',
      summary: '',
      description: '',
      user_id: null,
      customer_id: null,
      flavor_id: null,
      publication: 'preview',
      trashed: 0,
      claimable: 1,
      production: 0,
      edition: 0,
      part_number: null,
      created_at: now(),
      updated_at: now(),
      ...values,
    });
  }

  const member = (product_id: string, user_id: string, role: 'manager' | 'tester') =>
    insert('product_users', { product_id, user_id, role, created_at: now() });

  async function bundle(values: Some<'bundles'> & { product_id: string; firmware_id: string; user_id: string }) {
    const version = values.version ?? `0.0.0.${next()}`;
    return insert('bundles', {
      id: randomUUID(),
      state: 'preview',
      tag: null,
      version,
      version_key: versionSortKey(unwrap(parseVersion(version))),
      description: '',
      remote_id: null,
      remote_product: null,
      created_at: now(),
      ...values,
    });
  }

  return { product, member, bundle };
}

function platformMakers({ insert, next, now, storage }: Rows, { product }: ReturnType<typeof productMakers>) {
  async function flavor(values: Some<'flavors'> = {}): Promise<Row<'flavors'>> {
    const code = `W${next()}`;
    return insert('flavors', {
      id: randomUUID(),
      code,
      title: `Flavor ${code}`,
      description: '',
      sdk: 0,
      created_at: now(),
      ...values,
    });
  }

  /** A platform with a base edition: a flavor and a product that new devices start on. */
  async function platform(values: Some<'platforms'> = {}) {
    const number = next();
    const base = await flavor();
    const row = await insert('platforms', {
      id: randomUUID(),
      code: `PLAT${number}`,
      title: `Platform ${number}`,
      description: '',
      part_id: randomBytes(4).toString('hex'),
      manufacturer: null,
      avatar_id: null,
      product_id: null,
      created_at: now(),
      ...values,
    });
    await insert('platform_flavors', { platform_id: row.id, flavor_id: base.id });
    const edition = await product({
      platform_id: row.id,
      flavor_id: base.id,
      code: `${row.code}_${base.code}`,
      product: `MAKER-${row.code}_${base.code}`,
      edition: 1,
      publication: 'published',
    });
    await storage.db.updateTable('platforms').set({ product_id: edition.id }).where('id', '=', row.id).execute();
    return { ...row, product_id: edition.id, flavor: base, edition };
  }

  async function firmware(values: Some<'firmwares'> & { platform_id: string; flavor_id: string }) {
    const version = values.version ?? `1.0.0.${next()}`;
    return insert('firmwares', {
      id: randomUUID(),
      label: 'FW',
      version,
      version_key: versionSortKey(unwrap(parseVersion(version))),
      created_at: now(),
      ...values,
    });
  }

  return { flavor, platform, firmware };
}

function fileMakers({ insert, next, now, storage }: Rows, blobs: BlobStore) {
  /** Stores bytes and records them; returns the columns that a file row needs of them. */
  async function stored(bytes: Uint8Array) {
    const info = await blobs.put(bytes, bytes.length);
    if (!info) throw new Error('A blob is larger than itself');
    await recordBlob(storage.db, info, now(), null);
    return { sha256: info.sha256, size: info.size, crc: info.crc };
  }

  const fileColumns = () => ({
    id: randomUUID(),
    filename: `file${next()}.bin`,
    type: 'MISC_FIX_LEN',
    version: '1.0.0.0',
    mime: 'application/octet-stream',
    created_at: now(),
  });

  const resource = async (
    bytes: Uint8Array,
    values: Some<'resources'> & { bundle_id: string },
  ): Promise<Row<'resources'>> =>
    insert('resources', { ...fileColumns(), exclude: 0, ...(await stored(bytes)), ...values });

  const firmwareFile = async (
    bytes: Uint8Array,
    values: Some<'firmware_files'> & { firmware_id: string },
  ): Promise<Row<'firmware_files'>> =>
    insert('firmware_files', { ...fileColumns(), ...(await stored(bytes)), ...values });

  return { stored, resource, firmwareFile };
}

function deviceMakers({ insert, next, now, storage }: Rows) {
  async function device(values: Some<'devices'> & { platform_id: string; product_id: string }) {
    const made = await insert('devices', {
      id: randomUUID(),
      uuid: randomBytes(20).toString('hex'),
      title: `Device ${next()}`,
      description: '',
      mac: null,
      bt_addr: null,
      state: 'enabled',
      tag: null,
      user_id: null,
      provision_token_hash: null,
      provision_status: 'complete',
      certificate_fingerprint: null,
      update_id: null,
      bversion: null,
      ip: null,
      created_at: now(),
      claimed_at: null,
      activated_at: null,
      last_seen_at: null,
      ...values,
    });
    await storage.transaction(async (_trx, work) => work.touch('devices', [made.id]));
    return made;
  }

  /** An update that is on offer, as the current one of its device. */
  async function update(values: Some<'updates'> & { device_id: string; product_id: string }) {
    const row = await insert('updates', {
      cause: 'device',
      from_bundle_id: null,
      from_bversion: null,
      to_bundle_id: null,
      to_version: '1.0.0.0',
      to_bversion: '',
      state: 'offered',
      result: null,
      reason: null,
      created_at: now(),
      downloading_at: null,
      installed_at: null,
      finished_at: null,
      ...values,
    });
    await storage.db.updateTable('devices').set({ update_id: row.id }).where('id', '=', row.device_id).execute();
    return row;
  }

  return { device, update };
}

/**
 * Makes rows for tests: each function fills in what the test does not care about and returns the row. They write to
 * the tables, not through the API, so that a test of one slice needs no other.
 */
export function fixtures(sources: Sources) {
  const rows = rowsOf(sources);
  const products = productMakers(rows);
  return {
    ...peopleMakers(rows),
    ...products,
    ...platformMakers(rows, products),
    ...fileMakers(rows, sources.blobs),
    ...deviceMakers(rows),
  };
}

export type Fixtures = ReturnType<typeof fixtures>;
