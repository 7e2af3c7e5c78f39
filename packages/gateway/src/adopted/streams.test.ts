import { callUrl, gatewayStreamsPath } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { fileEndpoints } from '@moorage/device';
import { describe, expect, test } from 'vitest';
import { adoptedRig, isThere } from '../testing/adopted-rig.ts';
import { ways } from '../testing/gateway-rig.ts';
import { parseMeasured } from './streams.ts';

const level = { type: 'number', units: 'mV', command: 'adc 7 -v' } as const;
const streams = {
  level,
  raw: { type: 'number', command: 'adc 7' },
  name: { type: 'string', command: 'get user.data' },
  missing: { type: 'number', command: 'get no.such' },
  far: { type: 'number', min: 5, command: 'gpio_get 7' },
} as const;
const measured = { name: 'Gauge', version: '1.0.0', streams };
const settings = ['set user.data "Quay 7"'];

describe('a file of streams', () => {
  test('is a capabilities file with a command for each stream', () => {
    expect(parseMeasured(JSON.stringify(measured))).toEqual({ ok: true, value: measured });
  });

  test.each([
    ['set user.data 1'],
    ['save'],
    ['reboot'],
    ['gpio_set 7 1'],
    ['get wlan.ssid\r\nreboot'],
    ['get'],
    ['adc 7 -v; reboot'],
    ['gpio_get 7 1'],
    [`get ${'a'.repeat(100)}`],
  ])('has no command that may write: %j', (command) => {
    const parsed = parseMeasured(JSON.stringify({ ...measured, streams: { level: { ...level, command } } }));
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining('/streams/level/command') });
  });

  test.each([
    ['no JSON', '{', 'It is no JSON'],
    ['no object', '7', 'must be of type object'],
    ['no streams', { name: 'Gauge', version: '1' }, 'must have the key "streams"'],
    ['an empty list', { ...measured, streams: {} }, 'must not have fewer than 1'],
    ['no command', { ...measured, streams: { level: { type: 'number' } } }, 'must have the key "command"'],
    ['another type', { ...measured, streams: { level: { ...level, type: 'mV' } } }, '/streams/level/type'],
    ['an empty range', { ...measured, streams: { level: { ...level, min: 2, max: 1 } } }, 'range of "level" is empty'],
    ['controls', { ...measured, controls: { led: { type: 'number' } } }, 'no controls'],
    ['too much', { ...measured, more: 'x'.repeat(5_000) }, 'over 4096 bytes'],
  ])('is refused with %s', (_, file, why) => {
    const parsed = parseMeasured(typeof file === 'string' ? file : JSON.stringify(file));
    expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(why) });
  });
});

test.each(ways)('what an adopted module measures over %s is in its streams, and nothing is written', async (way) => {
  const { adopted, clock, pass, peer, rig } = await adoptedRig({ way, settings, measured });
  const { module } = rig;
  module.pins.analog(7, 1.2);
  const before = [module.variables.export(), module.flash.list()];
  adopted.start();
  await pass(() => peer.data.samples.length >= 6);
  expect(peer.data.capabilities).toEqual(measured);
  // What the module refuses, and what is outside of its range, is left out.
  expect(peer.data.samples.slice(0, 3)).toEqual([
    { n: 'level', v: 1200, t: expect.any(Number) },
    { n: 'raw', v: 0x05d1, t: expect.any(Number) },
    { n: 'name', v: 'Quay 7', t: expect.any(Number) },
  ]);
  const [first, second] = peer.data.samples.filter(({ n }) => n === 'level');
  expect((second?.t ?? 0) - (first?.t ?? 0)).toBeGreaterThanOrEqual(60);
  expect(second?.t).toBeLessThanOrEqual(clock.now() / 1000);
  expect([module.variables.export(), module.flash.list()]).toEqual(before);
  expect(module.streams.list()).toEqual([]);
  await adopted.stop();
});

