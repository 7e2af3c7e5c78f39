import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { isLacking, mayWriteSystem, menderFiles, menderNeeds } from './clients.ts';
import { runGuide } from './run-guide.ts';

const made = Object.values(menderFiles).filter((file) => !existsSync(file));
afterEach(async () => {
  killAll();
  for (const file of made) await rm(file, { force: true });
});

const isLeftOut = isLacking({ ...menderNeeds, curl: 'curl' }) || !mayWriteSystem;
test.skipIf(isLeftOut)('the guide to Mender works as it stands', async () => {
  expect(await runGuide('mender.md')).toMatch(/rel-2\nsuccess\n$/);
});
