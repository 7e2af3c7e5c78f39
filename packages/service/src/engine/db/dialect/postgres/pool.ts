import { Socket } from 'node:net';
import type { Clock } from '@moorage/base';
import pg from 'pg';
import { StorageError } from '../../../stores/health.ts';
import { ServerWatch } from '../../../stores/watch.ts';
import { isStalePlan } from '../../errors.ts';
import { type PostgresServers, serversAt } from './hosts.ts';
import { StatementNames } from './prepared.ts';

/** How long a request waits for a free connection, and a new connection for the server, in ms. */
const connectTimeoutMs = 5_000;
/** Requests that may wait for a free connection. */
const waitingLimit = 2_000;
/** What the server has to end a statement in beyond its limit before its connection is given up, in ms. */
const graceMs = 5_000;
/** Looks of 350 ms that the server has for a small reply: with the one or two before the question 1.75 s at most. */
const missedLimit = 3;
/** How long connections have to say goodbye, in ms. */
const endTimeoutMs = 1_000;

const oidInt8 = 20;
const oidNumeric = 1700;

/** Epoch milliseconds and counts arrive as numbers, as SQLite gives them. All of them are below 2^53. */
export const types: pg.CustomTypesConfig = {
  // The declared return type of the driver is `any`; the parser for text is its own.
  getTypeParser: (oid, format) =>
    format !== 'binary' && (oid === oidInt8 || oid === oidNumeric) ? Number : pg.types.getTypeParser(oid, format),
};

/** What the driver says of a statement on which it has given up. */
export const givenUpText = 'Query read timeout';

/** Whether a connection may still be at work on a statement that was given up: none is to follow on it. */
export const isGivenUp = (error: unknown): boolean => error instanceof Error && error.message === givenUpText;

const busy = (message: string, cause?: unknown) => new StorageError({ kind: 'busy', what: 'database' }, message, cause);

/** The way to one server, or to whichever of several is the primary: all its connections, and the watch over it. */
export class PostgresServerLink {
  readonly servers: PostgresServers;
  readonly watch: ServerWatch;
  /** Of all connections but that of the watch. */
  readonly #sockets = new Set<Socket>();
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  /** The connection of the watch. */
  #asker: pg.Client | undefined;
  #opening: Promise<unknown> | undefined;
  #keepsStatements = true;

  constructor(url: string, clock: Clock, onError: (error: Error) => void) {
    this.servers = serversAt(url);
    this.#clock = clock;
    this.#onError = onError;
    this.watch = new ServerWatch(
      {
        what: 'database',
        missedLimit,
        ask: () => this.#ask(),
        giveUp: () => this.#giveUp(),
        cut: () => this.cut(),
        onChange: (isFrozen) =>
          onError(new Error(`The database ${isFrozen ? 'has stopped replying' : 'replies again'}`)),
      },
      clock,
    );
  }

  /** Makes the socket of a connection, which is cut with all others. */
  readonly stream = (): Socket => {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  };

  /** What goes wrong with connections on which nothing waits; of a frozen server all do, and that is reported once. */
  readonly report = (error: Error): void => {
    if (!this.watch.isFrozen) this.#onError(error);
  };

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /**
   * Whether a statement that a connection has prepared is there with its next one. Behind a pooler in transaction mode
   * each transaction may meet another session of the server, in which others have prepared theirs.
   */
  get keepsStatements(): boolean {
    return this.#keepsStatements;
  }

  /** Connects, and finds out whether the server itself is at the other end: a pooler gives numbers of its own. */
  async connect(): Promise<void> {
    await this.watch.call(async () => {
      const client = this.open();
      await this.#opening;
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      // The driver has the number of the session, which its types leave out.
      this.#keepsStatements = 'processID' in client && rows[0]?.pid === client.processID;
    });
  }

  /** Asks for something small on the connection of the watch. */
  check(): Promise<unknown> {
    return this.watch.call(() => this.#ask());
  }

  async #ask(): Promise<void> {
    const client = this.#asker ?? this.open();
    await this.#opening;
    await client.query('select 1');
  }

  /** Makes the connection of the watch, before there is need of it. */
  open(): pg.Client {
    const client = new this.servers.Client({ connectionString: this.servers.url });
    this.#asker = client;
    const forget = () => {
      if (this.#asker === client) this.#asker = undefined;
    };
    client.on('error', forget).on('end', forget);
    this.#opening = client.connect();
    // Whoever asks over it hears of it.
    this.#opening.catch(forget);
    return client;
  }

  #giveUp(): void {
    const client = this.#asker;
    this.#asker = undefined;
    client?.connection.stream.destroy();
  }

  /** Waits for connections to end, but not for a server that says nothing. */
  async ending(work: Promise<unknown>): Promise<void> {
    const cancel = this.#clock.after(endTimeoutMs, () => this.cut());
    await work.finally(cancel);
  }
}

export interface PoolLimits {
  /** Connections. */
  readonly size: number;
  /** How long a statement may take, in ms; 0 for any time. */
  readonly statementMs: number;
}

/** Connections that are shared. A query that would wait too long for one is refused instead. */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #link: PostgresServerLink;
  readonly #names = new StatementNames();

  constructor(link: PostgresServerLink, { size, statementMs }: PoolLimits) {
    this.#link = link;
    this.#pool = new pg.Pool({
      connectionString: link.servers.url,
      Client: link.servers.Client,
      max: size,
      connectionTimeoutMillis: connectTimeoutMs,
      stream: link.stream,
      types,
      ...(statementMs > 0 && { statement_timeout: statementMs, query_timeout: statementMs + graceMs }),
    });
    // An idle connection that the server closes is replaced at the next query; without a listener it ends the process.
    this.#pool.on('error', link.report);
    // The same for a connection that is in use but has no query under way, as between two of a transaction.
    this.#pool.on('connect', (client) => client.on('error', link.report));
  }

  /** Runs one statement. */
  async query<R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<pg.QueryResult<R>> {
    const client = await this.connect();
    try {
      const result = await this.run<R>(client, text, values);
      client.release();
      return result;
    } catch (error) {
      // Of a statement that was refused the connection is as good as before; of any other error it may not be.
      client.release(!(error instanceof pg.DatabaseError));
      throw error;
    }
  }

  /** Runs one on a connection that was taken. What a migration has made useless is prepared anew. */
  async run<R extends pg.QueryResultRow>(
    client: pg.PoolClient,
    text: string,
    values: readonly unknown[],
    inTransaction = false,
  ): Promise<pg.QueryResult<R>> {
    const call = () => {
      const name = this.#link.keepsStatements ? this.#names.of(text, values) : undefined;
      const config = { text, values: [...values], ...(name !== undefined && { name }) };
      return this.#link.watch.call(() => client.query<R>(config));
    };
    try {
      return await call();
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      this.#names.forget();
      // A transaction has failed with it: that is tried again as a whole.
      if (inTransaction) throw error;
      return call();
    }
  }

  /** Takes a connection; the caller releases it. */
  async connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= waitingLimit) throw busy(`More than ${waitingLimit} requests wait for the database`);
    let taking: Promise<pg.PoolClient> | undefined;
    try {
      return await this.#link.watch.wait(() => {
        taking = this.#pool.connect();
        return taking;
      });
    } catch (error) {
      // The server has frozen meanwhile: what comes now has no taker.
      void taking?.then(
        (client) => client.release(true),
        () => {},
      );
      const isQueued = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
      throw isQueued ? busy(`No connection to the database was free for ${connectTimeoutMs} ms`, error) : error;
    }
  }

  async end(): Promise<void> {
    await this.#link.ending(this.#pool.end());
  }
}
