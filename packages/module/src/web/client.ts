import type { Duplex } from 'node:stream';
import type { CancelTimer, Clock } from '@moorage/base';
import type { Connection } from '@moorage/net';

/** Longest time that a client may take for a whole request, for a piece of an answer, or between requests, in ms. */
export const patienceMs = 15_000;

/** Longest time in which a client must have sent a request while others wait for its place, in ms. */
export const hasteMs = 1_000;

/** The same for a client that has waited longer than that for its own place: what it asks for may be here already. */
export const lateHasteMs = 100;

/** Requests that one connection may send ahead of the answers. */
export const maxPipelined = 16;

/** How long a request in work may go on when the server stops, and a last answer may be read, in ms. */
const lastAnswerMs = 1_000;

/** Events of a connection, for the server that it belongs to. */
interface ClientEvents {
  /** Nothing is being done for it. */
  idle(client: Client): void;
  closed(client: Client): void;
}

/**
 * One connection of an HTTP server: its requests are answered one after another, and it is cut when it makes the server
 * wait too long.
 */
export class Client {
  readonly connection: Connection;
  readonly #clock: Clock;
  readonly #events: ClientEvents;
  readonly #tasks: (() => void | Promise<void>)[] = [];
  #busy = false;
  #answered = 0;
  #retiring = false;
  #reading = false;
  #ending = false;
  /** Its place has been given to another client. */
  #gone = false;
  /** Monotonic time at which it must have asked for something if others wait. */
  readonly #hasteEndMs: number;
  /** Monotonic time at which the client has been waited for long enough. */
  #dueAtMs = Number.POSITIVE_INFINITY;
  #cancelTimer: CancelTimer | undefined;

  /** `cameAtMs` is the monotonic time at which it connected. */
  constructor(connection: Connection, clock: Clock, events: ClientEvents, cameAtMs = clock.monotonic()) {
    this.connection = connection;
    this.#clock = clock;
    this.#events = events;
    this.#hasteEndMs = Math.max(cameAtMs + hasteMs, clock.monotonic() + lateHasteMs);
    this.socket.on('error', () => this.socket.destroy());
    this.socket.once('close', () => this.#closed());
    this.waitsForPeer();
  }

  get socket(): Duplex {
    return this.connection.stream;
  }

  /** Kept open after an answer, with nothing to do. */
  get isSpare(): boolean {
    return !this.#busy && !this.#ending && this.#answered > 0;
  }

  /** The body of a request is on its way. */
  get isReading(): boolean {
    return this.#reading;
  }

  /** This answer is the last one. */
  get isRetiring(): boolean {
    return this.#retiring;
  }

  /** Takes a request; it runs when those before it have been answered. */
  add(task: () => void | Promise<void>): void {
    if (this.socket.destroyed || this.#gone) return;
    if (this.#tasks.length >= maxPipelined) {
      this.socket.destroy();
      return;
    }
    this.#tasks.push(task);
    if (!this.#busy) this.#work();
  }

  /** It is the client's turn: it has `patienceMs` from now. */
  waitsForPeer(): void {
    if (this.#gone) return;
    this.#dueAtMs = this.#clock.monotonic() + patienceMs;
    // A timer that comes too early sets itself anew: not every request costs one.
    this.#cancelTimer ??= this.#clock.after(patienceMs, () => this.#timeUp());
  }

  /** Others wait for its place: a client that has not sent a request yet has less time for it. */
  hurry(): void {
    if (this.#busy || this.#answered > 0 || this.#gone || this.#ending) return;
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#hasteEndMs);
    this.#cancelTimer?.();
    this.#timeUp();
  }

  /** It is the server's turn, which may take as long as a command does. */
  works(): void {
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }

  /** Lets the client take its time for something that it sends. */
  async reads<T>(read: () => Promise<T>): Promise<T> {
    this.#reading = true;
    this.waitsForPeer();
    const result = await read();
    this.works();
    this.#reading = false;
    return result;
  }

  /** Ends the connection once what is being done for it is done; soon, if need be. */
  retire(): void {
    this.#retiring = true;
    if (!this.#busy) this.end();
    else this.#clock.after(lastAnswerMs, () => this.socket.destroy());
  }

  /** One task after another; at once, where nothing has to be waited for. */
  #work(): void {
    this.#busy = true;
    for (let task = this.#tasks.shift(); task && !this.socket.destroyed; task = this.#tasks.shift()) {
      const pending = task();
      if (pending) {
        void pending.then(() => {
          this.#answered++;
          if (this.#retiring) this.#rest();
          else this.#work();
        });
        return;
      }
      this.#answered++;
      if (this.#retiring) break;
    }
    this.#rest();
  }

  #rest(): void {
    this.#busy = false;
    if (this.#gone) return;
    this.waitsForPeer();
    if (this.#retiring) this.end();
    else this.#events.idle(this);
  }

  /**
   * Ends the connection with these last words. What has been written still goes out, and what the client is still
   * sending is heard: otherwise it would never see the answer.
   */
  end(words = ''): void {
    const { socket } = this;
    if (this.#ending || socket.destroyed) return;
    this.#ending = true;
    socket.once('end', () => socket.destroy());
    if (socket.writable) socket.end(words);
    socket.resume();
    this.#clock.after(lastAnswerMs, () => socket.destroy());
    // Its place is free from now on.
    this.#closed();
  }

  #timeUp(): void {
    this.#cancelTimer = undefined;
    if (this.#dueAtMs === Number.POSITIVE_INFINITY) return;
    const leftMs = this.#dueAtMs - this.#clock.monotonic();
    if (leftMs <= 0) this.socket.destroy();
    else this.#cancelTimer = this.#clock.after(leftMs, () => this.#timeUp());
  }

  #closed(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#cancelTimer?.();
    this.#tasks.length = 0;
    this.#events.closed(this);
  }
}
