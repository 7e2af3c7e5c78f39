import { type Clock, sleep, VirtualClock } from '@moorage/base';

/** Turns of the event loop that bytes need to get through streams; only then virtual time goes on. */
const settleTurns = 10;

/** How often something is looked at where time passes by itself, in ms. */
const lookEveryMs = 5;

/**
 * Lets the time of a clock pass until `look` finds something, for `withinMs` at most; `undefined` when it has not. A
 * virtual clock is moved from timer to timer, so that only what has to happen takes real time.
 */
export async function passUntil<T>(clock: Clock, look: () => T | undefined, withinMs: number): Promise<T | undefined> {
  const endMs = clock.monotonic() + withinMs;
  for (;;) {
    const found = clock instanceof VirtualClock ? await settled(clock, look) : look();
    if (found !== undefined) return found;
    const leftMs = endMs - clock.monotonic();
    if (leftMs <= 0) return undefined;
    if (clock instanceof VirtualClock) {
      const nextMs = Math.min(clock.nextAtMs ?? endMs, endMs);
      await clock.advance(nextMs - clock.monotonic());
    } else {
      await sleep(clock, Math.min(lookEveryMs, leftMs));
    }
  }
}

/** Looks before each turn: what has been found lets nothing else happen. */
async function settled<T>(clock: VirtualClock, look: () => T | undefined): Promise<T | undefined> {
  for (let turn = 0; turn < settleTurns; turn++) {
    const found = look();
    if (found !== undefined) return found;
    await clock.advance(0);
  }
  return look();
}
