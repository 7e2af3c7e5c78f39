import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp, testStartMs } from '../../testing/index.ts';
import { newestRecordMs } from '../meta/queries.ts';
import { arrivalMs } from './rules.ts';

const nowS = testStartMs / 1_000;
const yearS = 365 * 86_400;
/** Times that a device can give, from 1970 to 2106, and those that are believed. */
const times: readonly (readonly [seconds: number, isBelieved: boolean])[] = [
  [1, false],
  [86_400, false],
  [946_684_799, false],
  [946_684_800, true],
  [nowS - yearS, true],
  [nowS - 1, true],
  [nowS, true],
  [nowS + 1, false],
  [nowS + 60, false],
  [nowS + yearS, false],
  [4_294_967_295, false],
];

it.each(times)('the time %i of a device is believed: %s', (seconds, isBelieved) => {
  expect(arrivalMs(seconds, testStartMs + 500)).toBe(isBelieved ? seconds * 1_000 : testStartMs + 500);
});

eachDatabase('the clock of a device', (open) => {
  let app: TestApp;
  let owner: MadeUser;
  const capabilities = {
    name: 'Gauge',
    version: '1.0.0',
    streams: { level: { type: 'number' } },
    controls: { lamp: { type: 'number' } },
  };

  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { deviceInsecure: true } });
    await app.service.devices.ready();
    owner = await app.make.user();
  });
  afterAll(() => app.service.close());

  it.each(times)('decides nothing that is newest: it says %i', async (seconds) => {
    const token = newTokenValue();
    const platform = await app.make.platform();
    const facts = { platform_id: platform.id, product_id: platform.product_id, provision_status: 'pending' } as const;
    const device = await app.make.device({ ...facts, user_id: owner.id, provision_token_hash: hashSecret(token) });
    const headers = { 'x-device-uuid': device.uuid, 'x-device-token': token };
    const call = (path: string, payload: object) =>
      app.service.devices.inject({ method: 'POST', url: `/device/v1/${path}`, headers, payload });
    const write = (batch: string, v: number, t?: number) => {
      const own = { v, ...(t !== undefined && { t }) };
      return call('data', { batch, samples: [{ n: 'level', ...own }], controls: [{ n: 'lamp', ...own }] });
    };
    const ask = app.client.as(owner.token);
    const params = { device_id: device.id };
    expect((await call('activate', { capabilities })).statusCode).toBe(200);
    expect((await write('00000000000000a1', 1, seconds)).statusCode).toBe(200);
    expect((await write('00000000000000a2', 2)).statusCode).toBe(200);
    const at = String(app.clock.now());
    // What people see, and what followers, alerts and connectors read.
    expect(await ask.call('data.streams', { params })).toMatchObject({
      value: { value: [{ name: 'level', last: { value: 2, at } }] },
    });
    expect((await app.storage.samples.last(device.id)).get('level')).toMatchObject({ number: 2 });
    expect(await ask.call('data.controls', { params })).toMatchObject({ value: { value: [{ value: 2, at }] } });
    // A person has the last word, and the log says when.
    const named = { params: { ...params, name: 'lamp' }, body: { value: 3 } };
    expect(await ask.call('data.setControl', named)).toMatchObject({ value: { value: { value: 3, at } } });
    // What the service compares its own clock with.
    expect(await newestRecordMs(app.storage.db)).toBeLessThanOrEqual(app.clock.now());
  });
});
