import type { CancelTimer, Clock } from '@moorage/base';
import { StorageError } from './health.ts';

/** How often a watch looks while something waits for the server, in ms. */
const lookMs = 350;
/** A look that comes so much late says that the machine is busy, and not that the server is silent, in ms. */
const lateMs = 50;
/** So many looks in a row without a reply, and the question is given up for another one: the connection may be lost, and the server well. */
const missedQuestionLimit = 24;

/** How a watch sees its server. */
export interface WatchedServer {
  /** For people: `database`, `object store`. */
  readonly what: string;
  /** So many looks in a row without a reply to a small question, and the server counts as frozen. */
  readonly missedLimit: number;
  /**
   * Asks for something small, on a connection that nothing else uses. Whether it resolves or rejects, the server or its
   * host has replied.
   */
  ask(): Promise<unknown>;
  /** Gives up the question that was asked last. */
  giveUp(): void;
  /** Ends every connection on which something waits. */
  cut(): void;
  /** Called when the server has frozen, and when it replies again. */
  onChange?(isFrozen: boolean): void;
}

/**
 * Looks after a server that may stop replying without going away: stopped, out of reach, or hung. While calls are under
 * way that server must reply to a small question. A slow call is no sign of trouble, silence is: then all calls end, and
 * new ones are refused at once until it replies again. Looks are counted instead of time, and late ones are not, so that a
 * process which stood still, or a busy machine, does not blame the server.
 */
export class ServerWatch {
  readonly #server: WatchedServer;
  readonly #clock: Clock;
  /** How the calls under way are ended. */
  readonly #waiting = new Set<(error: Error) => void>();
  #isFrozen = false;
  #isClosed = false;
  #timer: CancelTimer | undefined;
  /** When the next look is due, by the monotonic clock, in ms. */
  #dueAt = 0;
  /** Whether there was a reply since the last look. */
  #hasReplied = false;
  #question: Promise<void> | undefined;
  /** Looks since the question was asked. */
  #missed = 0;

  constructor(server: WatchedServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Makes a call of which the server replies to each. Rejects with a `StorageError` when the server is frozen. */
  async call<T>(make: () => Promise<T>): Promise<T> {
    const value = await this.wait(make);
    this.noteReply();
    return value;
  }

  /** To be called at any other sign that the server is at work. */
  noteReply(): void {
    this.#hasReplied = true;
  }

  /** The same for what may end without the server, such as a wait for a free connection. */
  wait<T>(make: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error(`The way to the ${this.#server.what} is closed`));
    if (this.#isFrozen) return Promise.reject(this.#silence());
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      if (!this.#timer) this.#lookLater();
      make()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.();
    this.#server.giveUp();
  }

  #silence(): StorageError {
    const { what } = this.#server;
    return new StorageError({ kind: 'away', what }, `The ${what} has stopped replying`);
  }

  #lookLater(): void {
    this.#dueAt = this.#clock.monotonic() + lookMs;
    this.#timer = this.#clock.after(lookMs, () => this.#look());
  }

  #look(): void {
    this.#timer = undefined;
    if (this.#isClosed) return;
    const isLate = this.#clock.monotonic() - this.#dueAt > lateMs;
    if (this.#question && !isLate) this.#miss();
    else if (!this.#question && this.#waiting.size > 0 && !this.#hasReplied) this.#ask();
    this.#hasReplied = false;
    if (this.#waiting.size > 0 || this.#question) this.#lookLater();
  }

  #miss(): void {
    this.#missed += 1;
    if (this.#missed >= this.#server.missedLimit && !this.#isFrozen) this.#freeze();
    if (this.#missed % missedQuestionLimit !== 0) return;
    this.#question = undefined;
    this.#server.giveUp();
    this.#ask();
  }

  #ask(): void {
    this.#missed = 0;
    const settled = () => {
      // A question that was given up says nothing.
      if (this.#question !== question) return;
      this.#question = undefined;
      if (!this.#isFrozen) return;
      this.#isFrozen = false;
      this.#server.onChange?.(false);
    };
    const question: Promise<void> = this.#server.ask().then(settled, settled);
    this.#question = question;
  }

  #freeze(): void {
    this.#isFrozen = true;
    this.#server.onChange?.(true);
    this.#server.cut();
    for (const end of this.#waiting) end(this.#silence());
    this.#waiting.clear();
  }
}
