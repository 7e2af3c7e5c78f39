import { type Refusal, type RolloutPreview, type RolloutSettings, usualPollS } from '@moorage/api';
import { dayMs, type Result, success } from '@moorage/base';
import type { Db, Expressions } from '../../../engine/db/storage.ts';
import { fleetSettingsOf } from './hold-queries.ts';
import { platformOf, previewedDevices, publishedBundles } from './member-queries.ts';
import { checkSizes, fittingOf, membersOf, type RolloutScope } from './members.ts';
import { opensAtMs, zoneFor } from './windows.ts';

type Previewed = Awaited<ReturnType<typeof previewedDevices>>[number];

/** A device that was not seen for so long may not get anything soon, ms. */
export const unseenMs = 7 * dayMs;
/** Between two queries of a device of a rollout that is under way, in ms. */
const soonMs = 60_000;

/** What a bundle could reach that breaks every device: how many have been offered it when the rollout stops by itself. */
export function reachOf({ stages, abort = [], pace }: RolloutSettings, sizes: readonly number[]) {
  const min = Math.min(
    Number.POSITIVE_INFINITY,
    ...abort.filter(({ kind }) => kind === 'any').map(({ min: least }) => least),
  );
  let reached = 0;
  for (const [index, size] of sizes.entries()) {
    reached += size;
    if (reached >= min) {
      const devices = Math.min(reached, min + (pace?.open ?? reached) - 1);
      return { devices, stops: true };
    }
    const gate = stages[index]?.gate ?? {};
    const holds = (gate.done_percent ?? 0) > 0 || (gate.failed_percent ?? 100) < 100;
    if (size > 0 && holds && index < sizes.length - 1) return { devices: reached, stops: true };
  }
  return { devices: reached, stops: false };
}

/** The earliest end, epoch ms, of a rollout whose gates wait for nobody. */
export function earliestEndMs(
  settings: RolloutSettings,
  sizes: readonly number[],
  { nowMs, intervalMs, zone }: { readonly nowMs: number; readonly intervalMs: number; readonly zone: string | null },
): number {
  const { pace, probation_s = 0, start_at, stages, window } = settings;
  const opens = (atMs: number) => (window ? opensAtMs(window, zoneFor(window, undefined, zone), atMs) : atMs);
  let atMs = Math.max(nowMs, start_at ?? nowMs);
  let waitMs = intervalMs;
  for (const [index, size] of sizes.entries()) {
    if (size === 0) continue;
    // Who has to wait for others asks again each minute.
    const rounds = Math.ceil(size / Math.min(pace?.open ?? size, pace?.per_minute ?? size));
    const soakS = index < sizes.length - 1 ? (stages[index]?.gate?.soak_s ?? 0) : 0;
    atMs = opens(atMs) + Math.max(waitMs, (rounds - 1) * soonMs) + (probation_s + soakS) * 1000;
    waitMs = Math.min(intervalMs, soonMs);
  }
  return atMs;
}

/** Why devices of each stage may not get a bundle. */
function warningsOf(
  devices: readonly Previewed[],
  stages: readonly number[],
  { count, platformId, bytes, nowMs }: { count: number; platformId: string; bytes: number; nowMs: number },
) {
  const warnings = Array.from({ length: count }, () => ({ platform: 0, flash: 0, unseen: 0 }));
  for (const [place, device] of devices.entries()) {
    const warning = warnings[stages[place] ?? 0];
    if (!warning) continue;
    if (device.platform_id !== platformId) warning.platform++;
    if (device.free_flash !== null && device.free_flash < bytes) warning.flash++;
    if ((device.last_seen_at ?? 0) < nowMs - unseenMs) warning.unseen++;
  }
  return warnings;
}

/** What devices get when a rollout is rolled back, as `bringBack` does it. */
function backOf(devices: readonly Previewed[], product: string, bundles: Awaited<ReturnType<typeof publishedBundles>>) {
  const known = new Set(bundles.map(({ version }) => version));
  const byTag = new Map(bundles.map(({ tag, version }) => [tag, version]));
  const counts = new Map<string | null, number>();
  for (const { bversion, tag } of devices) {
    const [runs = ''] = bversion?.startsWith(`${product}-`) ? bversion.slice(product.length + 1).split(', ') : [];
    const tagged = (tag && byTag.get(tag)) ?? byTag.get('release') ?? null;
    const version = known.has(runs) ? runs : tagged;
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return [...counts].map(([version, n]) => ({ version, devices: n })).sort((one, other) => other.devices - one.devices);
}

/** Counts what a rollout would reach. Refusal: INVALID_REQUEST when a stage is larger than the fleet. */
export async function previewOf(
  db: Db,
  expressions: Expressions,
  rollout: RolloutScope,
  bytes: number,
  nowMs: number,
): Promise<Result<RolloutPreview, Refusal>> {
  const fitting = await fittingOf(db, expressions, rollout, nowMs, previewedDevices);
  const { devices, stages, sizes, out } = await membersOf(db, expressions, rollout, fitting, nowMs);
  const checked = checkSizes(rollout, devices.length);
  if (!checked.ok) return checked;
  const { settings } = rollout;
  const { platform_id: platformId } = await platformOf(db, rollout.product_id);
  const { zone, poll_interval_s } = await fleetSettingsOf(db, rollout.product_id);
  const intervalMs = (poll_interval_s ?? usualPollS) * 1000;
  return success({
    devices: devices.length,
    stages: sizes,
    out: Object.fromEntries([...out].map(([why, ids]) => [why, ids.length])),
    bytes: devices.length * bytes,
    warnings: warningsOf(devices, stages, { count: sizes.length, platformId, bytes, nowMs }),
    ends_at: String(earliestEndMs(settings, sizes, { nowMs, intervalMs, zone })),
    reach: reachOf(settings, sizes),
    back: backOf(devices, rollout.product, await publishedBundles(db, rollout.product_id)),
  });
}
