import { unwrap } from '@moorage/base';
import { bversionOf, type PeerBundle } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { clientRig, contentOf, pattern } from '../testing/client-rig.ts';

const page = pattern(20 * 1024);
const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [
    { name: 'webapp/index page.html', content: page, version: '1.0.0.2', flags: 'u' },
    { name: 'settings.csv', content: pattern(300, 3), flags: 'e' },
    { name: 'empty.txt', content: new Uint8Array() },
  ],
};
const bversion = bversionOf(bundle);

async function updatable() {
  const rig = await clientRig();
  rig.peer.bundle = bundle;
  return rig;
}

async function expectInstalled(module: Awaited<ReturnType<typeof updatable>>['module']) {
  for (const { name, content } of bundle.files) {
    expect((await contentOf(module, name))?.equals(content), name).toBe(true);
  }
  expect(module.client.installed()).toEqual({ bundleId: bundle.id, bversion, firmwareVersion: '2.3.0.2' });
}

describe('an update', () => {
  // Spec: MOD-OTA-reboot, MOD-CMD-ota, MOD-VAR-dms.ota_result, MOD-VAR-dms.bundle_id.
  test('an update installs the files, restarts, and reports what then runs', async () => {
    const { module, peer, events, printed, until, clock } = await updatable();
    const before = module.versionLine;
    expect(await until(module.client.ota())).toEqual({ ok: true, value: 'updated' });
    await clock.advance(0);
    await expectInstalled(module);
    expect(peer.reports).toEqual([
      { bundle_id: bundle.id, result: 1, bversion: before },
      { bundle_id: bundle.id, result: 1, bversion },
    ]);
    expect(module.variables.get('dms.ota_result')).toBe(1);
    expect(module.variables.get('dms.bundle_id')).toBe(bundle.id);
    expect(printed).toContain('Moorage-2.3.0.2, Built:2015-04-08 20:12:21 for Module.3, Board:Harbour.3');
    expect(events.filter(({ type }) => type !== 'progress')).toEqual([
      { type: 'ota', bundleId: bundle.id, version: '1.0.0.2', totalBytes: 20 * 1024 + 300, files: 3 },
      { type: 'installed', bundleId: bundle.id, bversion },
      { type: 'updated', bundleId: bundle.id, bversion },
    ]);
    const progress = events.filter(({ type }) => type === 'progress');
    const ofPage = { type: 'progress', file: 'webapp/index page.html', totalBytes: page.length };
    expect(progress[0]).toEqual({ ...ofPage, receivedBytes: 0 });
    expect(progress).toContainEqual({ ...ofPage, receivedBytes: page.length });
  });

  test('files get type, version and flags of the manifest', async () => {
    const rig = await updatable();
    rig.peer.bundle = {
      ...bundle,
      files: [...bundle.files, { name: 'main_app.exe', content: pattern(5000), type: 0x81, version: '2.3.0.2' }],
    };
    unwrap(await rig.until(rig.module.client.ota()));
    const stat = (name: string) => {
      const { type, flags, version } = rig.module.flash.stat(name) ?? {};
      return { type, flags, version };
    };
    expect(stat('webapp/index page.html')).toEqual({ type: 0xfe, flags: 0x0101, version: [1, 0, 0, 2] });
    expect(stat('settings.csv')).toEqual({ type: 0xfe, flags: 0x0041, version: [1, 0, 0, 0] });
    expect(stat('main_app.exe')).toEqual({ type: 0x81, flags: 0x001b, version: [2, 3, 0, 2] });
  });

  test.each(['device.key', 'device.crt', 'ca.pem', 'renewed.key', 'renewed.crt'])(
    'an update with a file %s, whatever its type, is refused before anything of it is fetched',
    async (name) => {
      const rig = await updatable();
      const { module } = rig;
      const before = await contentOf(module, name);
      rig.peer.bundle = { ...bundle, files: [...bundle.files, { name, content: pattern(500), type: 0x01 }] };
      const refusal = {
        result: 3,
        kind: 'check',
        message: `Bundle 1.0.0.2 has a file "${name}", which belongs to the device`,
      };
      expect(await rig.until(module.client.ota())).toEqual({ ok: false, error: refusal });
      expect(await contentOf(module, name)).toEqual(before);
      expect(module.flash.stat('settings.csv')).toBeUndefined();
      expect(rig.peer.reports).toMatchObject([{ result: 3 }]);
      // The module is still the one that the service knows.
      rig.peer.bundle = bundle;
      expect(await rig.until(module.client.ota())).toEqual({ ok: true, value: 'updated' });
    },
  );

  // Spec: MOD-OTA-none.
  test('nothing new is no update and no restart', async () => {
    const { module, until, printed, peer } = await updatable();
    unwrap(await until(module.client.ota()));
    unwrap(await until(module.client.info()));
    printed.length = 0;
    expect(await until(module.client.ota())).toEqual({ ok: true, value: 'none' });
    expect(module.client.otaResult).toBe(2);
    expect(printed).toEqual([]);
    expect(peer.downloads).toHaveLength(2);
  });

  test('a forced update fetches every file again', async () => {
    const { module, until, peer } = await updatable();
    unwrap(await until(module.client.ota()));
    unwrap(await until(module.client.info()));
    peer.requests.length = 0;
    expect(await until(module.client.ota({ force: true }))).toEqual({ ok: true, value: 'updated' });
    expect(peer.downloads).toHaveLength(2);
    expect(peer.requests[0]?.body).toMatchObject({ force: true, bid: bundle.id, files: [] });
  });

  test.each([
    [bundle.id, { bundle_id: bundle.id }],
    ['1.0.0.2', { version: '1.0.0.2' }],
  ])('bundle %s is requested with %j', async (wanted, body) => {
    const { module, until, peer } = await updatable();
    unwrap(await until(module.client.ota({ bundle: wanted })));
    expect(peer.requests[0]?.body).toMatchObject(body);
  });

  test('settings and the identity of the module survive an update', async () => {
    const { module, until } = await updatable();
    unwrap(await until(module.client.provision('T'.repeat(32), 'ca text')));
    unwrap(await until(module.client.ota()));
    expect(module.variables.get('wlan.ssid')).toBe('harbour-open');
    expect(module.client.provisionStatus).toBe(3);
  });
});

