import type { Duplex } from 'node:stream';
import type { Clock } from '@moorage/base';

/** Most that may wait to be read, in bytes: more than any answer of a module. */
const maxWaitingBytes = 8 * 1024 * 1024;

/** What a wait came to: what was waited for, or why it never will be. */
type Waited<T> = { readonly kind: 'found'; readonly value: T } | { readonly kind: 'expired' | 'closed' | 'flooded' };

/** What has come over a line and has not been taken yet, as Latin-1. */
export class Incoming {
  readonly #clock: Clock;
  #text = '';
  #closed = false;
  /** When the last byte came, by the clock that never goes back. */
  #heardAtMs: number;
  #changed: () => void = () => {};
  /** What the bytes of the line stand for. */
  decode: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes;

  constructor(stream: Duplex, clock: Clock) {
    this.#clock = clock;
    this.#heardAtMs = clock.monotonic();
    const closed = (): void => {
      this.#closed = true;
      this.#changed();
    };
    stream.on('data', (bytes: Buffer) => {
      if (this.#text.length <= maxWaitingBytes) this.#text += Buffer.from(this.decode(bytes)).toString('latin1');
      this.#heardAtMs = clock.monotonic();
      this.#changed();
    });
    for (const sign of ['end', 'error', 'close']) stream.on(sign, closed);
  }

  get text(): string {
    return this.#text;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** When the last byte came, by the clock that never goes back, in ms. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  /** Throws away what waits; silence counts from here. */
  clear(): void {
    this.#text = '';
    this.#heardAtMs = this.#clock.monotonic();
  }

  /** Waits until `find` has a value, which it is asked for after each piece and whenever `recheck` milliseconds pass in silence. */
  async wait<T>(
    find: (text: string, quietMs: number) => T | undefined,
    { timeoutMs, recheckMs }: { readonly timeoutMs: number; readonly recheckMs: number },
  ): Promise<Waited<T>> {
    const untilMs = this.#clock.monotonic() + timeoutMs;
    for (;;) {
      if (this.#text.length > maxWaitingBytes) return { kind: 'flooded' };
      const value = find(this.#text, this.#clock.monotonic() - this.#heardAtMs);
      if (value !== undefined) return { kind: 'found', value };
      if (this.#closed) return { kind: 'closed' };
      const leftMs = untilMs - this.#clock.monotonic();
      if (leftMs <= 0) return { kind: 'expired' };
      await this.#next(Math.min(leftMs, recheckMs));
    }
  }

  /** Waits until nothing has come for `quietMs`, but no longer than `timeoutMs`. */
  async quiet(quietMs: number, timeoutMs: number): Promise<void> {
    const fromMs = this.#clock.monotonic();
    await this.wait((_, silentMs) => Math.min(silentMs, this.#clock.monotonic() - fromMs) >= quietMs || undefined, {
      timeoutMs,
      recheckMs: quietMs,
    });
  }

  #next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#changed = () => {};
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      this.#changed = done;
    });
  }
}
