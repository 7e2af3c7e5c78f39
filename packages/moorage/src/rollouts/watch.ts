import type { RolloutRecord, RolloutState } from '@moorage/api';
import type { Clock } from '@moorage/base';
import type { News } from '../client/live-events.ts';
import { CallError } from '../client/service-client.ts';

/** News that come together are one look, in ms. */
const gatherMs = 200;
/** How often a rollout is looked at while the service reports what happens, and while it does not, in ms. */
const pollMs = { live: 15_000, silent: 2_000 } as const;

/** Exit codes of `moorage rollout watch`, for scripts. */
export const watchCodes = { finished: 0, stopped: 3, timeOut: 4, paused: 5 } as const;
export type WatchEnd = keyof typeof watchCodes;

/** States in which nothing happens any more unless a person acts. */
const ends: Readonly<Partial<Record<RolloutState, WatchEnd>>> = {
  finished: 'finished',
  aborted: 'stopped',
  cancelled: 'stopped',
  rolled_back: 'stopped',
  paused: 'paused',
};

interface Watching {
  /** @throws {CallError} */
  readonly look: () => Promise<RolloutRecord>;
  readonly follow: (onNews: () => void) => News;
  readonly clock: Clock;
  /** Longest wait, in ms. */
  readonly timeoutMs: number | undefined;
  readonly onChange: (now: RolloutRecord, before: RolloutRecord | undefined) => void;
  /** The service does not answer; the watch goes on. */
  readonly onTrouble: (message: string) => void;
}

/** Whether it may work later: the service is away, busy, or something before it is in trouble. */
const isPassing = (error: unknown): error is CallError =>
  error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** A wait that news end early; those that come meanwhile end the next one. */
function wakeable(clock: Clock) {
  let hasNews = false;
  let wake = (): void => {};
  let gathering = false;
  return {
    onNews() {
      if (gathering) return;
      gathering = true;
      clock.after(gatherMs, () => {
        gathering = false;
        hasNews = true;
        wake();
      });
    },
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const cancel = clock.after(ms, () => wake());
        wake = () => {
          cancel();
          hasNews = false;
          wake = () => {};
          resolve();
        };
        if (hasNews) wake();
      }),
  };
}

/**
 * Follows a rollout until it is over, a person has to act, or the time is over. It outlives a service that is away for
 * a while.
 *
 * @throws {CallError} when the service refuses for good
 */
export async function watchRollout(watching: Watching): Promise<WatchEnd> {
  const { clock, timeoutMs = Number.POSITIVE_INFINITY, onChange, onTrouble } = watching;
  const untilMs = clock.monotonic() + timeoutMs;
  const { onNews, wait } = wakeable(clock);
  const news = watching.follow(onNews);
  let before: RolloutRecord | undefined;
  let trouble = '';
  try {
    for (;;) {
      const now = await watching.look().catch((error: unknown) => {
        if (!isPassing(error)) throw error;
        if (error.message !== trouble) onTrouble(error.message);
        trouble = error.message;
        return undefined;
      });
      if (now) {
        trouble = '';
        if (JSON.stringify(now) !== JSON.stringify(before)) onChange(now, before);
        before = now;
        const end = ends[now.state];
        if (end) return end;
      }
      const leftMs = untilMs - clock.monotonic();
      if (leftMs <= 0) return 'timeOut';
      await wait(Math.min(leftMs, news.isLive() && now ? pollMs.live : pollMs.silent));
    }
  } finally {
    news.close();
  }
}
