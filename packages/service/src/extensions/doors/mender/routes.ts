import {
  type MenderDeployment,
  type menderContract,
  type Refusal,
  type ReportedAttributes,
  refusal,
} from '@moorage/api';
import { dayMs, failure, type Result, success } from '@moorage/base';
import { encodeFilename, isOpen } from '../../../core/ota/rules.ts';
import { calledAddress } from '../../../engine/http/called-address.ts';
import {
  type Call,
  type Deps,
  type DoorCaller,
  EmptyReply,
  type FileReply,
  type Handlers,
  handlers,
} from '../../../engine/http/types.ts';
import { bySelf, type DoorStanding, type DoorUpdate, type DoorUpdates } from '../door-updates.ts';
import type { Probation } from '../probation.ts';
import type { UpdateBook } from '../update-book.ts';
import { judgeStatus } from '../words.ts';
import { artifactsOf, attributeNames, updateOfDevice } from './queries.ts';
import { artifactFor, attributesOf, makeToken, nameOf, signerOf } from './rules.ts';

type Contract = typeof menderContract;
type Row = DoorCaller['row'];

/** What this door needs of other slices. */
export interface MenderDeps extends Deps {
  readonly updates: DoorUpdates;
  standing(row: Row, ip: string): Promise<DoorStanding>;
  /** A file of the bundle that the device has on offer. Refusal: NOT_FOUND. */
  openFile(row: Row, bundleId: string, name: string): Promise<Result<FileReply, Refusal>>;
  keepAttributes(deviceId: string, reported: ReportedAttributes, atMs: number): Promise<void>;
  ticketFor(updateId: number, caller: Pick<DoorCaller, 'name' | 'proof'>): Promise<string>;
  /** The device of a key that has signed its request. Refusal: DOOR_UNAUTHORISED. */
  byKey(shown: {
    name: string;
    keyHash: string;
    tenantToken: string;
    ip: string;
  }): Promise<Result<DoorCaller, Refusal>>;
  signingKey(): Promise<Buffer>;
  readonly book: Pick<UpdateBook, 'say' | 'failureOf'>;
  readonly probation: Pick<Probation, 'runs'>;
}

const empty = success(new EmptyReply());
const noUpdate = () => failure(refusal('NOT_FOUND', { what: 'Deployment' }));
const jwt = 'application/jwt';

const wrongBody = (detail: string) =>
  failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['id_data'] }));

/** API-MENDER-auth, API-EP-POST-devices-v1-authentication-auth_requests */
async function authenticate(
  { byKey, signingKey, clock }: MenderDeps,
  { body, bodyText, headers, ip }: Call<Contract['authenticate']>,
) {
  const signature = headers['x-men-signature']?.toString();
  const signer = signerOf(body.pubkey, signature, bodyText);
  if (!signer) return failure(refusal('DOOR_UNAUTHORISED'));
  const name = nameOf(body.id_data);
  if (name === undefined) return wrongBody('Field "id_data" of the body is not the identity of a device in JSON');
  const found = await byKey({ name, ...signer, tenantToken: body.tenant_token ?? '', ip });
  if (!found.ok) return found;
  const token = makeToken(await signingKey(), found.value.row.id, signer.keyHash, clock.now());
  return success({ bytes: new TextEncoder().encode(token), mime: jwt });
}

type InventoryCall = Pick<Call<Contract['replaceInventory']>, 'caller' | 'body' | 'ip'>;

/** API-MENDER-inventory */
async function keepInventory(deps: MenderDeps, { caller, body, ip }: InventoryCall, replaced: readonly string[]) {
  const { row } = caller;
  await deps.keepAttributes(row.id, attributesOf(body, replaced), deps.clock.now());
  const name = body.find((item) => item.name === 'artifact_name')?.value;
  if (typeof name === 'string') await deps.probation.runs(row, name, ip);
  return success({});
}

interface PollRequest {
  readonly caller: DoorCaller;
  readonly headers: Call<Contract['next']>['headers'];
  readonly ip: string;
}

/** API-MENDER-next */
async function nextOf(
  deps: MenderDeps,
  { caller, headers, ip }: PollRequest,
  provides: { readonly artifactName: string | undefined; readonly deviceType: string },
): Promise<Result<MenderDeployment | EmptyReply, Refusal>> {
  if (provides.artifactName !== undefined) await deps.probation.runs(caller.row, provides.artifactName, ip);
  const row = (await deps.storage.hot.deviceById(caller.row.id)) ?? caller.row;
  const { update, offer } = await deps.standing(row, ip);
  // A window that is closed hides the update: no client can be told to wait with it.
  if (!update || update.state === 'installed' || (offer.install?.waitMs ?? 0) > 0) return empty;
  const artifacts = update.to_bundle_id === null ? [] : await artifactsOf(deps.storage.db, update.to_bundle_id);
  const artifact = artifactFor(artifacts, provides.deviceType);
  if (!artifact) return noArtifact(deps, row, update, provides.deviceType, ip);
  if (artifact.name === provides.artifactName) {
    const done = await deps.updates.reportAction(row, { updateId: update.id, trigger: 'confirm' }, bySelf(ip));
    return done.ok ? empty : done;
  }
  const address = calledAddress(headers, deps.settings);
  if (!address.ok) return address;
  const ticket = await deps.ticketFor(update.id, caller);
  const path = `/api/devices/v1/deployments/download/${update.id}/${encodeFilename(artifact.filename)}`;
  return success({
    id: String(update.id),
    artifact: {
      artifact_name: artifact.name,
      device_types_compatible: [...artifact.deviceTypes],
      source: {
        uri: `${address.value}${path}?ticket=${ticket}`,
        expire: new Date(deps.clock.now() + dayMs).toISOString(),
      },
    },
  });
}

