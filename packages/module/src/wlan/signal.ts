import type { AccessPoint, Spell } from './air.ts';

/** `wlan.antenna.select`. */
export type Antenna = 1 | 2 | 'auto';

/** `wlan.rate.protocol`. */
export type Protocol = 'auto' | 'b' | 'bg' | 'bgn';

/** Nothing weaker is heard. */
const sensitivityDbm = -100;

/** Rates of the radio, in Mbit/s. */
const rates: readonly number[] = [1, 2, 5.5, 6, 9, 11, 12, 18, 24, 28.9, 36, 43.3, 48, 54, 57.8, 65, 72.2];

const fastest: Readonly<Record<Protocol, number>> = { auto: 72.2, b: 11, bg: 54, bgn: 72.2 };

/** Whether a moment lies in one of the spells. */
export const isWithin = (spells: readonly Spell[], atMs: number): boolean =>
  spells.some(({ atMs: startMs, forMs, everyMs }) => {
    const sinceMs = atMs - startMs;
    return sinceMs >= 0 && (everyMs === undefined ? sinceMs : sinceMs % everyMs) < forMs;
  });

/** When a spell next begins or ends after a moment; `undefined` when it never does again. */
export function nextEdgeMs({ atMs: startMs, forMs, everyMs }: Spell, atMs: number): number | undefined {
  if (atMs < startMs) return startMs;
  if (everyMs === undefined) return atMs < startMs + forMs ? startMs + forMs : undefined;
  // One that is as long as its period never ends.
  if (forMs >= everyMs) return undefined;
  const phaseMs = (atMs - startMs) % everyMs;
  return atMs - phaseMs + (phaseMs < forMs ? forMs : everyMs);
}

/** Strength of an access point at the module, in dBm, without what changes from reading to reading. */
export function levelDbm(point: AccessPoint, atMs: number, antenna: Antenna): number {
  const step = point.signal?.filter((change) => change.atMs <= atMs).sort((a, b) => b.atMs - a.atMs)[0];
  const [first, second] = point.antennaLossDb ?? [0, 0];
  const lossDb = { 1: first, 2: second, auto: Math.min(first, second) }[antenna];
  return (step?.rssiDbm ?? point.rssiDbm) - lossDb;
}

/** Whether an access point can be heard at a moment. */
export const isHeard = (point: AccessPoint, atMs: number, antenna: Antenna): boolean =>
  !isWithin(point.outages ?? [], atMs) && levelDbm(point, atMs, antenna) >= sensitivityDbm;

/** When strength or presence of any of these access points next changes; `undefined` for never. */
export function nextChangeMs(points: readonly AccessPoint[], atMs: number): number | undefined {
  const times = points.flatMap(({ outages = [], signal = [] }) => [
    ...outages.map((spell) => nextEdgeMs(spell, atMs)),
    ...signal.map((step) => (step.atMs > atMs ? step.atMs : undefined)),
  ]);
  const due = times.filter((time) => time !== undefined);
  return due.length > 0 ? Math.min(...due) : undefined;
}

/** Fastest rate that both sides have, and the one that the strength allows, in Mbit/s. */
export function linkRates(point: AccessPoint, protocol: Protocol, strengthDbm: number): { rate: number; max: number } {
  const max = Math.min(fastest[protocol], point.rateMbps ?? fastest.auto);
  const share = strengthDbm > -60 ? 1 : strengthDbm > -70 ? 0.75 : strengthDbm > -80 ? 0.5 : 0.25;
  return { max, rate: rates.filter((rate) => rate <= max * share).at(-1) ?? 1 };
}

/** Smooths the strength of one access point over its last readings. Spec: MOD-VAR-wlan.rssi_average. */
export class SignalMeter<Point> {
  #point: Point | undefined;
  #samples: number[] = [];

  /** The mean of this reading and those before it, at most `count` in all; 0 and 1 do not smooth. */
  mean(point: Point, sampleDbm: number, count: number): number {
    if (point !== this.#point) this.#samples = [];
    this.#point = point;
    this.#samples = [...this.#samples, sampleDbm].slice(-Math.max(1, count));
    return Math.round(this.#samples.reduce((sum, sample) => sum + sample, 0) / this.#samples.length);
  }
}
