import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf, endJobs } from '../guide.ts';
import { isLacking, mayWriteSystem, menderFiles, menderNeeds } from './clients.ts';

const made = Object.values(menderFiles).filter((file) => !existsSync(file));
afterEach(async () => {
  killAll();
  for (const file of made) await rm(file, { force: true });
});

const isLeftOut = isLacking({ ...menderNeeds, curl: 'curl' }) || !mayWriteSystem;
test.skipIf(isLeftOut)('the guide to Mender works as it stands', async () => {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const service = moorage(['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'], {
    MOORAGE_ADMIN_PASSWORD: 'correct horse',
  });
  const ready = await eventOf(service, 'ready');
  const port = new URL(String(ready.devices)).port;
  const script = [endJobs, `cd ${data}`, ...(await blocksOf('mender.md', 'sh'))].join('\n');
  const run = runScript(
    script
      .replace('http://127.0.0.1:8080', String(ready.api))
      .replace('https://localhost:8443', `https://localhost:${port}`),
    300_000,
  );
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).not.toContain('"statusCode"');
  expect(run.stdout).toMatch(/rel-2\nsuccess\n$/);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  await rm(data, { recursive: true });
});