/** Spec: MOD-OTA-result. */
describe('result codes', () => {
  test.each([
    [400, 8],
    [401, 7],
    [403, 7],
    [404, 9],
    [409, 8],
    [500, 6],
    [503, 6],
    [302, 3],
  ])('a query answered with status %i is result %i', async (status, result) => {
    const { module, peer, until, events } = await updatable();
    peer.refuse('POST /ota', status, 'The reason');
    const failed = await until(module.client.ota());
    expect(failed).toMatchObject({ ok: false, error: { result, message: 'The reason' } });
    expect(module.variables.get('dms.ota_result')).toBe(result);
    expect(events).toEqual([{ type: 'failed', result, message: 'The reason' }]);
  });

  // MOD-VAR-ota.host, MOD-VAR-ota.port
  test.each([
    ['without a network name', [['wlan.ssid', '']], 4],
    ['without a passkey', [['wlan.ssid', 'harbour']], 4],
    ['out of reach of its network', [['wlan.ssid', 'elsewhere']], 5],
    [
      'with a wrong passkey',
      [
        ['wlan.ssid', 'harbour'],
        ['wlan.passkey', 'wrongkey'],
      ],
      5,
    ],
    ['whose service is not known', [['ota.host', 'nowhere.invalid']], 6],
    ['whose service does not listen', [['ota.port', '444']], 6],
  ] as const)('a module %s gets a result of its own', async (_, settings, result) => {
    const { module, until } = await updatable();
    for (const words of settings) expect(module.variables.assign(words).ok).toBe(true);
    const failed = await until(module.client.ota());
    expect(failed.ok ? undefined : failed.error.result).toBe(result);
    expect(module.client.otaResult).toBe(result);
  });

  test('an answer that is not understood is result 3', async () => {
    const { module, peer, until } = await updatable();
    peer.answers.set('POST /ota', { status: 200, body: { result: 'update' } });
    expect(await until(module.client.ota())).toMatchObject({ ok: false, error: { result: 3 } });
  });

  test('a product without a bundle is result 9', async () => {
    const { module, peer, until } = await updatable();
    peer.bundle = undefined;
    expect(await until(module.client.ota())).toMatchObject({ ok: false, error: { result: 9 } });
  });

  test('a refused file ends the update with its status', async () => {
    const { module, peer, until } = await updatable();
    peer.refuse(`GET /ota/${bundle.id}/settings.csv`, 403);
    expect(await until(module.client.ota())).toMatchObject({ ok: false, error: { result: 7 } });
    expect(module.flash.stat('settings.csv')).toBeUndefined();
    expect(module.client.installed()).toBeUndefined();
  });

  test('a file version that is none is result 3', async () => {
    const { module, peer, until } = await updatable();
    peer.bundle = { ...bundle, files: [{ name: 'a', content: page, version: '1.x' }] };
    expect(await until(module.client.ota())).toMatchObject({ ok: false, error: { result: 3 } });
  });

  test('the result is 0 again after a restart that is not part of an update', async () => {
    const { module, peer, until } = await updatable();
    peer.refuse('POST /ota', 403);
    expect((await until(module.client.ota())).ok).toBe(false);
    await module.reboot();
    expect(module.client.otaResult).toBe(0);
  });
});

