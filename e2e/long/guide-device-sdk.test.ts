import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { blocksOf, endJobs, linkClone } from '../guide.ts';

afterEach(killAll);

test.skipIf(!hasPrograms('curl', 'bash'))('the device guide works as it stands (needs curl and bash)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const places = ['--data', join(folder, 'data'), '--port', '0', '--device-port', '0'];
  const service = moorage(['serve', ...places, '--json'], { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const ready = await eventOf(service, 'ready');
  await linkClone(folder);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const [program = ''] = await blocksOf('device-sdk.md', 'js');
  expect(program.trim().split('\n').slice(3)).toHaveLength(10);
  await writeFile(join(folder, 'device.js'), program);
  const commands = (await blocksOf('device-sdk.md', 'sh'))
    .join('\n')
    .replace('http://127.0.0.1:8080', String(ready.api))
    .replace('PORT=8443', `PORT=${new URL(String(ready.devices)).port}`);
  const run = runScript(`cd "${folder}"\n${endJobs}\n${commands}`, 300_000);
  expect([run.status, run.stderr]).toEqual([0, '']);
  expect(run.stdout.trim().split('\n')).toEqual(['ok', 'ok', 'settings.json', 'You said open the gate']);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  await rm(folder, { recursive: true });
});
