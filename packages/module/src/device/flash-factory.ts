import { crc16, type Store, writeEntry } from '@moorage/base';
import { type FactoryFile, type FileInfo, fileFlags, fileTypes } from './flash.ts';
import { encodeHeader, encodeTrailer, entryName, headerBytes, trailerBytes } from './flash-format.ts';
import { unitsFor } from './flash-units.ts';

/** Store name that says: the factory files have been written. */
const factoryMark = 'flash';

interface Prepared {
  readonly info: FileInfo;
  /** Header, content and trailer in one piece, which stores in memory keep as it is. */
  readonly entry: Uint8Array;
}

/** Thousands of boards share one list of factory files: their index entries and bytes exist once. */
const preparedLists = new WeakMap<readonly FactoryFile[], ReadonlyMap<string, Prepared>>();

/**
 * Writes the factory files to a store that never had them all; after a cut the next boot completes the work. Files
 * that were deleted since do not come back.
 *
 * @returns what the index is to hold for the files just written
 */
export async function writeFactoryFiles(
  store: Store,
  files: readonly FactoryFile[],
): Promise<ReadonlyMap<string, FileInfo>> {
  const names = new Set(await store.names());
  const written = new Map<string, FileInfo>();
  if (names.has(factoryMark)) return written;
  for (const [name, { info, entry }] of prepare(files)) {
    if (names.has(entryName(name))) continue;
    await writeEntry(store, entryName(name), entry);
    written.set(name, info);
  }
  await writeEntry(store, factoryMark, new Uint8Array());
  return written;
}

const isRadioFirmware = ({ type }: FactoryFile): boolean => type === fileTypes.radioFirmware;

function prepare(files: readonly FactoryFile[]): ReadonlyMap<string, Prepared> {
  const known = preparedLists.get(files);
  if (known) return known;
  const next = { i: 0, e: 0, b: 0 };
  const prepared = new Map<string, Prepared>();
  // The radio firmware lies at the beginning of its area, wherever it stands in the list.
  for (const file of files.toSorted((a, b) => Number(isRadioFirmware(b)) - Number(isRadioFirmware(a)))) {
    const size = file.content.length;
    const { name, area, type, version, unit = next[file.area] } = file;
    const flags = file.flags | fileFlags.valid;
    const info: FileInfo = { name, size, crc: crc16(file.content), version, area, type, flags, unit };
    next[area] = Math.max(next[area], unit + unitsFor(size));
    const entry = new Uint8Array(headerBytes + size + trailerBytes);
    entry.set(encodeHeader(info));
    entry.set(file.content, headerBytes);
    entry.set(encodeTrailer(info.crc), headerBytes + size);
    prepared.set(name, { info, entry });
  }
  preparedLists.set(files, prepared);
  return prepared;
}
