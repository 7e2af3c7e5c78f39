import { once } from 'node:events';
import { DeviceRequest, deviceListenerContract, deviceWrites, endpointsOf, requestWrites } from '@moorage/api';
import { decode, encode } from '@msgpack/msgpack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openRecords } from '../../tables.ts';
import { buildApp, type TestApp } from '../../testing/index.ts';
import { hashSecret, newTokenValue } from '../secrets.ts';
import { rateSetting } from '../settings/settings.ts';

const limit = 3;
const rates = Object.fromEntries(deviceWrites.map((write) => [rateSetting(write), limit]));
const limited = endpointsOf(deviceListenerContract).filter(({ shape }) => shape.writes !== undefined);

// API-LIMIT-writes
describe('what a device writes', () => {
  let app: TestApp;
  let origin: string;

  beforeAll(async () => {
    app = await buildApp(await openRecords('sqlite::memory:'), { settings: { deviceInsecure: true, ...rates } });
    origin = await app.service.devices.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await app.service.close();
    await app.storage.close();
  });

  async function newDevice() {
    const token = newTokenValue();
    const { id: platform_id, product_id } = await app.make.platform();
    const row = await app.make.device({ platform_id, product_id, provision_token_hash: hashSecret(token) });
    return { row, headers: { 'x-device-uuid': row.uuid, 'x-device-token': token } };
  }
  type Device = Awaited<ReturnType<typeof newDevice>>;

  const times = async <T>(count: number, run: () => Promise<T>) => {
    const all: T[] = [];
    for (let at = 0; at < count; at++) all.push(await run());
    return all;
  };

  it.each(limited)(
    'is refused by $name over its rate, of that device alone, until the minute is over',
    async ({ shape }) => {
      const [busy, other] = [await newDevice(), await newDevice()];
      // What is wrong with a request counts, too.
      const call = async ({ headers }: Device) => {
        const url = shape.path.replace('{target}', 'device').replace(/\{[^}]+\}/g, 'a');
        const reply = await app.service.devices.inject({ method: shape.method, url, headers });
        return { code: reply.json().code, status: reply.statusCode, retry: reply.headers['retry-after'] };
      };
      for (const { code } of await times(limit, () => call(busy))) expect(code).not.toBe('TOO_MANY_WRITES');
      const before = app.service.deps.rates.refused.get(shape.writes ?? 'connects') ?? 0;
      const refused = await call(busy);
      expect(refused).toMatchObject({ code: 'TOO_MANY_WRITES', status: 403 });
      expect(app.service.deps.rates.refused.get(shape.writes ?? 'connects')).toBe(before + 1);
      expect((await call(other)).code).not.toBe('TOO_MANY_WRITES');
      await app.clock.advance(Number(refused.retry) * 1_000);
      expect((await call(busy)).code).not.toBe('TOO_MANY_WRITES');
    },
  );

  const dial = ({ headers }: Device) => new WebSocket(`${origin.replace('http', 'ws')}/stream`, { headers });

  it('is refused when it opens its channel too often', async () => {
    const device = await newDevice();
    for (let at = 0; at < limit; at++) {
      const socket = dial(device);
      await once(socket, 'open');
      socket.terminate();
    }
    const [, response] = await once(
      dial(device).on('error', () => {}),
      'unexpected-response',
    );
    expect(response.statusCode).toBe(403);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  const bodies: Readonly<Record<keyof typeof requestWrites, object>> = {
    echo: {},
    webhook: { code: 'NONE', data: 1 },
    telemetry: { data: { a: 1 } },
    attributes: { data: { a: 'b' } },
    nodes: { data: [] },
  };

  it('is refused on the channel by the same rates', async () => {
    for (const [request, body] of Object.entries(bodies)) {
      const socket = dial(await newDevice());
      await once(socket, 'open');
      const ask = async (id: number) => {
        socket.send(encode({ id, request, ...body }));
        const [data] = await once(socket, 'message');
        return decode(data) as { error?: string };
      };
      const answers = [];
      for (let id = 1; id <= limit + 1; id++) answers.push((await ask(id)).error ?? '');
      const isLimited = requestWrites[request as keyof typeof requestWrites] !== undefined;
      expect([request, ...answers.map((text) => text.includes('as often as it may'))]).toEqual([
        request,
        ...Array(limit).fill(false),
        isLimited,
      ]);
      socket.terminate();
    }
  });

  it('of every kind of request has a row', () => {
    const named = DeviceRequest.anyOf.map(({ properties }) => properties.request.const);
    expect(Object.keys(requestWrites).sort()).toEqual([...named].sort());
  });

  it('and was refused is told to monitors', async () => {
    const { token } = await app.make.admin();
    const reply = await app.api.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } });
    for (const write of deviceWrites)
      expect(reply.payload).toContain(`moorage_device_writes_refused_total{writes="${write}"}`);
  });
});
