import { type DeviceHealth, healthStates } from '@moorage/api';
import { hourMs, minuteMs, unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { buildApp, eachDatabase } from '../../testing/index.ts';
import { judge } from './engine.ts';

/** How long ago devices of a product were heard from, by the seconds between two of their queries; 3,600 without a setting. */
const cases: readonly {
  readonly interval?: number;
  readonly agoMs?: number;
  readonly keptMs?: number;
  readonly state?: 'disabled';
  readonly channel?: true;
  readonly is: DeviceHealth;
}[] = [
  { is: 'never' },
  { channel: true, is: 'connected' },
  { agoMs: 90 * 24 * hourMs, channel: true, is: 'connected' },
  { agoMs: 0, is: 'on_time' },
  { agoMs: 2 * hourMs - 1, is: 'on_time' },
  { agoMs: 2 * hourMs, is: 'late' },
  { agoMs: 4 * hourMs - 1, is: 'late' },
  { agoMs: 4 * hourMs, is: 'silent' },
  { agoMs: 0, state: 'disabled', is: 'blocked' },
  { agoMs: 0, state: 'disabled', channel: true, is: 'blocked' },
  { interval: 60, agoMs: 2 * minuteMs - 1, is: 'on_time' },
  { interval: 60, agoMs: 2 * minuteMs, is: 'late' },
  { interval: 60, agoMs: 4 * minuteMs, is: 'silent' },
  { interval: 86_400, agoMs: 24 * hourMs, is: 'on_time' },
  // A longer one that it keeps, and a shorter one.
  { keptMs: 24 * hourMs, agoMs: 24 * hourMs, is: 'on_time' },
  { keptMs: minuteMs, agoMs: 4 * minuteMs, is: 'on_time' },
  // A clock that is ahead of the service's.
  { agoMs: -minuteMs, is: 'on_time' },
];

// API-RULE-health-1
eachDatabase('how a device is heard from', (open) => {
  it('a page, the list, its filter, the export, the counts, the map and alert rules all say the same', async () => {
    const app = await buildApp(await open());
    const { db } = app.storage;
    const admin = await app.make.admin();
    const client = app.client.as(admin.token);
    const platform = await app.make.platform();
    const products = new Map<number, string>();
    const expected = new Map<DeviceHealth, string[]>(healthStates.map((word) => [word, []]));
    const nowMs = app.clock.now();
    for (const { interval = 0, agoMs, keptMs = null, state, channel, is } of cases) {
      const product_id =
        products.get(interval) ?? (await app.make.product({ platform_id: platform.id, user_id: admin.id })).id;
      products.set(interval, product_id);
      const body = { poll_interval_s: interval };
      if (interval > 0) unwrap(await client.call('rollouts.setFleetSettings', { params: { product_id }, body }));
      const { id } = await app.make.device({
        platform_id: platform.id,
        product_id,
        state: state ?? (agoMs === undefined ? 'enabled' : 'active'),
        last_seen_at: agoMs === undefined ? null : nowMs - agoMs,
        contact_ms: keptMs,
        lat_e6: 1,
        lon_e6: 1,
      });
      if (channel) {
        const row = { device_id: id, process_id: 'here', session: 's', address: '', connected_at: nowMs };
        await db.insertInto('channels').values(row).execute();
      }
      const got = unwrap(await client.call('devices.get', { params: { identifier: id } })).value;
      expect(got.health, JSON.stringify({ interval, agoMs, state, channel })).toBe(is);
      expected.get(is)?.push(id);
    }
    for (const [health, ids] of expected) {
      const { value } = unwrap(await client.call('devices.list', { query: { health } }));
      expect(value.map(({ id }) => id).sort(), health).toEqual(ids.sort());
      expect(value.map((device) => device.health)).toEqual(ids.map(() => health));
    }
    const counts = Object.fromEntries([...expected].map(([word, ids]) => [word, ids.length]));
    expect(unwrap(await client.call('fleet.summary', {})).value.health).toEqual(counts);
    const places = unwrap(await client.call('metrics.places', {})).value;
    const heard = (counts.connected ?? 0) + (counts.on_time ?? 0);
    expect(places).toMatchObject([{ devices: cases.length, heard }]);
    const silent: string[] = [];
    for (const product_id of products.values()) {
      const made = { title: 'Silent', condition: { kind: 'silent' } } as const;
      const rule = unwrap(await client.call('alerts.createRule', { params: { product_id }, body: made })).value;
      await judge(app.service.deps, rule.id);
    }
    for (const alert of unwrap(await client.call('alerts.list', {})).value) {
      const params = { alert_id: alert.id };
      silent.push(...unwrap(await client.call('alerts.devices', { params })).value.map(({ device_id }) => device_id));
    }
    expect(silent.sort()).toEqual(expected.get('silent')?.sort());
  });
});
