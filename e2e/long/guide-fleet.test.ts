import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';
import { blocksOf } from '../guide.ts';

const folder = dataFolder('guide-fleet');

test.skipIf(!hasPrograms('curl', 'bash'))('the guide of fleets works as it stands (needs curl and bash)', async () => {
  const args = ['up', '--data', folder.path, '--port', '0', '--device-port', '0', '--serial', 'none', '--json'];
  const program = moorage(args, { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const { api, devices } = await eventOf(program, 'ready');
  await eventOf(program, 'updated');

  const shell = spawn('bash', bashArgs, { env: { ...guideEnv(), XDG_CONFIG_HOME: folder.path } });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const script = (await blocksOf('fleet.md', 'sh')).join('\n').replace('http://127.0.0.1:8080', String(api));
  shell.stdin.end(script.replace('https://127.0.0.1:8443', String(devices)));
  const [code] = await once(shell, 'close');
  expect(code, printed).toBe(0);

  const lines = printed.split('\n');
  expect(lines).toContain('10 of 10 modules are updated');
  // With the module of the service itself.
  expect(lines).toContain('11 devices');
  expect(lines).toContain('3 of 3 modules are updated');
  expect(printed).toMatch(/"event":"end","code":0,"modules":3,.*"updated":3,.*"updates":0/);
  expect(printed).toContain('Key "groups.0.link.latency" is unknown');
  expect(lines).toContain('exit code 2');
  expect(lines).toContain('3 of 4 modules are updated');
  expect(lines).toContain('exit code 1');
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});
