import type { StorageTrouble } from '../../../stores/health.ts';

/** Primary result codes: a file that cannot be read or written, another process that holds the lock, a full disk. */
const kinds: Readonly<Record<number, StorageTrouble['kind']>> = { 5: 'busy', 6: 'busy', 10: 'away', 13: 'full' };
/** The file that connections share could not grow: of the errors of files the one that only a full disk has. */
const sharedFileSizeCode = 4874;

/** What an error of SQLite says of the database; nothing when the statement itself is to blame. */
export function sqliteTrouble(error: Error): StorageTrouble['kind'] | undefined {
  if (!('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode === sharedFileSizeCode ? 'full' : kinds[error.errcode & 0xff];
}
