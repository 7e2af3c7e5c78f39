import { type Refusal, refusal, refusalOfAll } from '@moorage/api';
import {
  decodeBase64,
  failure,
  formatVersion,
  maxVersionPart,
  type Result,
  success,
  type Version,
} from '@moorage/base';
import { mimeOfFilename } from './file-types.ts';
import { isBlank, readVersion } from './versions.ts';

/** A file as a body brings it; the schema has checked the form of all but version and base64. */
export interface InlineFile {
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
 * Decodes an uploaded file. Refusals: INVALID_BASE64, INVALID_VERSION, naming every wrong field under `path`.
 * Spec: API-RULE-bundle-create-5, API-VER-2.
 */
export function readUpload(upload: InlineFile, fallbackName: string, path = ''): Result<ReadUpload, Refusal> {
  const version = isBlank(upload.version)
    ? success<Version>([1, 0, 0, 0])
    : readVersion(upload.version, `${path}version`, maxVersionPart);
  const bytes = decodeBase64(upload.base64 ?? '');
  const field = `${path}base64`;
  const notBytes = refusal('INVALID_BASE64', { field }, { source: 'body', keys: [field] });
  if (!version.ok) return failure(bytes.ok ? version.error : (refusalOfAll([version.error, notBytes]) ?? notBytes));
  if (!bytes.ok) return failure(notBytes);
  const filename = upload.filename ?? fallbackName;
  return success({
    filename,
    bytes: bytes.value,
    type: upload.type ?? 'MISC_FIX_LEN',
    version: formatVersion(version.value),
    mime: upload.mime ?? mimeOfFilename(filename),
  });
}
