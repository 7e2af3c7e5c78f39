import type { BundleRecord } from '@moorage/api';

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
  if (!bundles) return 'With its next update it gets the bundle of that tag, or the release where no bundle has it.';
  const bundle = bundleFor(tag, bundles);
  if (!bundle) return 'No bundle of its product carries this tag, and none is the release: it is offered nothing.';
  const named = `version ${bundle.version}${bundle.tag === tag ? '' : ', the release, as no bundle has this tag'}`;
  if (bundle.id === device.bundle_id && device.bundle_ok) return `It runs what it would be offered: ${named}.`;
  return `Its next update leads to ${named}. A module with dms.auto_start_enabled that is online begins at once.`;
}
