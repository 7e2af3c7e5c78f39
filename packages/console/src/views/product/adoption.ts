import type { BundleRecord } from '@moorage/api';

/** How far one bundle has come among the devices of its product. */
export interface Adoption {
  readonly bundle: BundleRecord;
  /** Devices that run it. */
  readonly running: number;
  /** Devices that were offered it last and do not run it yet. */
  readonly pending: number;
  /** Shares of all devices of the product, 0 to 100. */
  readonly runningPercent: number;
  readonly pendingPercent: number;
}

/** What is left when the bundles that were offered are taken away. */
export interface AdoptionSummary {
  readonly rows: readonly Adoption[];
  /** Devices that were offered none of these bundles. */
  readonly others: number;
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(100, (100 * part) / whole));

/**
 * Adoption of each bundle that matters: those some device was offered, and those that carry a tag.
 *
 * @param devices how many devices are activated to the product
 */
export function adoptionOf(bundles: readonly BundleRecord[], devices: number): AdoptionSummary {
  const shown = bundles.filter(({ device_count, tag }) => device_count > 0 || tag !== null);
  const offered = bundles.reduce((sum, { device_count }) => sum + device_count, 0);
  const whole = Math.max(devices, offered);
  const rows = shown.map((bundle) => {
    const running = bundle.device_count_bundle_ok;
    const pending = bundle.device_count - running;
    return {
      bundle,
      running,
      pending,
      runningPercent: percent(running, whole),
      pendingPercent: percent(pending, whole),
    };
  });
  return { rows, others: Math.max(0, devices - offered) };
}
