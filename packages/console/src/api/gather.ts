import { after, nowMs } from '../browser/time.ts';

/** The first is answered soon, in ms; those of one action come together. */
const gatherMs = 250;
/** With more of them coming, in ms: a fleet that is busy must not keep its viewers busy. */
const restMs = 2_000;

/** Gathers names, and hands them over together: soon after a while of quiet, at most every two seconds in a stream. */
export function gatherer<T>(hand: (names: readonly T[]) => void): { add(names: readonly T[]): void; cancel(): void } {
  const waiting = new Set<T>();
  let handedMs = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  return {
    add(names) {
      for (const name of names) waiting.add(name);
      cancel ??= after(Math.max(gatherMs, handedMs + restMs - nowMs()), () => {
        cancel = undefined;
        handedMs = nowMs();
        const together = [...waiting];
        waiting.clear();
        hand(together);
      });
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
  };
}
