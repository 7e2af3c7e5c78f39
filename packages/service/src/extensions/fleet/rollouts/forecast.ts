import type { Reach, RolloutSettings } from '@moorage/api';
import { minuteMs } from '@moorage/base';
import { opensAtMs, zoneFor } from './windows.ts';

/** Between two queries of a device of a rollout that is under way, in ms. */
const soonMs = minuteMs;

type AtWorst = NonNullable<Reach['rollout']>['at_worst'];

/** What a bundle could reach that breaks every device: how many have been offered it when the rollout stops by itself. */
export function atWorst({ stages, abort = [], pace }: RolloutSettings, sizes: readonly number[]): AtWorst {
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

/** When a device asks; times in epoch ms. */
export interface Asking {
  /** It is on the message channel, over which it is woken. */
  readonly isOnline: boolean;
  readonly lastMs: number | null;
  readonly everyMs: number;
}

/** What all devices of a product go by at a time, epoch ms. */
export interface AskingOf {
  readonly nowMs: number;
  readonly wakesPerMinute: number;
}

/** When a device that is not woken asks from a time on. One that should have asked by now does so within its interval. */
function asksAtMs({ lastMs, everyMs }: Asking, fromMs: number, nowMs: number): number {
  if (lastMs === null || lastMs + everyMs < nowMs) return fromMs + everyMs;
  return lastMs + Math.max(1, Math.ceil((fromMs - lastMs) / everyMs)) * everyMs;
}

/** When each of some devices has asked from a time on, epoch ms: by its own interval, or as soon as it is woken. */
export function askedByMs(devices: readonly Asking[], fromMs: number, { nowMs, wakesPerMinute }: AskingOf): number {
  let online = 0;
  let lastMs = fromMs;
  for (const device of devices) {
    if (device.isOnline) online++;
    else lastMs = Math.max(lastMs, asksAtMs(device, fromMs, nowMs));
  }
  return Math.max(lastMs, fromMs + Math.ceil(online / wakesPerMinute) * minuteMs);
}

/** The earliest end, epoch ms, of a rollout with these devices in its stages, whose gates wait for nobody. */
export function earliestEndMs(
  settings: RolloutSettings,
  devices: readonly (readonly Asking[])[],
  { zone, ...of }: AskingOf & { readonly zone: string | null },
): number {
  const { pace, probation_s = 0, start_at, stages, window } = settings;
  const opens = (atMs: number) => (window ? opensAtMs(window, zoneFor(window, undefined, zone), atMs) : atMs);
  let atMs = Math.max(of.nowMs, start_at ?? of.nowMs);
  for (const [index, members] of devices.entries()) {
    const { length: size } = members;
    if (size === 0) continue;
    // Who has to wait for others of the stage asks again each minute.
    const rounds = Math.ceil(size / Math.min(pace?.open ?? size, pace?.per_minute ?? size));
    const soakS = index < devices.length - 1 ? (stages[index]?.gate?.soak_s ?? 0) : 0;
    atMs = opens(atMs);
    const askedMs = Math.max(askedByMs(members, atMs, of), atMs + (rounds - 1) * soonMs);
    atMs = askedMs + (probation_s + soakS) * 1000;
  }
  return atMs;
}
