import { type BundleState, type Refusal, refusal, type Tag } from '@moorage/api';
import {
  decodeBase64,
  failure,
  formatVersion,
  incrementVersion,
  parseFullVersion,
  type Result,
  success,
  type Transition,
  transition,
  type Version,
} from '@moorage/base';

export type BundleTrigger = BundleState | 'trash';

/** The state table of the specification; what has no row is refused. Spec: API-RULE-bundle-state-4. */
export const bundleTransitions: readonly Transition<'none' | BundleState | 'trash', 'create' | BundleTrigger>[] = [
  { from: 'none', trigger: 'create', to: 'preview' }, // API-STATE-bundle-none-preview, API-RULE-bundle-create-4
  { from: 'preview', trigger: 'published', to: 'published' }, // API-STATE-bundle-preview-published
  { from: 'preview', trigger: 'trash', to: 'trash' }, // API-STATE-bundle-preview-trash
  { from: 'archive', trigger: 'published', to: 'published' }, // API-STATE-bundle-archive-published
  { from: 'archive', trigger: 'trash', to: 'trash' }, // API-STATE-bundle-archive-trash
  { from: 'published', trigger: 'archive', to: 'archive' }, // API-STATE-bundle-published-archive
];

/** What a bundle is when its state is asked to change. */
export interface BundleStanding {
  readonly state: BundleState;
  readonly tag: Tag | null;
}

/**
 * The state a bundle gets, or `undefined` when it has it already and nothing changes.
 * Refusals: BUNDLE_TAGGED, ILLEGAL_TRANSITION.
 */
export function changeBundleState(
  bundle: BundleStanding,
  wanted: BundleTrigger,
): Result<BundleTrigger | undefined, Refusal> {
  if (wanted === bundle.state) return success(undefined); // API-RULE-bundle-1
  if (bundle.tag !== null) return failure(refusal('BUNDLE_TAGGED', { tag: bundle.tag })); // API-RULE-tag-2
  const to = transition(bundleTransitions, bundle.state, wanted);
  if (to === undefined || to === 'none') {
    return failure(refusal('ILLEGAL_TRANSITION', { what: 'A bundle', from: bundle.state, to: wanted }));
  }
  return success(to);
}

/**
 * The tag a bundle gets (`null` takes it off), or `undefined` when it has it already.
 * Refusal: BUNDLE_NOT_PUBLISHED, for any tag but the empty one. Spec: API-RULE-bundle-state-2, -3, API-RULE-tag-3.
 */
export function changeBundleTag(bundle: BundleStanding, wanted: Tag | ''): Result<Tag | null | undefined, Refusal> {
  const tag = wanted === '' ? null : wanted;
  if (tag !== null && bundle.state !== 'published') {
    return failure(refusal('BUNDLE_NOT_PUBLISHED', { state: bundle.state }));
  }
  return success(tag === bundle.tag ? undefined : tag);
}

/** Why resources may not be added and removed, if they may not: BUNDLE_FROZEN. Spec: API-RULE-bundle-state-1. */
export const refuseResourceChange = (state: BundleState): Refusal | undefined =>
  state === 'preview' ? undefined : refusal('BUNDLE_FROZEN', { state });

/** Version of a product's first bundle when none is asked for. Spec: API-RULE-bundle-3. */
const firstBundleVersion: Version = [0, 0, 0, 1];

/**
 * The version of a new bundle: the one asked for, or the successor of the highest existing one.
 * Whether an asked one is free is the query's to say. Refusals: INVALID_VERSION, VERSIONS_EXHAUSTED.
 *
 * @param wanted text of the request; blank or absent lets the service choose
 * @param highest highest version among the product's bundles
 */
export function chooseBundleVersion(
  wanted: string | null | undefined,
  highest: Version | undefined,
): Result<Version, Refusal> {
  if (!isBlank(wanted)) return readVersion(wanted);
  if (highest === undefined) return success(firstBundleVersion);
  const next = incrementVersion(highest); // API-RULE-bundle-create-3
  return next.ok ? next : failure(refusal('VERSIONS_EXHAUSTED', { version: formatVersion(highest) }));
}

const isBlank = (text: string | null | undefined): text is null | undefined | '' => (text ?? '').trim() === '';

