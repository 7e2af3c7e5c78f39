import { type Tag, tags } from '@moorage/api';

/** Which bundle carries each tag. */
export type Holders = Readonly<Partial<Record<Tag, string>>>;

/** Tag of a device; the empty text is a device without one, which follows the release. */
export type DeviceTag = '' | Tag;

/** Devices of one tag that a change gives another bundle. */
export interface MovedGroup {
  readonly tag: DeviceTag;
  /** The bundle they follow now; undefined when there is none for them. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const deviceTags: readonly DeviceTag[] = ['', ...tags];

/** The bundle that a device of this tag follows: the one that carries it, else the release. Reference: rules 3.1. */
const followed = (holders: Holders, tag: DeviceTag): string | undefined =>
  (tag === '' ? undefined : holders[tag]) ?? holders.release;

/** Which bundles carry which tags once this one is given that tag, or loses its own to the empty one. */
export function afterTagging(holders: Holders, bundleId: string, tag: DeviceTag): Holders {
  // A bundle carries one tag at most, and a tag is carried by one bundle at most.
  const others = Object.entries(holders).filter(([name, id]) => id !== bundleId && name !== tag);
  return { ...Object.fromEntries(others), ...(tag !== '' && { [tag]: bundleId }) };
}

/** The groups of devices that will follow another bundle after a bundle is given a tag. */
export function movedGroups(holders: Holders, bundleId: string, tag: DeviceTag): MovedGroup[] {
  const next = afterTagging(holders, bundleId, tag);
  return deviceTags
    .map((deviceTag) => ({ tag: deviceTag, from: followed(holders, deviceTag), to: followed(next, deviceTag) }))
    .filter(({ from, to }) => from !== to);
}
