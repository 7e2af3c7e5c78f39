import { type Refusal, type ReportedFailure, refusal, type UpdateState } from '@moorage/api';
import { failure, type Result, success, transition, unwrap } from '@moorage/base';
import type { LiveEvent } from '../../engine/bus/topics.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { LogEntry } from '../../engine/db/logs.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { RowKind, Work } from '../../engine/db/work.ts';
import { deviceRows } from '../devices/device-rows.ts';
import type { UpdateExtension } from './hooks.ts';
import { insertUpdate, stepLogs, toUpdateRecord, type UpdateRow, updateRows } from './queries.ts';
import { isOpen, type UpdateCause, type UpdateTrigger, updateTransitions } from './rules.ts';

/** What causes a change of an update: the device, a person with a bridging host, or the service when a time is up. */
export interface Actor {
  readonly cause: UpdateCause | 'service';
  readonly userId: string | null;
  readonly client: string | null;
  /** None where the service itself concludes something. */
  readonly ip: string | null;
}

/** An actor that requests updates and reports how they went. */
export type Requester = Actor & { readonly cause: UpdateCause };

/** Notifies those who watch a device. */
export interface OtaWatchers {
  notify(deviceId: string, event: LiveEvent): void;
}

/** What steps of updates need beside their transaction. */
export interface StepParts {
  readonly hooks: UpdateExtension;
  /** The version texts that are reported in a work, by device. */
  readonly versionTexts: RowKind<string, string>;
  readonly watchers: OtaWatchers;
  nowMs(): number;
}

/** The transaction of steps. */
export interface InWork extends StepParts {
  readonly work: Work;
}

/** One step of the updates of a device, which is locked, and who takes it. */
export interface DeviceStep<By extends Actor = Requester> extends InWork {
  readonly device: DeviceRow;
  readonly by: By;
}

/** Writes what a device has reported of itself, with the record of the device. */
export async function keepReported(
  { work, versionTexts, device }: DeviceStep<Actor>,
  reported: Partial<DeviceRow>,
): Promise<void> {
  await work.change(deviceRows, device.id, reported);
  if (reported.bversion) work.put(versionTexts, device.id, reported.bversion);
}

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

interface Move {
  readonly trigger: UpdateTrigger;
  readonly result?: number;
  readonly reason?: string | undefined;
  /** In which way it has failed, where the device says it. */
  readonly kind?: ReportedFailure | undefined;
}

const idsOf = ({ id, device_id }: UpdateRow) => ({ id, device_id });

/** Those who watch a device see an update of it as it is now, once that is committed. */
const notifyOf = ({ work, watchers }: InWork, update: UpdateRow) =>
  work.afterCommit(() => watchers.notify(update.device_id, { type: 'update', data: toUpdateRecord(update) }));

/** Takes an update to its next state: beside its first state, nothing else writes one. Refusal: ILLEGAL_TRANSITION. */
export async function move(
  step: InWork,
  update: UpdateRow,
  { trigger, result, reason, kind }: Move,
): Promise<Result<UpdateRow, Refusal>> {
  const to = transition(updateTransitions, update.state, trigger);
  if (to === undefined) {
    const blanks = { what: 'An update', from: update.state, to: wantedStates[trigger] };
    return failure(refusal('ILLEGAL_TRANSITION', blanks));
  }
  const isNew = to !== update.state;
  const change = {
    ...(isNew && { state: to, [timeColumns[to]]: step.nowMs() }),
    ...(isNew && reason !== undefined && { reason }),
    ...(result !== undefined && result !== update.result && { result }),
  };
  if (Object.keys(change).length === 0) return success(update);
  const moved = await step.work.change(updateRows, update.id, change);
  notifyOf(step, moved);
  if (isNew) await step.hooks.moved(step.work, { ...idsOf(update), trigger, kind });
  return success(moved);
}

/** Takes an update to its next state, with the log row of its end; the update as it is then. Refusal: ILLEGAL_TRANSITION. */
export async function advance(
  step: DeviceStep<Actor>,
  update: UpdateRow,
  by: Move,
): Promise<Result<UpdateRow, Refusal>> {
  const moved = await move(step, update, by);
  if (!moved.ok) return moved;
  const { state, id, to_bundle_id: bundleId, to_version: version, to_bversion: bversion } = moved.value;
  if (state !== update.state && (state === 'done' || state === 'failed')) {
    const type = state === 'done' ? 'ota.ok' : 'ota.fail';
    logStep(step, { type, update: id, bundleId, version, bversion, reason: by.reason });
  }
  return moved;
}

/** Ends the open update of a device that goes elsewhere. */
export async function endOpen(step: InWork, update: UpdateRow | undefined): Promise<void> {
  if (update && isOpen(update.state)) unwrap(await move(step, update, { trigger: 'supersede' }));
}

/** Keeps why an update has failed, which the device says after it has failed. */
export async function explain(step: InWork, failed: UpdateRow, reason: string): Promise<UpdateRow> {
  if (failed.reason === reason) return failed;
  const explained = await step.work.change(updateRows, failed.id, { reason });
  notifyOf(step, explained);
  return explained;
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
  step: DeviceStep,
  { to, current, bid, fromBversion, state }: Beginning,
): Promise<UpdateRow> {
  const { work, hooks, device, by } = step;
  const nowMs = step.nowMs();
  await endOpen(step, current);
  // It runs after all what it has failed to install.
  if (state === 'done' && current?.to_bundle_id === to.bundleId) {
    await hooks.moved(work, { ...idsOf(current), trigger: 'confirm' });
  }
  const begun = await insertUpdate(work, {
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
  notifyOf(step, begun);
  await work.change(deviceRows, device.id, { update_id: begun.id });
  const type = state === 'done' ? 'ota.ok' : 'ota.start';
  logStep(step, { type, update: begun.id, bundleId: to.bundleId, bversion: to.bversion, version: to.version });
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

function logStep({ work, device, by, nowMs }: DeviceStep<Actor>, logged: LoggedStep): void {
  const { type, update, bversion, bundleId } = logged;
  const entry: LogEntry = {
    type,
    level: type === 'ota.fail' ? 'warning' : 'info',
    message: messages[type](logged),
    atMs: nowMs(),
    userId: by.userId,
    client: by.client,
    ip: by.ip,
    deviceId: device.id,
    productId: device.product_id,
    bundleId,
    data: { update, bversion, cause: by.cause },
  };
  work.put(stepLogs, entry, entry);
}
