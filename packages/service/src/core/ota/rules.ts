import {
  type DeviceState,
  type Force,
  type HeldFile,
  type ManifestFile,
  openUpdateStates,
  type Refusal,
  refusal,
  type Tag,
  type UpdateState,
} from '@moorage/api';
import { dayMs, failure, hourMs, type Result, success, type Transition } from '@moorage/base';
import { moduleFileType } from '../files/file-types.ts';

export type UpdateTrigger = 'fetch' | 'install' | 'confirm' | 'fail' | 'mismatch' | 'expire' | 'supersede';

/**
 * Life of one update of one device. Rows that lead to where they start make a repeated call harmless.
 * Done is what a restarted device says, not what it says before. Spec: API-RULE-ota-9.
 */
export const updateTransitions: readonly Transition<UpdateState, UpdateTrigger>[] = [
  { from: 'offered', trigger: 'fetch', to: 'downloading' },
  { from: 'downloading', trigger: 'fetch', to: 'downloading' },
  { from: 'installed', trigger: 'fetch', to: 'installed' },
  { from: 'done', trigger: 'fetch', to: 'done' },
  // A device that holds every file already fetches none.
  { from: 'offered', trigger: 'install', to: 'installed' },
  { from: 'downloading', trigger: 'install', to: 'installed' },
  { from: 'installed', trigger: 'install', to: 'installed' },
  { from: 'offered', trigger: 'confirm', to: 'done' },
  { from: 'downloading', trigger: 'confirm', to: 'done' },
  { from: 'installed', trigger: 'confirm', to: 'done' },
  { from: 'done', trigger: 'confirm', to: 'done' },
  { from: 'offered', trigger: 'fail', to: 'failed' },
  { from: 'downloading', trigger: 'fail', to: 'failed' },
  { from: 'installed', trigger: 'fail', to: 'failed' },
  { from: 'failed', trigger: 'fail', to: 'failed' },
  { from: 'installed', trigger: 'mismatch', to: 'failed' },
  // A device that never comes back; one that is only slow begins another update.
  { from: 'downloading', trigger: 'expire', to: 'failed' },
  { from: 'installed', trigger: 'expire', to: 'failed' },
  { from: 'offered', trigger: 'supersede', to: 'superseded' },
  { from: 'downloading', trigger: 'supersede', to: 'superseded' },
  { from: 'installed', trigger: 'supersede', to: 'superseded' },
];

/** How long a download may take that is resumed now and then, in days. */
const downloadDays = 7;

/** A state in which an update may stay for a time only. */
export interface UpdateTimeout {
  readonly state: 'downloading' | 'installed';
  readonly ms: number;
  /** Why the update has failed then. */
  readonly reason: string;
}

/**
 * How long an update may stay in a state until it counts as failed: the download, and the restart after it. What was
 * only offered waits for ever: the device may not have meant to take it. Spec: API-RULE-ota-11.
 */
export const updateTimeouts = (restartHours: number): readonly UpdateTimeout[] => [
  {
    state: 'downloading',
    ms: downloadDays * dayMs,
    reason: `The download was not complete after ${downloadDays} days`,
  },
  {
    state: 'installed',
    ms: restartHours * hourMs,
    reason: `The device did not come back within ${restartHours} hours of its restart`,
  },
];

/** Whether an update in this state still goes on. */
export const isOpen = (state: UpdateState): boolean => openUpdateStates.includes(state);

/** What makes an update begin: the device itself, or a person with a bridging host. */
export type UpdateCause = 'device' | 'bridge';

/** A bundle as OTA selection sees it. */
export interface Candidate {
  readonly id: string;
  readonly product_id: string;
  readonly firmware_id: string;
  readonly state: 'preview' | 'published' | 'archive';
  readonly tag: Tag | null;
  readonly version: string;
  readonly bversion: string;
}

/** A device as OTA selection sees it. */
export interface OtaDevice {
  readonly state: DeviceState;
  readonly tag: Tag | null;
  readonly product_id: string;
}

