import { randomInt } from 'node:crypto';
import { type Clock, sleep } from '@moorage/base';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Bus } from '../../../bus/bus.ts';
import { NatsBus, type NatsOptions } from '../../../bus/nats.ts';
import { withoutPassword } from '../../../stores/addresses.ts';
import { UnusableError, wordsOf } from '../../../stores/health.ts';
import { isStalePlan } from '../../errors.ts';
import { migrate, type Records } from '../../migrations.ts';
import type { Schema } from '../../schema.ts';
import type { Storage } from '../../storage.ts';
import { runTransaction } from '../../transaction.ts';
import type { Followers } from '../../work.ts';
import { PostgresBus } from './bus.ts';
import * as ddl from './ddl.ts';
import * as expressions from './expressions.ts';
import { hotPaths } from './hot.ts';
import { kyselyPool } from './kysely-pool.ts';
import { partitionedSamples } from './partitions.ts';
import { PostgresPool, PostgresServerLink } from './pool.ts';
import { sampleWriter } from './samples.ts';

/** Connections of requests, and those of work that no request waits for: neither keeps the other from its own. */
const poolSize = 20;
const backgroundPoolSize = 2;
/** How long one statement of the background may take, in ms: it deletes by the thousand. */
const backgroundStatementMs = 120_000;
/** How often a transaction is tried when others change the same rows, and the first pause between tries. */
const transactionAttempts = 30;
const firstPauseMs = 4;

const serialisationFailure = '40001';
const deadlock = '40P01';

const isRetryable = (error: unknown): boolean =>
  isStalePlan(error) ||
  (error instanceof pg.DatabaseError && (error.code === serialisationFailure || error.code === deadlock));

/** Other processes write as well, and asking whether they did costs as much as reading the record. */

/** Transactions on one of the pools. */
const transactionsOn = (db: Kysely<Schema>, clock: Clock, followers: Followers): Pick<Storage, 'transaction'> => ({
  async transaction(work) {
    for (let attempt = 1; ; attempt++) {
      try {
        const serializable = db.startTransaction().setIsolationLevel('serializable');
        return await runTransaction(serializable, { expressions, followers }, work);
      } catch (error) {
        if (!isRetryable(error) || attempt === transactionAttempts) throw error;
        // The pause doubles up to about half a second; chance keeps rivals from meeting again.
        await sleep(clock, randomInt(1, firstPauseMs * 2 ** Math.min(attempt, 7)));
      }
    }
  },
});

/** Brings the tables up to date over a connection without limits: to make an index may take minutes. */
async function bringUpToDate(server: PostgresServerLink, records: Records, upTo?: string): Promise<readonly string[]> {
  const pool = new PostgresPool(server, { size: 2, statementMs: 0 });
  const db = builderOn(pool);
  try {
    return await migrate(db, ddl, records, upTo);
  } finally {
    await db.destroy();
  }
}

const builderOn = (pool: PostgresPool) =>
  new Kysely<Schema>({ dialect: new PostgresDialect({ pool: kyselyPool(pool) }) });

interface PostgresOptions {
  readonly onError: (error: Error) => void;
  readonly onBusError: (error: Error) => void;
  readonly statementMs: number;
  readonly upTo?: string | undefined;
  readonly nats?: NatsOptions | undefined;
}

async function openBus(
  server: PostgresServerLink,
  clock: Clock,
  { onBusError, nats }: Pick<PostgresOptions, 'onBusError' | 'nats'>,
): Promise<Bus> {
  const bus = nats ? new NatsBus(nats, clock, onBusError) : new PostgresBus(server, clock);
  await bus.open();
  return bus;
}

/** Connects to the server and brings the tables up to date. */
export async function openPostgres(
  url: string,
  records: Records,
  clock: Clock,
  { onError, onBusError, statementMs, upTo, nats }: PostgresOptions,
): Promise<Storage> {
  const server = new PostgresServerLink(url, clock, onError);
  await server.connect().catch((error: unknown) => {
    const message = `The database ${withoutPassword(url)} (--database) cannot be used: ${wordsOf(error)}`;
    throw new UnusableError(message, { cause: error });
  });
  const migrated = await bringUpToDate(server, records, upTo);
  const bus = await openBus(server, clock, { onBusError, nats });
  const pool = new PostgresPool(server, { size: poolSize, statementMs });
  const db = builderOn(pool);
  const backgroundDb = builderOn(
    new PostgresPool(server, { size: backgroundPoolSize, statementMs: Math.max(statementMs, backgroundStatementMs) }),
  );
  const hot = hotPaths(pool);
  const followers: Followers = new Map();
  const append = sampleWriter(pool);
  const common = {
    kind: 'postgres',
    tables: records.tables,
    migrated,
    hot,
    expressions,
    followers,
    version: () => undefined,
    bus,
    check: async () => void (await server.check()),
    close: async () => {
      await hot.flushPolls().catch(server.report);
      await bus.close();
      await Promise.all([db.destroy(), backgroundDb.destroy()]);
      server.watch.close();
    },
  } as const;
  const background: Storage = {
    ...common,
    db: backgroundDb,
    samples: partitionedSamples(backgroundDb, append),
    ...transactionsOn(backgroundDb, clock, followers),
    get background() {
      return background;
    },
  };
  return {
    ...common,
    db,
    samples: partitionedSamples(db, append),
    ...transactionsOn(db, clock, followers),
    background,
  };
}
