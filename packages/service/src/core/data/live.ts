import type { Clock } from '@moorage/base';
import type { Bus } from '../../engine/bus/bus.ts';
import { type LiveEvent, type MessageOf, topics } from '../../engine/bus/topics.ts';

/** How long another process believes that a client here watches a device, in ms; sent anew three times as often. */
const watchMs = 60_000;

/**
 * Tells watchers of what devices do, whichever process hears of it. A device without watchers costs nothing: its
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
      bus.subscribe(topics.liveWatch, (ids) => this.#believe(ids)),
      bus.subscribe(topics.liveEvent, (message) => this.#deliver(message)),
    ];
    this.#cancel = this.#repeat();
  }

  /** Subscribes to the events of a device. Returns the unsubscription. */
  watch(deviceId: string, watcher: (event: LiveEvent) => void): () => void {
    const watchers = this.#watchers.get(deviceId) ?? new Set();
    this.#watchers.set(deviceId, watchers.add(watcher));
    if (watchers.size === 1) this.#bus.publish(topics.liveWatch, [deviceId]);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(deviceId);
    };
  }

  /** Whether the device has watchers. */
  isWatched(deviceId: string): boolean {
    const until = this.#watched.get(deviceId);
    return until !== undefined && until > this.#clock.monotonic();
  }

  notify(deviceId: string, event: LiveEvent): void {
    if (this.isWatched(deviceId)) this.#bus.publish(topics.liveEvent, { deviceId, event });
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

  #deliver({ deviceId, event }: MessageOf<typeof topics.liveEvent>): void {
    for (const watcher of this.#watchers.get(deviceId) ?? []) watcher(event);
  }

  #repeat(): () => void {
    return this.#clock.after(watchMs / 3, () => {
      if (this.#watchers.size > 0) this.#bus.publish(topics.liveWatch, [...this.#watchers.keys()]);
      this.#cancel = this.#repeat();
    });
  }
}
