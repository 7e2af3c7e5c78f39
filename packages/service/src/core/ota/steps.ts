import { type Refusal, type ReportedFailure, refusal, type UpdateState } from '@moorage/api';
import { failure, type Result, success, transition, unwrap } from '@moorage/base';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { changeUpdate, insertUpdate, type UpdateRow, writeStepLog } from './queries.ts';
import { isOpen, type UpdateTrigger, updateTransitions } from './rules.ts';
import type { Actor, OtaDeviceRow, OtaWork, Requester } from './work.ts';

/** When an update reached a state. */
const timeColumns = {
  offered: 'created_at',
  downloading: 'downloading_at',
  installed: 'installed_at',
  done: 'finished_at',
  failed: 'finished_at',
  superseded: 'finished_at',
} as const satisfies Record<UpdateState, keyof Row<'updates'>>;

/** What each trigger wants, for the text of a refusal. */
const wantedStates = {
  fetch: 'downloading',
  install: 'installed',
  confirm: 'done',
  fail: 'failed',
  mismatch: 'failed',
  expire: 'failed',
  supersede: 'superseded',
} as const satisfies Record<UpdateTrigger, UpdateState>;

interface Step {
  readonly trigger: UpdateTrigger;
  readonly result?: number;
  readonly reason?: string | undefined;
  /** In which way it has failed, where the device says it. */
  readonly kind?: ReportedFailure | undefined;
}

const idsOf = ({ id, device_id }: UpdateRow) => ({ id, device_id });

/** Takes an update to its next state: beside its first state, nothing else writes one. Refusal: ILLEGAL_TRANSITION. */
export async function move(
  work: OtaWork,
  trx: Db,
  update: UpdateRow,
  { trigger, result, reason, kind }: Step,
): Promise<Result<UpdateRow, Refusal>> {
  const to = transition(updateTransitions, update.state, trigger);
  if (to === undefined) {
    const blanks = { what: 'An update', from: update.state, to: wantedStates[trigger] };
    return failure(refusal('ILLEGAL_TRANSITION', blanks));
  }
  const isNew = to !== update.state;
  const change = {
    ...(isNew && { state: to, [timeColumns[to]]: work.nowMs() }),
    ...(isNew && reason !== undefined && { reason }),
    ...(result !== undefined && result !== update.result && { result }),
  };
  if (Object.keys(change).length === 0) return success(update);
  const moved = await changeUpdate(trx, update.id, change);
  work.changed(trx, moved);
  if (isNew) await work.fleet.moved(trx, { ...idsOf(update), trigger, kind });
  return success(moved);
}

/** Takes an update to its next state, with the log row of its end; the update as it is then. Refusal: ILLEGAL_TRANSITION. */
export async function advance(
  work: OtaWork,
  trx: Db,
  device: OtaDeviceRow,
  update: UpdateRow,
  step: Step,
  by: Actor,
): Promise<Result<UpdateRow, Refusal>> {
  const moved = await move(work, trx, update, step);
  if (!moved.ok) return moved;
  const { state, id, to_bundle_id: bundleId, to_version: version, to_bversion: bversion } = moved.value;
  if (state !== update.state && (state === 'done' || state === 'failed')) {
    const type = state === 'done' ? 'ota.ok' : 'ota.fail';
    await logStep(work, trx, device, { type, update: id, bundleId, version, bversion, reason: step.reason }, by);
  }
  return moved;
}

/** Ends the open update of a device that goes elsewhere. */
export async function endOpen(work: OtaWork, trx: Db, update: UpdateRow | undefined): Promise<void> {
  if (update && isOpen(update.state)) unwrap(await move(work, trx, update, { trigger: 'supersede' }));
}

/** An update that begins: to which bundle, and what is known of the one before. */
export interface Beginning {
  readonly to: { readonly bundleId: string; readonly version: string; readonly bversion: string };
  /** The update that the record shows until now; it ends when it is open. */
  readonly current: UpdateRow | undefined;
  readonly bid?: string | undefined;
  readonly fromBversion: string | null;
  /** Done, when the device has the bundle already without an open update that led there. */
  readonly state: 'offered' | 'done';
}

/** Writes a new update, which becomes the one that the device's record shows. Spec: API-RULE-ota-10. */
export async function begin(
  work: OtaWork,
  trx: Db,
  device: OtaDeviceRow,
  { to, current, bid, fromBversion, state }: Beginning,
  by: Requester,
): Promise<UpdateRow> {
  const nowMs = work.nowMs();
  await endOpen(work, trx, current);
  // It runs after all what it has failed to install.
  if (state === 'done' && current?.to_bundle_id === to.bundleId) {
    await work.fleet.moved(trx, { ...idsOf(current), trigger: 'confirm' });
  }
  const begun = await insertUpdate(trx, {
    device_id: device.id,
    product_id: device.product_id,
    cause: by.cause,
    from_bundle_id: bid || (current?.to_bundle_id ?? null),
    from_bversion: fromBversion,
    to_bundle_id: to.bundleId,
    to_version: to.version,
    to_bversion: to.bversion,
    state,
    result: null,
    reason: null,
    created_at: nowMs,
    downloading_at: null,
    installed_at: null,
    finished_at: state === 'done' ? nowMs : null,
  });
  work.changed(trx, begun);
  await work.ledger.change(trx, device.id, { update_id: begun.id });
  const end = { update: begun.id, bundleId: to.bundleId, bversion: to.bversion, version: to.version };
  if (state === 'done') await logStep(work, trx, device, { ...end, type: 'ota.ok' }, by);
  else await logStep(work, trx, device, { ...end, type: 'ota.start' }, by);
  return begun;
}

interface LoggedStep {
  readonly type: 'ota.start' | 'ota.ok' | 'ota.fail';
  readonly update: number;
  readonly bundleId: string | null;
  readonly version: string;
  readonly bversion: string;
  readonly reason?: string | undefined;
}

const messages = {
  'ota.start': ({ version }: LoggedStep) => `Update to version ${version} offered`,
  'ota.ok': ({ version }: LoggedStep) => `Device runs version ${version}`,
  'ota.fail': ({ version, reason }: LoggedStep) => `Update to version ${version} failed: ${reason ?? 'unknown'}`,
} as const;

const logStep = (work: OtaWork, trx: Db, device: OtaDeviceRow, step: LoggedStep, by: Actor) =>
  writeStepLog(trx, {
    type: step.type,
    level: step.type === 'ota.fail' ? 'warning' : 'info',
    message: messages[step.type](step),
    atMs: work.nowMs(),
    userId: by.userId,
    client: by.client,
    ip: by.ip,
    deviceId: device.id,
    productId: device.product_id,
    bundleId: step.bundleId,
    data: { update: step.update, bversion: step.bversion, cause: by.cause },
  });
