import { type Refusal, refusal, type UpdateState } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type UpdateRow, updateRows } from './queries.ts';
import { isOpen } from './rules.ts';
import { advance, type DeviceStep, keepReported } from './steps.ts';

/** What a client says of one update by its id; `install` and `fetch` are progress. */
export interface ActionReport {
  readonly updateId: number;
  readonly trigger: 'fetch' | 'install' | 'confirm' | 'fail' | undefined;
  readonly reason?: string | undefined;
}

/**
 * Whether a report about an update changes it, is only taken note of, or comes too late: what has ended as it says may
 * be said again, and of what the service has ended anything may be said.
 */
function judgeActionReport(state: UpdateState, { trigger }: Pick<ActionReport, 'trigger'>): 'apply' | 'note' | 'over' {
  if (isOpen(state)) return trigger === undefined ? 'note' : 'apply';
  if (state === 'superseded') return 'note';
  const ended = state === 'done' ? 'confirm' : 'fail';
  return trigger === ended ? 'note' : 'over';
}

/**
 * Applies what a client says of one of its updates. What it has installed after all, though the service had ended that
 * update, is recorded as what it runs. Refusals: NOT_FOUND, UPDATE_OVER. Spec: API-DDI-feedback.
 */
export async function applyActionReport(
  step: DeviceStep,
  { updateId, trigger, reason }: ActionReport,
): Promise<Result<UpdateRow, Refusal>> {
  const { work, device } = step;
  const update = await work.get(updateRows, updateId);
  if (update?.device_id !== device.id) return failure(refusal('NOT_FOUND', { what: 'Update' }));
  const verdict = judgeActionReport(update.state, { trigger });
  if (verdict === 'over') return failure(refusal('UPDATE_OVER'));
  const isMoved = verdict === 'apply' && trigger !== undefined;
  const moved = isMoved ? await advance(step, update, { trigger, reason }) : success(update);
  if (moved.ok && trigger === 'confirm' && device.bversion !== update.to_bversion) {
    await keepReported(step, { bversion: update.to_bversion });
  }
  return moved;
}
