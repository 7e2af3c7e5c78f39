import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, realClock } from '@moorage/base';
import { makeFolder } from '@moorage/base/disk/folder';
import type { NatsOptions } from '../bus/nats.ts';
import { openPostgres } from './dialect/postgres/storage.ts';
import { openSqlite } from './dialect/sqlite/storage.ts';
import type { Records } from './migrations.ts';
import type { Storage } from './storage.ts';

/** Far longer than any statement of a request takes, in ms: what is still at work then would go on for ever. */
const defaultStatementMs = 30_000;

export interface StorageOptions {
  /** Paces checkpoints and retries. */
  readonly clock?: Clock;
  /** Called with errors that no caller waits for, such as a lost idle connection. */
  readonly onError?: (error: Error) => void;
  /** The same for the servers that carry messages between nodes. */
  readonly onBusError?: (error: Error) => void;
  /** How long one statement of a request may take on PostgreSQL, in ms; 0 for any time. */
  readonly statementMs?: number;
  /** The last migration to run, for tables as an older version has them. */
  readonly upTo?: string;
  /** The servers that carry messages between nodes on PostgreSQL; the database does so without them. */
  readonly nats?: NatsOptions;
}

/**
 * Opens the records named by `sqlite:PATH`, `sqlite::memory:` or `postgres://…` and runs the migrations that are due,
 * under a lock: of several processes that start together one migrates and the others wait.
 *
 * @throws when the address has another form, or the database cannot be opened; an `UnusableError` when it cannot be reached
 */
export async function openStorage(url: string, records: Records, options: StorageOptions = {}): Promise<Storage> {
  const { clock = realClock, onError = () => {}, onBusError = onError, statementMs = defaultStatementMs } = options;
  const { upTo, nats } = options;
  if (/^postgres(ql)?:\/\//.test(url))
    return openPostgres(url, records, clock, { onError, onBusError, statementMs, upTo, nats });
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new Error(`Database "${url}" is neither sqlite:PATH nor postgres://…`);
  if (path !== ':memory:') makeFile(path);
  return openSqlite(path, records, clock, onError, upTo);
}

/** Whether a file of records is there that has lost all that was in it: 0 bytes, while one that is new is not there yet. */
export function isEmptyFile(url: string): boolean {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return path !== undefined && statSync(path, { throwIfNoEntry: false })?.size === 0;
}

/**
 * Makes the file of the records, where there is none, for this user alone: it holds the key of the authority and the
 * secrets of connectors. The files that SQLite keeps beside it have the rights of this one.
 */
function makeFile(path: string): void {
  makeFolder(dirname(path), 0o700);
  closeSync(openSync(path, 'a', 0o600));
}
