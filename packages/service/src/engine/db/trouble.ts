import { StorageError, type StorageTrouble } from '../stores/health.ts';
import { postgresTrouble } from './dialect/postgres/trouble.ts';
import { sqliteTrouble } from './dialect/sqlite/trouble.ts';

/** What a host says of a file that has no room to grow, or an account that has used up its share. */
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** What an error of any part of the storage says of it; nothing when the storage has no part in it. */
export function storageTroubleOf(error: unknown): StorageTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof StorageError) return error.trouble;
  const kind = postgresTrouble(error) ?? sqliteTrouble(error);
  if (kind) return { kind, what: 'database' };
  return 'code' in error && fullCodes.has(error.code) ? { kind: 'full', what: 'file store' } : undefined;
}
