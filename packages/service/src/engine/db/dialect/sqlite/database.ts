import { type Clock, sleep } from '@moorage/base';
import { Checkpointer } from './checkpointer.ts';
import { SqliteConnection } from './connection.ts';
import { LogFile } from './log-file.ts';
import { Mutex } from './mutex.ts';

/** How long a write waits for another process, and the pause between its tries. */
const busyLimitMs = 30_000;
const busyPauseMs = 10;
/** SQLite's code for a lock that another connection holds. */
const busyCode = 5;

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === busyCode;

/**
 * A database file: one connection that writes, under a mutex, and one that reads while a transaction is open.
 * A database in memory cannot be shared between connections, so there a read waits for the transaction.
 */
export class SqliteDatabase {
  readonly writer: SqliteConnection;
  readonly mutex = new Mutex();
  readonly #path: string;
  readonly #clock: Clock;
  #reader: SqliteConnection | undefined;
  readonly #checkpointer: Checkpointer | undefined;
  /** None where the database has no log file: in memory, and where the file system allows of none. */
  readonly #log: LogFile | undefined;
  /** The last time that the log file was brought to the disk, and how many rows had been changed by then. */
  #lastSync = Promise.resolve();
  #syncedChanges = 0;
  #writes = 0;
  /** What SQLite counts of the commits of other connections, other processes' among them. */
  #foreignVersion = 0;
  #askedThisTurn = false;

  constructor(path: string, clock: Clock, onError: (error: Error) => void) {
    this.#path = path;
    this.#clock = clock;
    this.writer = new SqliteConnection(path, 'write');
    if (this.writer.hasLog) this.#log = new LogFile(path, clock);
    if (path !== ':memory:') {
      const isSlow = () => this.#log?.isSlow ?? false;
      this.#checkpointer = new Checkpointer({ path, writer: this.writer, mutex: this.mutex, clock, isSlow, onError });
    }
  }

  /**
   * The connection for one read: it sees all that was committed before and nothing that is not.
   * `undefined` when the caller has to take the mutex first.
   */
  readConnection(): SqliteConnection | undefined {
    if (!this.mutex.held) return this.writer;
    if (this.#path === ':memory:') return undefined;
    this.#reader ??= new SqliteConnection(this.#path, 'read');
    return this.#reader;
  }

  /** Runs a statement outside of any transaction of ours: reads do not wait for writers. */
  async read<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    const connection = this.readConnection();
    if (connection) return work(connection);
    return this.write(work);
  }

  /** Runs synchronous work on the writing connection while no other work does. It must be all or nothing. */
  async write<T>(work: (connection: SqliteConnection) => T): Promise<T> {
    await this.lock();
    let result: T;
    try {
      result = await this.#whenFree(() => work(this.writer));
    } finally {
      this.unlock();
    }
    await this.synced();
    return result;
  }

  /** Commits writes that only mark devices as seen, or add samples, in one transaction: they count as no write. */
  async writeMarks(work: (connection: SqliteConnection) => void): Promise<void> {
    await this.lock();
    try {
      await this.#whenFree(() => this.#commit(work));
    } finally {
      this.#release();
    }
    await this.synced();
  }

  #commit(work: (connection: SqliteConnection) => void): void {
    const { db } = this.writer;
    db.exec('begin immediate');
    try {
      work(this.writer);
      db.exec('commit');
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      throw error;
    }
  }

  /**
   * Resolves when what is committed is durable; to be awaited after each commit, before it is acknowledged. Reads see
   * what is committed a moment before, and the next transaction need not wait.
   */
  async synced(): Promise<void> {
    if (!this.#log) return;
    const changes = this.writer.changes();
    if (changes !== this.#syncedChanges) {
      this.#syncedChanges = changes;
      this.#lastSync = this.#log.sync();
    }
    // Who has changed nothing may have found what another has written, and not be durable yet.
    await this.#lastSync;
  }

  version(): number {
    if (!this.#askedThisTurn) this.#askForForeignWrites();
    return this.#writes;
  }

  /**
   * Asks SQLite whether another process has written, once for each turn of the event loop: a client that has learned of
   * such a write and then asks us arrives in a later turn.
   */
  #askForForeignWrites(): void {
    this.#askedThisTurn = true;
    setImmediate(() => {
      this.#askedThisTurn = false;
    });
    // Safe: the statement answers with one row of this column.
    const row = this.writer.get('pragma data_version') as { data_version: number };
    if (row.data_version === this.#foreignVersion) return;
    this.#foreignVersion = row.data_version;
    this.#writes++;
  }

  /** Takes the writing connection, for a transaction; `unlock` gives it back. */
  lock(): Promise<void> {
    return this.mutex.lock();
  }

  unlock(): void {
    this.#writes++;
    this.#release();
  }

  #release(): void {
    this.mutex.unlock();
    this.#checkpointer?.noteWrite();
  }

  /** Begins a transaction on the writing connection, which the caller has locked. */
  begin(): Promise<void> {
    // Taking the write lock at once is what makes a read followed by a write safe from the start.
    return this.#whenFree(() => this.writer.db.exec('begin immediate'));
  }

  /** Tries again while another process writes, letting everything else go on. */
  async #whenFree<T>(work: () => T): Promise<T> {
    const startMs = this.#clock.monotonic();
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || this.#clock.monotonic() - startMs > busyLimitMs) throw error;
        await sleep(this.#clock, busyPauseMs);
      }
    }
  }

  async close(): Promise<void> {
    await this.#checkpointer?.close();
    await this.#log?.close();
    this.#reader?.close();
    this.writer.close();
  }
}