/** Spec: MOD-OTA-download, MOD-OTA-keep. */
describe('a cut download', () => {
  const kilobytes = Array.from({ length: 20 }, (_, index) => index + 1);

  test.each(kilobytes)(
    'a connection cut after %i KiB goes on by range and ends with the same bytes',
    async (kilobyte) => {
      const { module, peer, until, cutEach } = await updatable();
      cutEach((index) => (index === 0 ? { cutAfterBytes: kilobyte * 1024 } : {}));
      expect(await until(module.client.ota())).toEqual({ ok: true, value: 'updated' });
      await expectInstalled(module);
      // Nothing that has come is fetched twice: the second request begins where the first one was cut.
      const [first, second] = peer.downloads.filter((path) => path.includes('index'));
      expect(first).toBe(`/ota/${bundle.id}/webapp%2Findex%20page.html`);
      if (kilobyte > 1) expect(second).toMatch(new RegExp(`^${first} bytes=[1-9]\\d*-$`));
    },
  );

  test('a service that stays away ends the update with result 6, with back-off between the tries', async () => {
    const { module, until, cutEach, clock, peer, events } = await updatable();
    cutEach((index) => ({ cutAfterBytes: index === 0 ? 3000 : 0 }));
    const startMs = clock.now();
    expect(await until(module.client.ota())).toMatchObject({ ok: false, error: { result: 6 } });
    expect(clock.now() - startMs).toBeGreaterThan(500 + 1000 + 2000 + 4000);
    expect(peer.downloads.length).toBeLessThanOrEqual(8);
    expect(module.flash.stat('webapp/index page.html')).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ type: 'failed', result: 6 });
  });

  test('a 5xx in between is asked again', async () => {
    const { module, until, peer, clock } = await updatable();
    const call = `GET /ota/${bundle.id}/settings.csv`;
    peer.refuse(call, 503);
    const updated = module.client.ota();
    await clock.advance(400);
    peer.answers.delete(call);
    expect(await until(updated)).toEqual({ ok: true, value: 'updated' });
  });

  test('complete files of an interrupted update are not fetched again', async () => {
    const { module, until, cutEach, peer } = await updatable();
    const call = `GET /ota/${bundle.id}/settings.csv`;
    peer.refuse(call, 500);
    expect((await until(module.client.ota())).ok).toBe(false);
    peer.answers.delete(call);
    cutEach(() => ({}));
    peer.requests.length = 0;
    expect((await until(module.client.ota())).ok).toBe(true);
    expect(peer.downloads).toEqual([`/ota/${bundle.id}/settings.csv`]);
    await expectInstalled(module);
  });
});

/** Spec: MOD-OTA-crc. */
test('a wrong CRC leaves the file invalid, keeps the old one, and is result 3', async () => {
  const { module, peer, until } = await updatable();
  unwrap(await until(module.client.ota()));
  unwrap(await until(module.client.info()));
  const id = '33333333-3333-4333-8333-333333333333';
  const spoilt = { name: 'settings.csv', content: pattern(400, 5), crc: 0x1234 };
  peer.bundle = { id, version: '1.0.0.3', files: [spoilt, { name: 'new.txt', content: pattern(10), crc: 1 }] };
  peer.requests.length = 0;
  expect(await until(module.client.ota())).toMatchObject({ ok: false, error: { result: 3 } });
  expect((await contentOf(module, 'settings.csv'))?.equals(pattern(300, 3))).toBe(true);
  expect(module.flash.stat('new.txt')).toBeUndefined();
  // The report to the service says why, with the version that still runs.
  expect(peer.reports).toEqual([{ bundle_id: id, result: 3, bversion, failure: 'check' }]);
});
