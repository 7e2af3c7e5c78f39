import type { Bus } from '../../../engine/bus/bus.ts';
import { topics } from '../../../engine/bus/topics.ts';
import type { Work } from '../../../engine/db/work.ts';
import { waitingDevices } from './due-queries.ts';
import { wakesPerMinute } from './hold-queries.ts';
import { changeRollout, countsOf, type RolloutRow } from './queries.ts';
import { openOf } from './rules.ts';
import { paceMs } from './turns.ts';

interface Waking {
  readonly bus: Bus;
  /** Epoch ms. */
  readonly nowMs: number;
  /** By how much slower the load of the process makes it. */
  readonly slower: number;
  /** Plans when more are woken, epoch ms. */
  readonly plan: (atMs: number) => void;
}

/**
 * Wakes devices on the message channel that wait in the open stage, or are to be brought back, at the pace of the rollout
 * or its product, slower while the process is busy.
 */
export async function wakeWaiting(
  work: Work,
  rollout: RolloutRow,
  { bus, nowMs, slower, plan }: Waking,
): Promise<void> {
  // Who waits is looked for in the tables.
  await work.flush();
  const { pace, stages } = rollout.settings;
  const wanted = pace?.per_minute ?? (await wakesPerMinute(work.db, rollout.product_id));
  const perMinute = Math.ceil(wanted / slower);
  const open = pace?.open === undefined ? 0 : openOf(await countsOf(work, rollout.id, stages.length));
  const limit = Math.min(perMinute, (pace?.open ?? perMinute) - open);
  const { id, wake_after } = rollout;
  const devices = limit > 0 ? await waitingDevices(work.db, rollout, limit) : [];
  const isEnd = limit > 0 && devices.length < limit;
  const wake_at = isEnd ? null : nowMs + paceMs;
  await changeRollout(work, id, { wake_at, wake_after: isEnd ? null : (devices.at(-1)?.device_id ?? wake_after) });
  work.afterCommit(() => {
    if (wake_at !== null) plan(wake_at);
    for (const { device_id: deviceId } of devices) bus.publish(topics.otaDue, { deviceId });
  });
}
