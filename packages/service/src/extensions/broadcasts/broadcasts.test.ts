import { broadcastKeysLimit } from '@moorage/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';

eachDatabase('status broadcasts by HTTP', (open) => {
  let app: TestApp;
  let owner: MadeUser;
  let stranger: MadeUser;
  let device: Awaited<ReturnType<TestApp['make']['device']>>;
  let key: string;

  beforeAll(async () => {
    app = await buildApp(await open());
    owner = await app.make.user();
    stranger = await app.make.user();
    const platform = await app.make.platform();
    device = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      user_id: owner.id,
      mac: '02:00:00:00:00:07',
    });
    key = (await make()).key;
  });

  async function make(user = owner, title?: string) {
    const made = await app.client
      .as(user.token)
      .call('broadcasts.create', { body: title === undefined ? {} : { title } });
    if (!made.ok) throw new Error(made.error.body.message);
    return made.value.value;
  }
  async function post(payload: object, with_ = key) {
    const reply = await app.api.inject({ method: 'POST', url: `/api/broadcasts/${with_}`, payload });
    return { status: reply.statusCode, code: reply.json().code };
  }
  async function telemetry() {
    const params = { device_id: device.id };
    const reply = await app.client.as(owner.token).call('channel.status', { params });
    return reply.ok ? reply.value.value.telemetry : undefined;
  }

  // API-EP-POST-broadcasts-key
  it.each([
    ['address', { mac: '02:00:00:00:00:07' }],
    ['address in small letters', { mac: '02-00-00-00-00-07' }],
    ['uuid', () => ({ uuid: device.uuid.toUpperCase() })],
    ['uuid before the address', () => ({ uuid: device.uuid, mac: 'nothing' })],
  ])('keep what a module tells as its telemetry, known by its %s', async (_, names) => {
    const data = { ...(typeof names === 'function' ? names() : names), ip: '10.10.10.2', rssi: -50 };
    expect(await post(data)).toMatchObject({ status: 200 });
    expect(await telemetry()).toEqual({ at: String(app.clock.now()), data });
  });

  it.each([
    ['an unknown key', () => post({ mac: device.mac }, 'x'.repeat(32)), 404, 'NOT_FOUND'],
    ['an unknown device', () => post({ mac: '02:00:00:00:00:08' }), 404, 'NOT_FOUND'],
    ['what is no name', () => post({ mac: 'constructor' }), 404, 'NOT_FOUND'],
    ['a device of another user', async () => post({ uuid: device.uuid }, (await make(stranger)).key), 404, 'NOT_FOUND'],
    ['an object without a name', () => post({ rssi: -50 }), 400, 'INVALID_REQUEST'],
    ['no object', () => post([1]), 400, 'INVALID_REQUEST'],
    ['too many items', () => post({ ...Array(70).fill(0), uuid: device.uuid }), 400, 'INVALID_REQUEST'],
    ['too much', () => post({ uuid: device.uuid, note: 'x'.repeat(17_000) }), 413, 'BODY_TOO_LARGE'],
  ])('refuse %s', async (_, send, status, code) => {
    const before = await telemetry();
    expect(await send()).toEqual({ status, code });
    expect(await telemetry()).toEqual(before);
  });

  // API-EP-GET-user-broadcasts, API-EP-POST-user-broadcasts, API-EP-DELETE-user-broadcasts-broadcast_id
  describe('keys', () => {
    it('are listed without their value, and fail from when they are revoked', async () => {
      const user = await app.make.user();
      const made = await make(user, 'Greenhouse');
      expect(made).toMatchObject({ title: 'Greenhouse', last_used_at: null });
      expect(made.key).toHaveLength(32);
      const mine = app.client.as(user.token);
      const listed = await mine.call('broadcasts.list', {});
      expect(listed).toMatchObject({ value: { total: 1, value: [{ id: made.id, key: made.key.slice(-4) }] } });
      const params = { broadcast_id: made.id };
      expect((await app.client.as(stranger.token).call('broadcasts.revoke', { params })).ok).toBe(false);
      expect((await mine.call('broadcasts.revoke', { params })).ok).toBe(true);
      expect((await mine.call('broadcasts.revoke', { params })).ok).toBe(false);
      expect(await post({ uuid: device.uuid }, made.key)).toMatchObject({ status: 404 });
      const types = await app.storage.db.selectFrom('logs').select('type').where('user_id', '=', user.id).execute();
      expect(types.map(({ type }) => type).sort()).toEqual(['broadcast.create', 'broadcast.revoke']);
    });

    it('say when they were used, and are stored as a hash', async () => {
      await post({ uuid: device.uuid });
      const listed = await app.client.as(owner.token).call('broadcasts.list', {});
      expect(listed).toMatchObject({ value: { value: [{ last_used_at: String(app.clock.now()) }] } });
      expect(JSON.stringify(await app.storage.db.selectFrom('broadcast_keys').selectAll().execute())).not.toContain(
        key,
      );
    });

    it('have a limit', async () => {
      const user = await app.make.user();
      for (let number = 0; number < broadcastKeysLimit; number++) await make(user);
      await expect(make(user)).rejects.toThrow(/has 100 keys/);
    });
  });

  it('are refused when they are nested beyond all reason', async () => {
    // The look for the character NUL goes through all of it.
    const payload = `{"uuid":"${device.uuid}","a":${'['.repeat(100_000)}${']'.repeat(100_000)},"b":"\\u0000"}`;
    const headers = { 'content-type': 'application/json' };
    const reply = await app.api.inject({ method: 'POST', url: `/api/broadcasts/${key}`, headers, payload });
    const message = expect.stringContaining('nested too deeply');
    expect(reply.json()).toMatchObject({ statusCode: 400, message, validation: { source: 'body' } });
  });

  // API-EP-GET-schemas-capabilities.json, API-DATA-capabilities
  it('the schema of capabilities is published', async () => {
    const reply = await app.api.inject('/schemas/capabilities.json');
    expect(reply.headers['content-type']).toBe('application/schema+json');
    expect(reply.json()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['name', 'version'],
      properties: { streams: { type: 'object' }, controls: { type: 'object' } },
    });
    expect((await app.api.inject('/openapi.json')).json().paths).toHaveProperty(['/schemas/capabilities.json']);
  });
});
