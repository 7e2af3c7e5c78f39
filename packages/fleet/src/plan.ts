import { seededRandom } from '@moorage/base';
import type { Fault, FleetGroup, FleetScenario } from './scenario.ts';

/** One module of a fleet: what it is, and what has been drawn for it. */
export interface TwinPlan {
  /** Its place in the fleet, from 0. */
  readonly index: number;
  /** Seed of its identity and of all that happens to it. */
  readonly seed: string;
  readonly group: FleetGroup;
  readonly title: string;
  readonly skewMs: number;
  /** How fast its clock goes; 1 is right. */
  readonly rate: number;
  /** When its network is gone for the first time after its start, in ms. */
  readonly awayAtMs: number;
  /** What bad versions do to it, by their version. */
  readonly faults: ReadonlyMap<string, Fault>;
}

/** The group of a place in the fleet: each has its share, one behind the other. */
function groupOf({ groups }: FleetScenario, index: number, count: number): FleetGroup {
  const total = groups.reduce((sum, { share }) => sum + share, 0);
  let end = 0;
  for (const group of groups) {
    end += group.share / total;
    if ((index + 0.5) / count < end) return group;
  }
  // Only what rounding has left.
  return groups.at(-1) as FleetGroup;
}

/** Everything that is drawn for a module before it runs: the same for the same seed, whatever else runs. */
export function planTwin(scenario: FleetScenario, seed: string, index: number, count: number): TwinPlan {
  const random = seededRandom(`twin ${seed} ${index}`);
  const within = (limit: number): number => random.below(2 * limit + 1) - limit;
  const group = groupOf(scenario, index, count);
  const { clock, failures = [], link } = group;
  const skewMs = within(clock?.skew_s ?? 0) * 1000;
  const rate = 1 + within(clock?.drift_ppm ?? 0) / 1_000_000;
  const awayAtMs = link?.away ? random.below(link.away.every_s) * 1000 : 0;
  const faults = new Map<string, Fault>();
  for (const { version, fault, percent = 100 } of failures) {
    if (random.below(10_000) < percent * 100) faults.set(version, fault);
  }
  const title = `${group.name} ${index + 1}`;
  return { index, seed: `${seed} ${index}`, group, title, skewMs, rate, awayAtMs, faults };
}
