import { dayMs, minuteMs } from '@moorage/base';
import type { Storage } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { newestRecordMs } from './queries.ts';

/** How often the clock is compared with the records, in ms. */
const compareMs = 60_000;
/**
 * Records may be this much newer than the clock, in ms. Those of a file are of this machine, whose clock may have been set
 * right; those of a server are of other nodes, too, by whose clocks lists are sorted and windows open.
 */
const toleranceMs = { sqlite: 5 * minuteMs, postgres: 2_000 };
/** A machine that slept, or a service that rested, finds its clock ahead; of more than this it does not, in ms. */
const restLimitMs = 365 * dayMs;
/** How long `/readyz` warns of what was noticed, in ms: records of another time stay, and cannot be put right. */
const noticeMs = dayMs;

const text = (atMs: number): string => new Date(atMs).toISOString();

/** Why a clock cannot be right beside the newest record, or where it cannot have been before. */
function troubleOf(nowMs: number, newestMs: number, kind: Storage['kind']): string | undefined {
  const said = `The clock says ${text(nowMs)}`;
  if (newestMs - nowMs > toleranceMs[kind]) return `${said}, before the newest record, of ${text(newestMs)}`;
  if (nowMs - newestMs > restLimitMs) return `${said}, more than a year after the newest record, of ${text(newestMs)}`;
  return undefined;
}

/**
 * Warns once, in the log and for a day in `/readyz`, of a clock that does not fit the newest record: at the start, and
 * when it jumps. Certificates and tokens are good all the same; times in lists, retention and windows are not.
 *
 * @returns what ends it
 */
export async function watchClock(
  { storage, clock, log }: Pick<Deps, 'storage' | 'clock' | 'log'>,
  warnings: Map<string, string>,
): Promise<() => Promise<void>> {
  let stopped = false;
  let cancel = () => {};
  let cancelNotice = () => {};
  let running: Promise<void> = Promise.resolve();
  let isOff = false;
  /** The newest moment that this process has seen its clock at. */
  let lastMs: number | undefined;

  async function compare(): Promise<void> {
    const recordMs = await newestRecordMs(storage.background.db);
    // Read after the records, so that none of them can be newer where all clocks are right.
    const nowMs = clock.now();
    const newestMs = Math.max(recordMs ?? lastMs ?? nowMs, lastMs ?? 0);
    lastMs = nowMs;
    const trouble = troubleOf(nowMs, newestMs, storage.kind);
    if (trouble !== undefined && !isOff) notice(trouble);
    isOff = trouble !== undefined;
  }

  function notice(trouble: string): void {
    log.warn(trouble);
    warnings.set('clock', trouble);
    cancelNotice();
    cancelNotice = clock.after(noticeMs, () => warnings.delete('clock'));
  }

  function look(): Promise<void> {
    running = compare()
      .catch((error: unknown) => log.error({ err: error }, 'The clock could not be compared with the records'))
      .then(() => {
        if (!stopped) cancel = clock.after(compareMs, () => void look());
      });
    return running;
  }

  await look();
  return async () => {
    stopped = true;
    cancel();
    cancelNotice();
    await running;
  };
}
