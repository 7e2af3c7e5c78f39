import { seededRandom, sleep, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { Fleet, parseScenario } from '@moorage/fleet';
import { MemoryNetwork } from '@moorage/net/memory';
import { issueToken } from '@moorage/service/core/auth/accounts';
import type { Storage } from '@moorage/service/engine/db/storage';
import { eachDatabase, fixtures, testStartMs } from '@moorage/service/testing/index';
import { expect, test } from 'vitest';
import { host, release, runUntil, SimulatedService } from '../simulated-fleet.ts';

/** Longest virtual time that a test waits for its fleet, in ms. */
const patienceMs = 2 * 3_600_000;

/** A service with a released bundle, and a fleet on a simulated network. */
async function scene(storage: Storage, count: number, scenario: (version: string) => object) {
  const clock = new VirtualClock(testStartMs);
  const network = new MemoryNetwork(clock, { random: seededRandom('network') });
  const service = new SimulatedService(storage, clock);
  await service.start();
  await service.attach(network.attach(host.name, host.ip));
  const make = fixtures({ storage, blobs: service.blobs, clock });
  const owner = await make.admin();
  const { token } = await issueToken(service.running.deps, owner.id, 'fleet');
  const { bundle, platform, product } = await release(make, owner.id, 1);
  const api = service.client(token);
  const found = await api.call('products.get', { params: { product_id: product.id } });
  if (!found.ok) throw new Error(found.error.body.message);
  const version = bundle.version;
  const stores = new Map<number, MemoryStore>();
  const makeFleet = (): Fleet =>
    new Fleet({
      api,
      product: found.value.value,
      partId: platform.part_id,
      service: { host: host.name, port: host.port, insecure: true },
      ca: service.running.identity.ca,
      scenario: unwrap(parseScenario(JSON.stringify(scenario(version)))),
      seed: 'e2e',
      count,
      clock,
      hostClock: clock,
      net: (index) => network.attach(`module ${index}`, `10.1.${index >> 8}.${index & 255}`),
      openStore: async (index) => {
        const store = stores.get(index) ?? new MemoryStore();
        stores.set(index, store);
        return { store, close: async () => {} };
      },
    });
  const until = <T>(promise: Promise<T>): Promise<T> => runUntil(clock, service, promise);
  const waitFor = async (fleet: Fleet, isSo: (summary: Fleet['summary']) => boolean): Promise<void> => {
    const endMs = clock.monotonic() + patienceMs;
    while (!isSo(fleet.summary)) {
      if (clock.monotonic() > endMs) throw new Error(`It did not come: ${JSON.stringify(fleet.summary)}`);
      await sleep(clock, 1_000);
    }
  };
  const bundleNow = async () => {
    const reply = await api.call('bundles.get', { params: { bundle_id: bundle.id } });
    return reply.ok ? reply.value.value : undefined;
  };
  const updates = () =>
    storage.db
      .selectFrom('updates')
      .innerJoin('devices', 'devices.id', 'updates.device_id')
      .select(['devices.title', 'updates.state'])
      .where('updates.to_bundle_id', '=', bundle.id)
      .orderBy('devices.title')
      .execute();
  return { api, bundleNow, make: makeFleet, service, until, updates, version, waitFor };
}

eachDatabase('a fleet on a simulated network', (open) => {
  test('runs what it was offered in the end, whatever its links, its power and its flash do', async () => {
    const bad = {
      groups: [
        { name: 'pier', share: 1, poll_s: 30 },
        {
          name: 'buoy',
          share: 2,
          poll_s: 120,
          link: {
            latency_ms: 200,
            jitter_ms: 200,
            bytes_per_s: 2000,
            lost_percent: 40,
            away: { every_s: 600, for_s: 200 },
          },
          power: { cuts_per_day: 300, off_s: 20 },
          clock: { skew_s: 3600, drift_ppm: 50_000 },
        },
        {
          name: 'float',
          share: 1,
          poll_s: 300,
          power: { sleeps: true },
          flash: { free_bytes: 65_536, bad_writes_percent: 20 },
        },
      ],
    };
    const { bundleNow, make, service, until, waitFor } = await scene(await open(), 12, () => bad);
    const fleet = make();
    unwrap(await until(fleet.start()));
    await until(waitFor(fleet, ({ updated }) => updated === 12));
    expect(await bundleNow()).toMatchObject({ device_count: 12, device_count_bundle_ok: 12 });
    // It was as bad as announced.
    expect(fleet.summary.troubles).toBeGreaterThan(0);
    expect(fleet.summary).toMatchObject({ modules: 12, failed: 0, lost: 0 });

    // Those that sleep do so between two polls; the others answer.
    await until(waitFor(fleet, ({ asleep, online }) => asleep === 3 && online >= 3));
    await until(fleet.stop());
    await service.running.close();
  });

  test('shows what a bad version does', async () => {
    const group = (name: string, fault: string) => (version: string) => ({
      ...{ name, share: 1, poll_s: 60 },
      failures: [{ version, fault }],
    });
    const { bundleNow, make, service, until, updates, waitFor } = await scene(await open(), 4, (version) => ({
      groups: [
        { name: 'good', share: 1 },
        group('brick', 'does_not_boot')(version),
        group('gone', 'never_back')(version),
        group('stale', 'reports_old')(version),
      ],
    }));
    const fleet = make();
    unwrap(await until(fleet.start()));
    await until(waitFor(fleet, ({ failed, updated }) => failed === 3 && updated === 1));
    // The stale one says what it runs with its next poll.
    await until(waitFor(fleet, ({ polls }) => polls > 8));
    const states = new Map((await updates()).map(({ title, state }) => [title, state]));
    expect(states.get('good 1')).toBe('done');
    expect(states.get('brick 2')).toMatch(/^(failed|offered|downloading|installed)$/);
    expect(states.get('gone 3')).toBe('installed');
    const failed = (await updates()).filter(({ state }) => state === 'failed').map(({ title }) => title);
    expect(new Set(failed)).toEqual(new Set(['brick 2', 'stale 4']));
    expect(await bundleNow()).toMatchObject({ device_count_bundle_ok: 1 });
    expect(fleet.summary).toMatchObject({ lost: 1 });
    await until(fleet.stop());
    await service.running.close();
  });

  test('goes on with the same modules when it is started again, also with those that were not done', async () => {
    const { api, bundleNow, make, service, until, waitFor } = await scene(await open(), 6, () => ({
      groups: [{ name: 'boat', share: 1, link: { latency_ms: 500 } }],
    }));
    const first = make();
    unwrap(await until(first.start()));
    // Stopped while some have a token and no certificate yet.
    await until(waitFor(first, ({ starting }) => starting === 6));
    await until(first.stop());
    const second = make();
    unwrap(await until(second.start()));
    await until(waitFor(second, ({ updated }) => updated === 6));
    const devices = await api.call('devices.list', {});
    expect(devices.ok && devices.value.value).toHaveLength(6);
    expect(await bundleNow()).toMatchObject({ device_count_bundle_ok: 6 });
    await until(second.stop());
    // No activation token is left behind.
    const [device] = devices.ok ? devices.value.value : [];
    const tokens = await api.call('products.listTokens', { params: { product_id: device?.product_id ?? '' } });
    expect(tokens.ok && tokens.value.value).toEqual([]);
    await service.running.close();
  });
});
