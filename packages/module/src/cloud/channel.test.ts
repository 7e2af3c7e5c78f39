import { describe, expect, test } from 'vitest';
import { channelRig } from '../testing/channel-rig.ts';
import { pattern } from '../testing/client-rig.ts';

const remote = { 'dms.cmd.enabled': '1' };

/** Spec: MOD-CHAN-open. */
describe('the message channel', () => {
  test.each([
    ['dms.auto_start_enabled', '1'], // MOD-VAR-dms.auto_start_enabled
    ['dms.cmd.enabled', '1'], // MOD-VAR-dms.cmd.enabled
    ['dms.telemetry.interval', '60000'], // MOD-VAR-dms.telemetry.interval
  ])('is opened with %s %s when the interface comes up', async (name, value) => {
    const { channel, module, events, run } = await channelRig({ [name]: value });
    expect(channel.isOpen).toBe(true);
    expect(channel.requests[0]?.url).toBe('/stream');
    expect(channel.requests[0]?.headers['x-device-uuid']).toBe(module.identity.uuid.toLowerCase());
    expect(events).toContainEqual({ type: 'channel', open: true });
    expect(await run('dms status')).toEqual(['0 1']);
  });

  test('is not opened when nothing asks for it', async () => {
    const { channel, clock, run } = await channelRig({});
    await clock.advance(600_000);
    expect(channel.requests).toEqual([]);
    expect(await run('dms status')).toEqual(['0 0']);
    expect(await run('dms echo hello')).toEqual(['the message channel is not open', '1 Command failed']);
  });

  test('belongs to the interface that dms.interface names', async () => {
    // MOD-VAR-dms.interface
    const { channel, clock } = await channelRig({ ...remote, 'dms.interface': 'softap' });
    await clock.advance(60_000);
    expect(channel.requests).toEqual([]);
  });

  test('says goodbye when the interface goes, and is opened again with it', async () => {
    const { channel, module, clock, join, events, settle } = await channelRig(remote);
    module.wlan.down('wlan');
    await settle();
    expect(channel.isOpen).toBe(false);
    expect(channel.ends).toEqual([1000]);
    expect(events.at(-1)).toMatchObject({ type: 'channel', open: false });
    await clock.advance(600_000);
    expect(channel.requests).toHaveLength(1);
    await join();
    expect(channel.isOpen).toBe(true);
  });

  test('is gone after the module has been switched off', async () => {
    const { module, clock, channel } = await channelRig({ ...remote, 'dms.auto_start_enabled': '1' });
    await module.close();
    await clock.advance(600_000);
    expect(channel.ends).toEqual([1000]);
    expect(clock.pending).toBe(0);
  });

  test('shows the token where there is no TLS', async () => {
    const { channel, module, until, join } = await channelRig(remote, { insecure: true });
    expect((await until(module.client.provision('T'.repeat(32)))).ok).toBe(true);
    module.wlan.down('wlan');
    await join();
    expect(channel.requests.at(-1)?.headers['x-device-token']).toBe('T'.repeat(32));
  });
});

