import { type OtaReport, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { runsAfterAll } from './actions.ts';
import { currentUpdate, findProduct, namedBundle, type UpdateRow } from './queries.ts';
import { isOpen, selectNamed } from './rules.ts';
import { advance, type Beginning, begin, type DeviceStep, keepReported } from './steps.ts';
import { judgeReport, takesBack } from './verdicts.ts';

/**
 * Applies a device's report to its current update. Refusals: NOT_FOUND when that leads to another bundle,
 * ILLEGAL_TRANSITION when it has ended otherwise. Spec: API-DEV-POST-ota-result, API-RULE-ota-9.
 */
export async function applyReport(step: DeviceStep, report: OtaReport): Promise<Result<undefined, Refusal>> {
  const { work, device, hooks } = step;
  const current = await currentUpdate(work, device);
  if (!current || current.to_bundle_id !== report.bundle_id) {
    return failure(refusal('NOT_FOUND', { what: 'Update to this bundle' }));
  }
  const { trigger, reason, kind } = judgeReport(current, report);
  if (trigger === 'confirm' && current.state === 'failed') {
    await runsAfterAll(step, current, report.bundle_id);
  } else if (trigger !== undefined) {
    const moved = await advance(step, current, { trigger, result: report.result, reason, kind });
    if (!moved.ok) return moved;
  }
  if (takesBack(current, report)) {
    await hooks.moved(work, { id: current.id, device_id: device.id, trigger: 'fail', kind: 'health' });
  }
  if (report.bversion && report.bversion !== device.bversion) await keepReported(step, { bversion: report.bversion });
  return success(undefined);
}

/** What a bridging host may report: where the current update leads, or a published bundle of the device's product. */
async function reportedTarget(
  { work: { db }, device, by }: DeviceStep,
  current: UpdateRow | undefined,
  bundleId: string,
): Promise<Result<Beginning['to'], Refusal>> {
  const product = await findProduct(db, device.product_id);
  const candidates = await namedBundle(db, device.product_id, { id: bundleId });
  const chosen = selectNamed(device, product, candidates, { bundle_id: bundleId }, by.cause);
  if (chosen.ok) return success({ ...chosen.value, bundleId });
  if (chosen.error.code !== 'NOT_FOUND') return chosen;
  if (current?.to_bundle_id === bundleId && current.state !== 'superseded') {
    return success({ bundleId, version: current.to_version, bversion: current.to_bversion });
  }
  const keys = { source: 'body', keys: ['bundle_id'] } as const;
  return failure(refusal('WRONG_BUNDLE', { product: product.product }, keys));
}

/**
 * Records what a BLE device runs, as its bridging host reports: a device behind a bridge has no restart that the service
 * could see, so this is done at once. What it was offered counts although the bundle was archived since, as for devices
 * that report themselves. Refusals: WRONG_BUNDLE for any other than a published bundle of the device's product.
 * Spec: API-EP-POST-devices-device_id-ota-result.
 */
export async function applyBridgedReport(step: DeviceStep, bundleId: string): Promise<Result<undefined, Refusal>> {
  const { work, device } = step;
  const current = await currentUpdate(work, device);
  const to = await reportedTarget(step, current, bundleId);
  if (!to.ok) return to;
  const isSame = current?.to_bundle_id === bundleId;
  if (current && isSame && (isOpen(current.state) || current.state === 'done')) {
    const moved = await advance(step, current, { trigger: 'confirm' });
    if (!moved.ok) return moved;
  } else {
    await begin(step, { to: to.value, current, fromBversion: device.bversion, state: 'done' });
  }
  const { bversion } = to.value;
  if (device.bversion !== bversion) await keepReported(step, { bversion });
  return success(undefined);
}
