import { openPostgresSnapshot } from './dialect/postgres/snapshot.ts';
import { openSqliteSnapshot } from './dialect/sqlite/snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Takes a snapshot of the records named by `sqlite:PATH` or `postgres://…`, while other programs use them, without
 * changing anything: migrations that are due stay so.
 *
 * @param scratch path of a file that SQLite's copy may have until the snapshot is closed
 * @throws when there is no such database, or it has no tables of the service
 */
export async function openSnapshot(url: string, scratch: string): Promise<Snapshot> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return path === undefined ? openPostgresSnapshot(url) : openSqliteSnapshot(path, scratch);
}
