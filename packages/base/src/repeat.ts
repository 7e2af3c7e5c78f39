import type { Clock } from './clock.ts';

interface Repeated {
  readonly clock: Pick<Clock, 'after'>;
  /** Between the end of one round and the start of the next, in ms. */
  readonly pauseMs: number;
  /** Before the first round, in ms; as long as between others without it. */
  readonly firstPauseMs?: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Does something again and again until the returned function is called, which waits for the round under way.
 *
 * @param round is handed what says whether it shall end early
 */
export function repeat(
  { clock, pauseMs, firstPauseMs = pauseMs, onError }: Repeated,
  round: (isOver: () => boolean) => Promise<void>,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let cancel = clock.after(firstPauseMs, begin);
  function begin(): void {
    running = round(() => stopped)
      .catch(onError)
      .then(() => {
        if (!stopped) cancel = clock.after(pauseMs, begin);
      });
  }
  return async () => {
    stopped = true;
    cancel();
    await running;
  };
}