test('a service that is away gets the samples later, each once', async () => {
  const { adopted, pass, peer, wait } = await adoptedRig({ measured: { ...measured, streams: { level } } });
  adopted.start();
  await pass(() => peer.data.samples.length === 1);
  peer.refuse('POST /device/v1/data', 503);
  await wait(300_000);
  expect(peer.data.samples).toHaveLength(1);
  peer.answers.clear();
  await pass(() => peer.data.samples.length >= 5);
  const times = peer.data.samples.map(({ t }) => t);
  expect(new Set(times).size).toBe(times.length);
  await adopted.stop();
});

test('a service that refuses the streams is told once, and again with the next poll', async () => {
  const { adopted, notices, pass, peer, steps, wait } = await adoptedRig({ measured });
  peer.refuse('POST /device/v1/activate', 403);
  adopted.start();
  await wait(400_000);
  expect(isThere(notices)).toBe(true);
  expect(steps().filter((step) => step.startsWith('The service does not take its streams'))).toHaveLength(1);
  peer.answers.clear();
  await pass(() => peer.data.samples.length > 0);
  await adopted.stop();
});

describe('a file of streams at the service', () => {
  const call = `GET ${callUrl(fileEndpoints.get, { params: { target: 'device', path: gatewayStreamsPath } })}`;
  const others = { ...measured, streams: { depth: level } };
  const body = Buffer.from(JSON.stringify(others));

  test('goes before what the module was adopted with, outlives a restart, and is heard of when it changes', async () => {
    const { adopted, channel, pass, peer, powerOn, store } = await adoptedRig({ measured });
    adopted.start();
    await pass(() => peer.data.samples.some(({ n }) => n === 'level'));
    peer.answers.set(call, { status: 200, body });
    channel.send({ action: 'file', path: 'another.txt' });
    channel.send({ action: 'file', path: gatewayStreamsPath });
    await pass(() => peer.data.samples.some(({ n }) => n === 'depth'));
    expect(peer.data.capabilities).toEqual(others);
    expect(peer.requests.filter(({ path }) => call.endsWith(path))).toHaveLength(2);
    await adopted.stop();
    // The service has no answer for it then: what was known goes on.
    peer.refuse(call, 503);
    const again = await powerOn(store.survivor());
    const before = peer.data.samples.length;
    again.start();
    await pass(() => peer.data.samples.length > before);
    expect(peer.data.samples.at(-1)?.n).toBe('depth');
    await again.stop();
  });

  test('that is wrong changes nothing, and what is wrong is an attribute', async () => {
    const { adopted, channel, pass, peer } = await adoptedRig({ measured: { ...measured, streams: { level } } });
    const told = () => channel.attributes;
    const writes = { ...measured, streams: { level: { ...level, command: 'reboot' } } };
    peer.answers.set(call, { status: 200, body: Buffer.from(JSON.stringify(writes)) });
    adopted.start();
    const problem = expect.stringContaining('no command that only reads');
    await pass(() => told().some((data) => JSON.stringify(data).includes('no command that only reads')));
    expect(told().at(-1)).toMatchObject({ streams_problem: problem });
    await pass(() => peer.data.samples.length > 2);
    expect(peer.data.samples.every(({ n }) => n === 'level')).toBe(true);
    peer.answers.delete(call);
    const count = told().length;
    channel.send({ action: 'file', path: gatewayStreamsPath });
    await pass(() => told().length > count);
    expect(told().at(-1)).toMatchObject({ streams_problem: null });
    await adopted.stop();
  });
});

test('streams that are others than before are made known anew', async () => {
  const { adopted, pass, peer, powerOn, store } = await adoptedRig({ measured });
  adopted.start();
  await pass(() => peer.data.samples.length > 0);
  await adopted.stop();
  const changed = unwrap(parseMeasured(JSON.stringify({ ...measured, streams: { depth: level } })));
  const again = await powerOn(store.survivor(), changed);
  again.start();
  await pass(() => peer.data.samples.some(({ n }) => n === 'depth'));
  expect(peer.data.capabilities).toEqual(changed);
  await again.stop();
});
