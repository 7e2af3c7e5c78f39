import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '@moorage/base';
import pg from 'pg';
import { LocalBus } from '../../../bus/bus.ts';
import type { Topic } from '../../../bus/topics.ts';
import type { PostgresServerLink } from './pool.ts';

const channel = 'moorage';
/** A third more as base64 stays under the 8,000 bytes that the server takes. */
const partBytes = 5_700;
/** Messages of which parts have come and others have not; the oldest are forgotten. */
const openMessages = 1_000;
const reconnectMs = 1_000;
const connectTimeoutMs = 5_000;

/** One part of a message: who sent it, the message's own number, which part this is of how many, and its text. */
type Part = readonly [from: string, number: number, index: number, count: number, text: string];

/** Messages to all processes on the database, by NOTIFY. Own listeners hear at once. */
export class PostgresBus extends LocalBus {
  readonly #server: PostgresServerLink;
  readonly #clock: Clock;
  readonly #self = randomUUID();
  readonly #parts = new Map<string, string[]>();
  #sent = 0;
  /** One connection, one after the other: the order is kept. */
  #sending: Promise<void> = Promise.resolve();
  #client: pg.Client | undefined;
  #retry: CancelTimer | undefined;
  #closed = false;

  constructor(server: PostgresServerLink, clock: Clock) {
    super();
    this.#server = server;
    this.#clock = clock;
  }

  override publish<M>({ name: topic }: Topic<M>, message: NoInfer<M>): void {
    this.deliver(topic, message);
    const bytes = Buffer.from(JSON.stringify({ topic, message }));
    const number = ++this.#sent;
    const count = Math.ceil(bytes.length / partBytes);
    for (let index = 0; index < count; index++) {
      const text = bytes.subarray(index * partBytes, (index + 1) * partBytes).toString('base64');
      const part: Part = [this.#self, number, index, count, text];
      this.#sending = this.#sending.then(() => this.#send(JSON.stringify(part)));
    }
  }

  /** Listens from now on; when the connection is lost it is made anew, and what was sent meanwhile is not heard. */
  async open(): Promise<void> {
    const { url: connectionString, stream, report } = this.#server;
    const client = new pg.Client({ connectionString, stream, connectionTimeoutMillis: connectTimeoutMs });
    this.#client = client;
    client.on('error', report);
    client.on('end', () => this.#reopen());
    client.on('notification', ({ payload }) => payload !== undefined && this.#take(payload));
    await client.connect();
    await client.query(`listen ${channel}`);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.();
    await this.#server.ending(this.#sending);
    await this.#server.ending(this.#client?.end() ?? Promise.resolve());
  }

  async #send(payload: string): Promise<void> {
    try {
      await this.#client?.query('select pg_notify($1, $2)', [channel, payload]);
    } catch (error) {
      this.#server.report(error as Error);
    }
  }

  #reopen(): void {
    if (this.#closed || this.#retry) return;
    this.#retry = this.#clock.after(reconnectMs, () => {
      this.#retry = undefined;
      this.open().catch((error: Error) => {
        this.#server.report(error);
        this.#reopen();
      });
    });
  }

  #take(payload: string): void {
    // Only `publish` writes to the channel, in this shape.
    const [from, number, index, count, text] = JSON.parse(payload) as Part;
    if (from === this.#self) return;
    const key = `${from} ${number}`;
    const parts = this.#parts.get(key) ?? [];
    parts[index] = text;
    if (Object.keys(parts).length < count) {
      this.#parts.set(key, parts);
      const [oldest] = this.#parts.keys();
      if (this.#parts.size > openMessages && oldest !== undefined) this.#parts.delete(oldest);
      return;
    }
    this.#parts.delete(key);
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
    const { topic, message } = JSON.parse(bytes.toString());
    this.deliver(topic, message);
  }
}
