import type { StorageTrouble } from '../../../stores/health.ts';

/**
 * Primary result codes: another process that holds the lock, a file that cannot be read, written, opened or changed, a
 * full disk, a page that is malformed, a file that is no database.
 */
const kinds: Readonly<Record<number, StorageTrouble['kind']>> = {
  5: 'busy',
  6: 'busy',
  8: 'away',
  10: 'away',
  11: 'damaged',
  13: 'full',
  14: 'away',
  26: 'damaged',
};
/** The file that connections share could not grow: of the errors of files the one that only a full disk has. */
const sharedFileSizeCode = 4874;

/** What an error of SQLite says of the database; nothing when the statement itself is to blame. */
export function sqliteTrouble(error: Error): StorageTrouble['kind'] | undefined {
  if (!('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode === sharedFileSizeCode ? 'full' : kinds[error.errcode & 0xff];
}
