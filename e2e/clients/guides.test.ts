import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killAll } from '../command-line.ts';
import { isLacking, mayWriteSystem, menderFiles, menderNeeds, swupdateNeeds } from './clients.ts';
import { openGuides } from './run-guide.ts';

const made = Object.values(menderFiles).filter((file) => !existsSync(file));
let guides: Awaited<ReturnType<typeof openGuides>>;
beforeAll(async () => {
  guides = await openGuides();
});
afterAll(async () => {
  await guides.close();
  killAll();
  for (const file of made) await rm(file, { force: true });
});

const raucNeeds = { rauc: 'rauc', mksquashfs: 'squashfs-tools', openssl: 'openssl' } as const;

// Each on the service that the ones before have used.
const rows = [
  ['swupdate.md', swupdateNeeds, true, [/SN-17\nUpdate Installed\.\n$/]],
  ['rauc.md', raucNeeds, true, [/Version:\s+'?2\.0\.1/, /done\n206 302 $/]],
  ['mender.md', menderNeeds, mayWriteSystem, [/rel-2\nsuccess\n$/]],
] as const;
for (const [guide, needs, isAllowed, printed] of rows) {
  test.skipIf(isLacking({ ...needs, curl: 'curl' }) || !isAllowed)(
    `the guide ${guide} works as it stands`,
    async () => {
      const text = await guides.run(guide);
      for (const pattern of printed) expect(text).toMatch(pattern);
    },
  );
}
