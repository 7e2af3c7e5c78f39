import { formatVersion, type Result, success } from '@moorage/base';
import type { Driver, DriverFailure } from '../driver/driver.ts';
import { contentInMemory, deleteFile, listFiles, statFile, type WrittenFile, writeFile } from './files.ts';
import type { ListedFile } from './reports.ts';

/** Bits of the flags column that `file_create` takes as letters. Reference: flash 2.2. */
const letterBits: readonly (readonly [letter: string, bit: number])[] = [
  ['e', 0x40],
  ['u', 0x100],
];

/** The letters of `file_create` for the flags of a listed file. */
export const lettersOf = (flags: number): string =>
  letterBits.flatMap(([letter, bit]) => ((flags & bit) === 0 ? [] : [letter])).join('');

/** A listed file with its content, as it is written again. */
export const writtenFile = ({ name, version, type, flags }: ListedFile, content: Uint8Array): WrittenFile => ({
  name,
  ...contentInMemory(content),
  version,
  type,
  letters: lettersOf(flags),
});

/** What a module is to hold under a name: a file, or none. */
export interface Target {
  readonly name: string;
  readonly file: WrittenFile | undefined;
}

/** Whether a listed file with that CRC is the one that is wanted. */
export const isSame = (listed: ListedFile, crc: number | undefined, wanted: WrittenFile): boolean =>
  listed.size === wanted.size &&
  crc === wanted.crc &&
  formatVersion(listed.version) === formatVersion(wanted.version) &&
  listed.type === wanted.type &&
  lettersOf(listed.flags) === wanted.letters;

/**
 * Makes a module hold what is wanted under each name, and leaves every other file alone. Each file that is written is read
 * back; running it again goes on where it was cut. The result says how many files have changed.
 */
export async function converge(
  driver: Driver,
  targets: readonly Target[],
  onFile: (name: string) => void = () => {},
): Promise<Result<number, DriverFailure>> {
  const listed = await listFiles(driver);
  if (!listed.ok) return listed;
  let changed = 0;
  for (const { name, file } of targets) {
    const there = listed.value.find((each) => each.name === name);
    if (!there && !file) continue;
    if (there) {
      const stat = file && (await statFile(driver, name));
      if (stat && !stat.ok) return stat;
      if (file && isSame(there, stat?.value?.crc, file)) continue;
      onFile(name);
      const deleted = await deleteFile(driver, name);
      if (!deleted.ok) return deleted;
    } else onFile(name);
    changed++;
    const written = file && (await writeFile(driver, file));
    if (written && !written.ok) return written;
  }
  return success(changed);
}
