import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

afterEach(killAll);

/** The commands of a guide: everything in its blocks marked `sh`. */
async function commandsOf(guide: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/guide/${guide}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block]) => block).join('\n');
}

/** Lines that set a variable or a function print nothing; the others show what the service answered. */
test.skipIf(!hasPrograms('curl', 'bash'))('the service guide works as it stands (needs curl and bash)', async () => {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const service = moorage(['serve', '--data', data, '--port', '0', '--device-port', '0', '--json'], {
    MOORAGE_ADMIN_PASSWORD: 'correct horse',
  });
  const { api } = await eventOf(service, 'ready');
  const script = (await commandsOf('service.md')).replace('http://127.0.0.1:8080', String(api));
  const run = runScript(script);
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  expect(run.stdout).not.toContain('"statusCode"');
  expect(run.stdout).toContain('"email":"admin@localhost"');
  expect(run.stdout).toContain('0.0.0.1');
  expect(run.stdout).toContain('ADMIN-QUAY_GATE');
  expect(run.stdout).toContain('level,1.72');
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  await rm(data, { recursive: true });
});
