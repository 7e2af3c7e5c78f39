import { type Refusal, refusal } from '@moorage/api';
import { failure, parseFullVersion, type Result, type Version } from '@moorage/base';

/** Whether a version was left out: absent, null, or nothing but blanks. */
export const isBlank = (text: string | null | undefined): text is null | undefined | '' => (text ?? '').trim() === '';

/** Reads a four-part version of a body. Refusal: INVALID_VERSION, naming `field`. Spec: API-VER-1, API-RULE-bundle-2. */
export function readVersion(text: string, field = 'version'): Result<Version, Refusal> {
  const version = parseFullVersion(text.trim());
  if (version.ok) return version;
  return failure(refusal('INVALID_VERSION', { version: text }, { source: 'body', keys: [field] }));
}
