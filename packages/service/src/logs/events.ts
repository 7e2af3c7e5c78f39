import type { eventsContract } from '@moorage/api';
import { type Clock, success } from '@moorage/base';
import type { Viewer } from '../access/viewer.ts';
import { viewerFor } from '../auth/rules.ts';
import type { Caller, Deps, EventsReply, Handler, Handlers } from '../core/types.ts';
import type { Storage } from '../db/storage.ts';
import { newestLogs } from './queries.ts';
import { logRecord } from './records.ts';

type Contract = typeof eventsContract;

/** How often a listening client is sent what is new, in ms. */
const lookMs = 1_000;
/** A row may be committed this much later than the moment it carries; what was sent already is remembered as long. */
const lateMs = 5_000;
/** Rows sent at once; a client that gets this many knows that there may be more. */
const batch = 100;

type LogRecord = ReturnType<typeof logRecord>;

/** Sends every log that `viewer` may read from now on. Returns unsubscribe. */
export function followLogs(
  { storage, clock, onError }: { storage: Storage; clock: Clock; onError: (error: unknown) => void },
  viewer: Viewer,
  notify: (log: LogRecord) => void,
): () => void {
  const beganMs = clock.now();
  const sent = new Map<string, number>();
  let version = storage.changes.version();
  /** What was committed before that moment has been looked at. */
  let seenMs = beganMs;
  let ended = false;
  let cancel = clock.after(lookMs, look);

  async function look(): Promise<void> {
    const now = clock.now();
    const latest = storage.changes.version();
    // Where changes are counted, a look that would find nothing is not made.
    if (latest === undefined || latest !== version) {
      version = latest;
      const from = Math.max(beganMs, seenMs - lateMs);
      try {
        const newest = await newestLogs(storage, viewer, { from, limit: batch });
        if (ended) return;
        for (const [id, at] of sent) if (at < from) sent.delete(id);
        for (const row of newest.toReversed()) {
          if (!sent.has(row.id)) notify(logRecord(row));
          sent.set(row.id, row.created_at);
        }
        seenMs = now;
      } catch (error) {
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
          followLogs({ storage, clock, onError }, viewerFor('log.all', caller), (record) => send('log', record)),
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
