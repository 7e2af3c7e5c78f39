import { contract, deviceListenerContract, endpointsOf, isBinary, strangerBodyLimitBytes } from '@moorage/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import type { Storage } from '../db/storage.ts';

let storage: Storage;
let app: TestApp;
beforeAll(async () => {
  storage = await openRecords('sqlite::memory:');
  app = await buildApp(storage);
});
afterAll(async () => {
  await app.service.close();
  await storage.close();
});

const takesJson = [...endpointsOf(contract), ...endpointsOf(deviceListenerContract)].filter(
  ({ shape }) => shape.auth === 'none' && shape.body !== undefined && !isBinary(shape.body),
);

it.each(takesJson)('$name lets no client send more than it could use', async ({ shape }) => {
  expect(shape.bodyLimitBytes).toBe(strangerBodyLimitBytes);
  const { api, devices } = app.service;
  const url = shape.path.replace(/\{\w+\}/g, 'x');
  const send = (bytes: number) =>
    (shape.path.startsWith('/api/') ? api : devices).inject({
      method: shape.method,
      url,
      headers: { 'content-type': 'application/json' },
      payload: `"${'x'.repeat(bytes - 2)}"`,
    });
  expect((await send(strangerBodyLimitBytes + 1)).statusCode).toBeGreaterThanOrEqual(400);
  expect((await send(strangerBodyLimitBytes)).json().code).not.toBe('BODY_TOO_LARGE');
  expect((await send(strangerBodyLimitBytes + 1)).headers.connection).toBe('close');
});
