import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../bus/topics.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../testing/index.ts';

// API-EP-GET-devices-device_id-live
eachDatabase('live events of a device', (open) => {
  let app: TestApp;
  let owner: MadeUser;
  let deviceId: string;

  beforeEach(async () => {
    app = await buildApp(await open());
    await app.api.listen({ host: '127.0.0.1', port: 0 });
    owner = await app.make.user();
    const platform = await app.make.platform();
    const fields = { platform_id: platform.id, product_id: platform.product_id, user_id: owner.id };
    deviceId = (await app.make.device(fields)).id;
    return () => app.service.close();
  });

  async function watch() {
    // Safe: it listens on TCP.
    const { port } = app.api.server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${owner.token}` };
    const reply = await fetch(`http://127.0.0.1:${port}/api/devices/${deviceId}/live`, { headers });
    expect(reply.status).toBe(200);
    let ended = false;
    const text = reply.text().then((all) => {
      ended = true;
      return all;
    });
    return { text, ended: () => ended };
  }
  const publish = () =>
    app.storage.bus.publish(topics.liveEvent, { deviceId, event: { type: 'online', data: 'seen' } });

  describe('end within seconds', () => {
    it('when the token is revoked', async () => {
      const { text } = await watch();
      publish();
      await app.storage.db.deleteFrom('tokens').where('user_id', '=', owner.id).execute();
      await app.clock.advance(5_000);
      // Whatever comes until the connection is gone does no harm.
      const telling = setInterval(publish, 0);
      const all = await text;
      clearInterval(telling);
      expect(all).toContain('seen');
    });

    it('when the device goes to another owner', async () => {
      const { text } = await watch();
      const other = await app.make.user();
      await app.storage.db.updateTable('devices').set({ user_id: other.id }).where('id', '=', deviceId).execute();
      await app.clock.advance(5_000);
      expect(await text).not.toContain('seen');
    });
  });

  it('go on for those who may listen', async () => {
    const { text, ended } = await watch();
    await app.clock.advance(30_000);
    publish();
    expect(ended()).toBe(false);
    await app.service.close();
    expect(await text).toContain('seen');
  });
});
