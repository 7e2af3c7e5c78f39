import { type Clock, ScaledClock } from '@moorage/base';
import { type Air, defaultAir } from '@moorage/module/wlan/air';
import type { TwinPlan } from './plan.ts';

/** Its own idea of the time. */
export function clockOf({ rate, skewMs }: TwinPlan, clock: Clock): Clock {
  // Others that live by the same clock count whole milliseconds.
  const whole: Clock = {
    now: () => clock.now() + skewMs,
    monotonic: () => clock.monotonic(),
    after: (delayMs, task) => clock.after(Math.ceil(delayMs), task),
  };
  return rate === 1 ? whole : new ScaledClock(rate, whole);
}

/** The open network, with the hours in which it is gone. */
export function airOf({ awayAtMs, group }: TwinPlan): Air {
  const away = group.link?.away;
  if (!away) return defaultAir;
  const outages = [{ atMs: awayAtMs, forMs: away.for_s * 1000, everyMs: away.every_s * 1000 }];
  return { accessPoints: defaultAir.accessPoints.map((point) => ({ ...point, outages })) };
}
