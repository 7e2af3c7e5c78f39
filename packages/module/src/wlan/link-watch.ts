import type { CancelTimer, Clock } from '@moorage/base';
import type { AccessPoint } from './air.ts';
import type { Radio } from './radio.ts';

export interface LinkWatchPorts {
  readonly clock: Clock;
  readonly radio: Radio;
  /** The access point of the link. */
  readonly point: () => AccessPoint | undefined;
  /** Others that the module could be linked to just as well. */
  readonly siblings: () => readonly AccessPoint[];
  readonly roam: (to: AccessPoint) => void;
  readonly lose: () => void;
}

/** How much stronger another access point must be before the module changes over, in dB. */
const roamMarginDb = 10;

/** Looks after a link while it is up: it is lost with its access point, unless another one carries the same network. */
export class LinkWatch {
  readonly #ports: LinkWatchPorts;
  #cancel: CancelTimer | undefined;

  constructor(ports: LinkWatchPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.stop();
    const point = this.#ports.point();
    if (!point) return;
    // One that has gone while the link was coming up is noticed at once.
    const untilMs = this.#better(point) ? 0 : this.#ports.radio.untilChangeMs([point, ...this.#ports.siblings()]);
    const lostMs = this.#ports.radio.hears(point) ? untilMs : 0;
    if (lostMs !== undefined) this.#cancel = this.#ports.clock.after(lostMs, () => this.#look());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    const { lose, point: current, radio, roam } = this.#ports;
    const point = current();
    if (!point) return;
    const better = this.#better(point);
    if (better) roam(better);
    else if (!radio.hears(point)) {
      lose();
      return;
    }
    this.start();
  }

  /** The strongest of the others, if it is worth changing over. */
  #better(point: AccessPoint): AccessPoint | undefined {
    const { radio, siblings } = this.#ports;
    const best = siblings()
      .filter((other) => radio.hears(other))
      .sort((a, b) => radio.levelDbm(b) - radio.levelDbm(a))[0];
    if (!best) return undefined;
    const wins = !radio.hears(point) || radio.levelDbm(best) >= radio.levelDbm(point) + roamMarginDb;
    return wins ? best : undefined;
  }
}
