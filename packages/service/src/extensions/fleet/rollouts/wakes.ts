import type { Bus } from '../../../engine/bus/bus.ts';
import { topics } from '../../../engine/bus/topics.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { afterCommit } from '../../../engine/db/transaction.ts';
import { waitingDevices } from './due-queries.ts';
import { writeExecutionsBehind } from './execution-queries.ts';
import { wakesPerMinute } from './hold-queries.ts';
import { changeRollout, countsOf, type RolloutRow, settingsOf } from './queries.ts';
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
export async function wakeWaiting(trx: Db, rollout: RolloutRow, { bus, nowMs, slower, plan }: Waking): Promise<void> {
  // Who waits is looked for in the records.
  await writeExecutionsBehind(trx);
  const { pace, stages } = settingsOf(rollout);
  const wanted = pace?.per_minute ?? (await wakesPerMinute(trx, rollout.product_id));
  const perMinute = Math.ceil(wanted / slower);
  const open = pace?.open === undefined ? 0 : openOf(await countsOf(trx, rollout.id, stages.length));
  const limit = Math.min(perMinute, (pace?.open ?? perMinute) - open);
  const { id, wake_after } = rollout;
  const devices = limit > 0 ? await waitingDevices(trx, rollout, limit) : [];
  const isEnd = limit > 0 && devices.length < limit;
  const wake_at = isEnd ? null : nowMs + paceMs;
  await changeRollout(trx, id, { wake_at, wake_after: isEnd ? null : (devices.at(-1)?.device_id ?? wake_after) });
  afterCommit(trx, () => {
    if (wake_at !== null) plan(wake_at);
    for (const { device_id: deviceId } of devices) bus.publish(topics.otaDue, { deviceId });
  });
}
