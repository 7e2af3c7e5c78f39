import type { Clock } from '@moorage/base';
import type { Bus } from '../db/bus.ts';
import type { LiveEvent } from './rules.ts';

/** How long another process believes that somebody here watches a device, in ms; told anew three times as often. */
const watchMs = 60_000;
const topics = { watch: 'live.watch', event: 'live.event' } as const;

interface Told {
  readonly deviceId: string;
  readonly event: LiveEvent;
}

/**
 * Tells watchers of what devices do, whichever process hears of it. A device that nobody watches costs nothing: its
 * samples are not sent around.
 */
export class Live {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #watchers = new Map<string, Set<(event: LiveEvent) => void>>();
  /** Devices that some process watches, and until when we believe it. */
  readonly #watched = new Map<string, number>();
  readonly #leave: readonly (() => void)[];
  #cancel: () => void;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
    this.#leave = [
      // Safe casts: both topics carry what this class publishes.
      bus.subscribe(topics.watch, (ids) => this.#believe(ids as readonly string[])),
      bus.subscribe(topics.event, (told) => this.#deliver(told as Told)),
    ];
    this.#cancel = this.#repeat();
  }

  /** Hears of everything of a device from now on; the answer ends it. */
  watch(deviceId: string, watcher: (event: LiveEvent) => void): () => void {
    const watchers = this.#watchers.get(deviceId) ?? new Set();
    this.#watchers.set(deviceId, watchers.add(watcher));
    if (watchers.size === 1) this.#bus.publish(topics.watch, [deviceId]);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(deviceId);
    };
  }

  /** Whether telling would reach anybody. */
  isWatched(deviceId: string): boolean {
    const until = this.#watched.get(deviceId);
    return until !== undefined && until > this.#clock.monotonic();
  }

  tell(deviceId: string, event: LiveEvent): void {
    if (this.isWatched(deviceId)) this.#bus.publish(topics.event, { deviceId, event } satisfies Told);
  }

  close(): void {
    this.#cancel();
    for (const leave of this.#leave) leave();
  }

  #believe(ids: readonly string[]): void {
    const now = this.#clock.monotonic();
    for (const [id, until] of this.#watched) if (until <= now) this.#watched.delete(id);
    for (const id of ids) this.#watched.set(id, now + watchMs);
  }

  #deliver({ deviceId, event }: Told): void {
    for (const watcher of this.#watchers.get(deviceId) ?? []) watcher(event);
  }

  #repeat(): () => void {
    return this.#clock.after(watchMs / 3, () => {
      if (this.#watchers.size > 0) this.#bus.publish(topics.watch, [...this.#watchers.keys()]);
      this.#cancel = this.#repeat();
    });
  }
}
