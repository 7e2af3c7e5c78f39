import { type Reach, type ReachOut, type Tag, usualPollS } from '@moorage/api';
import { minuteMs } from '@moorage/base';
import { usualWakesPerMinute } from '../../../core/channel/hooks.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { versionOf } from '../attributes/rules.ts';
import { fleetSettingsOf, freezeOf } from './hold-queries.ts';
import { publishedBundles } from './member-queries.ts';
import { byRank } from './moves.ts';
import { unseenMs } from './preview.ts';
import { decidingRollouts, reachedDevices } from './reach-queries.ts';
import { bundleIn, goesOn, isHeldUntil } from './rules.ts';

type Device = Awaited<ReturnType<typeof reachedDevices>>[number];

/** What a product is, as far as its devices get bundles by it. */
export interface ReachWorld {
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
export async function readReach(db: Db, productId: string, nowMs: number) {
  const devices = await reachedDevices(db, productId, nowMs);
  const deciding = Map.groupBy(await decidingRollouts(db, productId), ({ device_id }) => device_id);
  const bundles = await publishedBundles(db, productId);
  const freeze = await freezeOf(db, productId);
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
    isFrozen: freeze !== undefined && isHeldUntil(freeze.until, nowMs),
    versions: new Map(bundles.map(({ id, version }) => [id, version])),
    tags: new Map(bundles.flatMap(({ id, tag }) => (tag === null ? [] : [[tag, id] as const]))),
  };
  return { devices: pulled, world };
}

/** The bundle whose tag a device follows. */
export const followedIn = ({ tags }: ReachWorld, { tag }: Pick<Device, 'tag'>): string | undefined =>
  (tag === null ? undefined : tags.get(tag)) ?? tags.get('release');

/** What a device gets in a world. The order is that of selection (API-RULE-selection-1). */
export function gotIn(world: ReachWorld, device: Pulled): Got {
  if (device.state === 'disabled') return { out: 'blocked' };
  if (world.isFrozen) return { out: 'frozen' };
  if (device.pin !== null) return world.versions.has(device.pin) ? { to: device.pin } : { out: 'pinned' };
  const to = device.going ?? device.over ?? followedIn(world, device);
  return to === undefined || !world.versions.has(to) ? { out: 'nothing' } : { to };
}

/** What a device gets that a change means for a bundle, or for none: that, or why it does not. */
export function gotInstead(world: ReachWorld, device: Pulled, meant: string | undefined): Got {
  const got = gotIn(world, device);
  if ('out' in got || got.to === meant) return got;
  return { out: device.pin === null ? 'rollout' : 'pinned' };
}

/** A device that a change is about, and what it gets then. */
export interface Reached {
  readonly device: Pulled;
  readonly got: Got;
}

/** Counts what becomes of devices. */
export async function countReach(
  db: Db,
  productId: string,
  reached: readonly Reached[],
  { versions }: ReachWorld,
  { nowMs, bytesOf }: { readonly nowMs: number; readonly bytesOf: (bundleId: string) => Promise<number> },
): Promise<Reach> {
  const moves = new Map<string, Reach['moves'][number]>();
  const out: Partial<Record<ReachOut, number>> = {};
  const counted = { there: 0, unseen: 0, flash: 0, online: 0, away: 0 };
  const bytes = new Map<string, number>();
  for (const { device, got } of reached) {
    if ('out' in got) {
      out[got.out] = (out[got.out] ?? 0) + 1;
      continue;
    }
    const from = (device.bversion && versionOf(device.bversion)) ?? null;
    const to = versions.get(got.to) ?? '';
    if (from === to) {
      counted.there++;
      continue;
    }
    const move = moves.get(`${from} ${to}`) ?? { from, to, devices: 0 };
    moves.set(`${from} ${to}`, { ...move, devices: move.devices + 1 });
    const size = bytes.get(got.to) ?? (await bytesOf(got.to));
    bytes.set(got.to, size);
    if ((device.last_seen_at ?? 0) < nowMs - unseenMs) counted.unseen++;
    if (device.free_flash !== null && device.free_flash < size) counted.flash++;
    if (device.online === null) counted.away++;
    else counted.online++;
  }
  const { poll_interval_s, wake_per_minute } = await fleetSettingsOf(db, productId);
  const wakingMs = Math.ceil(counted.online / (wake_per_minute ?? usualWakesPerMinute)) * minuteMs;
  const askingMs = counted.away > 0 ? (poll_interval_s ?? usualPollS) * 1_000 : 0;
  const { there, unseen, flash } = counted;
  return {
    moves: [...moves.values()].sort((one, other) => other.devices - one.devices),
    there,
    out,
    unseen,
    flash,
    ends_at: moves.size === 0 ? null : String(nowMs + Math.max(wakingMs, askingMs)),
  };
}
