import { type BundleRecord, type Tag, tags } from '@moorage/api';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { type DeviceTag, type MovedGroup, movedGroups } from './tag-move.ts';

type Holding = Readonly<Partial<Record<Tag, BundleRecord>>>;

/** A group of devices, how many there are, and how many of them need no update. */
export interface CountedGroup extends MovedGroup {
  readonly devices: number;
  /** Those that run the bundle they are led to already. */
  readonly running: number;
}

/** What giving a bundle a tag does, in numbers. */
export interface TagReach {
  readonly groups: readonly CountedGroup[];
  /** Versions of the bundles that the groups name, by id. */
  readonly versions: ReadonlyMap<string, string>;
  /** The bundle that loses the tag. */
  readonly former: BundleRecord | undefined;
}

async function holdersOf(productId: string, signal: AbortSignal): Promise<Holding> {
  const found = await Promise.all(
    tags.map(async (tag) => {
      const input = { params: { product_id: productId }, query: { tag, limit: 1 } };
      return [tag, (await call('bundles.list', input, signal)).value[0]] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, bundle]) => bundle !== undefined));
}

async function countGroup(productId: string, group: MovedGroup, signal: AbortSignal): Promise<CountedGroup> {
  // The service counts; of the devices themselves one is enough.
  const query = { product_id: productId, tag: group.tag, limit: 1 };
  const running = group.to !== undefined && { bundle_id: group.to, updated: 'ok' as const };
  const [all, there] = await Promise.all([
    call('devices.list', { query }, signal),
    running ? call('devices.list', { query: { ...query, ...running } }, signal) : undefined,
  ]);
  return { ...group, devices: all.total ?? 0, running: there?.total ?? 0 };
}

async function reachOf(
  productId: string,
  bundle: BundleRecord,
  tag: DeviceTag,
  signal: AbortSignal,
): Promise<TagReach> {
  const holding = await holdersOf(productId, signal);
  const holders = Object.fromEntries(Object.entries(holding).map(([name, { id }]) => [name, id]));
  const groups = await Promise.all(
    movedGroups(holders, bundle.id, tag).map((group) => countGroup(productId, group, signal)),
  );
  const versions = new Map([bundle, ...Object.values(holding)].map(({ id, version }) => [id, version]));
  const holder = tag === '' ? undefined : holding[tag];
  return { groups, versions, former: holder?.id === bundle.id ? undefined : holder };
}

/** How many devices will follow another bundle once this one has the tag. Asked anew each time: others move, too. */
export const useTagReach = (productId: string, bundle: BundleRecord, tag: DeviceTag, enabled: boolean) =>
  useQuery({
    queryKey: ['devices', 'tag-reach', productId, bundle.id, tag],
    queryFn: ({ signal }) => reachOf(productId, bundle, tag, signal),
    enabled,
    staleTime: 0,
    gcTime: 0,
  });
