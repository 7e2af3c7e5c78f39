import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf, endJobs } from '../guide.ts';
import { isLacking } from './clients.ts';

afterEach(killAll);

const needs = { rauc: 'rauc', mksquashfs: 'squashfs-tools', openssl: 'openssl', curl: 'curl' } as const;

test.skipIf(isLacking(needs))('the guide to RAUC works as it stands', async () => {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const service = moorage(['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'], {
    MOORAGE_ADMIN_PASSWORD: 'correct horse',
  });
  const ready = await eventOf(service, 'ready');
  const port = new URL(String(ready.devices)).port;
  const script = [endJobs, `cd ${data}`, ...(await blocksOf('rauc.md', 'sh'))].join('\n');
  const run = runScript(
    script
      .replace('http://127.0.0.1:8080', String(ready.api))
      .replace('https://localhost:8443', `https://localhost:${port}`),
    300_000,
  );
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).not.toContain('"statusCode"');
  expect(run.stdout).toMatch(/Version:\s+'?2\.0\.1/);
  expect(run.stdout).toMatch(/done\n206 302 $/);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  await rm(data, { recursive: true });
});
