import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { hashPassword } from '../auth/passwords.ts';

const password = 'correct horse';
const capabilities = { name: 'Gauge', version: '1.0.0', streams: { level: { type: 'number' } } };

eachDatabase('activation without a login', (open) => {
  let app: TestApp;
  let owner: MadeUser;

  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { deviceInsecure: true } });
    await app.service.devices.ready();
    owner = await app.make.user({ password_hash: await hashPassword(password) });
  });
  afterAll(() => app.service.close());

  /** Calls of a new device. */
  async function deviceOf(user_id: string | null) {
    const token = newTokenValue();
    const platform = await app.make.platform();
    const facts = { platform_id: platform.id, product_id: platform.product_id, provision_status: 'pending' } as const;
    const row = await app.make.device({ ...facts, user_id, provision_token_hash: hashSecret(token) });
    const headers = { 'x-device-uuid': row.uuid, 'x-device-token': token };
    const call = async (path: string, payload: object) => {
      const url = `/device/v1/${path}`;
      const reply = await app.service.devices.inject({ method: 'POST', url, headers, payload });
      return { status: reply.statusCode, body: reply.json() };
    };
    return { id: row.id, call };
  }

  // API-DEV-POST-device-v1-activate, API-DEV-POST-device-v1-deactivate
  it('is for a device that somebody has claimed, whose data go to its owner', async () => {
    const { id, call } = await deviceOf(owner.id);
    expect(await call('activate', { capabilities })).toEqual({ status: 200, body: { result: 'ok', device: id } });
    const stored = await app.client.as(owner.token).call('data.capabilities', { params: { device_id: id } });
    expect(stored).toMatchObject({ ok: true, value: { value: { activated: true } } });
    expect(await call('deactivate', {})).toEqual({ status: 200, body: { result: 'ok' } });
  });

  it('is refused to a device of nobody, and with half a login', async () => {
    const free = await deviceOf(null);
    const unclaimed = { status: 403, body: { code: 'DEVICE_UNCLAIMED' } };
    expect(await free.call('activate', { capabilities })).toMatchObject(unclaimed);
    expect(await free.call('deactivate', {})).toMatchObject(unclaimed);
    const { call } = await deviceOf(owner.id);
    for (const [half, missing] of [
      [{ username: owner.email }, 'password'],
      [{ password }, 'username'],
    ] as const) {
      const refused = { status: 400, body: { code: 'INVALID_REQUEST', message: expect.stringContaining(missing) } };
      expect(await call('activate', { ...half, capabilities })).toMatchObject(refused);
      expect(await call('deactivate', half)).toMatchObject(refused);
    }
  });
});
