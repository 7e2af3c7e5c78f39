import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Frame } from '@moorage/api/core/channel-frames';
import { VirtualClock } from '@moorage/base';
import { decode, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { ChannelConnection } from './connection.ts';
import type { Line } from './line.ts';

/** Frames of all runs together, and how many one connection takes. */
const connections = 200;
const framesEach = 50;

const ids = fc.constantFrom<unknown>(0, 1, 2 ** 32 - 1, 2 ** 32, -1, 1.5, '1', null, Number.NaN);
const texts = fc.constantFrom<unknown>(
  'echo',
  'webhook',
  'telemetry',
  'nodes',
  'command',
  '__proto__',
  'toString',
  '',
  7,
);
const data = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.uint8Array({ maxLength: 64 }),
  fc.constantFrom<unknown>([], {}, [{ id: 'a' }], [{ id: 'a', title: 'b' }], { constructor: 1 }, 'x'.repeat(20_000)),
);

const id = fc.nat(1_000_000);
const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 10 }), fc.constantFrom('A', '', '\0', '\ud800'));

/** What a device should say, with contents that it might not. */
const good = fc.oneof(
  fc.record({ id, request: fc.constant('echo'), data }),
  fc.record({ id, request: fc.constant('webhook'), code: name, data }),
  fc.record({ id, request: fc.constant('telemetry'), data: fc.dictionary(name, data, { maxKeys: 5 }) }),
  fc.record({
    id,
    request: fc.constant('nodes'),
    data: fc.array(fc.record({ id: name, title: name }), { maxLength: 5 }),
  }),
);

/** What a device might say, well or badly. */
const messages = fc.oneof(
  { weight: 5, arbitrary: good },
  { weight: 4, arbitrary: fc.record({ id: ids, request: texts, code: texts, data }, { requiredKeys: [] }) },
  {
    weight: 2,
    arbitrary: fc.record({ id: ids, code: fc.integer(), data, error: fc.string() }, { requiredKeys: ['id'] }),
  },
  { weight: 1, arbitrary: fc.dictionary(fc.string(), data) },
  { weight: 1, arbitrary: data },
);

/** A few bytes changed, cut or doubled. */
const spoilt = (bytes: Uint8Array, how: number, at: number, by: number): Uint8Array => {
  const index = bytes.length === 0 ? 0 : at % bytes.length;
  if (how === 0) return bytes.map((byte, place) => (place === index ? byte ^ by : byte));
  if (how === 1) return bytes.slice(0, index);
  if (how === 2) return Buffer.concat([bytes.slice(0, index), Buffer.from([by, by]), bytes.slice(index)]);
  return bytes;
};

