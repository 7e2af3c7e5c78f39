import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { eachDatabase, type MadeUser } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';

eachDatabase('updates on behalf of devices', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  describe('on behalf of a BLE device', () => {
    const query = (user: MadeUser, device_id: string, body: { bid?: string; bundle_id?: string }) =>
      world.app.client.as(user.token).call('deviceUpdates.query', { params: { device_id }, body });
    const tell = (user: MadeUser, device_id: string, bundle_id: string) =>
      world.app.client.as(user.token).call('deviceUpdates.report', { params: { device_id }, body: { bundle_id } });

    // API-EP-POST-devices-device_id-ota, API-EP-POST-devices-device_id-ota-result,
    // API-EP-GET-devices-device_id-ota-bundle_id-name
    it('query gives files that a bridging host can fetch, and its report is done at once', async () => {
      const { app, productWithRelease, deviceOn, history, states, record, people } = world;
      const { owner } = people;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      const reply = await query(owner, device.id, {});
      if (!reply.ok || reply.value.value.result !== 'update') throw new Error('No update');
      const { files, path } = reply.value.value;
      expect(files).toHaveLength(3);
      const headers = { authorization: `Bearer ${owner.token}` };
      for (const [index, content] of ['firmware', '{}', '0123456789'].entries()) {
        const { url = '', remote = '' } = files[index] ?? {};
        expect((await app.api.inject({ url, headers })).body).toBe(content);
        expect((await app.api.inject({ url: path.replace('%s', remote), headers })).body).toBe(content);
      }
      expect(await states(device)).toEqual(['downloading']);
      for (let time = 0; time < 2; time++) expect(outcome(await tell(owner, device.id, release.id))).toBe('ok');
      expect(await history(device)).toMatchObject([{ state: 'done', cause: 'bridge' }]);
      expect(await record(device)).toMatchObject({ bundle_ok: true, bversion: release.bversion });
      expect(await query(owner, device.id, { bid: release.id })).toMatchObject({
        value: { value: { result: 'none' } },
      });
    });

    // API-EP-GET-devices-device_id-ota-bundle_id-name
    it('a file is served in ranges, to whom it may concern, and 404 where there is none', async () => {
      const { app, productWithRelease, deviceOn, people } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      const reply = await query(people.owner, device.id, {});
      if (!reply.ok || reply.value.value.result !== 'update') throw new Error('No update');
      const { path, files } = reply.value.value;
      const get = (url: string, headers: Record<string, string> = {}, token = people.owner.token) =>
        app.api.inject({ url, headers: { authorization: `Bearer ${token}`, ...headers } });
      const digits = path.replace('%s', files[2]?.remote ?? '');
      const part = await get(digits, { range: 'bytes=2-4' });
      expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10']);
      expect((await get(digits, { range: 'bytes=10-' })).statusCode).toBe(416);
      expect((await get(path.replace('%s', 'nothing.bin'))).statusCode).toBe(404);
      const elsewhere = `/api/devices/${device.id}/ota/00000000-0000-4000-8000-000000000000/x`;
      expect((await get(elsewhere)).json()).toMatchObject({ statusCode: 404, code: 'NOT_FOUND' });
      expect((await get(digits, {}, people.stranger.token)).statusCode).toBe(404);
      expect((await app.api.inject({ url: digits })).statusCode).toBe(401);
      expect(digits).toContain(release.id);
    });

    it('query without a body is one that asks for nothing in particular', async () => {
      const { app, people, productWithRelease, deviceOn, inject } = world;
      const { product } = await productWithRelease();
      const device = await deviceOn(product.id);
      const headers = { authorization: `Bearer ${people.owner.token}` };
      const bridged = await app.api.inject({ method: 'POST', url: `/api/devices/${device.id}/ota`, headers });
      expect(bridged.json()).toMatchObject({ result: 'update' });
      expect((await inject(device, 'POST', '/ota')).json()).toMatchObject({ result: 'update' });
    });

    // API-EP-POST-devices-device_id-ota
    it('query that does not say what runs gives the files again, and an updated device stays updated', async () => {
      const { productWithRelease, deviceOn, history, record, people } = world;
      const { owner } = people;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      unwrap(await query(owner, device.id, {}));
      unwrap(await tell(owner, device.id, release.id));
      const again = await query(owner, device.id, {});
      if (!again.ok || again.value.value.result !== 'update') throw new Error('No update');
      const { url = '' } = again.value.value.files[0] ?? {};
      const headers = { authorization: `Bearer ${owner.token}` };
      expect((await world.app.api.inject({ url, headers })).body).toBe('firmware');
      expect(await record(device)).toMatchObject({ bundle_ok: true, bundle_id: release.id });
      unwrap(await tell(owner, device.id, release.id));
      expect(await history(device)).toMatchObject([{ state: 'done' }]);
    });

    // API-EP-POST-devices-device_id-ota-result
    it('report of what was offered is done although the bundle was archived since, as that of a device is', async () => {
      const { app, productWithRelease, deviceOn, record, people } = world;
      const { owner, maker } = people;
      const { product, bundleOf } = await productWithRelease();
      const plain = await bundleOf(null);
      const bridged = await deviceOn(product.id);
      unwrap(await query(owner, bridged.id, { bundle_id: plain.id }));
      const params = { bundle_id: plain.id };
      unwrap(await app.client.as(maker.token).call('bundles.setState', { params, body: { state: 'archive' } }));
      expect(outcome(await tell(owner, bridged.id, plain.id))).toBe('ok');
      expect(await record(bridged)).toMatchObject({ bundle_ok: true, bundle_id: plain.id, bversion: plain.bversion });
      // Another device was not offered it.
      const other = await deviceOn(product.id);
      unwrap(await query(owner, other.id, {}));
      expect(outcome(await tell(owner, other.id, plain.id))).toBe('WRONG_BUNDLE');
    });

    it('a report of a bundle that was never offered is a done update of its own', async () => {
      const { productWithRelease, deviceOn, states, people } = world;
      const { owner } = people;
      const { product, bundleOf } = await productWithRelease();
      const plain = await bundleOf(null);
      const device = await deviceOn(product.id);
      unwrap(await query(owner, device.id, {}));
      expect(outcome(await tell(owner, device.id, plain.id))).toBe('ok');
      expect(await states(device)).toEqual(['superseded', 'done']);
    });

    it('a specific bundle is taken, on a production product too, and refused when it is not published', async () => {
      const { productWithRelease, deviceOn, people } = world;
      const { owner } = people;
      const { product, bundleOf } = await productWithRelease({ production: 1 });
      const [plain, archived] = [await bundleOf(null), await bundleOf(null, 'archive')];
      const device = await deviceOn(product.id);
      expect(await query(owner, device.id, { bundle_id: plain.id })).toMatchObject({
        value: { value: { bundle_id: plain.id } },
      });
      expect(outcome(await query(owner, device.id, { bundle_id: archived.id }))).toBe('NOT_FOUND');
      expect(outcome(await query(owner, device.id, { bundle_id: 'x' }))).toBe('INVALID_REQUEST');
      expect(await tell(owner, device.id, archived.id)).toMatchObject({
        error: { status: 400, body: { code: 'WRONG_BUNDLE', validation: { keys: ['bundle_id'] } } },
      });
    });

    // API-RULE-access-1, API-RULE-access-2
    it('who may: owner of the device and people who change the product', async () => {
      const { app, productWithRelease, deviceOn, people } = world;
      const { owner, maker, tester, stranger } = people;
      const { product, release } = await productWithRelease();
      const rows = [
        [owner, 'ok', 'ok'],
        [maker, 'ok', 'ok'],
        [tester, 'FORBIDDEN', 'ok'],
        [stranger, 'NOT_FOUND', 'NOT_FOUND'],
      ] as const;
      for (const [user, changing, reading] of rows) {
        const device = await deviceOn(product.id);
        const params = { device_id: device.id };
        expect(outcome(await query(user, device.id, {}))).toBe(changing);
        unwrap(await query(owner, device.id, {}));
        const file = { ...params, bundle_id: release.id, name: 'conf.json' };
        expect(outcome(await app.client.as(user.token).call('deviceUpdates.file', { params: file }))).toBe(changing);
        expect(outcome(await tell(user, device.id, release.id))).toBe(changing);
        expect(outcome(await app.client.as(user.token).call('deviceUpdates.list', { params }))).toBe(reading);
      }
    });

    // API-EP-GET-devices-device_id-updates, API-RULE-ota-10
    it('history is listed newest first, in pages and by state', async () => {
      const { app, productWithRelease, deviceOn, people } = world;
      const { owner } = people;
      const { product, release, bundleOf } = await productWithRelease();
      const plain = await bundleOf(null);
      const device = await deviceOn(product.id);
      unwrap(await query(owner, device.id, {}));
      unwrap(await query(owner, device.id, { bundle_id: plain.id }));
      const list = (more: object) =>
        app.client.as(owner.token).call('deviceUpdates.list', { params: { device_id: device.uuid }, query: more });
      const all = await list({});
      expect(all).toMatchObject({
        value: {
          total: 2,
          value: [
            { bundle_id: plain.id, state: 'offered' },
            { bundle_id: release.id, state: 'superseded' },
          ],
        },
      });
      expect(await list({ limit: 1, offset: 1 })).toMatchObject({
        value: { total: 2, value: [{ bundle_id: release.id }] },
      });
      expect(await list({ state: 'offered' })).toMatchObject({ value: { total: 1 } });
      expect(await list({ sort: 'id' })).toMatchObject({ value: { value: [{ bundle_id: release.id }, {}] } });
    });

    // API-RULE-bundle-4
    it('a bundle that is trashed leaves the device its version text', async () => {
      const { app, productWithRelease, deviceOn, record, people } = world;
      const { owner, maker } = people;
      const { product, bundleOf } = await productWithRelease();
      const plain = await bundleOf(null);
      const device = await deviceOn(product.id);
      unwrap(await tell(owner, device.id, plain.id));
      for (const state of ['archive', 'trash'] as const) {
        const params = { bundle_id: plain.id };
        expect(outcome(await app.client.as(maker.token).call('bundles.setState', { params, body: { state } }))).toBe(
          'ok',
        );
      }
      expect(await record(device)).toMatchObject({ bundle_id: null, bundle: plain.version, bundle_ok: true });
    });
  });
});
