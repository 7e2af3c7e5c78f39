import type { BundleRecord } from '@moorage/api';
import { t } from '../../texts/device.ts';

/** The bundle that a device with this tag is offered: that of the tag, else the release, else none. */
export function bundleFor(tag: string | null, bundles: readonly BundleRecord[]): BundleRecord | undefined {
  const published = bundles.filter(({ state }) => state === 'published');
  const tagged = tag === null || tag === '' ? undefined : published.find((bundle) => bundle.tag === tag);
  return tagged ?? published.find((bundle) => bundle.tag === 'release');
}

/** What following a tag leads to, in words. */
export function tagEffect(
  tag: string,
  device: { readonly bundle_id: string | null; readonly bundle_ok: boolean },
  bundles: readonly BundleRecord[] | undefined,
): string {
  if (!bundles) return t.withItsNextUpdateItGets;
  const bundle = bundleFor(tag, bundles);
  if (!bundle) return t.noBundleOfItsProduct;
  const named = t.version(bundle.version, bundle.tag === tag ? '' : t.releaseAsNoBundleHas);
  if (bundle.id === device.bundle_id && device.bundle_ok) return t.itRunsWhatItWould(named);
  return t.itsNextUpdateLeadsTo(named);
}
