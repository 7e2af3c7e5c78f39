import { type DeviceWrite, deviceWrites, type Refusal, refusal } from '@moorage/api';
import type { Clock } from '@moorage/base';
import { rateSetting, type Settings } from '../settings/settings.ts';

const windowMs = 60_000;

/**
 * Counts what actors do in a minute. All begin anew at once, so that it costs one look into a map, and the map never has
 * more actors than a minute had.
 *
 * @param limit how often an actor may do it in a minute; 0 for any number
 */
export function minuteRate(clock: Clock, limit: number) {
  const counts = new Map<string, number>();
  let beganMs = clock.monotonic();

  return {
    /** Counts once more; seconds until the minute is over, once the actor has done it as often as it may. */
    count(actorId: string): number | undefined {
      if (limit === 0) return undefined;
      const nowMs = clock.monotonic();
      if (nowMs - beganMs >= windowMs) {
        beganMs = nowMs;
        counts.clear();
      }
      const made = counts.get(actorId) ?? 0;
      if (made >= limit) return Math.max(1, Math.ceil((beganMs + windowMs - nowMs) / 1000));
      counts.set(actorId, made + 1);
      return undefined;
    },
  };
}

/** What devices write, by kind: how often in a minute, and what was refused since the start. */
export interface DeviceRates {
  /** Counts a write. Refusal: TOO_MANY_WRITES, with the seconds until the minute is over. Spec: API-LIMIT-writes. */
  count(write: DeviceWrite, deviceId: string): Refusal | undefined;
  readonly refused: ReadonlyMap<DeviceWrite, number>;
}

/** Counts the writes of devices by the rates of the settings, in the memory of this process. */
export function deviceRates(clock: Clock, settings: Settings): DeviceRates {
  const rates = new Map(
    deviceWrites.map((write) => {
      const limit = settings[rateSetting(write)];
      return [write, { limit, ...minuteRate(clock, limit) }] as const;
    }),
  );
  const refused = new Map<DeviceWrite, number>(deviceWrites.map((write) => [write, 0]));
  return {
    count(write, deviceId) {
      const rate = rates.get(write);
      const retryAfterS = rate?.count(deviceId);
      if (!rate || retryAfterS === undefined) return undefined;
      refused.set(write, (refused.get(write) ?? 0) + 1);
      return { ...refusal('TOO_MANY_WRITES', { writes: write, limit: rate.limit, retryAfterS }), retryAfterS };
    },
    refused,
  };
}
