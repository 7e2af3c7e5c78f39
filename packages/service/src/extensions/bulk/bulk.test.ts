import { randomUUID } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { topics } from '../../engine/bus/topics.ts';
import { type DeviceWorld, deviceWorld, type Person } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';

// API-RULE-many-devices-2
eachDatabase('blocking, resetting and asking many devices', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const rowOf = (id: string) =>
    world.app.storage.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const rowsOf = (type: string) =>
    world.app.storage.db.selectFrom('logs').selectAll().where('type', '=', type).orderBy('created_at').execute();
  const setState = (who: Person, device_ids: string[], state: 'disabled' | 'enabled') =>
    world.as(who).call('manyDevices.setState', { body: { device_ids, state } });

  // API-EP-POST-devices-state
  it('block cuts each off and is lifted again, but not what an administrator has blocked', async () => {
    const mine = [await world.deviceOf('owner'), await world.deviceOf('owner')];
    const held = await world.deviceOf('owner', { state: 'disabled', blocked_by: 'admin' });
    const foreign = await world.deviceOf('stranger');
    const ids = [...mine, held, foreign].map(({ id }) => id);
    const cut: string[] = [];
    world.app.storage.bus.subscribe(topics.deviceRevoked, ({ deviceId }) => cut.push(deviceId));
    const blocked = unwrap(await setState('owner', ids, 'disabled')).value;
    expect(blocked).toMatchObject({ ok: 3, refused: [{ device_id: foreign.id, code: 'NOT_FOUND' }] });
    expect(cut.toSorted()).toEqual([...mine, held].map(({ id }) => id).toSorted());
    expect(await rowsOf('device.state')).toMatchObject([
      { device_id: null, message: '2 devices blocked', owner_id: world.people.owner.id },
    ]);
    const lifted = unwrap(await setState('owner', ids, 'enabled')).value;
    expect(lifted.ok).toBe(2);
    expect(lifted.refused).toEqual(
      expect.arrayContaining([expect.objectContaining({ device_id: held.id, code: 'FORBIDDEN' })]),
    );
    for (const { id } of mine) expect(await rowOf(id)).toMatchObject({ state: 'enabled', blocked_by: null });
    expect(await rowOf(held.id)).toMatchObject({ state: 'disabled', blocked_by: 'admin' });
  });

  // API-LIMIT-many-commands
  it('one command line runs on a hundred of them at most', async () => {
    const send = (count: number) => {
      const device_ids = Array.from({ length: count }, () => randomUUID());
      return world.as('owner').call('channel.commandMany', { body: { device_ids, command: 'ls' } });
    };
    expect(unwrap(await send(100)).value.refused).toHaveLength(100);
    expect(await send(101)).toMatchObject({ ok: false, error: { status: 400, body: { code: 'INVALID_REQUEST' } } });
  });

  it('rows are apart by owner, so that each reads of their own devices alone', async () => {
    const devices = [
      await world.deviceOf('owner'),
      await world.deviceOf('owner'),
      await world.deviceOf('stranger'),
      await world.deviceOf('stranger'),
    ];
    const before = (await rowsOf('device.state')).length;
    unwrap(
      await setState(
        'admin',
        devices.map(({ id }) => id),
        'disabled',
      ),
    );
    const written = (await rowsOf('device.state')).slice(before);
    const { owner, stranger } = world.people;
    expect(written.map(({ owner_id }) => owner_id).toSorted()).toEqual([owner.id, stranger.id].toSorted());
  });

  // API-EP-POST-devices-reset
  it('reset takes back what is claimable, and says why the others stay', async () => {
    const device = await world.deviceOf('owner', { title: 'Mine', tag: 'beta' });
    const locked = await world.app.make.product({ platform_id: world.platform.id, claimable: 0 });
    const held = await world.deviceOf('owner', { product_id: locked.id });
    const device_ids = [device.id, held.id];
    const done = unwrap(await world.as('owner').call('manyDevices.reset', { body: { device_ids } })).value;
    expect(done).toMatchObject({ ok: 1, refused: [{ device_id: held.id, code: 'DEVICE_LOCKED' }] });
    expect(await rowOf(device.id)).toMatchObject({
      user_id: null,
      tag: null,
      product_id: world.platform.product_id,
    });
    expect((await rowOf(held.id)).user_id).toBe(world.people.owner.id);
    // One alone has a row of its own, which its former owner reads.
    expect(await rowsOf('device.reset')).toMatchObject([{ device_id: device.id, message: 'Device "Mine" reset' }]);
  });

  // API-EP-POST-devices-update, API-RULE-ask-1
  it('asking notes the moment and wakes each, unless it is blocked', async () => {
    const { clock, storage } = world.app;
    const [here, away] = [await world.deviceOf('owner'), await world.deviceOf('owner')];
    const blocked = await world.deviceOf('owner', { state: 'disabled' });
    const at = { session: 'x', address: '::1', connected_at: 1 };
    await storage.db.insertInto('processes').values({ id: 'p', seen_at: 1, beats: 0 }).execute();
    await storage.db
      .insertInto('channels')
      .values({ device_id: here.id, process_id: 'p', ...at })
      .execute();
    const woken: unknown[] = [];
    storage.bus.subscribe(topics.otaDue, ({ deviceId }) => woken.push(deviceId));
    const device_ids = [here.id, away.id, blocked.id];
    const asked = unwrap(await world.as('manager').call('manyDevices.askUpdate', { body: { device_ids } })).value;
    expect(asked).toMatchObject({ ok: 2, online: 1, refused: [{ device_id: blocked.id, code: 'DEVICE_DISABLED' }] });
    expect(woken.toSorted()).toEqual([here.id, away.id].toSorted());
    for (const id of [here.id, away.id]) {
      expect(await rowOf(id)).toMatchObject({ update_asked_at: clock.now(), update_looked_at: null });
    }
    const tested = unwrap(await world.as('tester').call('manyDevices.askUpdate', { body: { device_ids } })).value;
    expect(tested).toMatchObject({ ok: 0, online: 0 });
  });
});