/** Spec: MOD-CHAN-request. */
describe('requests', () => {
  test('an echo comes back', async () => {
    const { channel, run } = await channelRig(remote);
    channel.answer = ({ id, data }) => ({ id, data });
    expect(await run('dms echo hello  "two  spaces"')).toEqual(['0 hello two  spaces']);
    expect(channel.messages).toEqual([{ id: 1, request: 'echo', data: 'hello two  spaces' }]);
    expect(typeof channel.frames[0]).toBe('object');
  });

  test.each([
    ['dms webhook ALARM', { code: 'ALARM', data: null }],
    ['dms webhook ALARM {"deg": 3.5, "on": true}', { code: 'ALARM', data: { deg: 3.5, on: true } }],
    ['dms webhook ALARM 17', { code: 'ALARM', data: 17 }],
    ['dms webhook ALARM too hot', { code: 'ALARM', data: 'too hot' }],
  ])('%s sends %j', async (line, sent) => {
    const { channel, run } = await channelRig(remote);
    channel.answer = ({ id }) => ({ id, data: { seen: true, raw: new Uint8Array([1, 2]) } });
    expect(await run(line)).toEqual(['0 {"seen":true,"raw":"AQI="}']);
    expect(channel.messages).toMatchObject([{ request: 'webhook', ...sent }]);
  });

  test('an answer without data is Success, and an error is said', async () => {
    const { channel, run } = await channelRig(remote);
    channel.answer = ({ id }) => ({ id });
    expect(await run('dms webhook ALARM')).toEqual(['0 Success']);
    channel.answer = ({ id }) => ({ id, error: 'connector not found' });
    expect(await run('dms webhook ALARM')).toEqual(['connector not found', '1 Command failed']);
  });

  test.each([
    ['dms echo x', 3_000],
    ['dms telemetry', 10_000],
    ['dms webhook ALARM', 90_000],
  ])('%s waits %i ms for its answer', async (line, timeoutMs) => {
    const { clock, run } = await channelRig(remote);
    const startMs = clock.now();
    expect(await run(line)).toEqual(['the service does not answer', '1 Command failed']);
    const tookMs = clock.now() - startMs;
    expect(tookMs).toBeGreaterThanOrEqual(timeoutMs);
    expect(tookMs).toBeLessThan(timeoutMs + 200);
  });

  test('answers find their requests in any order, and those without a request are dropped', async () => {
    const { channel, module, until } = await channelRig(remote);
    const requested = [1, 2, 3].map((data) => module.client.channelRequest({ request: 'echo', data }, 3_000));
    await until(Promise.resolve());
    await Promise.resolve();
    for (const id of [3, 99, 1, 1, 2]) channel.send({ id, data: `answer ${id}` });
    expect(await until(Promise.all(requested))).toEqual([1, 2, 3].map((id) => ({ ok: true, value: `answer ${id}` })));
  });

  test('a request that is open when the channel ends fails', async () => {
    const { channel, module, until, settle } = await channelRig(remote);
    const requested = module.client.channelRequest({ request: 'echo', data: 1 }, 90_000);
    await settle();
    channel.close(1012);
    expect(await until(requested)).toEqual({ ok: false, error: 'the channel has closed' });
  });

  test('data that no message can hold are refused', async () => {
    const { channel, run } = await channelRig(remote);
    const deep = `${'['.repeat(150)}${']'.repeat(150)}`;
    const refused = ['the data is nested too deeply', '1 Command failed'];
    expect(await run(`dms webhook ALARM ${deep}`)).toEqual(refused);
    expect(await run(`dms telemetry {"a":${deep}}`)).toEqual(refused);
    expect(channel.messages).toEqual([]);
  });

  test('too many requests and too long ones are refused without being sent', async () => {
    const { channel, module, until, settle } = await channelRig(remote);
    const long = await module.client.channelRequest({ request: 'echo', data: 'x'.repeat(70_000) }, 1000);
    expect(long).toEqual({ ok: false, error: 'the message is too long' });
    const requested = Array.from({ length: 17 }, () =>
      module.client.channelRequest({ request: 'echo', data: 1 }, 1000),
    );
    await settle();
    expect(channel.messages).toHaveLength(16);
    expect((await until(Promise.all(requested))).at(-1)).toEqual({
      ok: false,
      error: 'too many requests wait for their answers',
    });
  });
});

/** Spec: MOD-OTA-attributes. */
test('a channel that opens, and a query, report what the module is and how it is', async () => {
  const { channel, peer, module, until } = await channelRig(remote);
  const attributes = {
    personality: 'Moorage',
    board: 'Harbour.3',
    model: 'default',
    address: '10.5.6.108',
    signal: -61,
    free_flash: module.flash.free('e'),
    uptime: expect.any(Number),
  };
  expect(channel.attributes).toEqual([attributes]);
  expect((await until(module.client.ota())).ok).toBe(false);
  const query = peer.requests.find(({ path }) => path === '/ota');
  expect(query?.body).toMatchObject({ attributes: { ...attributes, free_flash: expect.any(Number) } });
});

