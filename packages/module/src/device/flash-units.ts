import { unitBytes } from './flash.ts';

/** A run of allocation units in one area. */
export interface UnitRun {
  readonly unit: number;
  readonly size: number;
}

/** Allocation units that `size` bytes take; the smallest use is one. Spec: MOD-FILE-units. */
export const unitsFor = (size: number): number => Math.max(1, Math.ceil(size / unitBytes));

/** First unit of the first free run that holds `size` bytes; `undefined` when there is none. */
export function firstFit(used: readonly UnitRun[], areaUnits: number, size: number): number | undefined {
  const wanted = unitsFor(size);
  let free = 0;
  for (const run of used.toSorted((a, b) => a.unit - b.unit)) {
    if (run.unit - free >= wanted) return free;
    free = Math.max(free, run.unit + unitsFor(run.size));
  }
  return areaUnits - free >= wanted ? free : undefined;
}

/** Units of an area that no run covers. */
export const freeUnits = (used: readonly UnitRun[], areaUnits: number): number =>
  Math.max(
    0,
    used.reduce((left, run) => left - unitsFor(run.size), areaUnits),
  );
