import { type Refusal, type ReportedFailure, refusal, type UpdateState } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { currentUpdate, type UpdateRow, updateRows } from './queries.ts';
import { isOpen } from './rules.ts';
import { advance, begin, type DeviceStep, explain, keepReported } from './steps.ts';

/** What a client says of one update by its id; `install` and `fetch` are progress. */
export interface ActionReport {
  readonly updateId: number;
  readonly trigger: 'fetch' | 'install' | 'confirm' | 'fail' | undefined;
  readonly reason?: string | undefined;
  /** In which way it has failed, when it has. */
  readonly kind?: ReportedFailure | undefined;
  /** The update has failed before, and this is why. */
  readonly isExplained?: boolean;
}

/**
 * Whether a report about an update changes it, is only taken note of, or comes too late: what has ended as it says may
 * be said again, a success after a failure counts, and of what the service has ended anything may be said.
 */
function judgeActionReport(
  state: UpdateState,
  { trigger }: Pick<ActionReport, 'trigger'>,
): 'apply' | 'note' | 'late' | 'over' {
  if (isOpen(state)) return trigger === undefined ? 'note' : 'apply';
  if (state === 'superseded') return 'note';
  if (state === 'failed' && trigger === 'confirm') return 'late';
  const ended = state === 'done' ? 'confirm' : 'fail';
  return trigger === ended ? 'note' : 'over';
}

/**
 * Records that a device runs what it has failed to install. The failed update stays in the history as it was; where the
 * device has gone on to another one, that goes on.
 */
export async function runsAfterAll(step: DeviceStep, failed: UpdateRow, bundleId: string): Promise<void> {
  const current = await currentUpdate(step.work, step.device);
  if (current?.id !== failed.id) return;
  const to = { bundleId, version: failed.to_version, bversion: failed.to_bversion };
  await begin(step, { to, current, fromBversion: step.device.bversion, state: 'done' });
}

/**
 * Applies what a client says of one of its updates. What it has installed after all, though the service had ended that
 * update, is recorded as what it runs. Refusals: NOT_FOUND, UPDATE_OVER. Spec: API-DDI-feedback.
 */
export async function applyActionReport(
  step: DeviceStep,
  { updateId, trigger, reason, kind, isExplained }: ActionReport,
): Promise<Result<UpdateRow, Refusal>> {
  const { work, device } = step;
  const update = await work.get(updateRows, updateId);
  if (update?.device_id !== device.id) return failure(refusal('NOT_FOUND', { what: 'Update' }));
  const verdict = judgeActionReport(update.state, { trigger });
  if (verdict === 'over') return failure(refusal('UPDATE_OVER'));
  if (isExplained && update.state === 'failed' && reason !== undefined)
    return success(await explain(step, update, reason));
  const isMoved = verdict === 'apply' && trigger !== undefined;
  const moved = isMoved ? await advance(step, update, { trigger, reason, kind }) : success(update);
  if (verdict === 'late' && update.to_bundle_id !== null) await runsAfterAll(step, update, update.to_bundle_id);
  if (moved.ok && trigger === 'confirm' && device.bversion !== update.to_bversion) {
    await keepReported(step, { bversion: update.to_bversion });
  }
  return moved;
}
