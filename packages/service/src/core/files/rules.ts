import { type FileListQuery, fileLimitBytes, pathLimitBytes, type Refusal, refusal, storeLimits } from '@moorage/api';
import { failure, formatVersion, maxVersionPart, type Result, success } from '@moorage/base';
import { isBlank, readVersion } from './versions.ts';

/** What is wrong with a path that the router has percent-decoded; each row is one rule. Spec: API-RULE-files-3. */
const pathRules: readonly { readonly detail: string; readonly broken: (path: string) => boolean }[] = [
  { detail: `it has over ${pathLimitBytes} bytes`, broken: (path) => Buffer.byteLength(path) > pathLimitBytes },
  { detail: 'it has a backslash', broken: (path) => path.includes('\\') },
  // NUL among them, and what would garble a listing on a module's serial line.
  { detail: 'it has a control character', broken: (path) => /\p{Cc}/u.test(path) },
  { detail: 'it has an empty segment', broken: (path) => path.split('/').includes('') },
  { detail: 'it has a segment "." or ".."', broken: (path) => path.split('/').some((part) => /^\.{1,2}$/.test(part)) },
];

/** Checks the path of a file. Refusal: INVALID_PATH, which says what is wrong. */
export function checkPath(path: string): Result<string, Refusal> {
  const rule = pathRules.find(({ broken }) => broken(path));
  if (!rule) return success(path);
  const shown = path.replace(/\p{Cc}/gu, '?');
  return failure(refusal('INVALID_PATH', { path: shown, detail: rule.detail }, { source: 'params', keys: ['path'] }));
}

/** Last segment of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Reads the version that a file may be given. Refusal: INVALID_VERSION. */
export function readFileVersion(text: string | undefined): Result<string | null, Refusal> {
  if (isBlank(text)) return success(null);
  const version = readVersion(text, 'version', maxVersionPart, 'query');
  return version.ok ? success(formatVersion(version.value)) : version;
}

/** What a store holds beside the file that is being written. */
export interface StoreUse {
  readonly files: number;
  readonly bytes: number;
}

/** The refusal of one more file of `size` bytes: STORE_FULL or BODY_TOO_LARGE. Spec: API-LIMIT-file. */
export function refuseSpace(others: StoreUse, size: number): Refusal | undefined {
  if (size > fileLimitBytes) return refusal('BODY_TOO_LARGE', { limitBytes: fileLimitBytes });
  const fits = others.files < storeLimits.files && others.bytes + size <= storeLimits.bytes;
  return fits ? undefined : refusal('STORE_FULL', { files: storeLimits.files, bytes: storeLimits.bytes });
}

/** A filter without the stars that add nothing: each one more costs time in matching. */
export const tidyFilter = (filter: FileListQuery['filter']): string | undefined =>
  filter === undefined || filter === '' ? undefined : filter.replace(/\*+/g, '*');
