import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { killAll } from './command-line.ts';

/** Gives each test of the file an empty data folder; afterwards what still runs is killed and the folder removed. */
export function dataFolder(name: string): { readonly path: string } {
  let path = '';
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), `moorage-${name}-`));
  });
  afterEach(async () => {
    killAll();
    await rm(path, { recursive: true, force: true });
  });
  return {
    get path() {
      return path;
    },
  };
}
