import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { PostgresServer } from '@moorage/service/testing/index';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventOf, killAll, type Moorage, moorage } from './command-line.ts';

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'moorage-storage-'));
});

afterEach(async () => {
  killAll();
  await rm(data, { recursive: true, force: true });
});

const serve = (...more: string[]): Moorage =>
  moorage(['serve', '--data', data, '--port', '0', '--device-port', '0', '--json', ...more], {
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
  const inner = join(data, 'inner');
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
