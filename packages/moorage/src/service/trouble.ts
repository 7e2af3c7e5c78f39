import { withoutPassword } from '@moorage/service/engine/stores/addresses';
import { UnusableError, wordsOf } from '@moorage/service/engine/stores/health';
import { UserError } from '../command-line/define.ts';

/** Codes of what goes wrong with folders, files and servers by no fault of the program. */
const outsideCodes = /^(E(?!RR_)[A-Z][A-Z0-9_]*|ERR_SQLITE_ERROR|28\w{3}|3D000|53\w{3}|57P\d\d|08\w{3})$/;

/** Those with which a database refuses, as opposed to folders and networks: EROFS has five letters too. */
const databaseCodes = /^(ERR_SQLITE_ERROR|\d\w{4})$/;

interface Cause {
  readonly error: Error;
  readonly code: string;
}

/** The error, of this one and what caused it, that has such a code. */
function outsideCause(error: unknown): Cause | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (outsideCodes.test(code)) return { error: cause, code };
  }
  return undefined;
}

/**
 * What is thrown for trouble with a storage: an error without a stack when the user can mend it (a full disk, a folder
 * without rights, a database that is away), and otherwise the very same error, which is a mistake of the program.
 */
export function storageTrouble(error: unknown, database: string): unknown {
  if (error instanceof UnusableError) return new UserError(error.message, error.isMalformed ? 2 : 1, { cause: error });
  const cause = error instanceof UserError ? undefined : outsideCause(error);
  if (!cause) return error;
  const isDatabase = databaseCodes.test(cause.code) || cause.error !== error;
  const what = isDatabase ? `database ${withoutPassword(database)}` : 'storage';
  return new UserError(`The ${what} cannot be used: ${wordsOf(cause.error)}`, 1, { cause: error });
}