/** What a device may request in an OTA query; empty texts count as absent. */
export interface BundleRequest {
  readonly bid?: string | undefined;
  readonly bundle_id?: string | undefined;
  readonly version?: string | undefined;
  readonly force?: boolean | undefined;
  readonly bversion?: string | undefined;
  /** A bundle that the device has failed to install is not offered again by itself. */
  readonly once?: boolean | undefined;
}

/** Whether the query names the bundle it wants, by id or by version. */
export const isExplicit = (request: BundleRequest): boolean => Boolean(request.bundle_id || request.version);

const onOffer = ({ product_id }: Pick<OtaDevice, 'product_id'>, candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter((bundle) => bundle.product_id === product_id && bundle.state === 'published');

/** The bundle with the device's tag, otherwise the release. */
export function followedBundle(
  device: Pick<OtaDevice, 'product_id' | 'tag'>,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const offered = onOffer(device, candidates);
  const tagged = device.tag && offered.find((bundle) => bundle.tag === device.tag); // API-RULE-ota-3
  return tagged || offered.find((bundle) => bundle.tag === 'release'); // API-RULE-ota-4
}

/** What an extension has a device get in the place of the bundle that it follows. */
export interface Assignment<By extends string = string> {
  /** What assigns it, in a word, and its id where there are several. */
  readonly by: By;
  readonly id?: string;
  /** In a sentence. */
  readonly reason: string;
  /** None where the device stays: its open update goes on, nothing else begins. */
  readonly bundleId: string | undefined;
  /** It is the turn of the device: it gets the bundle also when it has failed to install it before. */
  readonly isTurn?: boolean;
  /** How the device shall install the bundle, where that is said. */
  readonly install?: { readonly force: Force; readonly waitMs: number } | undefined;
}

/** When it makes sense that a device asks again. */
export interface Poll {
  /** Between two queries where nothing else is known, in ms. */
  readonly intervalMs: number;
  /** Something is under way with the device. */
  readonly isSoon: boolean;
  /** When something is due for it, epoch ms. */
  readonly atMs: number | undefined;
}

/** Between two queries of a device with which something is under way, in ms. */
const soonMs = 60_000;

/**
 * When a device asks again, in seconds: its interval or sooner where something is under way, longer the busier the service is, and
 * spread by a fifth to either side. What is due at a time is asked for within a minute after it.
 *
 * @param stretch 1 for a service that is not busy
 * @param chance from 0 up to 1
 */
export function nextPollS({ intervalMs, isSoon, atMs }: Poll, nowMs: number, stretch: number, chance: number): number {
  const wantedMs = (isSoon ? Math.min(soonMs, intervalMs) : intervalMs) * stretch;
  const spreadMs = wantedMs * (0.8 + 0.4 * chance);
  const dueMs = atMs === undefined || atMs <= nowMs ? Number.POSITIVE_INFINITY : atMs - nowMs + soonMs * chance;
  return Math.max(1, Math.round(Math.min(spreadMs, dueMs) / 1000));
}

/** Which bundle a device gets that names none, and why. */
export interface Selection<A extends Assignment = Assignment> {
  readonly by: A['by'] | 'blocked' | 'tag' | 'release' | 'none';
  /** In a sentence. */
  readonly reason: string;
  readonly bundle: Candidate | undefined;
  /** The assignment that decides. */
  readonly assignment?: A;
}

/**
 * Chooses the bundle of a device that names none; the first that applies decides: blocked, what is assigned, the tag it
 * follows, the release. Spec: API-RULE-selection-1.
 *
 * @param candidates bundles that may be meant; those that are not published or of another product are passed over
 * @param assignments those that come first count first
 */
export function selectBundle<A extends Assignment>(
  device: OtaDevice,
  candidates: readonly Candidate[],
  assignments: readonly A[],
): Selection<A> {
  if (device.state === 'disabled') return { by: 'blocked', reason: 'The device is blocked', bundle: undefined };
  const offered = onOffer(device, candidates);
  for (const assignment of assignments) {
    const { by, reason, bundleId } = assignment;
    const bundle = offered.find(({ id }) => id === bundleId);
    if (bundle || bundleId === undefined) return { by, reason, bundle, assignment };
  }
  const followed = followedBundle(device, candidates);
  if (!followed) {
    return { by: 'none', reason: 'No published bundle of the product carries a tag', bundle: undefined };
  }
  const isTag = device.tag !== null && followed.tag === device.tag;
  return isTag
    ? { by: 'tag', reason: `The device follows the tag "${device.tag}"`, bundle: followed }
    : { by: 'release', reason: 'It is the release of the product', bundle: followed };
}

/** The bundle that was chosen. Refusals: DEVICE_DISABLED, NOT_FOUND. */
export function chosenOf({ by, bundle }: Pick<Selection, 'by' | 'bundle'>): Result<Candidate, Refusal> {
  if (by === 'blocked') return failure(refusal('DEVICE_DISABLED'));
  return bundle ? success(bundle) : failure(refusal('NOT_FOUND', { what: 'Bundle for this device' })); // API-RULE-ota-5
}

/**
 * The bundle that a query names: it must be published and of the device's product.
 *
 * @param candidates bundles of the device's product that may be meant; others among them are passed over
 * @param cause a device may not choose on a production product; a person who may update it may (API-RULE-ota-2)
 * Refusals: DEVICE_DISABLED, PRODUCTION_BUNDLE_CHOICE, NOT_FOUND.
 */
export function selectNamed(
  device: OtaDevice,
  { product, production }: { readonly product: string; readonly production: 0 | 1 },
  candidates: readonly Candidate[],
  request: BundleRequest,
  cause: UpdateCause,
): Result<Candidate, Refusal> {
  if (device.state === 'disabled') return failure(refusal('DEVICE_DISABLED'));
  if (production && cause === 'device') return failure(refusal('PRODUCTION_BUNDLE_CHOICE', { product }));
  const wanted = onOffer(device, candidates).find((bundle) =>
    request.bundle_id ? bundle.id === request.bundle_id : bundle.version === request.version,
  );
  return wanted ? success(wanted) : failure(refusal('NOT_FOUND', { what: 'Published bundle' }));
}

/** The newest update of a device, as far as rules need it. */
export interface CurrentUpdate {
  readonly to_bundle_id: string | null;
  readonly to_bversion: string;
  readonly state: UpdateState;
}

/**
 * Whether the device runs the chosen bundle already (API-RULE-ota-6).
 *
 * The version text decides when the device sends it. The bundle id alone does not suffice when the newest update led
 * to that bundle and the device reports another version text: modules keep as their bundle id what they were offered
 * last, installed or not, and an interrupted update must be offered again.
 */
function runsAlready(chosen: Candidate, request: BundleRequest, current: CurrentUpdate | undefined): boolean {
  if (request.bversion === chosen.bversion) return true;
  if (request.bid !== chosen.id) return false;
  return !(request.bversion && current?.to_bundle_id === chosen.id);
}

/** What an OTA query leads to. */
export type OtaDecision =
  /** Nothing to install; with `confirm` the open update is done, with `adopt` a done one has to be written. */
  | { readonly kind: 'none'; readonly record: 'nothing' | 'confirm' | 'adopt' }
  /** The open update to the same bundle goes on; or a person fetches again what the device runs. Nothing is written. */
  | { readonly kind: 'resume' }
  /** A new update; the open one, if any, ends by this trigger. */
  | { readonly kind: 'offer'; readonly ends: 'supersede' | 'mismatch' | undefined };

/** Decides an OTA query once its bundle is chosen. A poll that brings nothing new writes nothing. */
export function decideOta(
  chosen: Candidate,
  request: BundleRequest,
  current: CurrentUpdate | undefined,
  cause: UpdateCause,
): OtaDecision {
  const open = current && isOpen(current.state) ? current : undefined;
  const isSame = current?.to_bundle_id === chosen.id;
  // API-RULE-ota-8
  if (!request.force && runsAlready(chosen, request, current)) {
    if (request.bversion !== chosen.bversion) return { kind: 'none', record: 'nothing' };
    if (isSame && current.state === 'done') return { kind: 'none', record: 'nothing' };
    return { kind: 'none', record: isSame && open ? 'confirm' : 'adopt' };
  }
  // A device that asks after it has installed has restarted, and was expected to run the new version.
  const isBackOld = open?.state === 'installed' && request.bversion && request.bversion !== open.to_bversion;
  if (isBackOld) return { kind: 'offer', ends: 'mismatch' };
  if (open && isSame) return { kind: 'resume' };
  // A bridging host need not know what the device runs. Its silence does not make an updated device count as not.
  if (isSame && current.state === 'done' && cause === 'bridge' && !request.bid) return { kind: 'resume' };
  if (request.once && isSame && current.state === 'failed') return { kind: 'none', record: 'nothing' };
  return { kind: 'offer', ends: open ? 'supersede' : undefined };
}

export const mismatchReason = (bversion: string): string => `The device restarted with version "${bversion}"`;

/** A file of a bundle: of its firmware, or a resource. */
export interface BundleFile {
  readonly id: string;
  readonly source: 'firmware' | 'resource';
  readonly filename: string;
  readonly type: string;
  readonly version: string;
  readonly mime: string;
  readonly size: number;
  readonly crc: number;
  readonly sha256: string;
  readonly exclude: 0 | 1;
  readonly created_at: number;
}

/**
 * The files of a bundle that an update installs: those of the firmware, then the resources that are not excluded.
 * A resource takes the place of a firmware file of the same name. Spec: API-RULE-ota-7.
 */
export function filesOfUpdate(files: readonly BundleFile[]): BundleFile[] {
  const byName = new Map<string, BundleFile>();
  for (const source of ['firmware', 'resource'] as const) {
    for (const file of files) if (file.source === source && !file.exclude) byName.set(file.filename, file);
  }
  return [...byName.values()];
}

/** The files that a device still needs: all but those it holds with the same name, version and CRC. Reference: wire 3.3. */
export function filesMissing(files: readonly BundleFile[], held: readonly HeldFile[]): BundleFile[] {
  const key = (name: string, version: string, crc: number) => `${crc}/${version}/${name}`;
  const has = new Set(held.map(({ name, version, crc }) => key(name, fourParts(version), crc)));
  return files.filter((file) => !has.has(key(file.filename, fourParts(file.version), file.crc)));
}

/** Modules print versions without the parts at their end that are 0. */
const fourParts = (version: string): string => [...version.split('.'), '0', '0', '0'].slice(0, 4).join('.');

/** A file in the form of the module's download manifest. Names with blanks and slashes survive: `remote` is encoded. */
export const manifestFile = (file: BundleFile): ManifestFile => ({
  remote: encodeFilename(file.filename),
  local: file.filename,
  version: file.version,
  type: moduleFileType(file.type),
  // Nothing in a bundle says "essential" or "unprotected" yet.
  flags: '',
  crc: file.crc,
  size: file.size,
});

/** A file name as a path: each segment percent-encoded, slashes kept. */
export const encodeFilename = (filename: string): string => filename.split('/').map(encodeURIComponent).join('/');

export const totalSize = (files: readonly { readonly size: number }[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/**
 * How much of an update a device has, in whole percent, when it has been sent the first bytes of one of its files.
 * Devices fetch files in the order of the list: what stands before this one is there already, fetched or not.
 */
export function downloadPercent(files: readonly { readonly size: number }[], at: number): (sentTo: number) => number {
  const before = totalSize(files.slice(0, at));
  const all = totalSize(files);
  return (sentTo) => (all === 0 ? 100 : Math.floor((100 * (before + sentTo)) / all));
}
