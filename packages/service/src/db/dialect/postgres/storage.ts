import { randomInt } from 'node:crypto';
import { type Clock, sleep } from '@moorage/base';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Changes } from '../../../core/record-cache.ts';
import { migrate } from '../../migrations/index.ts';
import type { Schema } from '../../schema.ts';
import type { Storage } from '../../storage.ts';
import { runTransaction } from '../../transaction.ts';
import { PostgresBus } from './bus.ts';
import * as ddl from './ddl.ts';
import * as expressions from './expressions.ts';
import { hotPaths } from './hot.ts';
import { isStalePlan, preparingPool } from './prepared.ts';
import { sampleWriter } from './samples.ts';

const poolSize = 20;
const connectTimeoutMs = 10_000;
/** How often a transaction is tried when others change the same rows, and the first pause between tries. */
const transactionAttempts = 30;
const firstPauseMs = 4;

const serialisationFailure = '40001';
const deadlock = '40P01';

const oidInt8 = 20;
const oidNumeric = 1700;

/** Epoch milliseconds and counts arrive as numbers, as SQLite gives them. All of them are below 2^53. */
export const types: pg.CustomTypesConfig = {
  // The declared return type of the driver is `any`; the parser for text is its own.
  getTypeParser: (oid, format) =>
    format !== 'binary' && (oid === oidInt8 || oid === oidNumeric) ? Number : pg.types.getTypeParser(oid, format),
};

const isRetryable = (error: unknown): boolean =>
  isStalePlan(error) ||
  (error instanceof pg.DatabaseError && (error.code === serialisationFailure || error.code === deadlock));

/** Other processes write as well, and asking whether they did costs as much as reading the record. */
const unknownChanges: Changes = { version: () => undefined, lastMark: 0, markOf: () => 0 };

/** Connects to the server and brings the tables up to date. */
export async function openPostgres(
  url: string,
  clock: Clock,
  onError: (error: Error) => void,
  upTo?: string,
): Promise<Storage> {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, connectionTimeoutMillis: connectTimeoutMs, types });
  // An idle connection that the server closes is replaced at the next query; without a listener it ends the process.
  pool.on('error', onError);
  // The same for a connection that is in use but has no query under way, as between two of a transaction.
  pool.on('connect', (client) => client.on('error', onError));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) });
  let migrated: readonly string[];
  try {
    migrated = await migrate(db, ddl, upTo);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const bus = new PostgresBus(url, clock, onError);
  await bus.open();
  const hot = hotPaths(pool);
  return {
    kind: 'postgres',
    db,
    migrated,
    hot,
    expressions,
    changes: unknownChanges,
    writeSamples: sampleWriter(pool),
    bus,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(db.startTransaction().setIsolationLevel('serializable'), work);
        } catch (error) {
          if (!isRetryable(error) || attempt === transactionAttempts) throw error;
          // The pause doubles up to about half a second; chance keeps rivals from meeting again.
          await sleep(clock, randomInt(1, firstPauseMs * 2 ** Math.min(attempt, 7)));
        }
      }
    },
    close: async () => {
      await hot.flushPolls().catch(onError);
      await bus.close();
      await db.destroy();
    },
  };
}
