import type { BundleRecord, FleetRecord } from '@moorage/api';

/** How far one bundle has come among the devices of its product. */
export interface Adoption {
  readonly version: string;
  /** Undefined when the bundle is gone, or was never one of the product's. */
  readonly bundle: BundleRecord | undefined;
  /** Devices that run it. */
  readonly running: number;
  /** Devices that are to run it and do not yet. */
  readonly waiting: number;
  readonly updating: number;
  readonly failed: number;
}

/**
 * Adoption of each version that matters: those that devices run or are to run, and those that carry a tag; the bundles
 * in their order, then what runs and is no bundle.
 */
export function adoptionOf(
  bundles: readonly BundleRecord[],
  { versions, targets }: Pick<FleetRecord, 'versions' | 'targets'>,
): readonly Adoption[] {
  const running = new Map<string, number>();
  for (const { version, devices } of versions) {
    if (version !== null) running.set(version, (running.get(version) ?? 0) + devices);
  }
  const to = new Map(targets.map((target) => [target.version, target]));
  const known = new Map(bundles.map((bundle) => [bundle.version, bundle]));
  const listed = new Set([...known.keys(), ...to.keys(), ...running.keys()]);
  return [...listed].flatMap((version) => {
    const { waiting = 0, updating = 0, failed = 0 } = to.get(version) ?? {};
    const bundle = known.get(version);
    const row = { version, bundle, running: running.get(version) ?? 0, waiting, updating, failed };
    const matters = row.running + waiting + updating + failed > 0 || (bundle && bundle.tag !== null);
    return matters ? [row] : [];
  });
}
