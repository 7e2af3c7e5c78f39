import { failure, type Result, success } from './result.ts';

/** Four numeric parts, compared part by part as numbers. Spec: API-VER-1, MOD-VER-1. */
export type Version = readonly [major: number, minor: number, patch: number, build: number];

/** Highest value of one part, as the service accepts it. Reference: model 2.2. */
export const maxVersionPart = 65_535;

export type VersionError = 'malformed' | 'part-too-large';

/**
 * Reads one to four dot-separated decimal parts; missing parts are 0 (`1.0.0` is `1.0.0.0`).
 *
 * @param maxParts largest value of each part; the module's files have narrower ones than the service's bundles
 */
export function parseVersion(
  text: string,
  maxParts: Version = [maxVersionPart, maxVersionPart, maxVersionPart, maxVersionPart],
): Result<Version, VersionError> {
  if (!/^\d{1,9}(\.\d{1,9}){0,3}$/.test(text)) return failure('malformed');
  const parts = text.split('.').map(Number);
  const version: Version = [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0, parts[3] ?? 0];
  if (version.some((part, index) => part > (maxParts[index] ?? 0))) return failure('part-too-large');
  return success(version);
}

/** Reads a version that has all four parts, as bundles must. */
export function parseFullVersion(text: string): Result<Version, VersionError> {
  return text.split('.').length === 4 ? parseVersion(text) : failure('malformed');
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

/**
 * The version with its last part one higher; a full part carries into the one before it.
 * Fails only when all four parts are at their highest.
 */
export function incrementVersion(version: Version): Result<Version, VersionError> {
  const parts: [number, number, number, number] = [...version];
  for (const index of [3, 2, 1, 0] as const) {
    if (parts[index] < maxVersionPart) {
      parts[index] += 1;
      return success(parts);
    }
    parts[index] = 0;
  }
  return failure('part-too-large');
}

/** A text whose alphabetical order is the order of versions, for a database column. */
export const versionSortKey = (version: Version): string =>
  version.map((part) => String(part).padStart(5, '0')).join('.');
