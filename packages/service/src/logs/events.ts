import type { eventsContract } from '@moorage/api';
import { type Clock, success } from '@moorage/base';
import type { Viewer } from '../access/viewer.ts';
import { viewerFor } from '../auth/rules.ts';
import type { Caller, Deps, EventsReply, Handler, Handlers } from '../core/types.ts';
import type { Storage } from '../db/storage.ts';
import { listLogs, newestLogs } from './queries.ts';
import { listedLog } from './records.ts';

type Contract = typeof eventsContract;

/** How often a listening client is sent what is new, in ms. */
const lookMs = 1_000;
/** A row may be committed this much later than the moment it carries; what was sent already is remembered as long. */
const lateMs = 5_000;
/** Rows that are read by one query, and that are sent after one look; of more, the older ones are left out. */
const batch = 100;
const sentLimit = 2_000;

type LogRecord = ReturnType<typeof listedLog>;

/** Where the events of one listener go. */
export interface LogListener {
  log(log: LogRecord): void;
  /** So many rows were written at once that older ones are not sent. */
  leftOut(count: number): void;
}

/** The newest rows from a moment on, newest first, and how many older ones there are beyond the limit. */
async function newestSince(storage: Storage, viewer: Viewer, from: number) {
  const rows: Awaited<ReturnType<typeof newestLogs>> = [];
  while (rows.length < sentLimit) {
    const page = await newestLogs(storage, viewer, { from, limit: batch, offset: rows.length });
    rows.push(...page);
    if (page.length < batch) return { rows, leftOut: 0 };
  }
  const { total } = await listLogs(storage, viewer, { from, limit: 1 });
  return { rows, leftOut: Math.max(0, total - rows.length) };
}

/** Sends every log that `viewer` may read from now on. Returns unsubscribe. */
export function followLogs(
  { storage, clock, onError }: { storage: Storage; clock: Clock; onError: (error: unknown) => void },
  viewer: Viewer,
  listener: LogListener,
): () => void {
  const beganMs = clock.now();
  const sent = new Map<string, number>();
  let version = storage.changes.version();
  /** What was committed before that moment has been looked at. */
  let seenMs = beganMs;
  /** What is older was left out. */
  let floorMs = beganMs;
  let ended = false;
  let cancel = clock.after(lookMs, look);

  async function look(): Promise<void> {
    const now = clock.now();
    const latest = storage.changes.version();
    // Where changes are counted, a look that would find nothing is not made.
    if (latest === undefined || latest !== version) {
      version = latest;
      const from = Math.max(floorMs, seenMs - lateMs);
      try {
        const { rows, leftOut } = await newestSince(storage, viewer, from);
        if (ended) return;
        const oldest = rows.at(-1);
        if (leftOut > 0 && oldest) {
          listener.leftOut(leftOut);
          floorMs = oldest.created_at + 1;
        }
        for (const [id, at] of sent) if (at < from) sent.delete(id);
        for (const row of rows.toReversed()) {
          if (!sent.has(row.id)) listener.log(listedLog(row));
          sent.set(row.id, row.created_at);
        }
        seenMs = now;
      } catch (error) {
        // Nobody listens any more: the storage may have been closed meanwhile.
        if (ended) return;
        version = undefined;
        onError(error);
      }
    }
    if (!ended) cancel = clock.after(lookMs, look);
  }

  return () => {
    ended = true;
    cancel();
  };
}

export interface EventDeps extends Pick<Deps, 'storage' | 'clock' | 'log'> {
  /** What devices do, for those that the caller may read. */
  readonly watchDevices: (caller: Caller, ids: readonly string[]) => Promise<EventsReply>;
}

/** API-EP-GET-events */
const stream =
  ({ storage, clock, log, watchDevices }: EventDeps): Handler<Contract['stream']> =>
  async ({ caller, query }) => {
    const ids = (query.devices ?? '').toLowerCase().split(',').filter(Boolean);
    const devices = await watchDevices(caller, ids);
    const onError = (error: unknown): void => log.error({ err: error }, 'Events could not be read');
    return success({
      ...devices,
      subscribe(send) {
        const ends = [
          followLogs({ storage, clock, onError }, viewerFor('log.all', caller), {
            log: (record) => send('log', record),
            leftOut: (count) => send('left_out', { count }),
          }),
          devices.subscribe(send),
        ];
        return () => {
          for (const end of ends) end();
        };
      },
    });
  };

/** The event stream of the log. */
export const eventsRoutes = (deps: EventDeps): Handlers<Contract> => ({
  stream: stream(deps),
});
