import { failure, parseVersion, type Result, success, type Version } from '@moorage/base';
import { defaultFileType, isFileName, type NewFile } from '../device/flash.ts';
import { maxFileVersion } from '../interpreter/arguments.ts';
import { flagBits } from './file-reasons.ts';
import { type HttpUrl, parseHttpUrl, withFileName } from './http-url.ts';

/** What a manifest asks for. */
export interface Manifest {
  readonly cert: string | undefined;
  readonly files: readonly { readonly url: HttpUrl; readonly file: Omit<NewFile, 'size'> }[];
}

/** Largest manifest, in bytes. */
export const maxManifestBytes = 32 * 1024;

/** More files than two areas hold. */
const maxFiles = 250;

/** Spec: MOD-DL-version, MOD-VER-1, MOD-VER-2. */
export const versionOrDefault = (version: Version | undefined): Version =>
  version === undefined || version.every((part) => part === 0) ? [1, 0, 0, 0] : version;

/** Reads the JSON manifest of `http_download -m`; unknown fields are skipped. */
export function parseManifest(text: string): Result<Manifest, 'malformed'> {
  const manifest = objectOf(text);
  const { path, cert, files } = manifest ?? {};
  // Spec: MOD-DL-manifest-path, MOD-DL-manifest-cert, MOD-DL-manifest-files.
  if (typeof path !== 'string' || !isText(cert) || !Array.isArray(files)) return failure('malformed');
  if (files.length === 0 || files.length > maxFiles) return failure('malformed');
  const wanted = files.map((file: unknown) => parseFile(path, file));
  const complete = wanted.filter((file) => file !== undefined);
  if (complete.length !== wanted.length) return failure('malformed');
  return success({ cert: cert === '' ? undefined : cert, files: complete });
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return recordOf(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return undefined;
  }
}

/** The fields of an object that came as JSON, which are checked one by one; null is what serialisers write for none. */
const recordOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
    : undefined;

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

const isNumber = (value: unknown, max: number): value is number | undefined =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max);

function parseFile(path: string, value: unknown): Manifest['files'][number] | undefined {
  const { remote, local, version, type, flags, crc } = recordOf(value) ?? {};
  if (typeof remote !== 'string' || remote === '') return undefined;
  if (!isNumber(type, 0xff) || !isNumber(crc, 0xffff)) return undefined;
  const parsed = version === undefined ? undefined : parseVersion(String(version), maxFileVersion);
  const letters = flags ?? '';
  if (parsed?.ok === false || typeof letters !== 'string' || !/^(e?u?|ue)$/.test(letters)) return undefined;
  const url = parseHttpUrl(urlOf(path, remote));
  const name = local ?? url?.fileName;
  if (!url || typeof name !== 'string' || !isFileName(name)) return undefined;
  return {
    url,
    file: {
      name,
      version: versionOrDefault(parsed?.value),
      type: type ?? defaultFileType,
      flags: flagBits(letters),
      crc,
      replace: true,
    },
  };
}

const urlOf = (path: string, remote: string): string =>
  path.includes('%s') ? withFileName(path, remote) : `${path.replace(/\/$/, '')}/${remote.replace(/^\//, '')}`;
