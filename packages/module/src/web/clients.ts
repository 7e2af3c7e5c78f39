import type { Clock } from '@moorage/base';
import type { Connection } from '@moorage/net';
import { Client } from './client.ts';

/** Connections that may wait for a place; further ones are refused at once. */
export const maxWaitingClients = 128;

/**
 * The clients of one server. One too many waits until a place is free: browsers open more connections than a module
 * serves. A connection that is only kept open gives its place up. Spec: MOD-VAR-http.server.max_clients.
 */
export class Clients {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #start: (client: Client) => void;
  readonly #refusal: string;
  readonly #active = new Set<Client>();
  readonly #waiting = new Map<Connection, { readonly cameAtMs: number; stop(): void }>();
  #stopped = false;

  /** `refusal` is what a connection hears for which there is no room. */
  constructor(clock: Clock, max: number, start: (client: Client) => void, refusal: string) {
    this.#clock = clock;
    this.#max = max;
    this.#start = start;
    this.#refusal = refusal;
  }

  /** A client waits for a place: responses should be the last ones of their connections. */
  get isCrowded(): boolean {
    return this.#waiting.size > 0;
  }

  get size(): number {
    return this.#active.size;
  }

  accept(connection: Connection): void {
    const { stream } = connection;
    if (this.#stopped || stream.destroyed) {
      stream.destroy();
      return;
    }
    if (this.#waiting.size >= maxWaitingClients) {
      stream.on('error', () => stream.destroy());
      // Nothing of it is kept: its place in the process is needed.
      stream.resume().end(this.#refusal, () => stream.destroy());
      return;
    }
    if (this.#active.size < this.#max) {
      this.#admit(connection);
      return;
    }
    this.#queue(connection);
    for (const client of this.#active) client.hurry();
    // The one that has been idle longest.
    for (const client of this.#active) {
      if (!client.isSpare) continue;
      client.retire();
      break;
    }
  }

  /** Ends all connections; what is being answered may come to its end. */
  stop(): void {
    this.#stopped = true;
    for (const { stream } of this.#waiting.keys()) stream.destroy();
    this.#waiting.clear();
    for (const client of this.#active) client.retire();
  }

  /** Who goes without having sent anything gives its turn up: the end would not be seen once it has a place. */
  #queue(connection: Connection): void {
    const { stream } = connection;
    const leave = (): void => void stream.destroy();
    const gone = (): void => void this.#waiting.delete(connection);
    stream.on('error', leave).once('end', leave).once('close', gone);
    const stop = (): void => void stream.off('end', leave).off('close', gone);
    this.#waiting.set(connection, { cameAtMs: this.#clock.monotonic(), stop });
  }

  #admit(connection: Connection, cameAtMs?: number): void {
    const events = {
      idle: () => {
        // To the end: the first of the set has been idle longest.
        this.#active.delete(client);
        this.#active.add(client);
        if (this.isCrowded) client.retire();
      },
      closed: () => {
        this.#active.delete(client);
        this.#fill();
      },
    };
    const client = new Client(connection, this.#clock, events, cameAtMs);
    this.#active.add(client);
    if (this.isCrowded) client.hurry();
    this.#start(client);
  }

  /** Who has sent something comes before those who only hold the line. */
  #fill(): void {
    const silent = ([{ stream }]: readonly [Connection, unknown]): number => Number(stream.readableLength === 0);
    const turns = [...this.#waiting].sort((one, other) => silent(one) - silent(other));
    for (const [connection, { cameAtMs, stop }] of turns) {
      if (this.#active.size >= this.#max) return;
      // Places are filled again within each other, when one that gets its place is gone at once.
      if (!this.#waiting.delete(connection)) continue;
      stop();
      if (!connection.stream.destroyed) this.#admit(connection, cameAtMs);
    }
  }
}
