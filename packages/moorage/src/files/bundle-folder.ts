import { openAsBlob } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
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

/** A link may name another file of the folder, and nothing else: what lies elsewhere is not meant to go to devices. */
async function refuseLinkOut(folder: string, { path, filename }: Omit<FolderFile, 'size'>): Promise<void> {
  const [root, target] = await Promise.all([realpath(folder), realpath(path).catch(() => undefined)]);
  if (target?.startsWith(root + sep) && (await stat(target)).isFile()) return;
  throw new UserError(
    `"${filename}" of the folder "${folder}" is a link to something that is no file of the folder`,
    2,
  );
}

/**
 * The files of a folder and of those in it, by name. What begins with a dot is left out.
 *
 * @throws {UserError} when it cannot be read, has no files, far too many, or a link out of it
 */
export async function filesOf(folder: string): Promise<readonly FolderFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new UserError(`The folder "${folder}" cannot be read: ${error.message}`, 2, { cause: error });
  });
  const paths = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ isLink: entry.isSymbolicLink(), path: join(entry.parentPath, entry.name) }))
    .map((file) => ({ ...file, filename: relative(folder, file.path).split(sep).join('/') }))
    .filter(({ filename }) => !filename.split('/').some((part) => part.startsWith('.')));
  if (paths.length === 0) throw new UserError(`The folder "${folder}" has no files`, 2);
  if (paths.length > maxFiles) throw new UserError(`The folder "${folder}" has more than ${maxFiles} files`, 2);
  const files: FolderFile[] = [];
  for (const { isLink, ...file } of paths) {
    if (isLink) await refuseLinkOut(folder, file);
    files.push({ ...file, size: (await stat(file.path)).size });
  }
  return files.sort((a, b) => (a.filename < b.filename ? -1 : 1));
}

/** The bytes of a file, read as they are sent. */
export const openBytes = ({ path }: FolderFile): Promise<Blob> => openAsBlob(path);

export const readBase64 = async ({ path }: FolderFile): Promise<string> => (await readFile(path)).toString('base64');
