import { Duplex } from 'node:stream';
import type { CancelTimer, Clock, Random } from '@moorage/base';
import type { KeepAlive } from '../ports.ts';
import type { Conditions } from './conditions.ts';

/** How long a sender repeats what is not acknowledged, in ms: 15 repeats, as Linux does. */
export const retransmitTimeoutMs = 925_000;

interface Limits {
  /** Bytes that come before the line is cut. */
  readonly cutAfterBytes?: number | undefined;
  /** Bytes that come before the peer is gone without a word. */
  readonly vanishAfterBytes?: number | undefined;
}

/** Two ends of one connection; the first is that of the dialling side. */
export function pairOfEnds(clock: Clock, random: Random, conditions: Conditions): readonly [End, End] {
  const { cutAfterBytes, cutAfterSentBytes, vanishAfterBytes } = conditions;
  const near = new End(clock, random, conditions, { cutAfterBytes, vanishAfterBytes });
  const far = new End(clock, random, conditions, { cutAfterBytes: cutAfterSentBytes });
  near.join(far);
  far.join(near);
  if (vanishAfterBytes === 0) near.part();
  return [near, far];
}

const errorOf = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const resetError = () => errorOf('ECONNRESET', 'The connection was reset');

/** One end of a connection. What it is written to comes out of its peer, no faster than the peer is read. */
export class End extends Duplex {
  /** As sockets count them. */
  bytesRead = 0;
  bytesWritten = 0;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #latencyMs: number;
  readonly #jitterMs: number;
  readonly #msPerByte: number;
  #untilCut: number;
  #untilVanished: number;
  #peer: End | undefined;
  /** Nothing that either end sends arrives any more. */
  #parted = false;
  #resume: (() => void) | undefined;
  #repeating: CancelTimer | undefined;
  #keepAliveMs: number | undefined;
  #asking: CancelTimer | undefined;
  #lastArrivalMs = 0;

  constructor(
    clock: Clock,
    random: Random,
    { latencyMs = 0, jitterMs = 0, bytesPerSecond }: Conditions,
    limits: Limits,
  ) {
    super({ allowHalfOpen: true });
    this.#clock = clock;
    this.#random = random;
    this.#latencyMs = latencyMs;
    this.#jitterMs = jitterMs;
    this.#msPerByte = bytesPerSecond === undefined ? 0 : 1000 / bytesPerSecond;
    this.#untilCut = limits.cutAfterBytes ?? Number.POSITIVE_INFINITY;
    this.#untilVanished = limits.vanishAfterBytes ?? Number.POSITIVE_INFINITY;
    // A cut must not end the process while no listener for errors is attached.
    this.on('error', () => {});
  }

  join(peer: End): void {
    this.#peer = peer;
  }

  /** From now on both ends are alone, and neither knows. */
  part(): void {
    for (const end of [this, this.#peer]) {
      if (!end) continue;
      end.#parted = true;
      end.#ask();
    }
  }

  /** Notices a peer that has gone without a word. */
  keepAlive({ initialMs, retryMs, retries }: KeepAlive): void {
    this.#keepAliveMs = initialMs + retryMs * retries;
    this.#ask();
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    // As with a socket, the buffer is the sender's own again once it has been taken.
    const taken = Buffer.from(chunk);
    this.bytesWritten += taken.length;
    const arrive = () => (this.#peer?.destroyed ? done(resetError()) : this.#peer?.receive(taken, done));
    // The next piece is written when this one has arrived, so a slow line carries one at a time.
    this.#travel(done, arrive, Math.ceil(taken.length * this.#msPerByte));
  }

  override _final(done: (error?: Error) => void): void {
    this.#travel(done, () => {
      this.#peer?.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#repeating?.();
    this.#asking?.();
    this.#resume?.();
    // A clean close arrives as the end of the data, anything else as a reset.
    if (peer && !peer.destroyed && !this.writableFinished && !this.#parted)
      this.#travel(undefined, () => peer.destroyed || peer.destroy(resetError()));
    done(error);
  }

  /** Bytes from the peer. */
  receive(chunk: Buffer, taken: (error?: Error) => void): void {
    this.bytesRead += Math.min(chunk.length, this.#untilCut);
    if (chunk.length >= this.#untilCut) {
      this.push(chunk.subarray(0, this.#untilCut));
      this.#untilCut = 0;
      taken();
      // What has arrived can still be read; then the line is dead in both directions.
      setImmediate(() => {
        this.#peer?.destroy(resetError());
        this.destroy(resetError());
      });
      return;
    }
    this.#untilCut -= chunk.length;
    const arrives = chunk.subarray(0, this.#untilVanished);
    this.#untilVanished -= arrives.length;
    if (this.#untilVanished === 0) this.part();
    const wantsMore = this.push(arrives);
    if (arrives.length < chunk.length) this.#peer?.repeat(taken);
    else if (wantsMore) taken();
    else this.#resume = taken;
  }

  #ask(): void {
    if (!this.#parted || this.#keepAliveMs === undefined || this.#asking || this.destroyed) return;
    this.#asking = this.#clock.after(this.#keepAliveMs, () =>
      this.destroy(errorOf('ETIMEDOUT', 'The peer does not answer')),
    );
  }

  #travel(lost: ((error: Error) => void) | undefined, arrive: () => void, lineMs = 0): void {
    if (this.#parted) {
      if (lost) this.repeat(lost);
      return;
    }
    if (this.#latencyMs === 0 && this.#jitterMs === 0 && lineMs === 0) {
      queueMicrotask(arrive);
      return;
    }
    const jitterMs = this.#jitterMs > 0 ? this.#random.below(this.#jitterMs + 1) : 0;
    const nowMs = this.#clock.monotonic();
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, nowMs + lineMs + this.#latencyMs + jitterMs);
    this.#clock.after(this.#lastArrivalMs - nowMs, arrive);
  }

  /** Repeats until it gives up with an error: no acknowledgement comes. */
  repeat(lost: (error: Error) => void): void {
    const giveUp = () => lost(errorOf('ETIMEDOUT', 'The peer does not answer'));
    this.#repeating = this.#clock.after(retransmitTimeoutMs, giveUp);
  }
}
