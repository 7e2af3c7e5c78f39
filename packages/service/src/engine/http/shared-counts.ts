import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '@moorage/base';
import type { Bus } from '../bus/bus.ts';
import { topics } from '../bus/topics.ts';

/** Between two messages of a node with all that it has, in ms: what was lost on the way is made good by the next. */
const repeatMs = 20_000;
/** A node that has been silent for so long has nothing, or has ended, in ms. */
const forgetMs = 3 * repeatMs;

/**
 * What users have open at all nodes, as far as their messages have come: a limit that goes by it holds to within what is
 * opened at the same moment, and where no message comes through for each node alone.
 */
export class SharedCounts {
  readonly #node = randomUUID();
  readonly #kind: string;
  readonly #clock: Clock;
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'> | undefined;
  readonly #own = new Map<string, number>();
  readonly #others = new Map<string, { atMs: number; counts: Map<string, number> }>();
  readonly #unsubscribe: (() => void) | undefined;
  #cancel: CancelTimer | undefined;
  #closed = false;

  /** @param kind what is counted, the same at every node */
  constructor(kind: string, clock: Clock, bus: Pick<Bus, 'publish' | 'subscribe'> | undefined) {
    this.#kind = kind;
    this.#clock = clock;
    this.#bus = bus;
    this.#unsubscribe = bus?.subscribe(topics.countsChanged, (message) => {
      if (message.kind !== kind || message.node === this.#node) return;
      const known = message.isAll ? undefined : this.#others.get(message.node);
      const counts = new Map([...(known?.counts ?? []), ...message.counts]);
      this.#others.set(message.node, { atMs: clock.monotonic(), counts });
    });
  }

  /** What a user has open, at all nodes. */
  of(userId: string): number {
    let sum = this.#own.get(userId) ?? 0;
    const oldestMs = this.#clock.monotonic() - forgetMs;
    for (const [node, { atMs, counts }] of this.#others) {
      if (atMs < oldestMs) this.#others.delete(node);
      else sum += counts.get(userId) ?? 0;
    }
    return sum;
  }

  /** The user has opened or closed one here. */
  add(userId: string, change: 1 | -1): void {
    if (this.#closed) return;
    const n = (this.#own.get(userId) ?? 0) + change;
    if (n > 0) this.#own.set(userId, n);
    else this.#own.delete(userId);
    this.#publish([[userId, n]], false);
    this.#cancel ??= this.#clock.after(repeatMs, () => this.#repeat());
  }

  #repeat(): void {
    this.#publish([...this.#own], true);
    this.#cancel = this.#own.size > 0 ? this.#clock.after(repeatMs, () => this.#repeat()) : undefined;
  }

  #publish(counts: readonly (readonly [string, number])[], isAll: boolean): void {
    this.#bus?.publish(topics.countsChanged, { node: this.#node, kind: this.#kind, counts, isAll });
  }

  /** Whatever is open ends now. */
  close(): void {
    this.#closed = true;
    this.#publish([], true);
    this.#unsubscribe?.();
    this.#cancel?.();
  }
}
