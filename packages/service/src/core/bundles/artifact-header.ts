import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { OpenBlob } from '../../engine/blobs/blob-store.ts';

/** What an artifact for Mender says of itself. */
export interface ArtifactHeader {
  readonly name: string;
  readonly deviceTypes: readonly string[];
}

const blockBytes = 512;
/** Longest header that is read, packed and unpacked, in bytes. */
const headerLimitBytes = 1024 * 1024;
/** Entries before the header: there are three, and room for more to come. */
const entriesLimit = 16;

const wrong = (detail: string) => failure(refusal('WRONG_ARTIFACT', { detail }, { source: 'body', keys: [] }));

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1').replace(/\0.*$/s, '');

/** An entry of a tar: its name and length, and where its bytes begin. */
interface Entry {
  readonly name: string;
  readonly size: number;
  readonly start: number;
}

/** The entry whose head is at `at`; nothing where none is. */
function entryAt(block: Uint8Array, at: number): Entry | undefined {
  if (block.length < blockBytes || textOf(block.subarray(257, 262)) !== 'ustar') return undefined;
  const size = Number.parseInt(textOf(block.subarray(124, 136)).trim(), 8);
  return Number.isSafeInteger(size)
    ? { name: textOf(block.subarray(0, 100)), size, start: at + blockBytes }
    : undefined;
}

const nextAfter = ({ start, size }: Entry): number => start + Math.ceil(size / blockBytes) * blockBytes;

async function readAt(blob: OpenBlob, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let count = 0;
  while (count < length) {
    const more = await blob.read(bytes.subarray(count), at + count);
    if (more === 0) break;
    count += more;
  }
  return bytes.subarray(0, count);
}

type Unpack = (bytes: Uint8Array) => Uint8Array;

const unpackers: Readonly<Record<string, Unpack>> = {
  'header.tar': (bytes) => bytes,
  'header.tar.gz': (bytes) => gunzipSync(bytes, { maxOutputLength: headerLimitBytes }),
  'header.tar.zst': (bytes) => zstdDecompressSync(bytes, { maxOutputLength: headerLimitBytes }),
};

/** A file of a small tar in memory. */
function fileOf(tar: Uint8Array, name: string): Uint8Array | undefined {
  for (let at = 0; at + blockBytes <= tar.length; ) {
    const entry = entryAt(tar.subarray(at, at + blockBytes), at);
    if (!entry) return undefined;
    if (entry.name === name) return tar.subarray(entry.start, entry.start + entry.size);
    at = nextAfter(entry);
  }
  return undefined;
}

/** Reads what `header-info` says. Refusal: WRONG_ARTIFACT. */
function headerOf(info: Uint8Array | undefined): Result<ArtifactHeader, Refusal> {
  if (!info) return wrong('it has no header-info');
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(info).toString());
  } catch {
    return wrong('its header-info is no JSON');
  }
  const { artifact_provides: provides, artifact_depends: depends } = read as Record<
    string,
    Record<string, unknown> | null
  >;
  const name = provides?.artifact_name;
  const types = depends?.device_type;
  if (typeof name !== 'string' || name === '') return wrong('its header-info names no artifact');
  if (!Array.isArray(types) || types.length === 0 || types.some((type) => typeof type !== 'string')) {
    return wrong('its header-info names no types of devices');
  }
  return success({ name, deviceTypes: types });
}

/** Reads the header of an artifact for Mender; everything that it needs stands before the data. Refusal: WRONG_ARTIFACT. */
export async function readMenderHeader(blob: OpenBlob): Promise<Result<ArtifactHeader, Refusal>> {
  for (let at = 0, count = 0; count < entriesLimit; count++) {
    const entry = entryAt(await readAt(blob, at, blockBytes), at);
    if (!entry) return wrong(count === 0 ? 'it is no tar archive' : 'it has no header');
    if (count === 0 && entry.name !== 'version') return wrong('it does not begin with its version');
    if (entry.name.startsWith('header.tar')) {
      const unpack = unpackers[entry.name];
      if (!unpack) {
        return wrong(`"${entry.name}" is packed in a way that is not known here: write it with --compression gzip`);
      }
      if (entry.size > headerLimitBytes) return wrong('its header is too long');
      const packed = await readAt(blob, entry.start, entry.size);
      try {
        return headerOf(fileOf(unpack(packed), 'header-info'));
      } catch {
        return wrong('its header cannot be unpacked');
      }
    }
    at = nextAfter(entry);
  }
  return wrong('it has no header');
}

