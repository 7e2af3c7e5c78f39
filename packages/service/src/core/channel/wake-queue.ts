import type { CancelTimer, Clock } from '@moorage/base';

export interface WakeQueuePorts {
  readonly clock: Clock;
  /** By how much slower the load of the process makes it, at a time in epoch ms; 1 for not at all. */
  readonly stretch: (nowMs: number) => number;
  /** Devices of a product that are woken in a minute. */
  readonly wakesPerMinute: (productId: string) => Promise<number>;
  readonly wake: (deviceId: string) => void;
}

const tickMs = 1_000;

interface Waiting {
  deviceIds: readonly string[];
  perMinute: number;
}

/** Wakes the devices of products at a pace, a part each second, so that moving a tag calls no herd. Spec: API-CHAN-wake. */
export class WakeQueue {
  readonly #ports: WakeQueuePorts;
  readonly #products = new Map<string, Waiting>();
  #cancel: CancelTimer | undefined;
  #isStopped = false;

  constructor(ports: WakeQueuePorts) {
    this.#ports = ports;
  }

  /** Wakes these devices of a product from now on; those that still wait of an earlier call are among them. */
  async add(productId: string, deviceIds: readonly string[]): Promise<void> {
    if (deviceIds.length === 0) return;
    const perMinute = await this.#ports.wakesPerMinute(productId);
    if (this.#isStopped) return;
    this.#products.set(productId, { deviceIds, perMinute });
    if (this.#cancel === undefined) this.#tick();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#products.clear();
  }

  #tick(): void {
    const { clock, stretch, wake } = this.#ports;
    this.#cancel = undefined;
    const slower = stretch(clock.now());
    for (const [productId, waiting] of this.#products) {
      const n = Math.max(1, Math.ceil((waiting.perMinute * tickMs) / 60_000 / slower));
      for (const deviceId of waiting.deviceIds.slice(0, n)) wake(deviceId);
      waiting.deviceIds = waiting.deviceIds.slice(n);
      if (waiting.deviceIds.length === 0) this.#products.delete(productId);
    }
    if (this.#products.size > 0) this.#cancel = clock.after(tickMs, () => this.#tick());
  }
}
