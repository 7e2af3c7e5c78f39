import { type Clock, repeat } from '@moorage/base';
import { doForAll, type SharedWork, type WorkLease } from './leases.ts';
import type { Storage } from './storage.ts';

/** Rows that wait for their time, and what is done with them. */
export interface Queue<Row> extends SharedWork {
  /** What the log says when it could not be worked off. */
  readonly failed: string;
  /** Rows whose time has come, those that have waited longest first. */
  readonly due: (limit: number) => Promise<Row[]>;
  /** Does one; resolves with whether the next may be tried at once. */
  readonly handle: (row: Row) => Promise<boolean>;
}

/** Rows of one look. */
const rowsAtOnce = 50;

/** Does what is due, one after the other, until one says that the next has to wait. */
export async function workOff<Row>(
  { due, handle }: Pick<Queue<Row>, 'due' | 'handle'>,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (const row of await due(rowsAtOnce)) {
    if (isOver() || !(await handle(row))) return;
  }
}

interface QueueDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly lease: WorkLease;
  readonly log: { error(context: object, message: string): void };
}

/** Works a queue off again and again until the returned function is called. Of several processes one does it. */
export function startQueue<Row>(deps: QueueDeps, queue: Queue<Row>): () => Promise<void> {
  const onError = (error: unknown) => deps.log.error({ err: error }, queue.failed);
  return repeat({ clock: deps.clock, pauseMs: queue.everyMs, onError }, async (isOver) => {
    if ((await queue.due(1)).length === 0) return;
    await doForAll(deps, queue, async () => {
      await workOff(queue, isOver);
      return true;
    });
  });
}
