import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from './command-line.ts';

afterEach(killAll);

/** Sends everything in one segment, closes the sending side, and returns all that comes back. */
async function converse(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.end(text);
  await once(socket, 'end');
  socket.destroy();
  return received;
}

// MOD-OUT-2, MOD-OUT-3
test('moorage module answers on TCP, to the byte, and runs all that came before a half-close', async () => {
  const program = moorage(['module', '--serial', 'tcp:127.0.0.1:0', '--json']);
  const ready = await eventOf(program, 'ready');
  const port = Number(/\d+$/.exec(String(ready.serial))?.[0]);
  expect(await converse(port, '\n')).toBe('\r\n> ');
  expect(await converse(port, 'set system.cmd.mode machine\r\n')).toBe(
    'set system.cmd.mode machine\r\nR000008\r\nSet OK\r\n',
  );
  const dialogue = [
    ['file_create a.txt 5\r\nhello', 'R000014\r\nFile created\r\n'],
    ['file_stat a.txt\r\n', 'R000026\r\n5,42D3,1.0.0.0,e,FE,0021\r\n'],
    ['file_open a.txt\n', 'R000003\r\n0\r\n'],
    ['stream_read 0 4\r', 'R000006\r\nhell\r\n'],
    ['stream_close 0\r\n', 'R000009\r\nSuccess\r\n'],
    ['\r\n', 'R000000\r\n'],
    ['nonsense\r\n', 'R300017\r\nUnknown command\r\n'],
  ] as const;
  const sent = dialogue.map(([line]) => line).join('');
  expect(await converse(port, sent)).toBe(dialogue.map(([, answer]) => answer).join(''));
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});

test('moorage module on stdio has standard output to itself', async () => {
  const program = moorage(['module', '--serial', 'stdio', '--json']);
  await program.line((line) => line.includes('[Ready]'));
  expect(program.lines.join('\n')).not.toContain('"event"');
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(program.errors()).toContain('{"event":"ready","serial":"stdio"');
});

test('moorage module stays without a serial line, and names a flash folder that is in use', async () => {
  const flash = await mkdtemp(join(tmpdir(), 'moorage-flash-'));
  const first = moorage(['module', '--serial', 'none', '--flash', flash, '--json']);
  expect((await eventOf(first, 'ready')).serial).toBeNull();
  const second = moorage(['module', '--serial', 'none', '--flash', flash, '--json']);
  expect(await second.ended).toBe(1);
  expect(second.errors()).toMatch(/^moorage: Flash folder .* is in use by another process\n$/);
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  await rm(flash, { recursive: true });
});
