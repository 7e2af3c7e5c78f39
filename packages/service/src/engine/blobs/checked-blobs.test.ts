import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hourMs, VirtualClock } from '@moorage/base';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StorageError } from '../stores/health.ts';
import { diskBlobs } from './backends/disk-blobs.ts';
import { type CheckedBlobs, checkedBlobs } from './checked-blobs.ts';

let folder: string;
let clock: VirtualClock;
let blobs: CheckedBlobs;
let sha256: string;
let told: string[];
const bytes = Buffer.from('firmware of a gauge');
const pathOf = (name: string) => join(folder, name.slice(0, 2), name.slice(2, 4), name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checked-'));
  clock = new VirtualClock();
  told = [];
  const onChange = (damaged: ReadonlyMap<string, string>) => void told.push([...damaged.values()].join());
  blobs = checkedBlobs(await diskBlobs(folder), { clock, reads: true, onChange });
  sha256 = (await blobs.put(bytes, 100))?.sha256 ?? '';
  await clock.advance(hourMs);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const outcome = async () => {
  try {
    const blob = await blobs.open(sha256);
    await blob?.close();
    return 'opened';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return error.trouble.kind;
  }
};

it.each([
  ['one byte is another', () => writeFile(pathOf(sha256), 'firmware of a gaugf'), 'altered'],
  ['the end is missing', () => writeFile(pathOf(sha256), 'firmware'), 'altered'],
  ['something was added', () => writeFile(pathOf(sha256), 'firmware of a gauge!'), 'altered'],
  ['it is empty', () => writeFile(pathOf(sha256), ''), 'altered'],
  ['it is missing', () => rm(pathOf(sha256)), 'missing'],
])('a content of which %s is not handed out, is told of once, and heals', async (_what, harm, state) => {
  await harm();
  expect([await outcome(), await outcome()]).toEqual(['damaged', 'damaged']);
  expect(told).toEqual([state]);
  await blobs.put(bytes, 100);
  expect(await outcome()).toBe('opened');
  expect(told).toEqual([state, '']);
});

it('a content that was whole is read again after an hour', async () => {
  expect(await outcome()).toBe('opened');
  await writeFile(pathOf(sha256), 'other bytes');
  expect(await outcome()).toBe('opened');
  await clock.advance(hourMs);
  expect(await outcome()).toBe('damaged');
});

it('the walk finds what nobody asks for', async () => {
  expect(await blobs.verify(sha256)).toBe('whole');
  await writeFile(pathOf(sha256), 'other bytes');
  expect(await blobs.verify(sha256)).toBe('altered');
  expect(await outcome()).toBe('damaged');
});

it('a folder that cannot be used is the trouble of the file store', async () => {
  await rename(folder, `${folder}-away`);
  await expect(blobs.put(bytes, 100)).rejects.toMatchObject({ trouble: { kind: 'away', what: 'file store' } });
  expect(await outcome()).toBe('away');
  expect(told).toEqual([]);
  await rename(`${folder}-away`, folder);
  expect(await outcome()).toBe('opened');
});
