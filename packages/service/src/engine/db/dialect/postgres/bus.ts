import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '@moorage/base';
import type pg from 'pg';
import { type BusKind, LocalBus, reconnectMs, responseMs, unsentLimit, unsentMs } from '../../../bus/bus.ts';
import type { Topic } from '../../../bus/topics.ts';
import type { PostgresServerLink } from './pool.ts';

const channel = 'moorage';
/** The connection's name in the server's own list. */
export const busApplication = 'moorage-bus';
/** Messages that are written, or read, by one statement. */
const batchLimit = 500;
/** Between two looks for messages, in ms, where notifications come, and where a pooler between keeps them back. */
const notifiedPollMs = 5_000;
const pollMs = 250;
/** How long messages are kept, and how often older ones are removed, in ms; slower readers know that they missed some. */
const keptMs = 120_000;
const removeMs = 60_000;

/**
 * Numbers without a gap, in the order of the commits: the row of the last number is locked until then. The statement
 * is a transaction of its own, which need not outlive a crash.
 */
const writeSql = `
  with position as (
    insert into bus_position (id, last) values (1, $1)
    on conflict (id) do update set last = bus_position.last + excluded.last returning last),
  added as (
    insert into bus_messages (id, at, sender, topic, message)
    select position.last - $1 + part.number, (extract(epoch from clock_timestamp()) * 1000)::bigint, $2, part.topic, part.message
    from position, unnest($3::text[], $4::text[]) with ordinality as part(topic, message, number))
  select set_config('synchronous_commit', 'off', true), pg_notify('${channel}', $2) from position`;
const readSql = `select id::float8 as id, sender, topic, message from bus_messages
  where bus_messages.id > $1 order by bus_messages.id limit $2`;
const lastSql = 'select coalesce(max(last), 0)::float8 as last from bus_position';
const removeSql = `delete from bus_messages
  where at < (extract(epoch from clock_timestamp()) * 1000)::bigint - ${keptMs}`;

interface MessageRow {
  readonly id: number;
  readonly sender: string;
  readonly topic: string;
  readonly message: string;
}

interface Unsent {
  readonly topic: string;
  readonly message: string;
  readonly atMs: number;
}

/**
 * Messages between the nodes on one database: rows with a number, written and read in batches, one NOTIFY for each
 * batch, and none in any other transaction. Where notifications do not come, rows are looked for several times a
 * second. It has a connection of its own.
 */
export class PostgresBus extends LocalBus {
  override readonly kind: BusKind = 'postgres';
  readonly #server: PostgresServerLink;
  readonly #clock: Clock;
  readonly #self = randomUUID();
  #unsent: Unsent[] = [];
  /** Messages of this node, or of others, were lost since the connection was made. */
  #lost = false;
  #client: pg.Client | undefined;
  #connected = false;
  /** The server does not respond, and that has been reported. */
  #isAway = false;
  /** Number of the last message that was read; unknown before the first connection. */
  #last: number | undefined;
  /** A notification of another node has come over this connection. */
  #notified = false;
  /** Who has notified since the rows were last read. */
  readonly #notifiers = new Set<string>();
  #removedAtMs: number;
  #wake: () => void = () => {};
  #due = false;
  #closed = false;
  #running: Promise<void> | undefined;

  constructor(server: PostgresServerLink, clock: Clock) {
    super();
    this.#server = server;
    this.#clock = clock;
    this.#removedAtMs = clock.monotonic();
  }

  override get connected(): boolean {
    return this.#connected;
  }

