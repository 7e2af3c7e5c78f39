import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { PostgresServer } from '@moorage/service/testing/index';
import { mountSmallDisk } from '@moorage/service/testing/small-disk';
import { expect, test } from 'vitest';
import { eventOf, type Moorage, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const folder = dataFolder('storage');

const serve = (...more: string[]): Moorage =>
  moorage(['serve', '--data', folder.path, '--port', '0', '--device-port', '0', '--json', ...more], {
    MOORAGE_ADMIN_PASSWORD: 'a long password',
  });

// API-ERR-503
test('a service whose database is frozen lives, says so, and ends in order', async () => {
  const server = await PostgresServer.create({ durable: false });
  try {
    await server.start();
    const program = serve('--database', server.url());
    const { api } = await eventOf(program, 'ready');
    const client = createClient({ baseUrl: String(api) });
    expect((await client.call('meta.ready')).ok).toBe(true);
    server.freeze();
    expect((await client.call('meta.health')).ok).toBe(true);
    expect(await client.call('meta.ready')).toMatchObject({ ok: false, error: { body: { code: 'STORAGE_AWAY' } } });
    program.process.kill('SIGTERM');
    expect(await program.ended, program.errors()).toBe(0);
  } finally {
    server.thaw();
    await server.remove();
  }
});

test.each([
  ['deleted', (path: string) => rm(path, { recursive: true })],
  [
    'moved away, with another in its place',
    async (path: string) => {
      await rename(path, `${path}-elsewhere`);
      await mkdir(path);
    },
  ],
])('a service whose data folder is %s says so in one line and stops', async (_how, take) => {
  const inner = join(folder.path, 'inner');
  const program = moorage(['serve', '--data', inner, '--port', '0', '--device-port', '0', '--json'], {
    MOORAGE_ADMIN_PASSWORD: 'a long password',
  });
  await eventOf(program, 'ready');
  await take(inner);
  expect(await program.ended, program.errors()).toBe(3);
  const said = program
    .errors()
    .split('\n')
    .filter((line) => line.startsWith('moorage: '));
  expect(said).toEqual([expect.stringMatching(/^moorage: .*inner.* is no more what it was/)]);
});

const disk = mountSmallDisk(64);
const missing = 'missing' in disk ? disk.missing : undefined;

test.skipIf(missing !== undefined)(
  `a service whose data folder is unmounted says so in one line and stops${missing ? ` (skipped: ${missing})` : ''}`,
  async () => {
    if ('missing' in disk) return;
    const inner = join(disk.folder, 'data');
    const program = moorage(['serve', '--data', inner, '--port', '0', '--device-port', '0', '--json'], {
      MOORAGE_ADMIN_PASSWORD: 'a long password',
    });
    try {
      await eventOf(program, 'ready');
    } finally {
      disk.unmount();
    }
    expect(await program.ended, program.errors()).toBe(3);
    const said = program
      .errors()
      .split('\n')
      .filter((line) => line.startsWith('moorage: '));
    expect(said).toEqual([expect.stringMatching(/^moorage: .*data.* is no more what it was/)]);
  },
);
