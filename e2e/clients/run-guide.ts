import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runScript } from '../bash.ts';
import { eventOf, moorage } from '../command-line.ts';
import { blocksOf, endJobs } from '../guide.ts';

/** Clients begin an update some time after they have seen it. In ms. */
const limitMs = 300_000;

/** Runs the commands of a guide to a client against a service of their own; returns what they printed. */
export async function runGuide(guide: string): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const args = ['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'];
  const service = moorage(args, { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const ready = await eventOf(service, 'ready');
  const script = [endJobs, `cd ${data}`, ...(await blocksOf(guide, 'sh'))]
    .join('\n')
    .replace('http://127.0.0.1:8080', String(ready.api))
    .replace('https://localhost:8443', `https://localhost:${new URL(String(ready.devices)).port}`);
  const run = runScript(script, limitMs);
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).not.toContain('"statusCode"');
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  await rm(data, { recursive: true });
  return run.stdout;
}