/** Reads a four-part version of a body. Refusal: INVALID_VERSION, naming `field`. Spec: API-VER-1, API-RULE-bundle-2. */
export function readVersion(text: string, field = 'version'): Result<Version, Refusal> {
  const version = parseFullVersion(text.trim());
  if (version.ok) return version;
  return failure(refusal('INVALID_VERSION', { version: text }, { source: 'body', keys: [field] }));
}

/**
 * The version text that the module prints and sends back: full product code, bundle version, creation time in UTC,
 * firmware label and version. Spec: API-RULE-bundle-5, API-FIELD-bundle-bversion.
 */
export function formatBversion(bundle: {
  readonly product: string;
  readonly version: string;
  readonly createdAtMs: number;
  readonly firmwareLabel: string;
  readonly firmwareVersion: string;
}): string {
  const time = new Date(bundle.createdAtMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  return `${bundle.product}-${bundle.version}, ${time}, ${bundle.firmwareLabel}-${bundle.firmwareVersion}`;
}

/** File-type bytes of the module by the names that the service uses. Reference: records 1.4, flash 2.1. */
export const moduleFileTypes: ReadonlyMap<string, number> = new Map([
  ['UPGRADE_APP', 0x00],
  ['WIFI_FW', 0x01],
  ['REGULAR_APP', 0x81],
  ['TEMPORARY', 0xf9],
  ['GPIO_CONFIG', 0xfa],
  ['COMMAND_HELP', 0xfb],
  ['SETUP_SCRIPT', 0xfd],
  ['MISC_FIX_LEN', 0xfe],
]);

/** The byte of a file type: a hex byte as it stands, a known name by the table, any other name as MISC_FIX_LEN. */
export const moduleFileType = (type: string): number =>
  /^[0-9a-f]{2}$/i.test(type) ? Number.parseInt(type, 16) : (moduleFileTypes.get(type) ?? 0xfe);

const mimeTypes: ReadonlyMap<string, string> = new Map([
  ['bin', 'application/octet-stream'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['gz', 'application/gzip'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['ico', 'image/x-icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['pdf', 'application/pdf'],
  ['pem', 'application/x-pem-file'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['wasm', 'application/wasm'],
  ['xml', 'application/xml'],
  ['zip', 'application/zip'],
]);

/** The media type that a file's extension says, in any letter case; bytes when it says none. */
export const mimeOfFilename = (filename: string): string =>
  mimeTypes.get(/\.([^./]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '') ?? 'application/octet-stream';

/** A file as a body brings it; the schema has checked the form of all but version and base64. */
export interface Upload {
  readonly filename?: string;
  readonly base64?: string;
  readonly type?: string;
  readonly version?: string;
  readonly mime?: string;
}

/** An uploaded file with every default filled in. */
export interface ReadUpload {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly version: string;
  readonly mime: string;
}

/**
 * Decodes an uploaded file. Refusals: INVALID_BASE64, INVALID_VERSION, naming the field under `path`.
 * Spec: API-RULE-bundle-create-5, API-VER-2.
 */
export function readUpload(upload: Upload, fallbackName: string, path = ''): Result<ReadUpload, Refusal> {
  const version = isBlank(upload.version)
    ? success<Version>([1, 0, 0, 0])
    : readVersion(upload.version, `${path}version`);
  if (!version.ok) return version;
  const bytes = decodeBase64(upload.base64 ?? '');
  if (!bytes.ok) {
    const field = `${path}base64`;
    return failure(refusal('INVALID_BASE64', { field }, { source: 'body', keys: [field] }));
  }
  const filename = upload.filename ?? fallbackName;
  return success({
    filename,
    bytes: bytes.value,
    type: upload.type ?? 'MISC_FIX_LEN',
    version: formatVersion(version.value),
    mime: upload.mime ?? mimeOfFilename(filename),
  });
}

/** The ETag of a stored file: CRC and size. Reference: api 3.3. */
export const fileEtag = (crc: number, size: number): string => `${formatCrc(crc)}-${size}`;

/** Records carry a file's CRC as four lower-case hex digits. */
export const formatCrc = (crc: number): string => crc.toString(16).padStart(4, '0');
