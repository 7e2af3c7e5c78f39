import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '@moorage/base';
import type { FileInfo } from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';
import { decodeText } from '../interpreter/text.ts';
import { apiPaths } from './target.ts';

/** The file that lists calls which need no authorization. */
const whitelistFile = 'http_whitelist.csv';

/** Longest whitelist, in bytes; a longer one allows nothing. */
const maxWhitelistBytes = 4096;

/** A call of the API, as the whitelist sees it: a command with its line, or one of the other two. */
export type ApiCall = { readonly path: keyof typeof apiPaths; readonly line?: string };

/**
 * Whether the credentials of a request are those of the settings. The comparison takes constant time.
 * Spec: MOD-AUTH-1, MOD-AUTH-2.
 */
export function isAuthorized(
  header: string | undefined,
  { username, password }: { readonly username: string; readonly password: string },
): boolean {
  if (username === '') return true;
  const given = decodeBase64(/^basic +(\S+) *$/i.exec(header ?? '')?.[1] ?? '');
  const wanted = `${username}:${password}`;
  // RFC 7617 leaves the encoding open: browsers send UTF-8, many libraries ISO 8859-1.
  const fits = (['utf8', 'latin1'] as const).map((encoding) => {
    const bytes = Buffer.from(wanted, encoding);
    return given.ok && timingSafeEqual(digest(given.value), digest(bytes)) && bytes.toString(encoding) === wanted;
  });
  return fits.includes(true);
}

const digest = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** Patterns of a whitelist: separated by commas or line ends, spaces around them do not count. */
export const parseWhitelist = (text: string): readonly string[] =>
  text
    .split(/[,\r\n]/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');

const fits = (pattern: string, subject: string): boolean =>
  pattern.endsWith('*') ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern;

/**
 * Whether one of the patterns lets a call through: `*` every call, `/log` and `/stream` a path, anything else a command
 * line as it was sent, from its first letter. Spec: MOD-AUTH-6.
 */
export function isWhitelisted(patterns: readonly string[], call: ApiCall): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*') return true;
    if (pattern.startsWith('/')) return fits(pattern, apiPaths[call.path]);
    return call.line !== undefined && fits(pattern, call.line);
  });
}

const parsed = new WeakMap<FileInfo, readonly string[]>();

/** The patterns that the flash holds now. */
export async function readWhitelist(flash: Flash): Promise<readonly string[]> {
  const info = flash.stat(whitelistFile);
  if (!info) return [];
  const known = parsed.get(info);
  if (known) return known;
  const content = await flash.readAll(whitelistFile, maxWhitelistBytes);
  const patterns = content.ok ? parseWhitelist(decodeText(content.value)) : [];
  parsed.set(info, patterns);
  return patterns;
}