/** The release has nothing for this type of device: it is told once, and not offered again. */
async function noArtifact(deps: MenderDeps, row: Row, update: DoorUpdate, deviceType: string, ip: string) {
  const reason = `No artifact of the bundle is for device type "${deviceType.slice(0, 100)}"`;
  const failed = await deps.updates.reportAction(row, { updateId: update.id, trigger: 'fail', reason }, bySelf(ip));
  return failed.ok ? empty : failed;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const updateFor = ({ storage }: MenderDeps, { row }: DoorCaller, id: string) =>
  updateOfDevice(storage.db, row.id, Number(id));

/** API-MENDER-status: 409 tells a client that the deployment is over. */
async function status(deps: MenderDeps, { caller, params, body, ip }: Call<Contract['status']>) {
  const update = await updateFor(deps, caller, params.deployment_id);
  if (!update) return noUpdate();
  const { substate } = body;
  await deps.book.say(update.id, body.status, [substate ? `${body.status}: ${substate}` : body.status]);
  if (!isOpen(update.state)) {
    const isSaidAgain =
      update.state === 'done'
        ? body.status === 'success' || body.status === 'already-installed'
        : body.status === 'failure';
    if (isSaidAgain) return empty;
    const blanks = { what: 'A deployment', from: update.state, to: body.status };
    return failure(refusal('ILLEGAL_TRANSITION', blanks));
  }
  // Before anything is committed: an update that selection has taken back is to be wound up.
  const { trigger, closes } = judgeStatus(body.status, update.state);
  const isTakenBack = !closes && (await deps.standing(caller.row, ip)).update?.id !== update.id;
  if (isTakenBack) {
    const blanks = { what: 'A deployment', from: 'superseded', to: body.status };
    return failure(refusal('ILLEGAL_TRANSITION', blanks));
  }
  const failed = trigger === 'fail' && (await deps.book.failureOf(update, substate ? [substate] : []));
  const done = await deps.updates.reportAction(caller.row, { updateId: update.id, trigger, ...failed }, bySelf(ip));
  return done.ok ? empty : done;
}

/** API-MENDER-log */
async function log(deps: MenderDeps, { caller, params, body, ip }: Call<Contract['log']>) {
  const update = await updateFor(deps, caller, params.deployment_id);
  if (!update) return noUpdate();
  const lines = body.messages.map(({ level, message = '' }) => `${textOf(level) ?? 'info'}: ${message}`);
  await deps.book.say(update.id, 'log', lines);
  if (update.state !== 'failed') return empty;
  // It comes after the failure, and says why.
  const { reason } = await deps.book.failureOf(update, []);
  const report = { updateId: update.id, trigger: 'fail', reason, isExplained: true } as const;
  const explained = await deps.updates.reportAction(caller.row, report, bySelf(ip));
  return explained.ok ? empty : explained;
}

/** API-MENDER-download */
async function download(deps: MenderDeps, { caller, params }: Call<Contract['download']>) {
  const update = await updateFor(deps, caller, params.deployment_id);
  return update?.to_bundle_id ? deps.openFile(caller.row, update.to_bundle_id, params.name) : noUpdate();
}

const namesOf = ({ storage }: MenderDeps, { row }: DoorCaller) => attributeNames(storage.db, row.id);

/** The device interface of Mender. */
export const menderRoutes = (deps: MenderDeps): Handlers<Contract> => ({
  ...handlers(deps, { authenticate, status, log, download }),
  replaceInventory: async (call) => keepInventory(deps, call, await namesOf(deps, call.caller)),
  mergeInventory: (call) => keepInventory(deps, call, []),
  next: (call) => {
    const { artifact_name: name, device_type: type } = call.body.device_provides;
    return nextOf(deps, call, { artifactName: textOf(name), deviceType: textOf(type) ?? '' });
  },
  nextOfQuery: (call) =>
    nextOf(deps, call, { artifactName: call.query.artifact_name, deviceType: call.query.device_type }),
  nextOfBody: (call) =>
    nextOf(deps, call, { artifactName: call.body.artifact_name, deviceType: call.body.device_type }),
});
