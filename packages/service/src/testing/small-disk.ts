import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of a few megabytes, mounted in a temporary folder. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

const blockBytes = 4096;

/** Mounts a disk that is held in memory; the error says why that cannot be done here. */
export function mountSmallDisk(megabytes: number): SmallDisk | { readonly missing: string } {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-disk-'));
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) {
    rmdirSync(folder);
    return { missing: `mounting a tmpfs: ${error?.message ?? stderr.trim()}` };
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a');
      try {
        for (;;) writeSync(file, Buffer.alloc(blockBytes));
      } catch (failed) {
        if (!(failed instanceof Error) || !('code' in failed) || failed.code !== 'ENOSPC') throw failed;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast),
    unmount() {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
