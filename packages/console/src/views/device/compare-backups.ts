import { strFromU8, unzipSync } from 'fflate';

/** Largest description of a module that is read, unpacked, in bytes. */
const maxManifestBytes = 16 * 1024 * 1024;

interface BackedUpFile {
  readonly name: string;
  readonly size: number;
  readonly crc?: string;
}

/** What a comparison needs of a rescue archive. */
export interface Backup {
  readonly settings: readonly { readonly name: string; readonly value: string }[];
  readonly files: readonly BackedUpFile[];
}

/** A variable or file that two backups have otherwise; undefined where one lacks it. */
export interface Difference<T> {
  readonly name: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export interface Differences {
  readonly settings: readonly Difference<string>[];
  readonly files: readonly Difference<BackedUpFile>[];
}

/** Reads a rescue archive; undefined for what is none. */
export function readBackup(zip: Uint8Array): Backup | undefined {
  try {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean =>
      name === 'module.json' && originalSize <= maxManifestBytes;
    const manifest = unzipSync(zip, { filter })['module.json'];
    const read: unknown = manifest && JSON.parse(strFromU8(manifest));
    if (typeof read !== 'object' || read === null) return undefined;
    const { format, settings, files } = read as Readonly<Record<string, unknown>>;
    if (format !== 'moorage-rescue' || !Array.isArray(settings) || !Array.isArray(files)) return undefined;
    return { settings, files };
  } catch {
    return undefined;
  }
}

/** What the values of one name are in both, where they differ, by name. */
function differing<V, T>(
  before: readonly V[],
  after: readonly V[],
  [nameOf, heldIn]: readonly [(one: V) => string, (one: V) => T],
  same: (one: T, other: T) => boolean,
): Difference<T>[] {
  const [old, fresh] = [before, after].map((all) => new Map(all.map((one) => [nameOf(one), heldIn(one)])));
  const names = [...new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])])].toSorted();
  return names.flatMap((name) => {
    const [was, is] = [old?.get(name), fresh?.get(name)];
    return was !== undefined && is !== undefined && same(was, is) ? [] : [{ name, before: was, after: is }];
  });
}

/** Variables and files that differ between two backups of a module. */
export const compareBackups = (before: Backup, after: Backup): Differences => ({
  settings: differing(
    before.settings,
    after.settings,
    [({ name }) => name, ({ value }) => value],
    (one, other) => one === other,
  ),
  files: differing(
    before.files,
    after.files,
    [({ name }) => name, (file) => file],
    (one, other) => one.size === other.size && one.crc === other.crc,
  ),
});