const frames: fc.Arbitrary<Frame> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(messages, fc.nat(4), fc.nat(), fc.integer({ min: 1, max: 255 }))
      .map(([message, how, at, by]) => spoilt(encode(message, { ignoreUndefined: true }), how, at, by)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(messages, fc.nat(4), fc.nat(), fc.integer({ min: 1, max: 255 }))
      .map(([message, how, at, by]) => {
        const bytes = Buffer.from(JSON.stringify(message) ?? '');
        return Buffer.from(spoilt(bytes, how, at, by)).toString();
      }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
  // Claims to be long, deep or many.
  {
    weight: 1,
    arbitrary: fc.constantFrom<Frame>(
      new Uint8Array([0xdf, 0xff, 0xff, 0xff, 0xff]),
      new Uint8Array([0xdd, 0x7f, 0xff, 0xff, 0xff, 0x01]),
      new Uint8Array([0xc6, 0xff, 0xff, 0xff, 0xff]),
      new Uint8Array([0xc9, 0x00, 0x00, 0xff, 0xff, 0x01]),
      new Uint8Array([0xd6, 0xff, 0xff, 0xff, 0xff, 0xff]),
      new Uint8Array(60_000).fill(0x91),
      new Uint8Array(60_000).fill(0x81),
      // To be answered with what is too deep to be written.
      Buffer.concat([encode({ id: 1, request: 'echo', data: 0 }).slice(0, -1), Buffer.alloc(300, 0x91), Buffer.of(1)]),
      `{"id":1,"request":"echo","data":${'['.repeat(12_000)}${']'.repeat(12_000)}}`,
      '['.repeat(60_000),
      `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      '{"__proto__":{"request":"echo"},"id":1}',
    ),
  },
);

/** A line that keeps what is sent, and knows whether it was stopped. */
function recordingLine() {
  const sent: Frame[] = [];
  const state = { paused: false, cut: false };
  const line: Line = {
    send: (frame) => void sent.push(frame),
    ping() {},
    close() {},
    cut: () => {
      state.cut = true;
    },
    waitingBytes: 0,
    pause: () => {
      state.paused = true;
    },
    resume: () => {
      state.paused = false;
    },
  };
  return { line, sent, state };
}

// API-CHAN-text, API-CHAN-limits
it(`channel takes ${connections * framesEach} frames of any kind, refuses what is none, and goes on`, async () => {
  const clock = new VirtualClock();
  let requests = 0;
  for (const [run, batch] of fc
    .sample(fc.array(frames, { minLength: framesEach, maxLength: framesEach }), {
      numRuns: connections,
      seed: 1,
    })
    .entries()) {
    const { line, sent, state } = recordingLine();
    let closed = 0;
    const connection = new ChannelConnection(line, {
      clock,
      answer: async (request) => {
        requests++;
        if (request.request === 'webhook') return { ok: false, error: 'connector not found' };
        return { ok: true, value: request.request === 'echo' ? (request.data ?? null) : null };
      },
      closed: () => closed++,
    });
    const command = connection.command('ver', 1_000);
    for (const frame of batch) connection.frame(frame);
    // It still answers, whatever came before, in the form of the question.
    connection.frame(run % 2 === 0 ? encode({ id: 77_777, request: 'echo' }) : '{"id":77777,"request":"echo"}');
    await new Promise((resolve) => setImmediate(resolve));
    const answers = sent.map((frame) => (typeof frame === 'string' ? JSON.parse(frame) : decode(frame)));
    expect(answers).toContainEqual({ id: 77_777, data: null });
    // Nothing is answered twice, and what is unreadable is answered with an error.
    expect(answers.length).toBeLessThanOrEqual(batch.length + 2);
    for (const answer of answers.slice(1)) expect(answer).toSatisfy((one: object) => 'data' in one || 'error' in one);
    expect(state).toEqual({ paused: false, cut: false });
    connection.closed();
    expect(closed).toBe(1);
    // Whatever the frames made of it, the command has come to an end.
    expect(await command).toHaveProperty('ok');
  }
  expect(clock.pending).toBe(0);
  // An attack that is always refused at the door tries nothing.
  expect(requests).toBeGreaterThan(connections * 3);
});

/** Frames that go all the way into the database. */
const deepFrames = 1_500;

eachDatabase('channel under fire', (open) => {
  it(`answers ${deepFrames} frames with odd contents, and has nothing to log`, async () => {
    const errors: string[] = [];
    const logStream = { write: (line: string) => void errors.push(line) };
    const app = await buildApp(await open(), { settings: { deviceInsecure: true }, logLevel: 'error', logStream });
    await app.service.devices.listen({ host: '127.0.0.1', port: 0 });
    const platform = await app.make.platform();
    const token = newTokenValue();
    const device = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      state: 'active',
      provision_token_hash: hashSecret(token),
    });
    // Safe: it listens on TCP.
    const { port } = app.service.devices.server.address() as AddressInfo;
    const headers = { 'x-device-uuid': device.uuid, 'x-device-token': token };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/stream`, { headers });
    await once(socket, 'open');
    let answers = 0;
    let waiting = 0;
    let drained = () => {};
    socket.on('message', () => {
      answers++;
      if (--waiting === 0) drained();
    });
    for (const message of fc.sample(good, { numRuns: deepFrames, seed: 2 })) {
      waiting++;
      socket.send(encode(message, { ignoreUndefined: true }));
      // As many at once as a device may have under way, and more.
      if (waiting >= 50) await new Promise<void>((resolve) => (drained = resolve));
    }
    if (waiting > 0) await new Promise<void>((resolve) => (drained = resolve));
    expect(answers).toBe(deepFrames);
    expect(errors).toEqual([]);
    socket.terminate();
    await app.service.close();
  });
});
