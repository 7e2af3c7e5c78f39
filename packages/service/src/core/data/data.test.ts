import type { AddressInfo } from 'node:net';
import type { Capabilities, Contract, MessageRecord } from '@moorage/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { hashPassword } from '../auth/passwords.ts';
import { removeOldData } from './retention.ts';

const password = 'correct horse';

const capabilities: Capabilities = {
  name: 'Thermostat',
  version: '1.0.0',
  streams: { temp: { type: 'number', units: 'C', min: -40, max: 125 }, status: { type: 'string' } },
  controls: {
    led1: { title: 'Lamp', type: 'number', min: 0, max: 1, default: 0 },
    mode: { type: 'string' },
  },
  messages: { 'to-device': true, 'from-device': true },
};

// MOD-AUTH-7: the account's user name and password activate a device.
eachDatabase('data cloud', (open) => {
  let app: TestApp;
  let owner: MadeUser;
  let stranger: MadeUser;
  let device: Awaited<ReturnType<typeof deviceOf>>;
  let batches = 0;

  async function deviceOf(user: MadeUser | null) {
    const token = newTokenValue();
    const platform = await app.make.platform();
    const row = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      user_id: user?.id ?? null,
      provision_token_hash: hashSecret(token),
      provision_status: 'pending',
    });
    return { ...row, token };
  }

  /** A call of the device. */
  async function link(method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, from = device) {
    const headers = { 'x-device-uuid': from.uuid, 'x-device-token': from.token };
    const url = `/device/v1/${path}`;
    const reply = await app.service.devices.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: reply.statusCode, body: reply.json() };
  }
  const login = (user: MadeUser) => ({ username: user.email, password });
  const activate = (user: MadeUser, more: object = {}) =>
    link('POST', 'activate', { ...login(user), capabilities, ...more });
  const write = (data: object) => link('POST', 'data', { batch: (++batches).toString(16).padStart(16, '0'), ...data });
  const codeOf = (reply: { body: { code?: string } }) => reply.body.code;
  /** A call of a user: what came back, or the refusal. */
  async function ask(user: MadeUser, action: keyof Contract['data'], input: object) {
    // The name is one of the contract's; what it takes is what is tested.
    const reply = await app.client.as(user.token).call(`data.${action}` as 'data.streams', input as never);
    return reply.ok
      ? { value: reply.value.value as unknown, total: reply.value.total }
      : { error: { status: reply.error.status, code: reply.error.body.code } };
  }
  const at = (name?: string) => ({ params: { device_id: device.id, ...(name && { name }) } });

  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { deviceInsecure: true } });
    await app.service.devices.ready();
    const password_hash = await hashPassword(password);
    owner = await app.make.user({ password_hash });
    stranger = await app.make.user({ password_hash });
  });
  afterAll(() => app.service.close());
  beforeEach(async () => {
    device = await deviceOf(owner);
  });

  describe('activation', () => {
    // API-DEV-POST-device-v1-activate, API-DEV-POST-device-v1-deactivate, API-EP-GET-devices-device_id-capabilities
    it('binds the device and its capabilities to the account, and is undone by its owner', async () => {
      expect(await activate(owner)).toEqual({ status: 200, body: { result: 'ok', device: device.id } });
      const stored = await ask(owner, 'capabilities', at());
      expect(stored).toMatchObject({ value: { activated: true, capabilities } });
      expect(codeOf(await activate(owner))).toBe('ALREADY_ACTIVATED');
      expect(codeOf(await link('POST', 'deactivate', login(stranger)))).toBe('DEVICE_OF_ANOTHER_USER');
      expect((await link('POST', 'deactivate', login(owner))).body).toEqual({ result: 'ok' });
      expect(codeOf(await link('POST', 'deactivate', login(owner)))).toBe('NOT_ACTIVATED');
      expect(await ask(owner, 'capabilities', at())).toMatchObject({ value: { activated: false, capabilities: null } });
    });

    it('refuses a wrong login and another user, and claims a device without an owner', async () => {
      expect(await activate(owner, { password: 'wrong' })).toMatchObject({
        status: 403,
        body: { code: 'WRONG_LOGIN' },
      });
      expect(await activate(stranger)).toMatchObject({ status: 403, body: { code: 'DEVICE_OF_ANOTHER_USER' } });
      device = await deviceOf(null);
      expect((await activate(stranger)).status).toBe(200);
      expect(await ask(stranger, 'capabilities', at())).toMatchObject({ value: { activated: true } });
    });

    // API-DATA-capabilities
    it.each([
      ['a name that is both', { ...capabilities, controls: { temp: { type: 'number' } } }, 'INVALID_CAPABILITIES'],
      [
        'an empty range',
        { ...capabilities, streams: { a: { type: 'number', min: 2, max: 1 } } },
        'INVALID_CAPABILITIES',
      ],
      [
        'a default of another type',
        { ...capabilities, controls: { a: { type: 'number', default: 'x' } } },
        'INVALID_CAPABILITIES',
      ],
      ['more than 4,096 bytes', { ...capabilities, more: 'x'.repeat(5000) }, 'INVALID_CAPABILITIES'],
      ['a name with a comma', { ...capabilities, streams: { 'a,b': { type: 'number' } } }, 'INVALID_REQUEST'],
      ['no name', { version: '1' }, 'INVALID_REQUEST'],
    ])('refuses capabilities with %s', async (_, wrong, code) => {
      expect(await activate(owner, { capabilities: wrong })).toMatchObject({ status: 400, body: { code } });
    });

    // API-DEV-GET-device-v1-capabilities, API-DEV-GET-device-v1-capabilities-name
    it('offers files: the assets of the product first, and examples', async () => {
      const offers = await link('GET', 'capabilities');
      expect(offers.body).toMatchObject([{ name: 'thermostat.json', default: true, script: expect.any(String) }]);
      const file = await link('GET', 'capabilities/thermostat.json');
      expect(file.body).toMatchObject({ name: 'Thermostat', streams: { temp: { units: 'C' } } });
      expect((await link('GET', 'capabilities/none.json')).status).toBe(404);
      expect((await link('GET', 'capabilities/constructor')).status).toBe(404);
    });
  });

  describe('streams', () => {
    beforeEach(async () => {
      await activate(owner);
    });

    // API-DATA-server-time, API-DEV-POST-device-v1-data, API-EP-GET-devices-device_id-streams
    it('keeps samples with their own times, and gives one where there is none', async () => {
      await write({
        samples: [
          { n: 'temp', v: 20.5, t: 1_694_000_000 },
          { n: 'temp', v: 21, t: 1_694_000_060 },
          { n: 'status', v: 'ok' },
        ],
      });
      expect(await ask(owner, 'samples', at('temp'))).toMatchObject({
        value: [
          { at: '1694000000000', value: 20.5 },
          { at: '1694000060000', value: 21 },
        ],
      });
      const now = String(app.clock.now());
      expect(await ask(owner, 'streams', at())).toMatchObject({
        value: [
          { name: 'temp', units: 'C', last: { at: '1694000060000', value: 21 } },
          { name: 'status', last: { at: now, value: 'ok' } },
        ],
      });
    });

    // API-DATA-down-sampling, API-EP-GET-devices-device_id-streams-name
    it('answers a range by interval: mean, least, greatest and count of numbers, the last of texts', async () => {
      const samples = [0, 1, 2, 60, 61, 180].map((s, index) => ({ n: 'temp', v: index, t: 1_694_000_040 + s }));
      await write({
        samples: [...samples, { n: 'status', v: 'a', t: 1_694_000_040 }, { n: 'status', v: 'b', t: 1_694_000_041 }],
      });
      const query = { interval: 60_000 };
      expect(await ask(owner, 'samples', { ...at('temp'), query })).toMatchObject({
        value: [
          { at: '1694000040000', value: 1, min: 0, max: 2, count: 3 },
          { at: '1694000100000', value: 3.5, min: 3, max: 4, count: 2 },
          { at: '1694000220000', value: 5, count: 1 },
        ],
      });
      expect(await ask(owner, 'samples', { ...at('status'), query })).toMatchObject({
        value: [{ at: '1694000040000', value: 'b', count: 2 }],
      });
      const range = { from: 1_694_000_041_000, to: 1_694_000_101_000, limit: 2 };
      expect(await ask(owner, 'samples', { ...at('temp'), query: range })).toMatchObject({
        value: [{ value: 2 }, { value: 3 }],
      });
    });

    it('writes a batch once, and nothing of one that has anything wrong', async () => {
      const batch = 'feedfeedfeedfeed';
      await link('POST', 'data', { batch, samples: [{ n: 'temp', v: 1 }] });
      expect((await link('POST', 'data', { batch, samples: [{ n: 'temp', v: 1 }] })).status).toBe(200);
      expect(
        codeOf(
          await write({
            samples: [
              { n: 'temp', v: 1 },
              { n: 'temp', v: 126 },
            ],
          }),
        ),
      ).toBe('WRONG_VALUE');
      expect(codeOf(await write({ samples: [{ n: 'temp', v: 'warm' }] }))).toBe('WRONG_VALUE');
      expect(codeOf(await write({ samples: [{ n: 'led1', v: 1 }] }))).toBe('UNKNOWN_DATA');
      expect(codeOf(await write({ samples: [{ n: 'constructor', v: 1 }] }))).toBe('UNKNOWN_DATA');
      expect(await ask(owner, 'samples', at('temp'))).toMatchObject({ value: [{ value: 1 }] });
    });

    it('shows nothing to others, and nothing of a device that is not activated', async () => {
      expect(await ask(stranger, 'streams', at())).toMatchObject({ error: { status: 404 } });
      await link('POST', 'deactivate', login(owner));
      expect(codeOf(await write({ samples: [{ n: 'temp', v: 1 }] }))).toBe('NOT_ACTIVATED');
      expect(await ask(owner, 'streams', at())).toMatchObject({ error: { status: 409, code: 'NOT_ACTIVATED' } });
      expect(await ask(owner, 'samples', at('none'))).toMatchObject({ error: { status: 409 } });
      const message = 'messages/11111111-1111-4111-8111-111111111111';
      for (const path of ['controls', 'messages', message])
        expect(codeOf(await link('GET', path))).toBe('NOT_ACTIVATED');
      expect(codeOf(await link('DELETE', message))).toBe('NOT_ACTIVATED');
    });
  });

  describe('controls', () => {
    beforeEach(async () => {
      await activate(owner);
    });
    const set = (name: string, value: number | string, user = owner) =>
      ask(user, 'setControl', { ...at(name), body: { value } });

    // API-EP-GET-devices-device_id-controls, API-EP-PUT-devices-device_id-controls-name, API-DEV-GET-device-v1-controls,
    // API-EP-GET-devices-device_id-controls-name-history
    it('have a default, then what user or device set last; the device is known to have it', async () => {
      expect(await ask(owner, 'controls', at())).toMatchObject({
        value: [
          { name: 'led1', title: 'Lamp', value: 0, at: null, source: null, delivered: false },
          { name: 'mode', value: null },
        ],
      });
      expect((await link('GET', 'controls')).body).toEqual([{ n: 'led1', v: 0, t: 0 }]);
      expect(await set('led1', 1)).toMatchObject({ value: { value: 1, source: 'user', delivered: false } });
      const t = Math.floor(app.clock.now() / 1000);
      expect((await link('GET', `controls?since=${t}`)).body).toEqual([{ n: 'led1', v: 1, t }]);
      expect(await ask(owner, 'controls', at())).toMatchObject({ value: [{ delivered: true }, {}] });
      await write({
        controls: [
          { n: 'led1', v: 0.5, t: t + 60 },
          { n: 'mode', v: 'eco' },
        ],
      });
      expect(await ask(owner, 'controls', at())).toMatchObject({
        value: [
          { value: 0.5, source: 'device' },
          { value: 'eco', source: 'device' },
        ],
      });
      // What the device set is ahead of our clock: the user still wins.
      expect(await set('led1', 1)).toMatchObject({ value: { value: 1 } });
      expect(await ask(owner, 'controls', at())).toMatchObject({ value: [{ value: 1, source: 'user' }, {}] });
      const history = await ask(owner, 'controlHistory', at('led1'));
      expect(history).toMatchObject({
        value: [
          { value: 1, source: 'user' },
          { value: 0.5, user: null },
          { value: 1, user: owner.username },
        ],
        total: 3,
      });
    });

    it('keep the newer value when an older one arrives late', async () => {
      await write({ controls: [{ n: 'mode', v: 'new', t: 1_694_000_000 }] });
      await write({ controls: [{ n: 'mode', v: 'old', t: 1_680_000_000 }] });
      expect(await ask(owner, 'controls', at())).toMatchObject({ value: [{}, { value: 'new' }] });
    });

    it('refuse names and values that the capabilities do not have, and who may only look', async () => {
      expect(await set('temp', 1)).toMatchObject({ error: { status: 404 } });
      expect(await set('led1', 2)).toMatchObject({ error: { status: 400, code: 'WRONG_VALUE' } });
      expect(await set('led1', 1, stranger)).toMatchObject({ error: { status: 404 } });
      expect(codeOf(await write({ controls: [{ n: 'temp', v: 1 }] }))).toBe('UNKNOWN_DATA');
    });
  });

  describe('messages', () => {
    beforeEach(async () => {
      await activate(owner);
    });
    const send = (data: string) => ask(owner, 'postMessage', { ...at(), body: { data, headers: { a: 'b' } } });

    // API-EP-POST-devices-device_id-messages, API-EP-GET-devices-device_id-messages, API-DEV-GET-device-v1-messages,
    // API-DEV-GET-device-v1-messages-message_id, API-DEV-POST-device-v1-messages,
    // API-DEV-DELETE-device-v1-messages-message_id
    it('go both ways, each through its box', async () => {
      const sent = await send('hello ü');
      expect(sent).toMatchObject({ value: { box: 'to-device', length: 8, headers: { a: 'b' } } });
      const { id } = sent.value as MessageRecord;
      const timestamp = Math.floor(app.clock.now() / 1000);
      expect((await link('GET', 'messages')).body).toEqual([{ id, timestamp, length: 8 }]);
      expect((await link('GET', `messages/${id}`)).body).toEqual({ headers: { a: 'b' }, body: { data: 'hello ü' } });
      const posted = await link('POST', 'messages', { data: 'reply' });
      expect(posted).toMatchObject({ status: 200, body: { result: 'ok' } });
      expect((await link('GET', `messages/${posted.body.id}`)).status).toBe(404);
      expect((await link('DELETE', `messages/${posted.body.id}`)).status).toBe(404);
      const listed = await ask(owner, 'messages', at());
      expect(listed).toMatchObject({ value: [{ box: 'from-device' }, { box: 'to-device' }], total: 2 });
      expect((await link('DELETE', `messages/${id}`)).body).toEqual({ result: 'ok' });
      expect((await link('DELETE', `messages/${id}`)).status).toBe(404);
    });

    // API-DATA-once
    it('that are posted again with their key are kept once, even after they were deleted', async () => {
      const post = (key: string, from = device) => link('POST', 'messages', { data: 'alarm', key }, from);
      const first = await post('a'.repeat(16));
      const again = await Promise.all([post('a'.repeat(16)), post('a'.repeat(16))]);
      expect(again).toEqual([first, first]);
      expect((await post('b'.repeat(16))).body.id).not.toBe(first.body.id);
      await ask(owner, 'removeMessage', { params: { device_id: device.id, message_id: first.body.id } });
      expect(await post('a'.repeat(16))).toEqual(first);
      expect(await ask(owner, 'messages', at())).toMatchObject({ total: 1 });
      const other = await deviceOf(owner);
      await link('POST', 'activate', { ...login(owner), capabilities }, other);
      expect((await post('a'.repeat(16), other)).body.id).not.toBe(first.body.id);
    });

    // API-DATA-boxes, API-EP-GET-devices-device_id-messages-message_id
    it('keep 50 in a box, of 2,048 bytes at most', async () => {
      for (let number = 0; number < 52; number++) await link('POST', 'messages', { data: String(number) });
      const listed = await ask(owner, 'messages', {
        ...at(),
        query: { sort: 'created_at', limit: 1 },
      });
      expect(listed).toMatchObject({ total: 50 });
      const [first] = listed.value as MessageRecord[];
      const whole = await ask(owner, 'message', { params: { device_id: device.id, message_id: first?.id } });
      expect(whole).toMatchObject({ value: { data: '2' } });
      expect(codeOf(await link('POST', 'messages', { data: 'ü'.repeat(1500) }))).toBe('BODY_TOO_LARGE');
    });

    // API-EP-DELETE-devices-device_id-messages-message_id
    it('are deleted by users too, once', async () => {
      const sent = await send('gone');
      const { id } = sent.value as MessageRecord;
      const remove = (user = owner) => ask(user, 'removeMessage', { params: { device_id: device.id, message_id: id } });
      expect(await remove(stranger)).toMatchObject({ error: { status: 404 } });
      expect(await remove()).toMatchObject({ value: { result: 'ok' } });
      expect(await remove()).toMatchObject({ error: { status: 404 } });
    });

    it('are refused where the capabilities have no box', async () => {
      await link('POST', 'deactivate', login(owner));
      await activate(owner, { capabilities: { ...capabilities, messages: {} } });
      expect(await send('x')).toMatchObject({ error: { status: 409, code: 'NO_MESSAGE_BOX' } });
      expect(codeOf(await link('POST', 'messages', { data: 'x' }))).toBe('NO_MESSAGE_BOX');
    });
  });

  // API-EP-GET-devices-device_id-live
  it('tells those who watch of samples, controls and messages as they come', async () => {
    await activate(owner);
    await app.api.listen({ host: '127.0.0.1', port: 0 });
    // Safe: it listens on TCP.
    const { port } = app.api.server.address() as AddressInfo;
    const watch = (token: string) =>
      fetch(`http://127.0.0.1:${port}/api/devices/${device.id}/live`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const refused = await watch(stranger.token);
    expect([refused.status, await refused.text()]).toEqual([404, expect.any(String)]);
    const reply = await watch(owner.token);
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await write({
      samples: [{ n: 'temp', v: 1, t: 1_600_000_005 }],
      controls: [{ n: 'mode', v: 'a', t: 1_600_000_006 }],
    });
    const posted = await link('POST', 'messages', { data: 'hi' });
    await ask(owner, 'setControl', { ...at('led1'), body: { value: 1 } });
    await link('GET', 'controls');
    await ask(owner, 'removeMessage', { params: { device_id: device.id, message_id: posted.body.id } });
    const { id } = (await ask(owner, 'postMessage', { ...at(), body: { data: 'ho' } })).value as MessageRecord;
    await link('DELETE', `messages/${id}`);
    let text = '';
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes(`{"id":"${id}","removed":true}`)) break;
    }
    expect(text).toContain('event: samples\ndata: [{"name":"temp","at":"1600000005000","value":1}]\n\n');
    expect(text).toContain('event: control\ndata: {"name":"mode","value":"a","at":"1600000006000"}\n\n');
    expect(text).toMatch(/event: control\ndata: \{"name":"led1","value":1,"at":"\d+","delivered":true\}/);
    expect(text).toContain(`event: message\ndata: {"id":"${posted.body.id}","removed":true}\n\n`);
  });

  // API-DATA-retention
  it('forgets what is older than it is kept', async () => {
    await activate(owner);
    await write({
      samples: [
        { n: 'temp', v: 1, t: 1_000_000_000 },
        { n: 'temp', v: 2 },
      ],
      controls: [{ n: 'mode', v: 'a', t: 1_000_000_000 }],
    });
    await removeOldData({ storage: app.storage, clock: app.clock });
    expect(await ask(owner, 'samples', at('temp'))).toMatchObject({ value: [{ value: 2 }] });
    expect(await ask(owner, 'controlHistory', at('mode'))).toMatchObject({ total: 0 });
  });
});
