import { afterEach, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { isLacking, swupdateNeeds } from './clients.ts';
import { runGuide } from './run-guide.ts';

afterEach(killAll);

test.skipIf(isLacking({ ...swupdateNeeds, curl: 'curl' }))('the guide to SWUpdate works as it stands', async () => {
  expect(await runGuide('swupdate.md')).toMatch(/SN-17\nUpdate Installed\.\n$/);
});
