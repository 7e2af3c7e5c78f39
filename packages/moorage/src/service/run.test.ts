import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLoopbackHost } from '@moorage/service/engine/settings/setting-texts';
import { databaseSource } from '@moorage/service/testing/index';
import { ObjectStore, objectKeys } from '@moorage/service/testing/object-store';
import { freePort } from '@moorage/service/testing/postgres-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServiceSettings } from '../commands/serve.ts';
import { startService } from './run.ts';

it.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.9', false],
  // Names, which may stand for any address.
  ['127.example.com', false],
  ['localhost.example.com', false],
])('host "%s" stays on the machine: %s', (host, stays) => {
  expect(isLoopbackHost(host)).toBe(stays);
});

describe('a setting that cannot be used', () => {
  const postgres = databaseSource('postgres');
  const keys = { 's3-access-key': objectKeys.accessKey, 's3-secret-key': objectKeys.secretKey };
  let folder: string;
  let store: ObjectStore;
  let closed: string;
  let database: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'moorage-settings-'));
    store = await ObjectStore.open();
    closed = `127.0.0.1:${await freePort()}`;
    database = await postgres.make();
  });
  afterAll(async () => {
    await store.close();
    await postgres.remove();
    rmSync(folder, { recursive: true });
  });

  // What the store says of a wrong one, and the port that is closed, differ from run to run.
  const wrong: readonly [string, () => Record<string, string>, number, () => RegExp][] = [
    ['no keys', () => ({ blobs: 's3://blobs' }), 2, () => /^Setting --blobs s3:\/\/blobs needs --s3-access-key and/],
    [
      'no such bucket',
      () => ({ blobs: 's3://blobs', 's3-endpoint': store.endpoint, ...keys }),
      1,
      () => new RegExp(`^Bucket "blobs" \\(--blobs\\) is not at ${store.endpoint}, or --s3-access-key may not use it$`),
    ],
    [
      'a store that is away',
      () => ({ blobs: 's3://blobs', 's3-endpoint': `http://${closed}`, ...keys }),
      1,
      () => new RegExp(`^The object store at http://${closed} \\(--s3-endpoint\\) cannot be reached: .*${closed}$`),
    ],
    [
      'a folder that cannot be made, with PostgreSQL',
      () => ({ database, blobs: 'file:/dev/null/blobs' }),
      1,
      () => /^The folder of files \(--blobs\) cannot be used: ENOTDIR/,
    ],
    [
      'a database that is away',
      () => ({ database: `postgres://m:se:cret@${closed}/m` }),
      1,
      () =>
        new RegExp(`^The database postgres://m:\\*\\*\\*@${closed}/m \\(--database\\) cannot be used: .*ECONNREFUSED`),
    ],
    [
      'a file of the bus that is not there',
      () => ({ database, bus: 'nats://127.0.0.1:1', 'bus-ca': '/nonexist' }),
      2,
      () => /^Setting --bus-ca: file "\/nonexist" cannot be read \(ENOENT\)$/,
    ],
    [
      'credentials of the bus that are not there',
      () => ({ database, bus: 'nats://127.0.0.1:1', 'bus-credentials': '/nonexist' }),
      2,
      () => /^Setting --bus-credentials: file "\/nonexist" cannot be read \(ENOENT\)$/,
    ],
  ];
  it.each(wrong)('is one line that names it: %s', async (title, flags, exitCode, message) => {
    const data = join(folder, title);
    const settings = readServiceSettings({
      flags: { data, port: '0', 'device-port': '0', ...flags() },
      env: {},
      file: {},
    });
    await expect(startService(settings, () => {}, { listenLan: false })).rejects.toMatchObject({
      name: 'Error',
      message: expect.stringMatching(message()),
      exitCode,
    });
  });
});
