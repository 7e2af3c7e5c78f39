import { type Refusal, refusal } from '@moorage/api';
import { failure, maxFreeVersionPart, parseFullVersion, type Result, type Version } from '@moorage/base';

/** Whether a version was left out: absent, null, or nothing but blanks. */
export const isBlank = (text: string | null | undefined): text is null | undefined | '' => (text ?? '').trim() === '';

/**
 * Reads a four-part version. Refusal: INVALID_VERSION, naming `field`. Spec: API-VER-1, API-RULE-bundle-2.
 *
 * @param maxPart highest value of a part; that of files, which modules store, is lower than the default
 */
export function readVersion(
  text: string,
  field = 'version',
  maxPart = maxFreeVersionPart,
  source: 'body' | 'query' = 'body',
): Result<Version, Refusal> {
  const version = parseFullVersion(text.trim(), maxPart);
  if (version.ok) return version;
  return failure(refusal('INVALID_VERSION', { version: text, maxPart }, { source, keys: [field] }));
}
