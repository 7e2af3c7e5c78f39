import type { eventsContract } from '@moorage/api';
import { type Clock, success } from '@moorage/base';
import { viewerFor } from '../../core/access/rules.ts';
import type { Viewer } from '../../core/access/viewer.ts';
import { countLogsAbove, lastNumber, logsAbove } from '../../core/logs/queries.ts';
import { listedLog } from '../../core/logs/records.ts';
import type { Storage } from '../../engine/db/storage.ts';
import {
  type Call,
  type Caller,
  type Deps,
  type EventsReply,
  type Handlers,
  handlers,
} from '../../engine/http/types.ts';

type Contract = typeof eventsContract;

/** How often a listening client is sent what is new, in ms. */
const lookMs = 1_000;
/** A row may be committed this much later than one with a higher number; what was sent already is remembered as long. */
const lateMs = 5_000;
/** Rows that are sent after one look; of more, the older ones are left out. */
const sentLimit = 2_000;

/** Where the events of one listener go. */
export interface LogListener {
  /** @param floor number above which something may not have been sent yet: who goes on there misses nothing */
  log(log: ReturnType<typeof listedLog>, floor: number): void;
  /** So many rows were written at once that older ones are not sent. */
  leftOut(count: number): void;
}

/** The highest number that rows had at a time, monotonic ms. */
interface Height {
  readonly number: number;
  readonly atMs: number;
}

/**
 * Sends every log that `viewer` may read and whose number is above `after`, whatever the clock said of the node that wrote
 * it. Returns unsubscribe.
 */
export function followLogs(
  { storage, clock, onError }: { storage: Storage; clock: Clock; onError: (error: unknown) => void },
  viewer: Viewer,
  after: number,
  listener: LogListener,
): () => void {
  /** At the last looks, the oldest first: above that one there may be rows that have not been sent. */
  let heights: readonly Height[] = [{ number: after, atMs: clock.monotonic() }];
  /** What has been sent of those, with its number. */
  const sent = new Map<string, number>();
  let ended = false;
  let cancel = clock.after(lookMs, look);

  /** Sends what is new above a number. Returns the number above which nothing is left out. */
  async function sendAbove(floor: number): Promise<number> {
    const rows = await logsAbove(storage, viewer, floor, sentLimit);
    const older = rows.length < sentLimit ? 0 : (await countLogsAbove(storage, viewer, floor)) - rows.length;
    if (ended) return floor;
    const lowest = older > 0 ? (rows.at(-1)?.number ?? 0) - 1 : floor;
    const leftOut = older - [...sent.values()].filter((number) => number <= lowest).length;
    if (leftOut > 0) listener.leftOut(leftOut);
    for (const row of rows.toReversed()) {
      if (!sent.has(row.id)) listener.log(listedLog(row), lowest);
      sent.set(row.id, row.number);
    }
    return lowest;
  }

  async function lookAt(atMs: number): Promise<void> {
    const height: Height = { number: await lastNumber(storage), atMs };
    // Numbers are given again where the highest rows have been removed.
    const known = [...heights.filter(({ number }) => number <= height.number), height];
    const settledAt = known.findLastIndex((one) => one.atMs <= atMs - lateMs);
    const recent = known.slice(Math.max(0, settledAt));
    const floor = recent[0]?.number ?? height.number;
    for (const [id, number] of sent) if (number <= floor) sent.delete(id);
    const lowest = floor < height.number ? await sendAbove(floor) : floor;
    heights = lowest > floor ? [{ number: lowest, atMs }, height] : recent;
  }

  async function look(): Promise<void> {
    try {
      await lookAt(clock.monotonic());
    } catch (error) {
      // Nobody listens any more: the storage may have been closed meanwhile.
      if (ended) return;
      onError(error);
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
async function stream({ storage, clock, log, watchDevices }: EventDeps, { caller, query }: Call<Contract['stream']>) {
  const ids = (query.devices ?? '').toLowerCase().split(',').filter(Boolean);
  const devices = await watchDevices(caller, ids);
  const after = await lastNumber(storage);
  const onError = (error: unknown): void => log.error({ err: error }, 'Events could not be read');
  return success({
    ...devices,
    subscribe(...[send, lastId]: Parameters<EventsReply['subscribe']>) {
      // A number that has not been given yet is none of ours.
      const from = lastId !== undefined && /^\d{1,15}$/.test(lastId) ? Math.min(Number(lastId), after) : after;
      const ends = [
        followLogs({ storage, clock, onError }, viewerFor('log.all', caller), from, {
          log: (record, floor) => send('log', record, String(floor)),
          leftOut: (count) => send('left_out', { count }),
        }),
        devices.subscribe(send),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  });
}

/** The event stream of the log. */
export const eventsRoutes = (deps: EventDeps): Handlers<Contract> => handlers(deps, { stream });
