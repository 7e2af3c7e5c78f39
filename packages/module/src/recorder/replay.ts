import type { Exchange } from './recording.ts';

/** Where the host did otherwise than in the recording. Bytes are latin1 texts. */
export interface Deviation {
  /** Number of the exchange, from 1. */
  readonly exchange: number;
  readonly expected: string;
  readonly sent: string;
}

interface ReplayParts {
  write(bytes: string): void;
  deviated(deviation: Deviation): void;
  /** Every exchange has passed. */
  done(): void;
}

/**
 * Plays the module's side of a recording: what the host sends is compared with what it sent then, and answered as it was.
 * After something else it goes on at the next exchange that begins so, or waits for the one that is due.
 */
export class Replay {
  readonly #exchanges: readonly Exchange[];
  readonly #parts: ReplayParts;
  #at = 0;
  #received = '';
  /** The exchange at which a deviation was said last. */
  #saidAt = -1;

  constructor(exchanges: readonly Exchange[], parts: ReplayParts) {
    this.#exchanges = exchanges;
    this.#parts = parts;
  }

  /** Exchanges that have not passed. */
  get left(): number {
    return this.#exchanges.length - this.#at;
  }

  /** A host has connected: what the module said of its own accord comes first. */
  begin(): void {
    this.#work();
  }

  receive(bytes: string): void {
    this.#received += bytes;
    this.#work();
  }

  #work(): void {
    for (let due = this.#exchanges[this.#at]; due; due = this.#exchanges[this.#at]) {
      if (begins(this.#received, due.host)) this.#pass(due);
      else if (begins(due.host, this.#received)) return;
      else if (!this.#deviate(due)) return;
    }
    if (this.#received !== '') this.#parts.deviated({ exchange: this.#at, expected: '', sent: this.#takeAll() });
  }

  #pass(due: Exchange): void {
    this.#received = this.#received.slice(due.host.length);
    this.#at += 1;
    if (due.module !== '') this.#parts.write(due.module);
    if (this.left === 0) this.#parts.done();
  }

  /** False while it is not clear what the host means: its line has not ended. */
  #deviate(due: Exchange): boolean {
    const end = /\r\n|\r|\n/.exec(this.#received);
    if (!end) return false;
    const sent = this.#received.slice(0, end.index + end[0].length);
    const later = this.#exchanges.findIndex(
      ({ host }, index) => index > this.#at && host !== '' && begins(this.#received, host),
    );
    // A line in the place of the one that is due has been said already.
    if (later < 0 || this.#saidAt !== this.#at)
      this.#parts.deviated({ exchange: this.#at + 1, expected: due.host, sent });
    this.#saidAt = this.#at;
    if (later > 0) this.#at = later;
    else this.#received = this.#received.slice(sent.length);
    return true;
  }

  #takeAll(): string {
    const all = this.#received;
    this.#received = '';
    return all;
  }
}

/** Whether one text begins with the other, which counts as said where it has been blanked. */
function begins(text: string, start: string): boolean {
  if (text.length < start.length) return false;
  for (let at = 0; at < start.length; at++)
    if (text[at] !== start[at] && text[at] !== '*' && start[at] !== '*') return false;
  return true;
}
