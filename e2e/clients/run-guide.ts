import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runScript } from '../bash.ts';
import { eventOf, moorage } from '../command-line.ts';
import { blocksOf, endJobs, linkClone } from '../guide.ts';

/** Clients begin an update some time after they have seen it. In ms. */
const limitMs = 300_000;

/** A service of its own, against which the commands of guides run one after another. */
export async function openGuides() {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  await linkClone(data);
  const args = ['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'];
  const service = moorage(args, { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const ready = await eventOf(service, 'ready');
  return {
    /** Runs the commands of a guide; returns what they printed. */
    async run(guide: string): Promise<string> {
      const script = [endJobs, `cd ${data}`, ...(await blocksOf(guide, 'sh'))]
        .join('\n')
        .replace('http://127.0.0.1:8080', String(ready.api))
        .replace('https://localhost:8443', `https://localhost:${new URL(String(ready.devices)).port}`);
      const run = runScript(script, limitMs);
      expect(run.status, run.stderr).toBe(0);
      expect(run.stdout).not.toContain('"statusCode"');
      return run.stdout;
    },
    async close(): Promise<void> {
      service.process.kill('SIGTERM');
      expect(await service.ended).toBe(0);
      await rm(data, { recursive: true });
    },
  };
}
