import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { errorCode } from '@moorage/base';
import { UserError } from '../command-line/define.ts';

/** The bytes of a file that the user has named. @throws {UserError} that says `what` the file is */
export const readGiven = (path: string, what: string): Promise<Buffer<ArrayBuffer>> =>
  readFile(path).catch((error: Error) => {
    throw new UserError(`The ${what} "${path}" cannot be read: ${error.message}`, 2, { cause: error });
  });

/** The text of a file that the user has named. @throws {UserError} that says `what` the file is */
export const readGivenText = async (path: string, what: string): Promise<string> =>
  (await readGiven(path, what)).toString();

/** The text of a file that a setting names. @throws {UserError} that names the setting */
export function readSetting(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError(`Setting ${flag}: file "${path}" cannot be read (${errorCode(error)})`, 2, { cause: error });
  }
}
