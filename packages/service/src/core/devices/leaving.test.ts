import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase, extensionsRun } from '../../testing/index.ts';

eachDatabase('what a device may be activated to', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const activate = async (who: Person, device_id: string, product_id: string) =>
    outcome(await world.as(who).call('devices.activate', { params: { device_id }, body: { product_id } }));
  const isOn = async (id: string) => {
    const read = await world.as('admin').call('devices.get', { params: { identifier: id } });
    return unwrap(read).value.product_id;
  };

  // API-RULE-activate-2, API-RULE-production-1
  it.each([
    ['a locked product', { claimable: 0 }],
    ['a production product', { claimable: 0, production: 1 }],
  ] as const)('the owner of a device and an administrator take it off %s, and no vendor does', async (_, values) => {
    const { app, platform, people, deviceOf } = world;
    const held = await app.make.product({ platform_id: platform.id, user_id: people.maker.id, ...values });
    await app.make.member(held.id, people.manager.id, 'manager');
    const published = await app.make.product({ platform_id: platform.id, publication: 'published' });
    for (const who of ['owner', 'admin'] as const) {
      const device = await deviceOf('owner', { product_id: held.id });
      expect(await activate('maker', device.id, platform.product_id)).toBe('FORBIDDEN');
      expect(await activate('manager', device.id, platform.product_id)).toBe('FORBIDDEN');
      expect(await activate(who, device.id, published.id)).not.toBe('ok');
      expect(await activate(who, device.id, platform.product_id)).toBe('ok');
      expect(await isOn(device.id)).toBe(platform.product_id);
      expect(await activate('owner', device.id, published.id)).toBe('ok');
    }
  });

  it.runIf(extensionsRun)('many devices leave at once as one does', async () => {
    const { app, platform, deviceOf } = world;
    const locked = await app.make.product({ platform_id: platform.id, claimable: 0 });
    const device = await deviceOf('owner', { product_id: locked.id });
    const body = { device_ids: [device.id], product_id: platform.product_id };
    expect(unwrap(await world.as('owner').call('manyDevices.activate', { body })).value).toEqual({
      ok: 1,
      refused: [],
    });
  });

  // API-RULE-production-1
  describe('a published production product', () => {
    const production = async () => {
      const { app, platform, people } = world;
      const customer = await app.storage.db
        .insertInto('customers')
        .values({ id: crypto.randomUUID(), name: crypto.randomUUID(), title: '', created_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      const made = await app.make.product({
        platform_id: platform.id,
        customer_id: customer.id,
        production: 1,
        publication: 'published',
      });
      const clerk = await app.make.user({ role: 'customer', customer_id: customer.id });
      await app.make.member(made.id, people.tester.id, 'tester');
      return { made, clerk };
    };

    it.runIf(extensionsRun)(
      'takes devices of its customer’s people, not those of strangers, regardless of who activates them',
      async () => {
        const { app, platform, deviceOf } = world;
        const { made, clerk } = await production();
        const stranger = await deviceOf('stranger', { product_id: platform.product_id });
        expect(await activate('stranger', stranger.id, made.id)).toBe('NOT_FOUND');
        expect(await activate('admin', stranger.id, made.id)).toBe('NOT_FOUND');
        const body = { device_ids: [stranger.id], product_id: made.id };
        const many = unwrap(await world.as('admin').call('manyDevices.activate', { body })).value;
        expect(many).toMatchObject({ ok: 0, refused: [{ code: 'NOT_FOUND' }] });
        expect(
          await activate('tester', (await deviceOf('tester', { product_id: platform.product_id })).id, made.id),
        ).toBe('ok');
        expect(await activate('admin', (await deviceOf(null, { product_id: platform.product_id })).id, made.id)).toBe(
          'ok',
        );
        const theirs = await deviceOf(null, { product_id: platform.product_id, user_id: clerk.id });
        const params = { device_id: theirs.id };
        const reply = await app.client
          .as(clerk.token)
          .call('devices.activate', { params, body: { product_id: made.id } });
        expect(outcome(reply)).toBe('ok');
      },
    );

    it('is no choice of a stranger, and stays that of a device that is on it', async () => {
      const { platform, deviceOf } = world;
      const { made } = await production();
      const choices = async (id: string) =>
        unwrap(await world.as('owner').call('devices.products', { params: { id } })).value.map((one) => one.product_id);
      const device = await deviceOf('owner', { product_id: platform.product_id });
      expect(await choices(device.id)).not.toContain(made.id);
      const theirs = await deviceOf('owner', { product_id: made.id });
      expect(await choices(theirs.id)).toEqual([made.id]);
      expect(await activate('owner', theirs.id, made.id)).toBe('ok');
    });
  });

  // API-EP-GET-devices-id-products
  it('the choices of a device show its vendor no private products of its owner', async () => {
    const { app, platform, people, deviceOf } = world;
    const secret = await app.make.product({ platform_id: platform.id, user_id: people.owner.id });
    const published = await app.make.product({ platform_id: platform.id, publication: 'published' });
    const device = await deviceOf('owner');
    const choices = async (who: Person) =>
      unwrap(await world.as(who).call('devices.products', { params: { id: device.id } })).value.map(
        ({ product_id }) => product_id,
      );
    for (const who of ['owner', 'admin'] as const) {
      expect(await choices(who)).toEqual(expect.arrayContaining([secret.id, published.id]));
    }
    for (const who of ['maker', 'manager', 'tester'] as const) {
      expect(await choices(who)).toContain(published.id);
      expect(await choices(who)).not.toContain(secret.id);
    }
  });
});
