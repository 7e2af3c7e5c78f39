import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { BlobStore } from '../engine/blobs/blob-store.ts';
import { memoryBlobs } from '../engine/blobs/memory-blobs.ts';
import type { DatabaseKind } from './each-database.ts';

/** A file of `baseline/`: what 0.1.0 has made, before the tables were said once. */
const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`./baseline/${name}`, import.meta.url)), 'utf8');

/** What `describeSchema` says of the tables of 0.1.0. */
export const schemaOfBefore = (kind: DatabaseKind): string => fixture(`${kind}.schema.txt`);

/** Runs statements on a database, past the service. */
export async function runOn(address: string, statements: string): Promise<void> {
  const path = /^sqlite:(.+)$/.exec(address)?.[1];
  if (path !== undefined) {
    const database = new DatabaseSync(path);
    database.exec(statements);
    return database.close();
  }
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(statements);
  await client.end();
}

/** Makes the tables of 0.1.0 in an empty database, with rows in each. */
export const loadBefore = (address: string): Promise<void> =>
  runOn(address, fixture(address.startsWith('sqlite:') ? 'sqlite.sql' : 'postgres.sql'));

/** Makes them ones that the version before 0.1.0 has left. */
export const forgetLastMigration = (address: string): Promise<void> =>
  runOn(address, "delete from kysely_migration where name = '0087-alert-addresses'");

/** A store with the bytes that its rows are about. */
export async function blobsOfBefore(): Promise<BlobStore> {
  const blobs = memoryBlobs();
  for (const text of ['firmware', 'resource']) await blobs.put(Buffer.from(text), text.length);
  return blobs;
}
