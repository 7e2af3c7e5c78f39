import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Storage } from '../../engine/db/storage.ts';
import { type DeviceWorld, deviceWorld, outcome } from '../../testing/device-world.ts';
import { eachDatabase, testStartMs } from '../../testing/index.ts';

const nodes = [
  { id: '00aa', title: 'Pump', last_seen_at: String(testStartMs) },
  { id: '00bb', title: '', last_seen_at: String(testStartMs) },
];

eachDatabase('what devices report', (open) => {
  let storage: Storage;
  let world: DeviceWorld;
  let online: { readonly id: string };
  let offline: { readonly id: string };
  const owner = () => world.as('owner');
  const ownerId = () => world.people.owner.id;

  async function report(deviceId: string): Promise<void> {
    const { db } = storage;
    const at = testStartMs;
    const channel = { process_id: 'p', session: deviceId, address: '192.0.2.1', connected_at: at };
    await db
      .insertInto('channels')
      .values({ device_id: deviceId, ...channel })
      .execute();
    await db
      .insertInto('telemetry')
      .values({ device_id: deviceId, at, data: '{"level":1.5,"in":{"a":[1]}}' })
      .execute();
    const rows = nodes.map(({ id, title }) => ({ device_id: deviceId, id, title: title || null, seen_at: at }));
    await db.insertInto('device_nodes').values(rows).execute();
  }

  beforeAll(async () => {
    storage = await open();
    world = await deviceWorld(storage);
  });

  beforeEach(async () => {
    await storage.db.deleteFrom('channels').execute();
    online = await world.deviceOf('owner', { lat_e6: 1, lon_e6: 2 });
    offline = await world.deviceOf('owner');
    await report(online.id);
  });

  // API-CHAN-online, API-CHAN-telemetry, API-CHAN-nodes
  it('is in the record of the device, alone and in the list', async () => {
    const reported = { online: true, telemetry: { level: 1.5, in: { a: [1] } }, nodes };
    const one = await owner().call('devices.get', { params: { identifier: online.id } });
    expect(one).toMatchObject({ value: { value: reported } });
    const other = await owner().call('devices.get', { params: { identifier: offline.id } });
    expect(other).toMatchObject({ value: { value: { online: false, telemetry: null, nodes: null } } });
    const body = { title: 'Renamed' };
    const renamed = await owner().call('devices.update', { params: { device_id: online.id }, body });
    expect(renamed).toMatchObject({ value: { value: { ...reported, ...body } } });
    const list = await owner().call('devices.list', { query: {} });
    if (!list.ok) throw new Error(list.error.body.message);
    const listed = new Map(list.value.value.map((device) => [device.id, device]));
    expect(listed.get(online.id)).toMatchObject(reported);
    expect(listed.get(offline.id)).toMatchObject({ online: false, nodes: null });
  });

  // API-CHAN-online
  it('is seen by those who have read the record before', async () => {
    const params = { identifier: offline.id };
    const isOnline = async () => {
      const read = await owner().call('devices.get', { params });
      return read.ok && read.value.value.online;
    };
    expect([await isOnline(), await isOnline()]).toEqual([false, false]);
    await report(offline.id);
    expect([await isOnline(), await isOnline()]).toEqual([true, true]);
  });

  // API-RULE-list-2
  it('is what the list can be filtered by', async () => {
    const idsOf = async (isOnline: boolean) => {
      const list = await owner().call('devices.list', { query: { online: isOnline, limit: 500 } });
      if (!list.ok) throw new Error(list.error.body.message);
      expect(list.value.total).toBe(list.value.value.length);
      return list.value.value.map(({ id }) => id);
    };
    expect(await idsOf(true)).toEqual([online.id]);
    expect(await idsOf(false)).toContain(offline.id);
    expect(await idsOf(false)).not.toContain(online.id);
  });

  // API-EP-GET-user-status, API-EP-GET-metrics-locations-devices
  it('is counted in the status, and shown on the map', async () => {
    for (const [person, count] of [
      ['owner', 1],
      ['tester', 1],
      ['admin', 1],
      ['stranger', 0],
    ] as const) {
      const status = await world.as(person).call('overview.status');
      expect(status).toMatchObject({ value: { value: { devices: { online: count } } } });
    }
    const map = await owner().call('metrics.locations', { query: {} });
    if (!map.ok) throw new Error(map.error.body.message);
    expect(map.value.value.find(({ device_id }) => device_id === online.id)).toMatchObject({ health: 'connected' });
  });

  // API-RULE-reset-1: who gets the device next must not see what the one before did with it.
  it('is gone after a factory reset, with all of the data cloud', async () => {
    const { db } = storage;
    const at = testStartMs;
    const of = { device_id: online.id };
    await db
      .insertInto('activations')
      .values({ ...of, user_id: ownerId(), capabilities: '{}', activated_at: at })
      .execute();
    const batch = {
      deviceId: online.id,
      batch: 'ab'.repeat(8),
      atMs: at,
      samples: [{ name: 's', atMs: at, value: 1 }],
    };
    await storage.samples.append(batch);
    const value = { ...of, name: 'c', value: '1', at, source: 'user' as const };
    await db
      .insertInto('controls')
      .values({ ...value, delivered: 0 })
      .execute();
    await db
      .insertInto('control_values')
      .values({ ...value, user_id: ownerId() })
      .execute();
    const message = { id: 'm', box: 'to-device' as const, headers: '{}', data: '', length: 0, created_at: at };
    await db
      .insertInto('messages')
      .values({ ...of, ...message })
      .execute();

    expect(outcome(await owner().call('devices.reset', { params: { device_id: online.id } }))).toBe('ok');
    for (const table of [
      'telemetry',
      'device_nodes',
      'activations',
      'sample_batches',
      'controls',
      'control_values',
      'messages',
    ] as const) {
      const rows = await db.selectFrom(table).select('device_id').where('device_id', '=', online.id).execute();
      expect([table, rows]).toEqual([table, []]);
    }
    expect(await db.selectFrom('samples').selectAll().execute()).toEqual([]);
    // What it sends from now on is kept.
    await storage.samples.append({ ...batch, batch: 'cd'.repeat(8) });
    expect(await db.selectFrom('samples').selectAll().execute()).toHaveLength(1);
  });

  // API-STATE-device-any-disabled, API-RULE-access-1
  it('is seen again only when the user who has blocked the device lets it in', async () => {
    const params = { device_id: online.id };
    const ask = async (person: 'owner' | 'admin', state: 'disabled' | 'enabled') =>
      outcome(await world.as(person).call('devices.setState', { params, body: { state } }));
    expect([await ask('owner', 'disabled'), await ask('owner', 'enabled')]).toEqual(['ok', 'ok']);
    expect([await ask('admin', 'disabled'), await ask('owner', 'disabled')]).toEqual(['ok', 'ok']);
    expect(await ask('owner', 'enabled')).toBe('FORBIDDEN');
    expect(await ask('owner', 'enabled')).toBe('FORBIDDEN');
    expect([await ask('admin', 'enabled'), await ask('owner', 'enabled')]).toEqual(['ok', 'ok']);
    // The administrator's block takes over from the owner's.
    expect([await ask('owner', 'disabled'), await ask('admin', 'disabled')]).toEqual(['ok', 'ok']);
    expect(await ask('owner', 'enabled')).toBe('FORBIDDEN');
    expect([await ask('admin', 'enabled'), await ask('owner', 'disabled')]).toEqual(['ok', 'ok']);
    expect(await ask('owner', 'enabled')).toBe('ok');
  });
});