  override publish<M>({ name: topic }: Topic<M>, message: NoInfer<M>): void {
    this.deliver(topic, message);
    if (this.#closed) return;
    if (this.#unsent.length >= unsentLimit) this.#lost = true;
    else this.#unsent.push({ topic, message: JSON.stringify(message), atMs: this.#clock.monotonic() });
    this.#look();
  }

  /** Connects, and goes on trying when that fails; resolves after the first try. */
  async open(): Promise<void> {
    await this.#connect();
    this.#running = this.#run();
  }

  override async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    const ended = (async () => {
      await this.#running;
      if (this.#connected) await this.#write().catch(this.#server.report);
      await this.#disconnect();
    })();
    await this.#server.ending(ended);
  }

  async #connect(): Promise<void> {
    const { Client, url } = this.#server.servers;
    const client = new Client({
      connectionString: url,
      stream: this.#server.stream,
      connectionTimeoutMillis: responseMs,
      query_timeout: responseMs,
      keepAlive: true,
      application_name: busApplication,
    });
    this.#client = client;
    client.on('error', (error) => this.#fail(error));
    client.on('notification', ({ payload = '' }) => {
      if (payload === this.#self) return;
      this.#notifiers.add(payload);
      this.#look();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      const { rows } = await client.query<{ last: number }>(lastSql);
      const last = rows[0]?.last ?? 0;
      const isFirst = this.#last === undefined;
      // A server that has crashed may have forgotten its last numbers.
      this.#last = Math.min(this.#last ?? last, last);
      this.#notified = false;
      this.#connected = true;
      this.#isAway = false;
      if (!isFirst) this.#lost = true;
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** One outage is one error, however often connecting fails. */
  #fail(error: Error): void {
    if (!this.#isAway) this.#server.report(error);
    this.#isAway = true;
    this.#connected = false;
    this.#wake();
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#connected = false;
    await client?.end().catch(() => {});
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      if (!this.#connected) {
        // A server that hangs does not say goodbye: that is not waited for.
        void this.#disconnect();
        await this.#pause(reconnectMs);
        if (!this.#closed) await this.#connect();
        continue;
      }
      try {
        await this.#exchange();
        await this.#removeOld();
      } catch (error) {
        this.#fail(error as Error);
        continue;
      }
      if (!this.#due) await this.#pause(this.#notified ? notifiedPollMs : pollMs);
    }
  }

  /** Until it is time, or there is something to do. */
  async #pause(delayMs: number): Promise<void> {
    let cancel: CancelTimer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      cancel = this.#clock.after(delayMs, resolve);
      if (this.#closed) resolve();
    });
    cancel?.();
    this.#wake = () => {};
  }

  #look(): void {
    this.#due = true;
    // Without a connection only time helps.
    if (this.#connected) this.#wake();
  }

  /** Writes what waits, and reads what is new. */
  async #exchange(): Promise<void> {
    this.#due = false;
    if (this.#lost) {
      this.#lost = false;
      this.missed();
    }
    await this.#write();
    await this.#read();
  }

  async #write(): Promise<void> {
    const oldestMs = this.#clock.monotonic() - unsentMs;
    while (this.#unsent.length > 0) {
      const batch = this.#unsent.slice(0, batchLimit);
      const news = batch.filter(({ atMs }) => atMs >= oldestMs);
      if (news.length < batch.length) this.#lost = true;
      const topics = news.map(({ topic }) => topic);
      const messages = news.map(({ message }) => message);
      if (news.length > 0) await this.#client?.query(writeSql, [news.length, this.#self, topics, messages]);
      this.#unsent = this.#unsent.slice(batch.length);
    }
    if (this.#lost) this.#look();
  }

  async #read(): Promise<void> {
    for (;;) {
      const announced = new Set(this.#notifiers);
      this.#notifiers.clear();
      const from = this.#last ?? 0;
      const rows = (await this.#client?.query<MessageRow>(readSql, [from, batchLimit]))?.rows ?? [];
      this.#noteNotifications(rows, announced);
      const [first] = rows;
      if (first && first.id !== from + 1) {
        // Read too late: rows between were removed.
        this.#lost = true;
        this.#look();
      }
      for (const { id, sender, topic, message } of rows) {
        this.#last = id;
        if (sender !== this.#self) this.deliver(topic, JSON.parse(message));
      }
      if (rows.length < batchLimit) return;
    }
  }

  /** A pooler between us and the server may take `listen` and still hand on no notification. */
  #noteNotifications(rows: readonly MessageRow[], announced: ReadonlySet<string>): void {
    const others = new Set(rows.map(({ sender }) => sender).filter((sender) => sender !== this.#self));
    if ([...others].some((sender) => announced.has(sender))) this.#notified = true;
    else if (others.size > 0 && this.#notifiers.size === 0) this.#notified = false;
  }

  async #removeOld(): Promise<void> {
    if (this.#clock.monotonic() - this.#removedAtMs < removeMs) return;
    this.#removedAtMs = this.#clock.monotonic();
    await this.#client?.query(removeSql);
  }
}
