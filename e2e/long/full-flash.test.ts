import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { mountSmallDisk } from '@moorage/service/testing/small-disk';
import { afterAll, expect, test } from 'vitest';
import { eventOf, killAll } from '../command-line.ts';
import { administratorOf, startUp } from '../up-scene.ts';

const disk = mountSmallDisk(64);
const missing = 'missing' in disk ? disk.missing : undefined;

afterAll(() => {
  killAll();
  if (!('missing' in disk)) disk.unmount();
});

/** Types a line on the serial line and waits for what is printed. */
async function type(serial: unknown, line: string, expected: string): Promise<void> {
  const socket = connect({ port: Number(/\d+$/.exec(String(serial))?.[0]), host: '127.0.0.1' });
  await once(socket, 'connect');
  let printed = '';
  socket.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  socket.write(`${line}\r\n`);
  await expect.poll(() => printed, { timeout: 10_000, interval: 10 }).toContain(expected);
  socket.destroy();
}

test.skipIf(missing !== undefined)(
  `moorage up outlives a full disk and a flash folder that has gone${missing ? ` (skipped: ${missing})` : ''}`,
  async () => {
    if ('missing' in disk) return;
    const data = join(disk.folder, 'data');
    const program = startUp(data, '--json');
    const ready = await eventOf(program, 'ready');
    await eventOf(program, 'updated');
    const { serial } = ready;
    const admin = await administratorOf(ready);
    const isUp = async () => (await admin.call('devices.list', {})).ok;
    await type(serial, 'save', 'Success');
    disk.fill();
    await type(serial, 'save', 'Storage full\r\nCommand failed');
    await type(serial, 'file_create full.txt 5\r\nhello', 'Storage full\r\nCommand failed');
    expect(await isUp()).toBe(true);
    disk.makeRoom();
    await type(serial, 'save', 'Success');
    await rename(join(data, 'module'), join(data, 'gone'));
    await type(serial, 'save', 'Storage failed\r\nCommand failed');
    expect(await isUp()).toBe(true);
    await rename(join(data, 'gone'), join(data, 'module'));
    await type(serial, 'save', 'Success');
    program.process.kill('SIGTERM');
    expect(await program.ended, program.errors()).toBe(0);
  },
);
