import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventOf, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const entry = fileURLToPath(new URL('../../bin/moorage', import.meta.url));
const folder = dataFolder('output');

test('a command whose reader has gone ends without a word, with the code of SIGPIPE', async () => {
  const child = spawn(process.execPath, [entry, 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // As `head` would, when it has seen enough.
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, errors }).toEqual({ code: 141, errors: '' });
});

test('a service goes on when its reader has gone', async () => {
  const env = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: 'a long password' };
  const service = moorage(['serve', '--data', folder.path, '--port', '0', '--device-port', '0', '--json'], env);
  const { api } = await eventOf(service, 'ready');
  service.process.stdout?.destroy();
  // It says that it has read its certificates again, and nobody is there.
  service.process.kill('SIGHUP');
  expect((await fetch(`${api}/readyz`)).status).toBe(200);
  service.process.kill('SIGTERM');
  expect(await service.ended).toBe(0);
});
