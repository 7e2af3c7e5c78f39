import type { CancelTimer, Clock } from '@moorage/base';
import type { AccessPoint } from './air.ts';
import type { Radio } from './radio.ts';

interface LinkWatchParts {
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
  readonly #parts: LinkWatchParts;
  #cancel: CancelTimer | undefined;

  constructor(parts: LinkWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.stop();
    const point = this.#parts.point();
    if (!point) return;
    // One that has gone while the link was coming up is noticed at once.
    const untilMs = this.#better(point) ? 0 : this.#parts.radio.untilChangeMs([point, ...this.#parts.siblings()]);
    const lostMs = this.#parts.radio.hears(point) ? untilMs : 0;
    if (lostMs !== undefined) this.#cancel = this.#parts.clock.after(lostMs, () => this.#look());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    const { lose, point: current, radio, roam } = this.#parts;
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
    const { radio, siblings } = this.#parts;
    const best = siblings()
      .filter((other) => radio.hears(other))
      .sort((a, b) => radio.levelDbm(b) - radio.levelDbm(a))[0];
    if (!best) return undefined;
    const wins = !radio.hears(point) || radio.levelDbm(best) >= radio.levelDbm(point) + roamMarginDb;
    return wins ? best : undefined;
  }
}
