import type { AddressInfo } from 'node:net';
import { unwrap } from '@moorage/base';
import { beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { makeToken } from '../auth/accounts.ts';
import { hashPassword } from '../auth/passwords.ts';

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

  async function watch({ api }: TestApp = app, token = owner.token) {
    // Safe: it listens on TCP.
    const { port } = api.server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`http://127.0.0.1:${port}/api/devices/${deviceId}/live`, { headers });
    expect(reply.status).toBe(200);
    let ended = false;
    const text = reply.text().then((all) => {
      ended = true;
      return all;
    });
    return { text, ended: () => ended };
  }
  const ofOwner = () => ({ userId: owner.id, title: 'x', client: null });
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

    // API-RULE-token-3
    it('when the token is over', async () => {
      const made = await makeToken(app.storage.db, {
        ...ofOwner(),
        days: 1,
        atMs: app.clock.now() - 86_400_000 + 1_000,
      });
      const { text } = await watch(app, made.token);
      await app.clock.advance(5_000);
      expect(await text).not.toContain('seen');
    });

    // API-RULE-token-4
    it('when the device goes to a product that the token is not for', async () => {
      const { product_id } = await app.storage.db
        .selectFrom('devices')
        .select('product_id')
        .where('id', '=', deviceId)
        .executeTakeFirstOrThrow();
      const limits = { productIds: [product_id], scopes: ['read'] } as const;
      const made = await makeToken(app.storage.db, { ...ofOwner(), ...limits, atMs: app.clock.now() });
      const { text } = await watch(app, made.token);
      const other = await app.make.product({ platform_id: (await app.make.platform()).id });
      await app.storage.db.updateTable('devices').set({ product_id: other.id }).where('id', '=', deviceId).execute();
      await app.clock.advance(5_000);
      expect(await text).not.toContain('seen');
    });

    it('when the device goes to another owner', async () => {
      const { text } = await watch();
      const other = await app.make.user();
      await app.storage.db.updateTable('devices').set({ user_id: other.id }).where('id', '=', deviceId).execute();
      await app.clock.advance(5_000);
      expect(await text).not.toContain('seen');
    });
  });

  describe('end at once, without a moment passing, though another process does it', () => {
    const other = async (): Promise<TestApp> => {
      const made = await buildApp(app.storage);
      await made.api.listen({ host: '127.0.0.1', port: 0 });
      return made;
    };

    it('when the token is revoked', async () => {
      const node = await other();
      const { text } = await watch(node);
      const calls = app.client.as(owner.token);
      const [token] = unwrap(await calls.call('tokens.list', {})).value;
      unwrap(await calls.call('tokens.revoke', { params: { token_id: token?.id ?? '' } }));
      expect(await text).toBe('retry: 2000\n\n');
      await node.service.close();
    });

    it('when another password ends the sessions', async () => {
      const node = await other();
      const password_hash = await hashPassword('correct horse');
      await app.storage.db.updateTable('users').set({ password_hash }).where('id', '=', owner.id).execute();
      const body = { username: owner.username, password: 'correct horse' };
      const session = unwrap(await app.client.call('auth.login', { body })).value;
      const [ending, staying] = [await watch(node, session.token), await watch(node)];
      const change = { current_password: 'correct horse', password: 'battery staple' };
      unwrap(await app.client.as(owner.token).call('session.changePassword', { body: change }));
      await ending.text;
      expect(staying.ended()).toBe(false);
      await node.service.close();
    });

    it('when the listener is taken off the product of the device', async () => {
      const node = await other();
      const platform = await app.make.platform();
      const product = await app.make.product({ platform_id: platform.id, user_id: owner.id });
      const tester = await app.make.user();
      await app.make.member(product.id, tester.id, 'tester');
      deviceId = (await app.make.device({ platform_id: platform.id, product_id: product.id })).id;
      const [ending, staying] = [await watch(node, tester.token), await watch(node)];
      const params = { product_id: product.id, user_id: tester.id };
      unwrap(await app.client.as(owner.token).call('productPeople.remove', { params }));
      await ending.text;
      expect(staying.ended()).toBe(false);
      await node.service.close();
    });
  });

  it('are looked at again when messages between processes were lost', async () => {
    const { text } = await watch();
    await app.storage.db.deleteFrom('tokens').where('user_id', '=', owner.id).execute();
    app.storage.bus.publish(topics.missed, null);
    await text;
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