/** Spec: MOD-CHAN-telemetry. */
describe('telemetry', () => {
  const items = { 'broadcast.data': 'ip,ssid,gpio1' };

  test('is sent when the channel opens and after each interval, with uptime, memory and the broadcast', async () => {
    // MOD-VAR-dms.telemetry.interval
    const { channel, clock } = await channelRig({ ...items, 'dms.telemetry.interval': '5000' });
    channel.answer = ({ id }) => ({ id, data: null });
    const startMs = clock.now();
    await clock.advance(35_000);
    // The first had no answer: the next one waits until it is given up.
    expect(channel.messages).toHaveLength(1 + 5);
    const { data } = channel.messages.at(-1) as { data: Record<string, unknown> };
    expect(data).toEqual({
      uptime: expect.any(Number),
      memory: expect.any(Number),
      ip: '10.5.6.108',
      ssid: 'harbour-open',
      gpio1: 0,
    });
    expect(data.uptime).toBeGreaterThan(startMs / 1000);
  });

  test('begins, changes and ends with its variable while the channel is open', async () => {
    const { channel, clock, run } = await channelRig(remote);
    channel.answer = ({ id }) => ({ id, data: null });
    await clock.advance(60_000);
    expect(channel.messages).toEqual([]);
    await run('set dms.telemetry.interval 1000');
    await clock.advance(10_050);
    expect(channel.messages).toHaveLength(10);
    await run('set dms.telemetry.interval 0');
    await clock.advance(60_000);
    expect(channel.messages).toHaveLength(10);
  });

  test('a short interval and a long one are kept within what can be done', async () => {
    const { channel, clock, run } = await channelRig(remote);
    channel.answer = ({ id }) => ({ id, data: null });
    await run('set dms.telemetry.interval 1');
    await clock.advance(1_050);
    expect(channel.messages.length).toBeLessThanOrEqual(11);
    expect(channel.messages.length).toBeGreaterThan(5);
    await run('set dms.telemetry.interval 4294967295');
    channel.messages.length = 0;
    await clock.advance(600_000);
    expect(channel.messages).toEqual([]);
  });

  test('is sent on demand with values of an application', async () => {
    const { channel, run } = await channelRig({ ...remote, ...items });
    channel.answer = ({ id }) => ({ id, data: null });
    expect(await run('dms telemetry {"deg": 21.5, "ip": "mine"}')).toEqual(['0 Success']);
    expect(channel.messages).toMatchObject([
      { request: 'telemetry', data: { deg: 21.5, ip: 'mine', ssid: 'harbour-open' } },
    ]);
  });
});