/** The head of a cpio entry, and the name of the first file of an archive for SWUpdate. */
const cpioHeadBytes = 110;
const swuDescription = 'sw-description';

/** Versions and hardware as the description writes them; what is written otherwise or encrypted says neither. */
const versionPattern = /\bversion\s*=\s*"([^"]{1,128})"/;
const hardwarePattern = /\bhardware-compatibility\s*[:=]\s*\[([^\]]{0,2000})\]/;

/** Reads what an archive for SWUpdate says of itself; nothing where that cannot be seen. Refusal: WRONG_ARTIFACT. */
export async function readSwuHeader(blob: OpenBlob): Promise<Result<ArtifactHeader | undefined, Refusal>> {
  const head = Buffer.from(await readAt(blob, 0, cpioHeadBytes + swuDescription.length)).toString('latin1');
  if (!/^07070[12]/.test(head)) return wrong('it is no cpio archive');
  if (head.slice(cpioHeadBytes) !== swuDescription) return wrong('it does not begin with its sw-description');
  const [size, nameSize] = [54, 94].map((at) => Number.parseInt(head.slice(at, at + 8), 16));
  if (!size || !nameSize || size > headerLimitBytes) return success(undefined);
  const start = Math.ceil((cpioHeadBytes + nameSize) / 4) * 4;
  const text = Buffer.from(await readAt(blob, start, size)).toString();
  const name = versionPattern.exec(text)?.[1];
  const listed = hardwarePattern.exec(text)?.[1] ?? '';
  const deviceTypes = [...listed.matchAll(/"([^"]+)"/g)].map(([, one = '']) => one);
  return success(name === undefined ? undefined : { name, deviceTypes });
}

/** An artifact that a bundle has already. */
export interface NamedHeader extends ArtifactHeader {
  readonly filename: string;
}

const folderOf = (filename: string): string => filename.slice(0, filename.lastIndexOf('/') + 1);
const endsAs = (ending: string) => (header: NamedHeader) => header.filename.endsWith(ending);

/** A version in the form of those of bundles: a version of that form means the bundle. */
const bundleForm = /^\d+(\.\d+){3}$/;

/** Why an artifact cannot be in a bundle of this version with these; nothing where it can. Spec: API-RULE-artifact-1. */
export function contradiction(added: NamedHeader, others: readonly NamedHeader[], version: string): string | undefined {
  if (added.filename.endsWith('.mender')) {
    const other = others.filter(endsAs('.mender')).find(({ name }) => name !== added.name);
    return other && `the bundle has an artifact of the release "${other.name}" already`;
  }
  if (folderOf(added.filename) === '' && bundleForm.test(added.name) && added.name !== version) {
    return `its version is "${added.name}", and that of the bundle is "${version}"`;
  }
  for (const other of others.filter(endsAs('.swu'))) {
    const isSamePart = folderOf(other.filename) === folderOf(added.filename);
    if (isSamePart && other.name !== added.name) {
      return `its version is "${added.name}", and the bundle has "${other.name}" for the same part already`;
    }
    const isComparable = added.deviceTypes.length > 0 && other.deviceTypes.length > 0;
    if (isComparable && !added.deviceTypes.some((type) => other.deviceTypes.includes(type))) {
      const [own, has] = [added, other].map(({ deviceTypes }) => deviceTypes.join(', '));
      return `it is for hardware "${own}", and the bundle has "${other.filename}" for "${has}" already`;
    }
  }
  return undefined;
}
