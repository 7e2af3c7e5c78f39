import type { Random } from '@moorage/base';

/** How long the module takes for what takes real ones a while, in ms. */
export interface Timings {
  readonly bootMs: number;
  readonly saveMs: number;
  readonly scanMs: number;
  readonly probeMs: number;
  readonly associateMs: number;
  readonly dhcpMs: number;
  /** No time: 1 where bytes on the serial line take the time of its rate, 0 where they take none. */
  readonly serialPace: number;
}

/** A time in ms, or the shortest and the longest of which each one is drawn. */
export type Timing = number | readonly [minMs: number, maxMs: number];

export type TimingTable = Readonly<Record<keyof Timings, Timing>>;

/** No delays: the default of a virtual module. */
export const noTimings: TimingTable = {
  bootMs: 0,
  saveMs: 0,
  scanMs: 0,
  probeMs: 0,
  associateMs: 0,
  dhcpMs: 0,
  serialPace: 0,
};

/**
 * What hosts have seen of real modules: a join of 4 to 15 s in all, a scan of 2 to 6 s, 0.9 s to save.
 * Reference: commands 3.1.
 */
export const realTimings: TimingTable = {
  bootMs: 800,
  saveMs: 900,
  scanMs: [2000, 6000],
  probeMs: [1000, 3000],
  associateMs: [1500, 6000],
  dhcpMs: [1500, 6000],
  serialPace: 1,
};

const draw = (timing: Timing, random: Random): number =>
  typeof timing === 'number' ? timing : timing[0] + random.below(Math.floor(timing[1] - timing[0]) + 1);

/** The times of one module: each reading of a range is another draw. Modules without ranges share their table. */
export function drawnTimings(table: TimingTable, random: Random): Timings {
  if (isFixed(table)) return table;
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
    get serialPace() {
      return draw(table.serialPace, random);
    },
  };
}

const isFixed = (table: TimingTable): table is Timings =>
  Object.values(table).every((timing) => typeof timing === 'number');
