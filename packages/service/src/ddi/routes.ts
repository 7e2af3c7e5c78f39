import type {
  DdiAction,
  DdiArtifact,
  DdiBase,
  DdiFeedback,
  ddiContract,
  Refusal,
  ReportedAttributes,
} from '@moorage/api';
import { refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { calledAddress } from '../core/called-address.ts';
import { bySelf, type DoorStanding, type DoorUpdate, type DoorUpdates } from '../core/door-updates.ts';
import type { Call, Deps, DoorCaller, FileReply, Handler, Handlers } from '../core/types.ts';
import { digestsOf } from '../db/blob-records.ts';
import type { Db } from '../db/storage.ts';
import { type BundleFile, encodeFilename } from '../ota/rules.ts';
import { attributeNames, updateOfDevice } from './queries.ts';
import { baseName, busySleepS, handlingOf, judgeFeedback, partsOf, reportedOf, sleepText } from './rules.ts';

type Contract = typeof ddiContract;
type Row = DoorCaller['row'];
type Update = DoorUpdate;

/** What this door needs of other slices. */
export interface DdiDeps extends Deps {
  readonly updates: DoorUpdates;
  /** What a device shall do now. */
  standing(row: Row, ip: string): Promise<DoorStanding>;
  filesOf(db: Db, bundleId: string): Promise<readonly BundleFile[]>;
  /** A file of the bundle that the device has on offer. Refusal: NOT_FOUND. */
  openFile(row: Row, bundleId: string, name: string): Promise<Result<FileReply, Refusal>>;
  keepAttributes(deviceId: string, reported: ReportedAttributes, atMs: number): Promise<void>;
  /** A text that lets its holder fetch the files of an update. */
  ticketFor(updateId: number, name: string): Promise<string>;
  /** The device has sent its attributes. */
  noteReport(deviceId: string): Promise<unknown>;
  readonly book: {
    shown(updateId: number, deviceId: string): Promise<void>;
    toCancel(deviceId: string, currentId: number | null): Promise<number | undefined>;
    close(updateId: number): Promise<void>;
    say(updateId: number, step: string, lines: readonly string[]): Promise<void>;
    history(updateId: number, limit: number): Promise<readonly string[]>;
  };
}

const noUpdate = () => failure(refusal('NOT_FOUND', { what: 'Update' }));

/** Where the client calls, for links. */
const baseOf = (
  {
    params,
    headers,
  }: { readonly params: { readonly tenant: string }; readonly headers: Call<Contract['base']>['headers'] },
  { settings }: DdiDeps,
  name: string,
): Result<string, Refusal> => {
  const address = calledAddress(headers, settings);
  if (!address.ok) return address;
  return success(`${address.value}/${encodeURIComponent(params.tenant)}/controller/v1/${encodeURIComponent(name)}`);
};

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** API-DDI-base */
const base =
  (deps: DdiDeps): Handler<Contract['base']> =>
  async (call) => {
    const { row, name, reportedAtMs } = call.caller;
    const at = baseOf(call, deps, name);
    if (!at.ok) return at;
    const { update, offer } = await deps.standing(row, call.ip);
    const { isShown } = handlingOf(offer.install, textOf(call.headers['user-agent']));
    const link = (tail: string) => ({ href: `${at.value}/${tail}` });
    const cancelled = await deps.book.toCancel(row.id, update?.id ?? null);
    const waitS = update && offer.install && !isShown ? Math.ceil(offer.install.waitMs / 1000) : undefined;
    // One of the two at a time: clients that see both begin what they are to drop.
    const todo =
      cancelled !== undefined
        ? { cancelAction: link(`cancelAction/${cancelled}`) }
        : update && isShown && { deploymentBase: link(`deploymentBase/${update.id}`) };
    const isBusy = (update && isShown) || cancelled !== undefined;
    const reply: DdiBase = {
      config: { polling: { sleep: sleepText(offer.nextPollS, waitS, isBusy ? busySleepS : undefined) } },
      _links: { ...todo, ...(reportedAtMs === null && { configData: link('configData') }) },
    };
    return success(reply);
  };

/** API-DDI-config */
const configData =
  (deps: DdiDeps): Handler<Contract['configData']> =>
  async ({ caller, body }) => {
    const { id } = caller.row;
    const known = body.mode === 'replace' ? await attributeNames(deps.storage.db, id) : [];
    await deps.keepAttributes(id, reportedOf(body, known), deps.clock.now());
    await deps.noteReport(id);
    return success({});
  };

interface ArtifactCall {
  readonly base: string;
  readonly bundleId: string;
  readonly ticket: string;
}

/** A file as the client gets it, with links of the kind that its connection is of. */
async function artifactOf(
  deps: DdiDeps,
  file: BundleFile,
  { base, bundleId, ticket }: ArtifactCall,
): Promise<DdiArtifact> {
  const digests = await digestsOf(deps, file.sha256);
  const path = `${base}/softwaremodules/${bundleId}/artifacts/${encodeFilename(file.filename)}`;
  const [bytes, sum] = [{ href: `${path}?ticket=${ticket}` }, { href: `${path}.MD5SUM?ticket=${ticket}` }];
  const links = deps.settings.deviceInsecure
    ? { 'download-http': bytes, 'md5sum-http': sum }
    : { download: bytes, md5sum: sum };
  return {
    filename: baseName(file.filename),
    size: file.size,
    hashes: { ...digests, sha256: file.sha256 },
    _links: links,
  };
}

interface ActionCall {
  readonly caller: DoorCaller;
  readonly params: { readonly tenant: string; readonly action_id: number };
  readonly query: { readonly actionHistory?: string };
  readonly headers: Call<Contract['base']>['headers'];
}

async function actionOf(
  deps: DdiDeps,
  call: ActionCall,
  update: Update,
  handling: DdiAction['deployment']['update'],
): Promise<Result<DdiAction, Refusal>> {
  const { to_bundle_id: bundleId } = update;
  const at = baseOf(call, deps, call.caller.name);
  if (!at.ok) return at;
  if (bundleId === null) return noUpdate();
  const ticket = await deps.ticketFor(update.id, call.caller.name);
  const files = await deps.filesOf(deps.storage.db, bundleId);
  const chunks = [];
  for (const { part, files: some } of partsOf(files)) {
    const artifacts = [];
    for (const file of some) artifacts.push(await artifactOf(deps, file, { base: at.value, bundleId, ticket }));
    chunks.push({ part, name: part, version: update.to_version, artifacts });
  }
  const lines = Number(call.query.actionHistory ?? 0);
  const messages = lines === 0 ? undefined : await deps.book.history(update.id, lines > 0 ? lines : 100);
  const download = handling === 'attempt' ? ('attempt' as const) : ('forced' as const);
  return success({
    id: String(update.id),
    deployment: {
      download,
      update: handling,
      ...(handling === 'skip' && { maintenanceWindow: 'unavailable' }),
      chunks,
    },
    ...(messages && { actionHistory: { status: update.state.toUpperCase(), messages: [...messages] } }),
  });
}

/** API-DDI-deployment */
const deployment =
  (deps: DdiDeps): Handler<Contract['deployment']> =>
  async (call) => {
    const { row } = call.caller;
    const { update, offer } = await deps.standing(row, call.ip);
    if (update?.id !== call.params.action_id) return noUpdate();
    const { isShown, update: handling } = handlingOf(offer.install, textOf(call.headers['user-agent']));
    if (!isShown) return noUpdate();
    await deps.book.shown(update.id, row.id);
    return actionOf(deps, call, update, handling);
  };

/** API-DDI-installed */
const installed =
  (deps: DdiDeps): Handler<Contract['installed']> =>
  async (call) => {
    const update = await updateOfDevice(deps.storage.db, call.caller.row.id, call.params.action_id);
    return update?.state === 'done' ? actionOf(deps, call, update, 'forced') : noUpdate();
  };

/** API-DDI-feedback */
const feedback =
  ({ storage, updates, book }: DdiDeps): Handler<Contract['feedback']> =>
  async ({ caller, params, body, ip }) => {
    const { row } = caller;
    const update = await updateOfDevice(storage.db, row.id, params.action_id);
    if (!update) return noUpdate();
    const { closes, ...judged } = judgeFeedback(body, update.state);
    const done = await updates.reportAction(row, { updateId: update.id, ...judged }, bySelf(ip));
    if (!done.ok) return done;
    await book.say(update.id, body.status.execution, linesOf(body));
    if (closes) await book.close(update.id);
    return success({});
  };

/** What a feedback says, in lines; one without words says at least how it stands. */
function linesOf({ status: { execution, result, details } }: DdiFeedback): readonly string[] {
  const said = (details ?? []).filter((line) => line !== '');
  return said.length > 0 ? said : [`${execution}, ${result.finished}`];
}

/** API-DDI-cancel */
const cancel =
  ({ book, storage }: DdiDeps): Handler<Contract['cancel']> =>
  async ({ caller: { row }, params }) => {
    const id = params.action_id;
    const open = await book.toCancel(row.id, row.update_id);
    if (open !== id || !(await updateOfDevice(storage.db, row.id, id))) return noUpdate();
    return success({ id: String(id), cancelAction: { stopId: String(id) } });
  };

const cancelFeedback =
  ({ book, storage }: DdiDeps): Handler<Contract['cancelFeedback']> =>
  async ({ caller: { row }, params, body }) => {
    const update = await updateOfDevice(storage.db, row.id, params.action_id);
    if (!update) return noUpdate();
    await book.say(update.id, `cancel ${body.status.execution}`, linesOf(body));
    // Whether it drops the update or says that it is too late: it knows, and says by itself how that ended.
    if (body.status.execution !== 'proceeding') await book.close(update.id);
    return success({});
  };

const sumSuffix = '.MD5SUM';

/** API-DDI-artifact */
const artifact =
  (deps: DdiDeps): Handler<Contract['artifact']> =>
  async ({ caller: { row }, params: { bundle_id: bundleId, name } }) => {
    if (!name.endsWith(sumSuffix)) return deps.openFile(row, bundleId, name);
    const of = await deps.openFile(row, bundleId, name.slice(0, -sumSuffix.length));
    if (!of.ok) return of;
    const { md5 } = await digestsOf(deps, of.value.sha256);
    const line = `${md5}  ${baseName(name.slice(0, -sumSuffix.length))}\n`;
    return success({ bytes: new TextEncoder().encode(line), mime: 'text/plain; charset=utf-8' });
  };

const artifacts =
  (deps: DdiDeps): Handler<Contract['artifacts']> =>
  async (call) => {
    const { row, name } = call.caller;
    const current = await deps.updates.current(deps.storage.db, row);
    const { bundle_id: bundleId } = call.params;
    if (current?.to_bundle_id !== bundleId) return failure(refusal('NOT_FOUND', { what: 'Bundle for this device' }));
    const at = baseOf(call, deps, name);
    if (!at.ok) return at;
    const ticket = await deps.ticketFor(current.id, name);
    const found = [];
    for (const file of await deps.filesOf(deps.storage.db, bundleId)) {
      found.push(await artifactOf(deps, file, { base: at.value, bundleId, ticket }));
    }
    return success(found);
  };

/** The interface of SWUpdate, the RAUC updater and others. Spec: API-DDI-base and the following. */
export const ddiRoutes = (deps: DdiDeps): Handlers<Contract> => ({
  base: base(deps),
  configData: configData(deps),
  deployment: deployment(deps),
  installed: installed(deps),
  feedback: feedback(deps),
  cancel: cancel(deps),
  cancelFeedback: cancelFeedback(deps),
  // API-DDI-confirmation: consent is given at the service.
  confirmations: async () => success({ autoConfirm: { active: true } }),
  artifacts: artifacts(deps),
  artifact: artifact(deps),
});
