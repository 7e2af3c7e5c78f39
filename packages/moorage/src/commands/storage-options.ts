import { settingsTable } from '@moorage/service/config';
import type { OptionTable } from '../options.ts';
import { UserError } from './define.ts';
import { serviceOptions } from './serve.ts';

/** What works on a storage without a service; it takes a while to load. */
export type Administration = typeof import('@moorage/service/administration');

/** What says where a service keeps its things. */
const names = settingsTable
  .filter(({ name }) => ['dataDir', 'database', 'blobs'].includes(name) || name.startsWith('s3'))
  .map(({ flag }) => flag);

/** A command's own options beside those of the storage, whose values only `readServiceSettings` gives. */
export const withStorageOptions = <T extends OptionTable>(own: T): T => ({
  ...Object.fromEntries(Object.entries(serviceOptions).filter(([name]) => names.includes(name))),
  ...own,
});

/** Codes of what goes wrong with folders, files and servers by no fault of the program. */
const outsideCodes = /^(E[A-Z]+|ERR_SQLITE_ERROR|28\w{3}|3D000|57P03|08\w{3})$/;

/** The error, of this one and what caused it, that has such a code. */
function outsideCause(error: unknown): Error | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && outsideCodes.test(String(cause.code))) return cause;
  }
  return undefined;
}

/** Runs work on a storage, and turns what the user can mend into an error without a stack. */
export async function onStorage<T>(work: (administration: Administration) => Promise<T>): Promise<T> {
  const administration = await import('@moorage/service/administration');
  try {
    return await work(administration);
  } catch (error) {
    if (error instanceof administration.BackupError) throw new UserError(error.message, 1, { cause: error });
    const cause = outsideCause(error);
    if (!cause) throw error;
    throw new UserError(`The storage cannot be used: ${cause.message}`, 1, { cause: error });
  }
}
