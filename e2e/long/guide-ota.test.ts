import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

afterEach(killAll);

/** The blocks of a guide in their order, with the word behind their fences. */
async function blocksOf(guide: string): Promise<readonly { readonly kind: string; readonly text: string }[]> {
  const text = await readFile(new URL(`../../docs/guide/${guide}`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(/^```(sh|serial)\n(.*?)^```/gms), ([, kind = '', block = '']) => ({
    kind,
    text: block,
  }));
}

/** Types lines on the serial line, and waits until the network is back. */
async function type(port: number, lines: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.write(lines.replaceAll('\n', '\r\n'));
  await expect.poll(() => received, { interval: 10 }).toContain('[Associated]');
  socket.destroy();
}

test.skipIf(!hasPrograms('curl', 'bash'))('the guide of updates works as it stands (needs curl and bash)', async () => {
  const data = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const args = ['up', '--data', data, '--port', '0', '--device-port', '0', '--serial', 'tcp:127.0.0.1:0', '--json'];
  const program = moorage(args, { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const { api, serial } = await eventOf(program, 'ready');
  await eventOf(program, 'updated');
  const port = Number(/\d+$/.exec(String(serial))?.[0]);

  const shell = spawn('bash', bashArgs, { env: guideEnv() });
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  for (const [index, { kind, text }] of (await blocksOf('ota.md')).entries()) {
    if (kind === 'serial') await type(port, text);
    else {
      shell.stdin.write(`${text.replace('http://127.0.0.1:8080', String(api))}\necho "<${index}>"\n`);
      const isDone = () => printed.includes(`<${index}>`) || shell.exitCode !== null;
      await expect.poll(isDone, { interval: 20 }).toBe(true);
      expect(shell.exitCode, printed).toBeNull();
    }
  }
  shell.stdin.end();
  await once(shell, 'close');
  expect(printed).not.toContain('"statusCode"');
  const lines = printed.split(/\r?\n/);
  for (const expected of ['1.0.0.0', '10', 'Success', '1', 'ahoy', '1.72']) expect(lines).toContain(expected);
  expect(printed).toContain('Rebooting\n');
  expect(printed).toContain('high water10,5DC9,1.0.0.0,e,FE,0021\n');
  expect(printed).toMatch(/-1\.0\.0\.1, /);
  expect(printed).toContain('webapp/hello.txt');
  expect(printed).not.toContain('notes.txt');
  expect(printed).toMatch(/# 0 {7}10 [0-9A-F]{4} \S+Z hello\/copy.txt/);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  await rm(data, { recursive: true });
});
