import type { Clock } from '@moorage/base';
import { Kysely } from 'kysely';
import { LocalBus } from '../../../bus/bus.ts';
import { migrate, type Records } from '../../migrations.ts';
import type { Schema } from '../../schema.ts';
import type { Storage } from '../../storage.ts';
import { tableSamples } from '../../table-samples.ts';
import { runTransaction } from '../../transaction.ts';
import type { Followers } from '../../work.ts';
import { SqliteDatabase } from './database.ts';
import * as ddl from './ddl.ts';
import { sqliteDialect } from './driver.ts';
import * as expressions from './expressions.ts';
import { hotPaths } from './hot.ts';
import { sampleWriter } from './samples.ts';

/** Pages that are given back together, while others wait, and pieces of one round: 200 MiB at most. */
const shrinkPages = 500;
const shrinkPieces = 100;

/** Runs what makes tables anew while references are not looked after, and those of others are left as they are written. */
async function freely<T>({ writer }: SqliteDatabase, run: () => Promise<T>): Promise<T> {
  writer.db.exec('pragma foreign_keys = off; pragma legacy_alter_table = on');
  try {
    return await run();
  } finally {
    writer.db.exec('pragma legacy_alter_table = off; pragma foreign_keys = on');
  }
}

/** Opens or makes the database file and brings its tables up to date. */
export async function openSqlite(
  path: string,
  records: Records,
  clock: Clock,
  onError: (error: Error) => void,
  upTo?: string,
): Promise<Storage> {
  const database = new SqliteDatabase(path, clock, onError);
  const db = new Kysely<Schema>({ dialect: sqliteDialect(database) });
  let migrated: readonly string[];
  try {
    migrated = await migrate(db, { ...ddl, freely: (run) => freely(database, run) }, records, upTo);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const hot = hotPaths(database);
  const followers: Followers = new Map();
  const storage: Storage = {
    kind: 'sqlite',
    db,
    tables: records.tables,
    migrated,
    hot,
    expressions,
    followers,
    version: () => database.version(),
    samples: tableSamples(db, sampleWriter(database)),
    // A file has one service: administration from the command line has no process to wake.
    bus: new LocalBus(),
    transaction: (work) => runTransaction(db.startTransaction(), { expressions, followers }, work),
    close: async () => {
      await hot.flushPolls().catch(onError);
      await db.destroy();
    },
    async shrink() {
      for (let piece = 0; piece < shrinkPieces; piece++) {
        const { freelist_count: free } = database.writer.get('pragma freelist_count') as { freelist_count: number };
        if (free === 0) return;
        await database.write(({ db: file }) => file.exec(`pragma incremental_vacuum(${shrinkPages})`));
      }
    },
    stopWrites: () => database.writer.db.exec('pragma query_only = on'),
    async check() {
      await db.selectFrom('settings').select('name').limit(1).execute();
    },
    // One connection writes; who reads beside it waits for none.
    get background() {
      return storage;
    },
  };
  return storage;
}
