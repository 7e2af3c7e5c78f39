import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * Makes a folder, and those above it that are missing, with the rights `mode`; one that is there stays as it is. The
 * host's own way of doing so never ends where a folder refuses new ones with ENOENT, as those of /proc do.
 *
 * @throws what the host says when it refuses
 */
export function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    if (errorCode(error) !== 'ENOENT' || above === path || isFolder(above)) throw error;
    makeFolder(above, mode);
    makeFolder(path, mode);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
