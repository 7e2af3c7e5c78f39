import { ignoreFailure, type Result } from '@moorage/base';
import {
  type FileInfo,
  type FileWriter,
  type FlashError,
  fileFlags,
  isProtectedType,
  type NewFile,
} from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';
import { firstFit } from '../device/flash-units.ts';

/** Files of an update lie in extended flash: only there it helps to delete something. */
const area = 'e';

/**
 * Begins a file of an update. When there is no room for it, files that users made go, as few as possible and the
 * largest first; essential ones stay. At the very last the older version of the file itself makes way. Nothing is
 * deleted for a file that would not fit even so. Spec: MOD-FILE-essential.
 *
 * @param kept names of the update's own files
 */
export async function makeRoom(
  flash: Flash,
  file: NewFile,
  kept: ReadonlySet<string>,
): Promise<Result<FileWriter, FlashError>> {
  for (;;) {
    const writer = await flash.create(file);
    if (writer.ok || (writer.error !== 'no-space' && writer.error !== 'too-many-files')) return writer;
    const candidates = expendable(flash, kept);
    const older = flash.stat(file.name);
    if (older?.area === area) candidates.push(older);
    // A full index needs any one of them to go, a full area those that make a long enough run of units.
    const victims = writer.error === 'too-many-files' ? candidates.slice(0, 1) : blocking(flash, file.size, candidates);
    if (victims.length === 0) return writer;
    // One that is missing has made room as well.
    for (const victim of victims) ignoreFailure(await flash.remove(victim.name, { force: true }));
  }
}

/** Files that an update may delete, the largest first. */
function expendable(flash: Flash, kept: ReadonlySet<string>): FileInfo[] {
  const barred = fileFlags.essential | fileFlags.system;
  return flash
    .list()
    .filter((info) => info.area === area && (info.flags & fileFlags.user) !== 0 && (info.flags & barred) === 0)
    .filter((info) => !kept.has(info.name) && !isProtectedType(info.type))
    .sort((a, b) => b.size - a.size);
}

/** The candidates without which `size` bytes fit; none when even all of them are not enough. */
function blocking(flash: Flash, size: number, candidates: readonly FileInfo[]): readonly FileInfo[] {
  const fits = (without: readonly FileInfo[]): boolean => {
    const runs = flash.list().filter((info) => info.area === area && !without.includes(info));
    return firstFit(runs, flash.areaUnits(area), size) !== undefined;
  };
  const count = candidates.findIndex((_, index) => fits(candidates.slice(0, index + 1))) + 1;
  let victims = candidates.slice(0, count);
  // A file that lies elsewhere than the run that has come free need not go.
  for (const victim of victims) {
    const fewer = victims.filter((other) => other !== victim);
    if (fewer.length > 0 && fits(fewer)) victims = fewer;
  }
  return victims;
}
