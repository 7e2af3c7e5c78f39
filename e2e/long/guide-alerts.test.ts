import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

afterEach(killAll);

test.skipIf(!hasPrograms('curl', 'bash'))('the guide to alerts works as it stands (needs curl and bash)', async () => {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const service = moorage(
    ['serve', '--data', data, '--port', '0', '--device-port', '0', '--json', '--smtp-url', 'smtp://127.0.0.1:2525'],
    {
      MOORAGE_ADMIN_PASSWORD: 'correct horse',
    },
  );
  const { api } = await eventOf(service, 'ready');
  const text = await readFile(new URL('../../docs/guide/alerts.md', import.meta.url), 'utf8');
  const script = Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block]) => block).join('\n');
  const run = runScript(script.replace('http://127.0.0.1:8080', String(api)));
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  expect(run.stdout).not.toContain('"statusCode"');
  const lines = run.stdout.split('\n').filter((line) => line !== '');
  expect(lines).toEqual([
    'Update failed',
    '4.5',
    "[ 'pia@pier.example' ]",
    expect.stringMatching(/^\[\]\d+$/),
    'null',
    '{"result":"ok"}',
  ]);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  await rm(data, { recursive: true });
});
