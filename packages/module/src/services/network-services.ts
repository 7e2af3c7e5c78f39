import type { Interface } from '@moorage/net';
import { inBackground } from '../device/background.ts';
import type { Log } from '../device/log.ts';
import type { Wlan } from '../wlan/wlan.ts';
import type { NetworkService, RunningService } from './service.ts';

interface Started {
  readonly service: string;
  readonly iface: Interface;
  /** `undefined` in the end when it could not start. */
  readonly running: Promise<RunningService | undefined>;
}

/** Starts the services of an interface when it comes up, in the order of the list, and stops them when it goes. */
export class NetworkServices<Parts extends { readonly log: Log; readonly wlan: Wlan }> {
  readonly #parts: Parts;
  readonly #list: readonly NetworkService<Parts>[];
  #started: Started[] = [];
  /** What has been stopped, and may still have its sockets. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, list: readonly NetworkService<Parts>[]) {
    this.#parts = parts;
    this.#list = list;
    parts.wlan.watch({ up: (iface) => this.#up(iface), down: (iface) => void this.stop(iface) });
  }

  /** Whether a service runs, or is about to. */
  isRunning(service: string): boolean {
    return this.#started.some((started) => started.service === service);
  }

  /** Stops the services of one interface, or of all; resolves when they have let go. */
  async stop(iface?: Interface): Promise<void> {
    const ending = this.#started.filter((started) => iface === undefined || started.iface === iface);
    this.#started = this.#started.filter((started) => !ending.includes(started));
    // One that is still starting is stopped as soon as it has.
    const ended = ending.map(async ({ running }) => (await running)?.stop());
    if (ended.length > 0) this.#ending = Promise.all([this.#ending, ...ended]);
    await this.#ending;
  }

  /** Nothing to wait for when nothing is wanted: a join without services ends in the same turn. */
  #up(iface: Interface): void | Promise<void> {
    const wanted = this.#list.filter((service) => service.wanted(this.#parts).includes(iface));
    if (wanted.length > 0) return this.#startAll(wanted, iface);
  }

  async #startAll(wanted: readonly NetworkService<Parts>[], iface: Interface): Promise<void> {
    // An interface that has just gone down had the same ports.
    await this.#ending;
    for (const service of wanted) {
      // The interface may have gone while the one before was starting.
      if (!this.#parts.wlan.isUp(iface)) return;
      if (this.isRunning(service.name)) continue;
      const running = inBackground(this.#parts.log, () => service.start(this.#parts, iface));
      this.#started.push({ service: service.name, iface, running });
      await running;
    }
  }
}
