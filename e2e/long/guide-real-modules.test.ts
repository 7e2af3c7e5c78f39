import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';

afterEach(killAll);

/** Words of the one command of a block of the guide, with paths in a folder of the test. */
const wordsOf = (block: string, folder: string): string[] =>
  block
    .trim()
    .replaceAll('./serial', join(folder, 'serial'))
    .replaceAll('module.zip', join(folder, 'module.zip'))
    .split(' ')
    .slice(1);

test('the guide of real modules rescues one, makes its twin, and finds nothing to put back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-real-'));
  const [start = '', read = '', twin = ''] = await blocksOf('real-modules.md', 'run');
  const original = moorage([...wordsOf(start, folder), '--json']);
  await eventOf(original, 'ready');
  const rescued = moorage([...wordsOf(read, folder), '--json']);
  expect(await eventOf(rescued, 'rescued')).toMatchObject({ files: 5 });
  expect(await rescued.ended).toBe(0);
  const copy = moorage([...wordsOf(twin, folder).slice(0, -1), 'tcp:127.0.0.1:0', '--json']);
  const { serial } = await eventOf(copy, 'ready');
  const compared = moorage(['rescue', '--restore', join(folder, 'module.zip'), String(serial), '--json']);
  expect(await eventOf(compared, 'differences')).toEqual({
    event: 'differences',
    files: [],
    settings: [],
    skipped: [],
  });
  expect(await compared.ended).toBe(0);
  await rm(folder, { recursive: true });
});
