import {
  type Reach,
  type ReachOut,
  type ReachWarnings,
  type RolloutSettings,
  type Tag,
  usualPollS,
} from '@moorage/api';
import { dayMs } from '@moorage/base';
import { usualWakesPerMinute } from '../../../core/channel/hooks.ts';
import type { Row } from '../../../engine/db/schema.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { runsOf } from '../attributes/rules.ts';
import { type Asking, type AskingOf, atWorst, earliestEndMs } from './forecast.ts';
import { fleetSettingsOf, freezeOf } from './hold-queries.ts';
import { publishedBundles } from './member-queries.ts';
import { byRank } from './moves.ts';
import { decidingRollouts, reachedDevices } from './reach-queries.ts';
import { bundleIn, goesOn, isHeldUntil } from './rules.ts';

type Device = Awaited<ReturnType<typeof reachedDevices>>[number];

/** What a product is, as far as its devices get bundles by it. */
export interface ReachWorld extends AskingOf {
  /** Its full code, and the platform that it is made for. */
  readonly product: string;
  readonly platformId: string;
  readonly zone: string | null;
  /** Between two queries of a device that has kept no interval yet, in ms. */
  readonly pollMs: number;
  readonly isFrozen: boolean;
  /** Versions of the published bundles, by id. */
  readonly versions: ReadonlyMap<string, string>;
  readonly tags: ReadonlyMap<Tag, string>;
}

/** What pulls at a device beside its tag. */
interface Pulled extends Device {
  /** The bundle that a rollout which goes on has it get, and one that is over. */
  readonly going: string | undefined;
  readonly over: string | undefined;
}

/** What a device gets: a bundle, or nothing for a reason. */
export type Got = { readonly to: string } | { readonly out: ReachOut };

/** All that a reach goes by, read at a time, epoch ms. */
export async function readReach(
  db: Db,
  { id: productId, product, platform_id: platformId }: Pick<Row<'products'>, 'id' | 'product' | 'platform_id'>,
  nowMs: number,
) {
  const devices = await reachedDevices(db, productId, nowMs);
  const deciding = Map.groupBy(await decidingRollouts(db, productId), ({ device_id }) => device_id);
  const bundles = await publishedBundles(db, productId);
  const freeze = await freezeOf(db, productId);
  const { poll_interval_s, wake_per_minute, zone } = await fleetSettingsOf(db, productId);
  const pulled: Pulled[] = devices.map((device) => {
    const ranked = (deciding.get(device.id) ?? []).toSorted(byRank);
    const first = (of: typeof ranked) =>
      of
        .map(({ brings, own_stage, is, ...rollout }) =>
          bundleIn({ rollout, execution: { bundle_id: brings, stage: own_stage, state: is } }),
        )
        .find((id) => id !== undefined);
    return { ...device, going: first(ranked.filter(goesOn)), over: first(ranked.filter((one) => !goesOn(one))) };
  });
  const world: ReachWorld = {
    nowMs,
    product,
    platformId,
    zone,
    wakesPerMinute: wake_per_minute ?? usualWakesPerMinute,
    pollMs: (poll_interval_s ?? usualPollS) * 1_000,
    isFrozen: freeze !== undefined && isHeldUntil(freeze.until, nowMs),
    versions: new Map(bundles.map(({ id, version }) => [id, version])),
    tags: new Map(bundles.flatMap(({ id, tag }) => (tag === null ? [] : [[tag, id] as const]))),
  };
  return { devices: pulled, world };
}

/** The version of the product that a device runs; null where it has reported none. */
const runsIn = ({ product }: ReachWorld, { bversion }: Pick<Device, 'bversion'>): string | null =>
  (bversion !== null && runsOf(bversion, product)) || null;

/** The bundle whose tag a device follows. */
export const followedIn = ({ tags }: ReachWorld, { tag }: Pick<Device, 'tag'>): string | undefined =>
  (tag === null ? undefined : tags.get(tag)) ?? tags.get('release');

/** What a device gets in a world. The order is that of selection (API-RULE-selection-1). */
export function gotIn(world: ReachWorld, device: Pulled): Got {
  if (device.state === 'disabled') return { out: 'blocked' };
  if (world.isFrozen) return { out: 'frozen' };
  if (device.pinned !== null) return world.versions.has(device.pinned) ? { to: device.pinned } : { out: 'pinned' };
  const to = device.going ?? device.over ?? followedIn(world, device);
  return to === undefined || !world.versions.has(to) ? { out: 'nothing' } : { to };
}

/** What a device gets that a change means for a bundle, or for none: that, or why it does not. */
export function gotInstead(world: ReachWorld, device: Pulled, meant: string | undefined): Got {
  const got = gotIn(world, device);
  if ('out' in got || got.to === meant) return got;
  return { out: device.pinned === null ? 'rollout' : 'pinned' };
}

/** A device that a change is about, and what it gets then; in a rollout with its stage. */
export interface Reached {
  readonly device: Pulled;
  readonly got: Got;
  readonly stage?: number;
}

