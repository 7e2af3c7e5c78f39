import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@moorage/base';
import { afterAll, expect, it } from 'vitest';
import { dataPaths, watchData } from './data-watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file and a folder that are watched, and what was said of them. */
async function watched() {
  const place = mkdtempSync(join(folder, 'place-'));
  const file = join(place, 'records.db');
  const files = join(place, 'files');
  writeFileSync(file, 'records');
  mkdirSync(files);
  const clock = new VirtualClock();
  const gone: string[] = [];
  const stop = await watchData([file, files], clock, (path) => gone.push(path));
  /** Looks as often as needed: a look waits for the disk, which has a time of its own. */
  const found = () =>
    expect.poll(async () => {
      await clock.advance(1_000);
      return gone;
    });
  return { file, files, clock, gone, stop, found };
}

it('data that is deleted, or replaced by other data, is gone, and told once', async () => {
  const deleted = await watched();
  rmSync(deleted.file);
  await deleted.found().toEqual([deleted.file]);
  const replaced = await watched();
  renameSync(replaced.files, `${replaced.files}-old`);
  mkdirSync(replaced.files);
  await replaced.found().toEqual([replaced.files]);
  expect(replaced.clock.pending).toBe(0);
});

it('data that changes stays, and after the end nothing is told', async () => {
  const { file, clock, gone, stop } = await watched();
  writeFileSync(file, 'more records');
  for (let look = 0; look < 3; look++) await clock.advance(1_000);
  expect(gone).toEqual([]);
  stop();
  rmSync(file);
  await clock.advance(10_000);
  expect([gone, clock.pending]).toEqual([[], 0]);
});

it.each([
  ['sqlite:/data/a.db', 'file:/data/files', ['/data/a.db', '/data/files']],
  ['sqlite::memory:', 's3://bucket', []],
  ['postgres://host/name', 'file:/data/files', ['/data/files']],
])('of %s and %s these paths are watched: %s', (database, blobs, paths) => {
  expect(dataPaths({ database, blobs })).toEqual(paths);
});
