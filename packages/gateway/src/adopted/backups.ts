import { createHash } from 'node:crypto';
import { formatVersion, ignoreFailure, type Store, writeEntry } from '@moorage/base';
import type { DeviceClient } from '@moorage/device';
import type { Archive } from '../rescue/archive.ts';
import { isUsers } from '../rescue/twin.ts';

/** Backups of a module that are kept, in the gateway's folder and at the service each: half of what a device may have there. */
const keptBackups = 5;

const folder = 'backups/';
const ownName = /^\d{4}-\d\d-\d\dT\d{6}Z before .+\.zip$/;

/** What the last backup held, to be told whether something has changed since. */
const lastEntry = 'backup';

export const backupName = ({ taken_at: takenAt }: Archive, version: string): string =>
  `${takenAt.replace(/\.\d+Z$/, 'Z').replaceAll(':', '')} before ${version}.zip`;

/** Of the names of files, the backups of the gateway that are more than are kept, by their time. */
export const oldBackups = (names: readonly string[]): readonly string[] =>
  names
    .filter((name) => ownName.test(name))
    .toSorted()
    .slice(0, -keptBackups);

/** What an archive has of a module, without clocks and counters. */
function digestOf({ version, settings, files }: Archive): string {
  const facts = files.map(({ name, size, crc, version: own, type, flags }) => [
    name,
    size,
    crc ?? null,
    formatVersion(own),
    type,
    flags,
  ]);
  const held = [version, settings.filter(({ name }) => isUsers(name)), facts];
  return createHash('sha256').update(JSON.stringify(held)).digest('hex');
}

/** Whether the last backup holds the same. */
export async function isBackedUp(store: Store, archive: Archive): Promise<boolean> {
  const last = await store.read(lastEntry);
  return last !== undefined && Buffer.from(last).toString() === digestOf(archive);
}

/** An archive has become the last backup. */
export const noteBackup = (store: Store, archive: Archive): Promise<void> =>
  writeEntry(store, lastEntry, Buffer.from(digestOf(archive)));

/** Deletes the oldest backups at the service; what fails is tried behind the next one. */
export async function pruneBackups({ files }: Pick<DeviceClient, 'files'>): Promise<void> {
  const listed = await files.list('device', `${folder}*`);
  if (!listed.ok) return;
  const names = listed.value.flatMap(({ path }) => (path.startsWith(folder) ? [path.slice(folder.length)] : []));
  for (const name of oldBackups(names)) ignoreFailure(await files.remove('device', folder + name));
}
