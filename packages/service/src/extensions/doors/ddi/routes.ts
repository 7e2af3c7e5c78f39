import type { DdiBase, DdiFeedback, ddiContract } from '@moorage/api';
import { refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import { isOpen } from '../../../core/ota/rules.ts';
import { digestsOf } from '../../../engine/db/blob-records.ts';
import { type Call, type Handlers, handlers } from '../../../engine/http/types.ts';
import { bySelf } from '../door-updates.ts';
import { judgeFeedback } from '../words.ts';
import {
  actionLink,
  actionOf,
  artifactOf,
  baseOf,
  type DdiDeps,
  isProving,
  noUpdate,
  shownUpdate,
  textOf,
  waitsForConsent,
} from './actions.ts';
import { consentRoutes } from './consent.ts';
import { pollingRoutes } from './polling.ts';
import { attributeNames, updateOfDevice } from './queries.ts';
import { asksForAttributes, baseName, busySleepS, handlingOf, reportedOf, reportsEarly, sleepText } from './rules.ts';

type Contract = typeof ddiContract;

/** API-DDI-base */
async function base(deps: DdiDeps, call: Call<Contract['base']>) {
  const { row, name, reportedAtMs } = call.caller;
  const at = baseOf(call, deps, name);
  if (!at.ok) return at;
  const { update, last, offer } = await deps.standing(row, call.ip);
  const known =
    update && (call.caller.asksConsent || update.state === 'installed') ? await deps.book.of(update.id) : undefined;
  const isOnProbation = isProving(update, known);
  const handling = handlingOf(offer.install, textOf(call.headers['user-agent']));
  const isShown = handling.isShown && !isOnProbation;
  const shownAs = waitsForConsent(call.caller, known) ? 'confirmationBase' : 'deploymentBase';
  const link = (tail: string) => ({ href: `${at.value}/${tail}` });
  // A device that never had an update has none to be cancelled, and such polls are most.
  const cancelled = last ? await deps.book.toCancel(row.id, update?.id ?? null) : undefined;
  const waitS = update && offer.install && !handling.isShown ? Math.ceil(offer.install.waitMs / 1000) : undefined;
  // One of the two at a time: clients that see both begin what they are to drop.
  const todo =
    cancelled !== undefined
      ? { cancelAction: link(`cancelAction/${cancelled}`) }
      : update && isShown && { [shownAs]: actionLink(at.value, shownAs, update.id, handling) };
  const isAsked = asksForAttributes({
    reportedAtMs,
    endedAtMs: last?.finished_at ?? null,
    askedAtMs: row.update_asked_at,
    isOnProbation,
  });
  const isBusy = (update && isShown) || cancelled !== undefined;
  const reply: DdiBase = {
    config: { polling: { sleep: sleepText(offer.nextPollS, waitS, isBusy ? busySleepS : undefined) } },
    _links: {
      ...todo,
      ...(isAsked && { configData: link('configData') }),
      ...(last?.state === 'done' && { installedBase: link(`installedBase/${last.id}`) }),
    },
  };
  return success(reply);
}

/** API-DDI-config */
async function configData(deps: DdiDeps, { caller, body, ip }: Call<Contract['configData']>) {
  const { id } = caller.row;
  const known = body.mode === 'replace' ? await attributeNames(deps.storage.db, id) : [];
  const reported = reportedOf(body, known);
  await deps.keepAttributes(id, reported, deps.clock.now());
  await deps.probation.show(caller.row, reported, ip);
  await deps.noteReport(id);
  return success({});
}

/** API-DDI-deployment */
async function deployment(deps: DdiDeps, call: Call<Contract['deployment']>) {
  const { row } = call.caller;
  const found = await shownUpdate(deps, call);
  if (!found.ok) return found;
  const { update, handling, known } = found.value;
  if (waitsForConsent(call.caller, known)) return noUpdate();
  // It begins: whether the product asks for a consent from now on makes no difference to it.
  await deps.book.shown(update.id, row.id, 'confirmed');
  return actionOf(deps, call, update, { handling });
}

/** API-DDI-installed */
async function installed(deps: DdiDeps, call: Call<Contract['installed']>) {
  const update = await updateOfDevice(deps.storage.db, call.caller.row.id, call.params.action_id);
  return update?.state === 'done' ? actionOf(deps, call, update, { handling: 'forced' }) : noUpdate();
}

/** API-DDI-feedback */
async function feedback(
  { storage, updates, book, probation }: DdiDeps,
  { caller, params, body, ip, headers }: Call<Contract['feedback']>,
) {
  const { row } = caller;
  const update = await updateOfDevice(storage.db, row.id, params.action_id);
  if (!update) return noUpdate();
  // What its user has not consented to has not begun, whatever the client says.
  const isAwaited = caller.asksConsent && isOpen(update.state) && waitsForConsent(caller, await book.of(update.id));
  if (isAwaited) return noUpdate();
  const { closes, ...judged } = judgeFeedback(body, update.state);
  const failed = judged.trigger === 'fail' && (await book.failureOf(update, body.status.details ?? []));
  const isEarly = judged.trigger === 'confirm' && isOpen(update.state) && reportsEarly(textOf(headers['user-agent']));
  const trigger = isEarly && (await probation.applies(row.id)) ? 'install' : judged.trigger;
  const done = await updates.reportAction(row, { updateId: update.id, ...failed, ...judged, trigger }, bySelf(ip));
  if (!done.ok) return done;
  await book.say(update.id, body.status.execution, linesOf(body));
  if (closes) await book.close(update.id);
  return success({});
}

/** What a feedback says, in lines; one without words says at least how it stands. */
function linesOf({ status: { execution, result, details } }: DdiFeedback): readonly string[] {
  const said = (details ?? []).filter((line) => line !== '');
  return said.length > 0 ? said : [`${execution}, ${result.finished}`];
}

/** API-DDI-cancel */
async function cancel({ book, storage }: DdiDeps, { caller: { row }, params }: Call<Contract['cancel']>) {
  const id = params.action_id;
  const open = await book.toCancel(row.id, row.update_id);
  if (open !== id || !(await updateOfDevice(storage.db, row.id, id))) return noUpdate();
  return success({ id: String(id), cancelAction: { stopId: String(id) } });
}

async function cancelFeedback(
  { book, storage }: DdiDeps,
  { caller: { row }, params, body }: Call<Contract['cancelFeedback']>,
) {
  const update = await updateOfDevice(storage.db, row.id, params.action_id);
  if (!update) return noUpdate();
  // One that goes on has not been cancelled.
  if (update.id === row.update_id && isOpen(update.state))
    return failure(refusal('METHOD_NOT_ALLOWED', { method: 'POST' }));
  await book.say(update.id, `cancel ${body.status.execution}`, linesOf(body));
  // Whether it drops the update or says that it is too late: it knows, and says by itself how that ended.
  if (body.status.execution !== 'proceeding') await book.close(update.id);
  return success({});
}

const sumSuffix = '.MD5SUM';

/** API-DDI-artifact */
async function artifact(
  deps: DdiDeps,
  { caller: { row }, params: { bundle_id: bundleId, name } }: Call<Contract['artifact']>,
) {
  // A file of the bundle may be named like the sum of another.
  const file = await deps.openFile(row, bundleId, name);
  if (file.ok || !name.endsWith(sumSuffix)) return file;
  const of = await deps.openFile(row, bundleId, name.slice(0, -sumSuffix.length));
  if (!of.ok) return of;
  const { md5 } = await digestsOf(deps, of.value.sha256);
  const line = `${md5}  ${baseName(name.slice(0, -sumSuffix.length))}\n`;
  return success({ bytes: new TextEncoder().encode(line), mime: 'text/plain; charset=utf-8' });
}

async function artifacts(deps: DdiDeps, call: Call<Contract['artifacts']>) {
  const { row, name } = call.caller;
  const current = await deps.updates.current(deps.storage.db, row);
  const { bundle_id: bundleId } = call.params;
  if (current?.to_bundle_id !== bundleId) return failure(refusal('NOT_FOUND', { what: 'Bundle for this device' }));
  const at = baseOf(call, deps, name);
  if (!at.ok) return at;
  const ticket = await deps.ticketFor(current.id, call.caller);
  const found = [];
  for (const file of await deps.filesOf(deps.storage.db, bundleId)) {
    found.push(await artifactOf(deps, file, { base: at.value, bundleId, ticket }));
  }
  return success(found);
}

/** The interface of SWUpdate, the RAUC updater and others. Spec: API-DDI-base and the following. */
export const ddiRoutes = (deps: DdiDeps): Handlers<Contract> => ({
  ...handlers(deps, { base, configData, deployment, installed, feedback, cancel, cancelFeedback, artifacts, artifact }),
  ...consentRoutes(deps),
  ...pollingRoutes(deps),
});
