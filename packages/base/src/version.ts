import { failure, type Result, success } from './result.ts';

/** Four numeric parts, compared part by part as numbers. Spec: API-VER-1, MOD-VER-1. */
export type Version = readonly [major: number, minor: number, patch: number, build: number];

/** Highest value of one part of a file's version, as the service accepts it. Reference: model 2.2. */
export const maxVersionPart = 65_535;

/** Highest value of one part where the specification sets no limit: 15 digits, which a number holds exactly. */
export const maxFreeVersionPart = 999_999_999_999_999;

/** Four parts of this value each, as a limit. */
const everyPart = (max: number): Version => [max, max, max, max];

type VersionError = 'malformed' | 'part-too-large';

/**
 * Reads one to four dot-separated decimal parts; missing parts are 0 (`1.0.0` is `1.0.0.0`).
 *
 * @param maxParts largest value of each part; the module's files have narrower ones than the service's bundles
 */
export function parseVersion(
  text: string,
  maxParts: Version = everyPart(maxVersionPart),
): Result<Version, VersionError> {
  if (!/^\d{1,15}(\.\d{1,15}){0,3}$/.test(text)) return failure('malformed');
  const parts = text.split('.').map(Number);
  const version: Version = [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, parts[3] ?? 0];
  if (version.some((part, index) => part > (maxParts[index] ?? 0))) return failure('part-too-large');
  return success(version);
}

/** Reads a version that has all four parts, none of them over `maxPart`. */
export function parseFullVersion(text: string, maxPart: number): Result<Version, VersionError> {
  return text.split('.').length === 4 ? parseVersion(text, everyPart(maxPart)) : failure('malformed');
}

/** Four parts with dots between them. */
export const formatVersion = (version: Version): string => version.join('.');

/** Negative, zero or positive as `a` is lower than, equal to or higher than `b`. */
export function compareVersions(a: Version, b: Version): number {
  for (const index of [0, 1, 2, 3] as const) {
    const difference = a[index] - b[index];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The version with its last part one higher. Fails when that is at `maxFreeVersionPart`. Spec: API-RULE-bundle-create-3. */
export function incrementVersion([major, minor, patch, build]: Version): Result<Version, VersionError> {
  return build < maxFreeVersionPart ? success([major, minor, patch, build + 1]) : failure('part-too-large');
}

/** Digits of a part in the column of versions; a part with more has a letter for their number before them. */
const keyDigits = 5;

const keyOf = (part: number): string => {
  const digits = String(part);
  if (digits.length <= keyDigits) return digits.padStart(keyDigits, '0');
  return String.fromCharCode('a'.charCodeAt(0) + digits.length - keyDigits - 1) + digits;
};

/** A text whose alphabetical order is the order of versions, for a database column: letters come after digits. */
export const versionSortKey = (version: Version): string => version.map(keyOf).join('.');

/** The sort key of a text that is a version with parts of any size that is kept; undefined for another text. */
export function freeVersionKey(text: string): string | undefined {
  const version = parseVersion(text, everyPart(maxFreeVersionPart));
  return version.ok ? versionSortKey(version.value) : undefined;
}
