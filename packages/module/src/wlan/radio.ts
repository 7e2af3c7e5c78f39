import type { Clock, Random } from '@moorage/base';
import type { AccessPoint, Air } from './air.ts';
import { type Antenna, isHeard, isWithin, levelDbm, nextChangeMs } from './signal.ts';

/** What the variables say about looking for networks. */
export interface RadioSettings {
  /** Bit 0 is channel 1. */
  readonly channelMask: number;
  /** Asks for a network by its name instead of only listening for beacons. */
  readonly active: boolean;
  /** Further passes while nothing has been found. */
  readonly repeats: number;
  readonly txPowerDbm: number;
  readonly antenna: Antenna;
}

/** An access point as one pass of a scan has heard it. */
export interface Heard {
  readonly point: AccessPoint;
  /** Empty for a hidden network that was not asked for by its name. */
  readonly ssid: string;
  readonly rssiDbm: number;
}

interface RadioParts {
  readonly clock: Clock;
  readonly air: Air;
  readonly random: Random;
  readonly settings: () => RadioSettings;
}

/** What the module receives of its surroundings at each moment. Times of the air file count from its making. */
export class Radio {
  readonly #parts: RadioParts;
  readonly #startMs: number;

  constructor(parts: RadioParts) {
    this.#parts = parts;
    this.#startMs = parts.clock.monotonic();
  }

  get settings(): RadioSettings {
    return this.#parts.settings();
  }

  get points(): readonly AccessPoint[] {
    return this.#parts.air.accessPoints;
  }

  /** One pass over the channels. `ssid` is asked for by its name where probing is active. */
  listen(ssid = ''): readonly Heard[] {
    const { active, channelMask } = this.settings;
    return this.points
      .filter((point) => onChannels(point, channelMask) && this.hears(point) && !this.#misses(point))
      .map((point) => {
        // An access point that does not hear the module does not answer it, either.
        const isProbed = active && point.ssid === ssid && this.isHeardBy(point);
        return { point, ssid: point.hidden && !isProbed ? '' : point.ssid, rssiDbm: this.sampleDbm(point) };
      });
  }

  /** Whether the access point is there, and strong enough. */
  hears(point: AccessPoint): boolean {
    return isHeard(point, this.#nowMs, this.settings.antenna);
  }

  /** Whether what the module sends reaches the access point. */
  isHeardBy(point: AccessPoint): boolean {
    return this.settings.txPowerDbm >= (point.needsTxDbm ?? 0);
  }

  /** Strength without what changes from reading to reading. */
  levelDbm(point: AccessPoint): number {
    return levelDbm(point, this.#nowMs, this.settings.antenna);
  }

  /** One reading of the strength: drawn anew each time. */
  sampleDbm(point: AccessPoint): number {
    const { rssiJitterDb = 0 } = point;
    const driftDb = rssiJitterDb > 0 ? this.#parts.random.below(2 * rssiJitterDb + 1) - rssiJitterDb : 0;
    return Math.min(0, this.levelDbm(point) + driftDb);
  }

  /** Whether its button has been pressed. */
  buttonActive(point: AccessPoint): boolean {
    return isWithin(point.wps?.button ?? [], this.#nowMs);
  }

  /** Milliseconds until strength or presence of any of these changes; `undefined` for never. */
  untilChangeMs(points: readonly AccessPoint[]): number | undefined {
    const nowMs = this.#nowMs;
    const nextMs = nextChangeMs(points, nowMs);
    return nextMs === undefined ? undefined : nextMs - nowMs;
  }

  get #nowMs(): number {
    return this.#parts.clock.monotonic() - this.#startMs;
  }

  #misses({ missPercent = 0 }: AccessPoint): boolean {
    return missPercent > 0 && this.#parts.random.below(100) < missPercent;
  }
}

const onChannels = ({ channel }: AccessPoint, mask: number): boolean => (mask & (1 << (channel - 1))) !== 0;
