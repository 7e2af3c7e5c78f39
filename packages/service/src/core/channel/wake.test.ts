import { unwrap } from '@moorage/base';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { eachDatabase } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';

// What devices on the channel are notified of is decided where products, bundles and devices change.
eachDatabase('wake-ups', (open) => {
  let world: OtaWorld;
  let product: Awaited<ReturnType<OtaWorld['productWithRelease']>>;
  let device: Awaited<ReturnType<OtaWorld['deviceOn']>>;
  let published: (readonly [topic: string, message: unknown])[];

  beforeAll(async () => {
    world = await otaWorld(await open());
    const { bus } = world.app.storage;
    published = [];
    for (const topic of [topics.otaDue, topics.deviceRevoked, topics.deviceMoved, topics.deviceRenewed]) {
      bus.subscribe<unknown>(topic, (message) => published.push([topic.name, message]));
    }
  });
  beforeEach(async () => {
    product = await world.productWithRelease();
    device = await world.deviceOn(product.product.id);
    published.length = 0;
  });
  const as = (who: 'owner' | 'maker' | 'tester') => world.app.client.as(world.people[who].token);
  const setTag = (bundle_id: string, tag: 'beta' | 'release' | '') =>
    as('maker').call('bundles.setTag', { params: { bundle_id }, body: { tag } });
  const tagDevice = (tag: 'beta' | '', who: 'owner' | 'tester' = 'owner') =>
    as(who).call('devices.setTag', { params: { device_id: device.id }, body: { tag } });

  // API-CHAN-wake
  describe('the devices of a product hear that an update may be due', () => {
    it('when a tag moves to a bundle or is taken off, once for each change', async () => {
      const { product: of, bundleOf } = product;
      const next = await bundleOf(null);
      const due = ['ota.due', { productId: of.id }];
      unwrap(await setTag(next.id, 'release'));
      unwrap(await setTag(next.id, 'release'));
      unwrap(await setTag(next.id, ''));
      expect(published).toEqual([due, due]);
    });

    it('but not when the change is refused, or makes nothing due', async () => {
      const archived = await product.bundleOf(null, 'archive');
      expect((await setTag(archived.id, 'release')).ok).toBe(false);
      const params = { bundle_id: archived.id };
      expect((await as('maker').call('bundles.setState', { params, body: { state: 'published' } })).ok).toBe(true);
      expect(published).toEqual([]);
    });
  });

  describe('a device hears that an update may be due', () => {
    it('when its tag leads to another bundle than before', async () => {
      unwrap(await tagDevice('beta'));
      expect(published).toEqual([]);
      await product.bundleOf('beta');
      unwrap(await tagDevice(''));
      unwrap(await tagDevice('beta'));
      unwrap(await tagDevice('beta'));
      expect((await tagDevice('', 'tester')).ok).toBe(false);
      const due = ['ota.due', { deviceId: device.id }];
      expect(published).toEqual([due, due]);
    });

    it('when a user activates it to another product; it moves there for later wake-ups, too', async () => {
      const other = await world.productWithRelease({ publication: 'published' });
      const activate = () =>
        as('owner').call('devices.activate', {
          params: { device_id: device.id },
          body: { product_id: other.product.id },
        });
      expect((await activate()).ok).toBe(true);
      const moved = ['device.moved', { deviceId: device.id, productId: other.product.id }];
      expect(published).toEqual([moved, ['ota.due', { deviceId: device.id }]]);
    });

    it('but not when it has gone there itself: it knows', async () => {
      const other = await world.productWithRelease({ publication: 'published' });
      const reply = await world.inject(device, 'POST', '/activate', { product: other.product.product });
      expect(reply.statusCode).toBe(200);
      expect(published).toEqual([['device.moved', { deviceId: device.id, productId: other.product.id }]]);
    });
  });

  // API-DEV-revoked
  it('a device that is disabled or to be provisioned again is sent away', async () => {
    const params = { device_id: device.id };
    const revoked = ['device.revoked', { deviceId: device.id, uuid: device.uuid }];
    unwrap(await as('owner').call('devices.setState', { params, body: { state: 'disabled' } }));
    expect(published).toEqual([revoked]);
    unwrap(await as('owner').call('devices.setState', { params, body: { state: 'enabled' } }));
    expect(published).toHaveLength(1);
    unwrap(await as('owner').call('devices.renewToken', { params }));
    expect(published).toEqual([revoked, revoked]);
  });
});
