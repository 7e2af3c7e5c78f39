import type { DdiAction, DdiArtifact, Refusal, ReportedAttributes } from '@moorage/api';
import { refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { type BundleFile, encodeFilename } from '../../../core/ota/rules.ts';
import { digestsOf } from '../../../engine/db/blob-records.ts';
import type { Db } from '../../../engine/db/storage.ts';
import { calledAddress } from '../../../engine/http/called-address.ts';
import type { Deps, DoorCaller, FileReply, RequestHeaders } from '../../../engine/http/types.ts';
import type { DoorStanding, DoorUpdate, DoorUpdates } from '../door-updates.ts';
import type { UpdateBook } from '../update-book.ts';
import { baseName, type Handling, handlingOf, historyWord, partsOf } from './rules.ts';

type Row = DoorCaller['row'];
type Update = DoorUpdate;

/** What the client knows of an update. */
interface Known {
  readonly closed_at: number | null;
  readonly consent: 'confirmed' | 'denied' | null;
}

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
  ticketFor(updateId: number, caller: Pick<DoorCaller, 'name' | 'proof'>): Promise<string>;
  /** The device has sent its attributes. */
  noteReport(deviceId: string): Promise<unknown>;
  readonly book: UpdateBook;
  readonly probation: {
    applies(deviceId: string): Promise<boolean>;
    show(row: Row, reported: ReportedAttributes, ip: string): Promise<void>;
  };
  /** Who consents to all updates of the device, as JSON. */
  autoConfirm(deviceId: string): Promise<string | null>;
  setAutoConfirm(deviceId: string, value: string | null): Promise<unknown>;
}

export const noUpdate = () => failure(refusal('NOT_FOUND', { what: 'Update' }));

/** Where the client calls, for links. */
export const baseOf = (
  { params, headers }: { readonly params: { readonly tenant: string }; readonly headers: RequestHeaders },
  { settings }: DdiDeps,
  name: string,
): Result<string, Refusal> => {
  const address = calledAddress(headers, settings);
  if (!address.ok) return address;
  return success(`${address.value}/${encodeURIComponent(params.tenant)}/controller/v1/${encodeURIComponent(name)}`);
};

export const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const versionsOfHandling = { skip: 1, attempt: 2, forced: 3 } as const;

/**
 * The link to an action. Clients take the action from what stands before `?c=`, as the documentation of this interface
 * writes it; the number is another one when the action is handled otherwise.
 */
export const actionLink = (
  base: string,
  shownAs: 'deploymentBase' | 'confirmationBase',
  updateId: number,
  { update }: Pick<Handling, 'update'>,
) => ({ href: `${base}/${shownAs}/${updateId}?c=${versionsOfHandling[update]}` });

/** A client that has closed an update with a success which has still to be proved. */
export const isProving = (update: Update | undefined, known: Known | undefined): boolean =>
  update?.state === 'installed' && (known?.closed_at ?? null) !== null;

/** Whether an update is not shown before the user of the device consents. */
export const waitsForConsent = ({ asksConsent }: DoorCaller, known: Known | undefined): boolean =>
  asksConsent && known?.consent !== 'confirmed';

interface ArtifactCall {
  readonly base: string;
  readonly bundleId: string;
  readonly ticket: string;
}

/** A file as the client gets it, with links of the kind that its connection is of. */
export async function artifactOf(
  deps: DdiDeps,
  file: BundleFile,
  { base, bundleId, ticket }: ArtifactCall,
): Promise<DdiArtifact> {
  const digests = await digestsOf(deps, file.sha256);
  const path = `${base}/softwaremodules/${bundleId}/artifacts/${encodeFilename(file.filename)}`;
  const [bytes, sum] = [{ href: `${path}?ticket=${ticket}` }, { href: `${path}.MD5SUM?ticket=${ticket}` }];
  const links = base.startsWith('http:')
    ? { 'download-http': bytes, 'md5sum-http': sum }
    : { download: bytes, md5sum: sum };
  return {
    filename: baseName(file.filename),
    size: file.size,
    hashes: { ...digests, sha256: file.sha256 },
    _links: links,
  };
}

export interface ActionCall {
  readonly caller: DoorCaller;
  readonly params: { readonly tenant: string; readonly action_id: number };
  readonly query: { readonly actionHistory?: string };
  readonly headers: RequestHeaders;
}

/** An action as the client gets it. Refusals: NOT_FOUND, INVALID_REQUEST for a host that is none. */
export async function actionOf(
  deps: DdiDeps,
  call: ActionCall,
  update: Update,
  { handling, isWaiting = false }: { handling: DdiAction['deployment']['update']; isWaiting?: boolean },
): Promise<Result<DdiAction, Refusal>> {
  const { to_bundle_id: bundleId } = update;
  const at = baseOf(call, deps, call.caller.name);
  if (!at.ok) return at;
  if (bundleId === null) return noUpdate();
  const ticket = await deps.ticketFor(update.id, call.caller);
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
    ...(messages && { actionHistory: { status: historyWord(update.state, isWaiting), messages: [...messages] } }),
  });
}

/** The update of a call, if the client is shown it now. Refusal: NOT_FOUND. */
export async function shownUpdate(deps: DdiDeps, call: ActionCall & { readonly ip: string }) {
  const { update, offer } = await deps.standing(call.caller.row, call.ip);
  if (update?.id !== call.params.action_id) return noUpdate();
  const known = await deps.book.of(update.id);
  const { isShown, update: handling } = handlingOf(offer.install, textOf(call.headers['user-agent']));
  return isShown && !isProving(update, known) ? success({ update, handling, known }) : noUpdate();
}
