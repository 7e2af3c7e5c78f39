import { afterEach, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { isLacking } from './clients.ts';
import { runGuide } from './run-guide.ts';

afterEach(killAll);

const needs = { rauc: 'rauc', mksquashfs: 'squashfs-tools', openssl: 'openssl', curl: 'curl' } as const;

test.skipIf(isLacking(needs))('the guide to RAUC works as it stands', async () => {
  const printed = await runGuide('rauc.md');
  expect(printed).toMatch(/Version:\s+'?2\.0\.1/);
  expect(printed).toMatch(/done\n206 302 $/);
});