/** A device that moves. */
interface Moving extends Reached {
  readonly to: string;
  readonly bytes: number;
}

/** A device that was not seen for so long may not get anything soon, ms. */
const unseenMs = 7 * dayMs;

/** How many of those that move may not get what they move to. */
const warningsOf = (moving: readonly Moving[], { platformId, nowMs }: ReachWorld): ReachWarnings => ({
  platform: moving.filter(({ device }) => device.platform_id !== platformId).length,
  flash: moving.filter(({ device: { free_flash }, bytes }) => free_flash !== null && free_flash < bytes).length,
  unseen: moving.filter(({ device }) => (device.last_seen_at ?? 0) < nowMs - unseenMs).length,
});

/** When a device asks: by the interval that it has kept last, else by that of its product. */
const askingOf =
  ({ pollMs }: ReachWorld) =>
  ({ device: { online, last_seen_at, contact_ms } }: Reached): Asking => ({
    isOnline: online !== null,
    lastMs: last_seen_at,
    everyMs: contact_ms ?? pollMs,
  });

/** What devices get when a rollout is rolled back, as `bringBack` does it. */
function backOf(reached: readonly Reached[], world: ReachWorld) {
  const known = new Set(world.versions.values());
  const counts = new Map<string | null, number>();
  for (const { device } of reached) {
    const runs = runsIn(world, device);
    const followed = followedIn(world, device);
    const version = runs !== null && known.has(runs) ? runs : ((followed && world.versions.get(followed)) ?? null);
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return [...counts].map(([version, n]) => ({ version, devices: n })).sort((one, other) => other.devices - one.devices);
}

/** What a draft comes to beside what its devices do. */
function rolloutPart(
  settings: RolloutSettings,
  reached: readonly Reached[],
  moving: readonly Moving[],
  world: ReachWorld,
) {
  const moves = Map.groupBy(moving, ({ stage }) => stage);
  const members = reached.filter(({ stage }) => stage !== undefined);
  const sizes = settings.stages.map((_, index) => members.filter(({ stage }) => stage === index).length);
  const stages = sizes.map((devices, index) => ({ devices, ...warningsOf(moves.get(index) ?? [], world) }));
  return { stages, at_worst: atWorst(settings, sizes), back: backOf(members, world) };
}

/** When each has been offered what it gets, epoch ms: of a rollout its earliest end. Null where none gets anything. */
function endsAt(settings: RolloutSettings | undefined, reached: readonly Reached[], world: ReachWorld): string | null {
  if (reached.length === 0) return null;
  const asking = askingOf(world);
  const byStage = Map.groupBy(reached, ({ stage = 0 }) => stage);
  const { stages } = settings ?? { stages: [{}] };
  const devices = stages.map((_, index) => (byStage.get(index) ?? []).map(asking));
  return String(earliestEndMs(settings ?? { stages }, devices, world));
}

/** Those that move, with what they move to. */
async function movingOf(
  reached: readonly Reached[],
  world: ReachWorld,
  bytesOf: (bundleId: string) => Promise<number>,
): Promise<readonly Moving[]> {
  const sizes = new Map<string, number>();
  const moving: Moving[] = [];
  for (const one of reached) {
    if ('out' in one.got) continue;
    const { to: id } = one.got;
    const to = world.versions.get(id) ?? '';
    if (runsIn(world, one.device) === to) continue;
    const bytes = sizes.get(id) ?? (await bytesOf(id));
    sizes.set(id, bytes);
    moving.push({ ...one, to, bytes });
  }
  return moving;
}

/** Counts what becomes of devices, and of the draft of a rollout that they are reached by. */
export async function countReach(
  reached: readonly Reached[],
  world: ReachWorld,
  { settings, bytesOf }: { settings: RolloutSettings | undefined; bytesOf: (bundleId: string) => Promise<number> },
): Promise<Reach> {
  const moving = await movingOf(reached, world, bytesOf);
  const moves = new Map<string, Reach['moves'][number]>();
  for (const { device, to } of moving) {
    const from = runsIn(world, device);
    const { devices } = moves.get(`${from} ${to}`) ?? { devices: 0 };
    moves.set(`${from} ${to}`, { from, to, devices: devices + 1 });
  }
  const out: Partial<Record<ReachOut, number>> = {};
  for (const { got } of reached) if ('out' in got) out[got.out] = (out[got.out] ?? 0) + 1;
  const outside = Object.values(out).reduce((sum, n) => sum + n, 0);
  return {
    moves: [...moves.values()].sort((one, other) => other.devices - one.devices),
    there: reached.length - moving.length - outside,
    out,
    bytes: moving.reduce((sum, { bytes }) => sum + bytes, 0),
    ...warningsOf(moving, world),
    // A rollout is over when those that run its bundle already have shown it, too.
    ends_at: endsAt(settings, settings ? reached.filter(({ got }) => 'to' in got) : moving, world),
    rollout: settings ? rolloutPart(settings, reached, moving, world) : null,
  };
}
