import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { UserError } from '../command-line/define.ts';

/** A file of a folder, named as devices see it. */
export interface FolderFile {
  /** With slashes, whatever the host has. */
  readonly filename: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** Most files that are taken from one folder: a wrong one is noticed before anything is sent. */
const maxFiles = 1_000;

/**
 * The files of a folder and of those in it, by name. What begins with a dot is left out.
 *
 * @throws {UserError} when it cannot be read, has no files, or far too many
 */
export async function filesOf(folder: string): Promise<readonly FolderFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new UserError(`The folder "${folder}" cannot be read: ${error.message}`, 2, { cause: error });
  });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, filename: relative(folder, path).split(sep).join('/') }))
    .filter(({ filename }) => !filename.split('/').some((part) => part.startsWith('.')));
  if (paths.length === 0) throw new UserError(`The folder "${folder}" has no files`, 2);
  if (paths.length > maxFiles) throw new UserError(`The folder "${folder}" has more than ${maxFiles} files`, 2);
  const files = await Promise.all(paths.map(async (file) => ({ ...file, size: (await stat(file.path)).size })));
  return files.sort((a, b) => (a.filename < b.filename ? -1 : 1));
}

export const readBase64 = async ({ path }: FolderFile): Promise<string> => (await readFile(path)).toString('base64');
