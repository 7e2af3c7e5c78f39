import type { Clock } from '@moorage/base';

/** Waits on the device's clock; false when the signal came first. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const leave = () => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', leave);
      resolve(true);
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}

/** Delay before try number `attempt` (from 1), doubled each time up to the longest. */
export const backOffMs = (attempt: number, firstMs: number, longestMs: number): number =>
  Math.min(firstMs * 2 ** (attempt - 1), longestMs);
