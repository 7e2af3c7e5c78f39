import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

afterEach(killAll);

/** The text of all blocks of a kind. */
const blocksOf = (guide: string, kind: string): string =>
  Array.from(guide.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms')), ([, block]) => block).join('\n');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** Sends lines over the serial line until the module has joined. */
async function sendSerial(address: string, lines: string): Promise<void> {
  const socket = connect({ port: Number(/\d+$/.exec(address)?.[0]), host: '127.0.0.1' });
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.write(lines.replaceAll('\n', '\r\n'));
  await expect.poll(() => received, { interval: 10 }).toContain('[Associated]');
  expect(received).toContain('HTTP and REST API server listening on port: 80');
  socket.destroy();
}

test.skipIf(!hasPrograms('curl', 'bash'))('the HTTP guide works as it stands (needs curl and bash)', async () => {
  const guide = await readFile(new URL('../../docs/guide/http.md', import.meta.url), 'utf8');
  // What port 80 becomes has to be free.
  const port = await freePort();
  const program = moorage([
    'module',
    '--seed',
    '7',
    '--serial',
    'tcp:127.0.0.1:0',
    '--port-offset',
    String(port - 80),
    '--json',
  ]);
  const { serial, http } = await eventOf(program, 'ready');
  expect(http).toBe(null);
  await sendSerial(String(serial), blocksOf(guide, 'serial'));
  const script = blocksOf(guide, 'curl').replace('http://127.0.0.1:8080', `http://127.0.0.1:${port}`);
  const run = runScript(script);
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  for (const expected of [
    '{"id":1,"code":0,"flags":0,"response":"harbour-open\\r\\n"}',
    '"code":1,"flags":0,"response":"Command failed\\r\\n"',
    '"flags":1,"response":"RmlsZSBjcmVhdGVkDQo="',
    'helloworld',
    '304\n404\n',
    '{"logs":[',
    'Bad request: Not a websocket handshake',
    'Forbidden: The module is called by a name that is not its own',
    'Forbidden: A page from elsewhere has asked; http.server.cors_origin can allow it',
    'Access-Control-Allow-Methods: GET, POST, OPTIONS',
    'HTTP/1.1 401 Unauthorized',
    'WWW-Authenticate: Basic realm="Moorage"',
    'network.ip: ',
  ])
    expect(run.stdout).toContain(expected);
  expect(run.stdout).toMatch(/hello\r?\n?ell/);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});