/** Spec: MOD-CHAN-command. */
describe('remote commands', () => {
  const command = (data: unknown, id = 7) => ({ id, request: 'command', data });

  test('are run, and answered with code and output in the form of the question', async () => {
    // MOD-VAR-dms.cmd.enabled, MOD-CHAN-form
    const { channel, settle } = await channelRig(remote);
    channel.send(command('get wlan.ssid'));
    channel.send(command('nonsense', 8), 'text');
    await settle();
    expect(channel.messages).toEqual([
      { id: 7, code: 0, data: 'harbour-open' },
      { id: 8, code: 3, data: 'Unknown command' },
    ]);
    expect(channel.frames.map((frame) => typeof frame)).toEqual(['object', 'string']);
  });

  test('are refused when they are not enabled', async () => {
    const { channel, run, settle } = await channelRig({ 'dms.auto_start_enabled': '1' });
    channel.send(command('set wlan.ssid x'));
    channel.send({ action: 'command', command: 'set wlan.ssid x' });
    await settle();
    expect(channel.messages).toEqual([{ id: 7, error: 'remote commands are not enabled' }]);
    expect(await run('get wlan.ssid')).toEqual(['0 harbour-open']);
    await run('set dms.cmd.enabled 1');
    channel.send(command('get wlan.ssid'));
    await settle();
    expect(channel.messages.at(-1)).toEqual({ id: 7, code: 0, data: 'harbour-open' });
  });

  // MOD-SET-hidden
  test('show no passwords', async () => {
    const { channel, settle } = await channelRig({ ...remote, 'wlan.passkey': 'moorings' });
    channel.send(command('get wlan.passkey'));
    await settle();
    expect(channel.messages).toEqual([{ id: 7, code: 0, data: '' }]);
  });

  test('one by an action is run and not answered', async () => {
    const { channel, run, settle } = await channelRig(remote);
    channel.send({ action: 'command', command: 'set wlan.ssid elsewhere' });
    await settle();
    expect(channel.messages).toEqual([]);
    expect(await run('get wlan.ssid')).toEqual(['0 elsewhere']);
  });

  test('a reboot is answered before it', async () => {
    const { channel, clock } = await channelRig(remote);
    channel.send(command('reboot'));
    await clock.advance(5_000);
    expect(channel.messages).toEqual([{ id: 7, code: 0, data: 'Rebooting' }]);
    expect(channel.ends).toEqual([1000]);
  });

  test('an output that is longer than a message is an error', async () => {
    const { channel, module, settle } = await channelRig(remote);
    await module.execute('file_create long.txt 70000', Buffer.from(pattern(70_000)));
    channel.send(command('file_cat long.txt'));
    channel.send(command('http_wash'));
    channel.send(command('get wlan.ssid', 9));
    await settle();
    expect(channel.messages.at(-1)).toEqual({ id: 9, code: 0, data: 'harbour-open' });
    for (const frame of channel.frames) expect(frame.length).toBeLessThanOrEqual(65_536);
  });

  test.each([
    [
      { id: 7, request: 'wash' },
      { id: 7, error: 'unknown request' },
    ],
    [{ request: 'command' }, { error: 'the fields of command are not right' }],
    [command(['ls']), { id: 7, error: 'the fields of command are not right' }],
    [command('x'.repeat(1025)), { id: 7, error: 'the fields of command are not right' }],
  ])('%j is answered by %j', async (message, answer) => {
    const { channel, settle } = await channelRig(remote);
    channel.send(message);
    await settle();
    expect(channel.messages).toEqual([answer]);
  });

  test.each(['{"half":', '[1,2]', '"text"', new Uint8Array([0xc1]), new Uint8Array([1]), new Uint8Array()])(
    'the frame %j is answered by an error, and the channel stays',
    async (frame) => {
      const { channel, settle } = await channelRig(remote);
      channel.raw(frame);
      await settle();
      expect(channel.messages).toMatchObject([{ error: expect.stringContaining('the frame is no') }]);
      expect(channel.isOpen).toBe(true);
    },
  );

  test('random bytes do no harm', async () => {
    const { channel, run, settle } = await channelRig(remote);
    for (let seed = 1; seed <= 300; seed++) channel.raw(pattern(seed % 23, seed * 2_654_435));
    await settle();
    expect(channel.isOpen).toBe(true);
    channel.answer = ({ id, data }) => ({ id, data });
    expect(await run('dms echo still here')).toEqual(['0 still here']);
  });

  test('a frame that is longer than allowed ends the channel', async () => {
    const { channel, clock, settle } = await channelRig(remote);
    channel.send(command('x'.repeat(70_000)));
    await settle();
    expect(channel.isOpen).toBe(false);
    await clock.advance(2_000);
    expect(channel.isOpen).toBe(true);
  });
});

/** Spec: MOD-CHAN-action. */
test('actions go to their listeners, and others to the watchers', async () => {
  const { channel, module, events, settle } = await channelRig(remote);
  const received: unknown[] = [];
  module.client.onAction('control', (action) => received.push(action));
  const control = { action: 'control', controls: [{ n: 'led', v: 1, t: 5 }] };
  channel.send(control);
  channel.send({ action: 'feed', amount: 3 });
  await settle();
  expect(received).toEqual([control]);
  expect(events.at(-1)).toEqual({ type: 'action', action: { action: 'feed', amount: 3 } });
  expect(channel.messages).toEqual([]);
});
