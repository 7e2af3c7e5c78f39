import type { Clock } from '@moorage/base';

/** Time whose turns a late timer makes up for, in ms. */
const longestMissedMs = 1_000;

/** Turns at a rate; what is under way goes before what has not begun. */
export interface Turns {
  /** Resolves when a connection may be opened. */
  readonly turn: () => Promise<void>;
  /** Resolves when something new may begin: at a turn that nothing under way waits for. */
  readonly begin: () => Promise<void>;
}

/**
 * Turns in the order in which they are asked for. A module counts its own time limits while it waits for a connection: were
 * all to begin at once, a large fleet would run into them at every request.
 *
 * @param perSecond turns of a second; without it there is no wait
 */
export function turnsOf(clock: Clock, perSecond: number | undefined): Turns {
  if (perSecond === undefined) return { turn: async () => {}, begin: async () => {} };
  const stepMs = 1000 / perSecond;
  const underWay: (() => void)[] = [];
  const notBegun: (() => void)[] = [];
  let nextMs = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  const serve = (): void => {
    const nowMs = clock.monotonic();
    isWaiting = false;
    for (nextMs = Math.max(nextMs, nowMs - longestMissedMs); nextMs <= nowMs; nextMs += stepMs) {
      const next = underWay.shift() ?? notBegun.shift();
      if (!next) return;
      next();
    }
    isWaiting = true;
    clock.after(Math.ceil(nextMs - nowMs), serve);
  };
  const waitIn = (line: (() => void)[]) => (): Promise<void> =>
    new Promise((resolve) => {
      line.push(resolve);
      if (isWaiting) return;
      nextMs = Math.max(nextMs, clock.monotonic());
      serve();
    });
  return { turn: waitIn(underWay), begin: waitIn(notBegun) };
}
