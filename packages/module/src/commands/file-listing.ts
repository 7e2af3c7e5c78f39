import { formatCrc16, formatVersion } from '@moorage/base';
import { type FileInfo, fileFlags } from '../device/flash.ts';
import type { Personality } from '../personality/personality.ts';

const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');

/** `12,222F,1.0.0.0,e,FE,0021`. Spec: MOD-FILE-stat-order. */
export const statLine = (file: FileInfo): string =>
  [
    file.size, // MOD-FILE-size
    formatCrc16(file.crc), // MOD-FILE-crc
    formatVersion(file.version), // MOD-FILE-version
    file.area, // MOD-FILE-storage
    hex(file.type, 2), // MOD-FILE-type
    hex(file.flags, 4), // MOD-FILE-flags
  ].join(',');

/** Bulk files come last; before them users' and web files by name, then system files by name; case does not count. */
export function listingOrder(a: FileInfo, b: FileInfo): number {
  return rank(a) - rank(b) || compareNames(a.name, b.name);
}

function rank(file: FileInfo): number {
  if (file.area === 'b') return 2;
  return (file.flags & fileFlags.system) === 0 ? 0 : 1;
}

/** By code units, so that the order depends on no host's language. */
function compareNames(a: string, b: string): number {
  const [x, y] = a.toLowerCase() === b.toLowerCase() ? [a, b] : [a.toLowerCase(), b.toLowerCase()];
  return x < y ? -1 : Number(x > y);
}

/** The lines of `ls` and `ls -v`. Spec: MOD-FILE-listing. */
export function listing(personality: Personality, files: readonly FileInfo[], verbose: boolean): readonly string[] {
  if (!verbose) {
    // The first three parts only; the long version is for `ls -v` and `file_stat`.
    const short = (file: FileInfo): string => file.version.slice(0, 3).join('.');
    const rows = files.map((file, index) => personality.row('list', index, file.size, short(file), file.name));
    return [personality.text('listHead'), ...rows];
  }
  const rows = files.map(({ area, type, flags, unit, size, version, name }, index) =>
    personality.row('listVerbose', index, area, type, flags, unit, size, formatVersion(version), name),
  );
  return [personality.text('listVerboseHead'), ...rows];
}

/** Whether a name is asked for: `*` is any run of characters, `?` any one; a pattern without them is a beginning. */
export function matchesName(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) return name.startsWith(pattern);
  let rest = 0;
  // Greedy matching with one step back: linear enough for 95 characters, and no pattern can make it explode.
  let star = -1;
  let starAt = 0;
  let at = 0;
  while (at < name.length) {
    if (rest < pattern.length && (pattern[rest] === '?' || pattern[rest] === name[at]) && pattern[rest] !== '*') {
      rest++;
      at++;
    } else if (pattern[rest] === '*') {
      star = rest++;
      starAt = at;
    } else if (star >= 0) {
      rest = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return [...pattern.slice(rest)].every((letter) => letter === '*');
}
