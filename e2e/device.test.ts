import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, seededRandom } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { createDevice } from '@moorage/device';
import { nodeNet } from '@moorage/net/node';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { must } from '../packages/moorage/src/up/example.ts';
import { openHarbour } from './harbour.ts';

eachDatabase('a program that is no module, on a service', (open) => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  test('provisions, claims, downloads over a cut, and reports', async () => {
    const it = await openHarbour(await open());
    closing.push(() => it.close());
    const folder = await mkdtemp(join(tmpdir(), 'moorage-device-'));
    closing.push(() => rm(folder, { recursive: true }));
    const identity = { mac: '02:00:00:00:00:07', uuid: `${it.module.identity.uuid.slice(0, 8)}${'7'.repeat(32)}` };
    const platforms = must(await it.client.call('platforms.list', {}));
    const body = { ...identity, platform_id: platforms[0]?.id ?? '' };
    const provisioned = must(await it.client.call('devices.provision', { body }));
    const params = { product_id: it.product.id };
    const activation = must(await it.client.call('products.addToken', { params, body: { uses: 1 } }));

    const store = await DiskStore.open(folder);
    closing.push(() => store.close());
    const device = await createDevice({
      clock: realClock,
      net: nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false }),
      store,
      identity,
      service: { host: '127.0.0.1', port: it.wire.port },
      version: 'LAMP-0.9.0.0',
      random: seededRandom(1),
    });
    closing.push(() => device.stop());
    const updated = new Promise((resolve) =>
      device.client.onEvent((event) => event.type === 'updated' && resolve(event)),
    );
    expect(await device.client.provision(provisioned.token, it.service.identity.ca)).toMatchObject({ ok: true });
    const claim = { product: it.product.product, token: activation.token };
    expect(await device.client.claim(claim)).toMatchObject({ ok: true });
    it.wire.cutAfterBytes = 50_000;
    const connections = it.wire.connections;
    const updating = device.client.ota();
    await expect.poll(() => it.wire.connections, { interval: 5 }).toBeGreaterThan(connections);
    it.wire.cutAfterBytes = undefined;
    expect(await updating).toEqual({ ok: true, value: 'updated' });
    expect(it.wire.connections).toBeGreaterThan(connections + 1);
    await updated;

    const record = must(await it.client.call('devices.get', { params: { identifier: identity.uuid } }));
    expect(record).toMatchObject({ bundle_id: it.bundle.id, bundle_ok: true });
    expect(device.files.list().map(({ name }) => name)).toContain('webapp/index.html');
  });
});
