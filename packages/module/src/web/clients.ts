import type { Clock } from '@moorage/base';
import type { Connection } from '../net/ports.ts';
import { Client } from './client.ts';

/** Connections that may wait for a place; further ones are closed at once. */
export const maxWaitingClients = 128;

/**
 * The clients of one server. One too many waits until a place is free: browsers open more connections than a module
 * serves. A connection that is only kept open gives its place up. Spec: MOD-VAR-http.server.max_clients.
 */
export class Clients {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #start: (client: Client) => void;
  readonly #active = new Set<Client>();
  #waiting: Connection[] = [];
  #stopped = false;

  constructor(clock: Clock, max: number, start: (client: Client) => void) {
    this.#clock = clock;
    this.#max = max;
    this.#start = start;
  }

  /** Somebody waits for a place: answers should be the last ones of their connections. */
  get isCrowded(): boolean {
    return this.#waiting.length > 0;
  }

  get size(): number {
    return this.#active.size;
  }

  accept(connection: Connection): void {
    if (this.#stopped || this.#waiting.length >= maxWaitingClients) {
      connection.stream.destroy();
      return;
    }
    if (this.#active.size < this.#max) {
      this.#admit(connection);
      return;
    }
    connection.stream.on('error', () => connection.stream.destroy());
    this.#waiting.push(connection);
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
    for (const { stream } of this.#waiting) stream.destroy();
    this.#waiting = [];
    for (const client of this.#active) client.retire();
  }

  #admit(connection: Connection): void {
    const client = new Client(connection, this.#clock, {
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
    });
    this.#active.add(client);
    this.#start(client);
  }

  #fill(): void {
    while (this.#active.size < this.#max) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (!next.stream.destroyed) this.#admit(next);
    }
  }
}
