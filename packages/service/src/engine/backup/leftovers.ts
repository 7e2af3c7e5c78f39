import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../blobs/running.ts';

const kinds = ['archive', 'records'] as const;

/** A file beside an archive that is being made: whose it is and what it is for is in its name. */
export const partialName = (path: string, kind: (typeof kinds)[number]): string =>
  join(dirname(path), `.${basename(path)}.${process.pid}.moorage-${kind}`);

/** SQLite puts files of its own beside the copy of the records. */
const pattern = new RegExp(`^\\..+\\.(\\d+)\\.moorage-(?:${kinds.join('|')})(?:-wal|-shm|-journal)?$`);

/** Removes what backups into this folder have left that were killed. They can be as large as the storage. */
export async function sweepLeftovers(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    const pid = pattern.exec(name)?.[1];
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    await rm(join(folder, name), { force: true });
  }
}
