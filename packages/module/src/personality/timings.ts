import type { Random } from '../random.ts';

/** How long the module takes for what takes real ones a while, in ms. */
export interface Timings {
  readonly bootMs: number;
  readonly saveMs: number;
  readonly scanMs: number;
  readonly probeMs: number;
  readonly associateMs: number;
  readonly dhcpMs: number;
}

/** A time in ms, or the shortest and the longest of which each one is drawn. */
export type Timing = number | readonly [minMs: number, maxMs: number];

export type TimingTable = Readonly<Record<keyof Timings, Timing>>;

/** Nobody waits for a virtual module. */
export const noTimings: TimingTable = { bootMs: 0, saveMs: 0, scanMs: 0, probeMs: 0, associateMs: 0, dhcpMs: 0 };

/**
 * What hosts have seen of real modules: a join of 4 to 15 s in all, a scan of 2 to 6 s, 0.9 s to save.
 * Reference: module-commands 4.
 */
export const realTimings: TimingTable = {
  bootMs: 800,
  saveMs: 900,
  scanMs: [2000, 6000],
  probeMs: [1000, 3000],
  associateMs: [1500, 6000],
  dhcpMs: [1500, 6000],
};

const draw = (timing: Timing, random: Random): number =>
  typeof timing === 'number' ? timing : timing[0] + random.below(Math.floor(timing[1] - timing[0]) + 1);

/** The times of one module: each reading of a range is another draw. */
export function drawnTimings(table: TimingTable, random: Random): Timings {
  return {
    get bootMs() {
      return draw(table.bootMs, random);
    },
    get saveMs() {
      return draw(table.saveMs, random);
    },
    get scanMs() {
      return draw(table.scanMs, random);
    },
    get probeMs() {
      return draw(table.probeMs, random);
    },
    get associateMs() {
      return draw(table.associateMs, random);
    },
    get dhcpMs() {
      return draw(table.dhcpMs, random);
    },
  };
}
