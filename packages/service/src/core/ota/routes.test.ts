import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';

eachDatabase('updates', (open) => {
  let world: OtaWorld;
  beforeAll(async () => {
    world = await otaWorld(await open());
  });

  describe('query', () => {
    // API-DEV-POST-ota, API-RULE-ota-4, API-RULE-ota-7
    it('query offers the release with the manifest of its files', async () => {
      const { app, productWithRelease, deviceOn, ask, history, record, logsOf } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      const answer = await ask(device, { bversion: 'factory', mac: '4c:55:cc:00:00:01' });
      expect(answer).toMatchObject({
        status: 200,
        result: 'update',
        bundle_id: release.id,
        version: release.version,
        bversion: release.bversion,
        tag: 'release',
        total_size: 20,
        path: `http://hub.local:8443/ota/${release.id}/%s`,
      });
      expect(answer.files).toEqual([
        {
          remote: 'wifi.bin',
          local: 'wifi.bin',
          version: '1.0.0.0',
          type: 1,
          flags: '',
          crc: expect.any(Number),
          size: 8,
        },
        {
          remote: 'conf.json',
          local: 'conf.json',
          version: '1.0.0.0',
          type: 254,
          flags: '',
          crc: expect.any(Number),
          size: 2,
        },
        {
          remote: 'web/a%20page.html',
          local: 'web/a page.html',
          version: '1.2.3.4',
          type: 254,
          flags: '',
          crc: expect.any(Number),
          size: 10,
        },
      ]);
      expect(await history(device)).toMatchObject([
        {
          state: 'offered',
          cause: 'device',
          from_bversion: 'factory',
          to_bundle_id: release.id,
          product_id: product.id,
        },
      ]);
      expect(await record(device)).toMatchObject({
        bundle_id: release.id,
        bundle: release.version,
        bundle_ok: false,
        bversion: 'factory',
        mac: '4C:55:CC:00:00:01',
        last_ota_at: String(app.clock.now()),
      });
      expect(await logsOf(device)).toEqual(['ota.start']);
    });

    // API-RULE-metrics-1
    it('query that brings nothing new is counted, and writes nothing else', async () => {
      const { app, people, productWithRelease, deviceOn, ask, logsOf } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device, { bid: release.id, bversion: release.bversion });
      const before = await logsOf(device);
      for (let time = 0; time < 3; time++) {
        expect(await ask(device, { bid: release.id, bversion: release.bversion })).toMatchObject({ result: 'none' });
      }
      expect(await logsOf(device)).toEqual(before);
      const checks = async (token: string) => {
        const query = { product_id: product.id };
        const reply = await app.client.as(token).call('metrics.activity', { query });
        return reply.ok && reply.value.value.series.reduce((sum, { ota_check }) => sum + ota_check, 0);
      };
      expect([await checks(people.owner.token), await checks(people.maker.token)]).toEqual([4, 4]);
      expect(await checks(people.stranger.token)).toBe(0);
    });

    it('query leaves out what the device holds already', async () => {
      const { productWithRelease, deviceOn, ask } = world;
      const { product } = await productWithRelease();
      const device = await deviceOn(product.id);
      const all = await ask(device);
      const held = all.files.map(({ local, version, crc }: { local: string; version: string; crc: number }) => ({
        name: local,
        version,
        crc,
      }));
      const rest = await ask(device, { files: held.slice(1) });
      expect(rest.files.map(({ local }: { local: string }) => local)).toEqual(['wifi.bin']);
      expect(rest.total_size).toBe(8);
      expect((await ask(device, { files: held })).files).toEqual([]);
    });

    // API-RULE-location-1
    it('query may tell where the device is, also when nothing else is new', async () => {
      const { productWithRelease, deviceOn, ask, record, states } = world;
      const { product } = await productWithRelease();
      const device = await deviceOn(product.id);
      const location = { lat: 48.137154, lon: 11.576124, city: 'Munich', country: 'DE' };
      await ask(device);
      expect((await record(device)).location).toBeNull();
      await ask(device, { location });
      expect((await record(device)).location).toEqual(location);
      await ask(device);
      expect((await record(device)).location).toEqual(location);
      expect(await ask(device, { location: { lat: 90.1, lon: 0 } })).toMatchObject({ status: 400 });
      expect(await states(device)).toEqual(['offered']);
    });

    // API-RULE-ota-10
    it('query again goes on with the open update, and many at once make one', async () => {
      const { productWithRelease, deviceOn, ask, states, logsOf } = world;
      const { product } = await productWithRelease();
      const device = await deviceOn(product.id);
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(device, { bversion: 'factory' })));
      expect(answers.map(({ result }) => result)).toEqual(Array(8).fill('update'));
      expect(await states(device)).toEqual(['offered']);
      expect(await logsOf(device)).toEqual(['ota.start']);
    });

    // API-RULE-ota-3, API-RULE-ota-6, API-RULE-ota-8
    it('query follows the tag, says "none" to what it has, and is forced', async () => {
      const { productWithRelease, deviceOn, ask, states } = world;
      const { product, release, bundleOf } = await productWithRelease();
      const beta = await bundleOf('beta');
      const device = await deviceOn(product.id, { tag: 'beta' });
      expect(await ask(device, { bid: beta.id.toUpperCase() })).toEqual({
        status: 200,
        result: 'none',
        bundle_id: beta.id,
        bversion: beta.bversion,
        next_poll_s: expect.any(Number),
      });
      expect(await ask(device, { bid: release.id })).toMatchObject({ result: 'update', bundle_id: beta.id });
      const follower = await deviceOn(product.id, { tag: 'alpha' });
      expect(await ask(follower, { bid: release.id })).toMatchObject({ result: 'none' });
      expect(await states(follower)).toEqual([]);
      expect(await ask(follower, { bid: release.id, force: true })).toMatchObject({ result: 'update' });
    });

    it('query with nothing new writes nothing but when the device was seen', async () => {
      const { app, productWithRelease, deviceOn, ask, history, states, logsOf } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id, { bversion: release.bversion });
      expect(await ask(device, { bversion: release.bversion })).toMatchObject({ result: 'none' });
      // What it runs is on record now; from here on there is nothing to write.
      expect(await history(device)).toMatchObject([{ state: 'done', from_bversion: release.bversion }]);
      await app.clock.advance(1000);
      for (let time = 0; time < 3; time++)
        expect(await ask(device, { bversion: release.bversion })).toMatchObject({ result: 'none' });
      expect(await states(device)).toEqual(['done']);
      expect(await logsOf(device)).toEqual(['ota.ok']);
      expect((await app.storage.hot.deviceById(device.id))?.last_seen_at).toBe(app.clock.now());
    });

    // API-RULE-ota-2
    it('query by bundle or version takes published bundles of the product only', async () => {
      const { productWithRelease, deviceOn, ask } = world;
      const { product, bundleOf } = await productWithRelease();
      const [plain, archived] = [await bundleOf(null), await bundleOf(null, 'archive')];
      const foreign = (await productWithRelease()).release;
      const device = await deviceOn(product.id);
      expect(await ask(device, { bundle_id: plain.id })).toMatchObject({ result: 'update', bundle_id: plain.id });
      expect(await ask(device, { version: plain.version })).toMatchObject({ bundle_id: plain.id });
      for (const wrong of [{ bundle_id: archived.id }, { bundle_id: foreign.id }, { version: '9.9.9.9' }]) {
        expect(await ask(device, wrong)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      }
    });

    it('query for a choice on a production product is 403, without a choice it is answered', async () => {
      const { productWithRelease, deviceOn, ask } = world;
      const { product, release } = await productWithRelease({ production: 1, claimable: 0 });
      const device = await deviceOn(product.id);
      for (const choice of [{ bundle_id: release.id }, { version: release.version }, { bundle_id: product.id }]) {
        expect(await ask(device, choice)).toMatchObject({ status: 403, code: 'PRODUCTION_BUNDLE_CHOICE' });
      }
      expect(await ask(device)).toMatchObject({ result: 'update' });
    });

    // API-RULE-ota-5
    it('query on a product without a release is 404', async () => {
      const { platform, deviceOn, ask } = world;
      const device = await deviceOn(platform.product_id);
      expect(await ask(device)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    });

    it('query with a host that is none is 400', async () => {
      const { productWithRelease, deviceOn, inject } = world;
      const { product } = await productWithRelease();
      const reply = await inject(await deviceOn(product.id), 'POST', '/ota', {}, { host: 'a b/..' });
      expect(reply.statusCode).toBe(400);
    });

    it('an address that another device has is not taken over', async () => {
      const { productWithRelease, deviceOn, ask, record } = world;
      const { product } = await productWithRelease();
      await deviceOn(product.id, { mac: '4C:55:CC:00:00:09' });
      const device = await deviceOn(product.id);
      await ask(device, { mac: '4c55cc000009' });
      expect((await record(device)).mac).toBeNull();
    });
  });

  describe('files', () => {
    // API-DEV-GET-ota-bundle_id-name
    it('a file is served whole and by range, and the first byte marks the download', async () => {
      const { productWithRelease, deviceOn, inject, ask, states, logsOf } = world;
      const { product } = await productWithRelease();
      const device = await deviceOn(product.id);
      const { bundle_id, files } = await ask(device);
      const url = `/ota/${bundle_id}/${files[2].remote}`;
      const whole = await inject(device, 'GET', url);
      expect([whole.statusCode, whole.body]).toEqual([200, '0123456789']);
      expect(await states(device)).toEqual(['downloading']);
      const part = await inject(device, 'GET', url, undefined, { range: 'bytes=4-6' });
      expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, '456', 'bytes 4-6/10']);
      const rest = await inject(device, 'GET', url, undefined, {
        range: 'bytes=7-',
        'if-range': String(whole.headers.etag),
      });
      expect([rest.statusCode, rest.body]).toEqual([206, '789']);
      // API-DEV-status: a module knows no 416.
      const beyond = await inject(device, 'GET', url, undefined, { range: 'bytes=10-' });
      expect([beyond.statusCode, beyond.json().code]).toEqual([400, 'RANGE_NOT_SATISFIABLE']);
      expect(await logsOf(device)).toEqual(['ota.start']);
    });

    it('files are refused that are not on offer to this device', async () => {
      const { productWithRelease, deviceOn, inject, ask, states } = world;
      const { product, release, bundleOf } = await productWithRelease();
      const beta = await bundleOf('beta');
      const device = await deviceOn(product.id);
      expect((await inject(device, 'GET', `/ota/${release.id}/conf.json`)).statusCode).toBe(404);
      await ask(device);
      for (const path of [`${beta.id}/conf.json`, `${release.id}/notes.txt`, `${release.id}/none`, `${release.id}/`]) {
        expect([path, (await inject(device, 'GET', `/ota/${path}`)).statusCode >= 400]).toEqual([path, true]);
      }
      expect((await inject(device, 'GET', '/ota/x/conf.json')).statusCode).toBe(400);
      expect(await states(device)).toEqual(['offered']);
    });
  });

  describe('result', () => {
    // API-DEV-POST-ota-result, API-RULE-ota-9
    it('an update is done only when the restarted device reports the new version', async () => {
      const { app, productWithRelease, deviceOn, ask, report, history, record, logsOf } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device, { bversion: 'factory' });
      await app.clock.advance(1000);
      for (let time = 0; time < 2; time++)
        expect(await report(device, release.id, 1, 'factory')).toMatchObject({ status: 200, result: 'ok' });
      expect(await record(device)).toMatchObject({ bundle_ok: false, ota_result: 1, bversion: 'factory' });
      const installedAt = app.clock.now();
      await app.clock.advance(1000);
      for (let time = 0; time < 2; time++)
        expect(await report(device, release.id.toUpperCase(), 0, release.bversion)).toMatchObject({ status: 200 });
      expect(await record(device)).toMatchObject({
        bundle_ok: true,
        bundle_id: release.id,
        bversion: release.bversion,
      });
      expect(await history(device)).toMatchObject([
        { state: 'done', installed_at: installedAt, finished_at: app.clock.now(), reason: null },
      ]);
      expect((await logsOf(device)).sort()).toEqual(['ota.ok', 'ota.start']);
      expect(await ask(device, { bid: release.id, bversion: release.bversion })).toMatchObject({ result: 'none' });
    });

    it('a query with the new version text confirms as well', async () => {
      const { productWithRelease, deviceOn, ask, report, states } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device);
      await report(device, release.id, 1, 'factory');
      expect(await ask(device, { bversion: release.bversion })).toMatchObject({ result: 'none' });
      expect(await states(device)).toEqual(['done']);
    });

    it.each([3, 4, 5, 6, 7, 8, 9])('result %i fails the update and says why', async (code) => {
      const { productWithRelease, deviceOn, ask, report, history, record, logsOf } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device);
      for (let time = 0; time < 2; time++)
        expect(await report(device, release.id, code, 'factory')).toMatchObject({ status: 200 });
      expect(await history(device)).toMatchObject([
        { state: 'failed', result: code, reason: expect.stringContaining('evice') },
      ]);
      expect(await record(device)).toMatchObject({ ota_result: code, bundle_ok: false });
      expect((await logsOf(device)).sort()).toEqual(['ota.fail', 'ota.start']);
    });

    it('a device that comes back on the old version has failed, and is offered the bundle again', async () => {
      const { productWithRelease, deviceOn, ask, report, history, states } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device, { bversion: 'factory' });
      await report(device, release.id, 1, 'factory');
      expect(await ask(device, { bid: release.id, bversion: 'factory' })).toMatchObject({ result: 'update' });
      expect(await history(device)).toMatchObject([
        { state: 'failed', reason: 'The device restarted with version "factory"' },
        { state: 'offered', to_bundle_id: release.id },
      ]);
      const powered = await deviceOn(product.id);
      await ask(powered, { bversion: 'factory' });
      await report(powered, release.id, 1, 'factory');
      expect(await report(powered, release.id, 0, 'factory')).toMatchObject({ status: 200 });
      expect(await states(powered)).toEqual(['failed']);
    });

    it('a device that runs the bundle after a failed update has its record put right', async () => {
      const { productWithRelease, deviceOn, ask, report, states, record } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device);
      await report(device, release.id, 3, 'factory');
      expect(await report(device, release.id, 1, release.bversion)).toMatchObject({ status: 200 });
      expect(await states(device)).toEqual(['failed', 'done']);
      expect(await record(device)).toMatchObject({ bundle_ok: true });
    });

    it('a new choice supersedes the open update, whose report is then refused', async () => {
      const { app, productWithRelease, deviceOn, ask, report, history, people } = world;
      const { owner } = people;
      const { product, release, bundleOf } = await productWithRelease();
      const beta = await bundleOf('beta');
      const device = await deviceOn(product.id);
      await ask(device);
      unwrap(
        await app.client
          .as(owner.token)
          .call('devices.setTag', { params: { device_id: device.id }, body: { tag: 'beta' } }),
      );
      expect(await ask(device)).toMatchObject({ bundle_id: beta.id });
      expect(await history(device)).toMatchObject([
        { state: 'superseded' },
        { state: 'offered', from_bundle_id: release.id },
      ]);
      expect(await report(device, release.id, 1, 'factory')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    });

    // API-DEV-status: 409 is 400 here.
    it('a report that goes against the state is 400, without an update 404', async () => {
      const { productWithRelease, deviceOn, ask, report, states } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      expect(await report(device, release.id, 1, 'factory')).toMatchObject({ status: 404 });
      await ask(device);
      await report(device, release.id, 1, release.bversion);
      expect(await report(device, release.id, 1, 'factory')).toMatchObject({ status: 400, code: 'ILLEGAL_TRANSITION' });
      expect(await states(device)).toEqual(['done']);
    });

    it('reports of success and failure at once end in one of the two', async () => {
      const { productWithRelease, deviceOn, ask, report, states, logsOf } = world;
      const { product, release } = await productWithRelease();
      const device = await deviceOn(product.id);
      await ask(device);
      await Promise.all(
        [1, 2, 3].flatMap(() => [report(device, release.id, 1, release.bversion), report(device, release.id, 3, 'x')]),
      );
      const [first] = await states(device);
      expect(['done', 'failed']).toContain(first);
      expect((await logsOf(device)).filter((type) => type !== 'ota.start').length).toBeLessThanOrEqual(2);
    });
  });
});
