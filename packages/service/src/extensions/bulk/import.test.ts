import { randomBytes } from 'node:crypto';
import { importLimit } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';

// API-RULE-import-1, API-EP-POST-devices-import
eachDatabase('an import of devices', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const uuidOf = (partId: string | null) => `${partId ?? ''}${randomBytes(20).toString('hex')}`.slice(0, 40);
  const fresh = (title?: string) => ({
    uuid: uuidOf(world.platform.part_id),
    platform_id: world.platform.id,
    ...(title !== undefined && { title }),
  });
  const send = async (who: Person, devices: readonly { uuid: string; platform_id: string }[], preview = false) =>
    unwrap(await world.as(who).call('manyDevices.import', { body: { devices: [...devices], preview } })).value;
  const count = async () =>
    (
      await world.app.storage.db
        .selectFrom('devices')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .execute()
    )[0]?.n;

  it('makes all of them, each with a token of its own, in one row of the log', async () => {
    const devices = [fresh('North'), fresh()];
    const { imported, refused, rows } = await send('admin', devices);
    expect([imported, refused]).toEqual([2, 0]);
    expect(rows.map(({ uuid, code }) => [uuid, code])).toEqual(devices.map(({ uuid }) => [uuid, null]));
    expect(new Set(rows.map(({ token }) => token)).size).toBe(2);
    const [first] = rows;
    const found = await world.as('admin').call('devices.get', { params: { identifier: first?.device_id ?? '' } });
    expect(unwrap(found).value).toMatchObject({ uuid: first?.uuid, title: 'North', state: 'enabled' });
    const logs = await world.app.storage.db
      .selectFrom('logs')
      .selectAll()
      .where('type', '=', 'device.provision')
      .execute();
    expect(logs.filter(({ data }) => data.includes(first?.device_id ?? '-'))).toMatchObject([
      { message: '2 devices provisioned', device_id: null },
    ]);
  });

  it('as a preview says what would happen, and changes nothing', async () => {
    const before = await count();
    const twice = fresh();
    const { imported, refused, rows } = await send('admin', [fresh(), twice, twice], true);
    expect([imported, refused]).toEqual([0, 1]);
    expect(rows.map(({ code }) => code)).toEqual([null, null, 'DUPLICATE']);
    expect(rows.every(({ device_id, token }) => device_id === null && token === null)).toBe(true);
    expect(await count()).toBe(before);
  });

  it('makes none when one is refused, and says of each why', async () => {
    const before = await count();
    const wrong = { ...fresh(), uuid: 'ffffffff'.padEnd(40, '0') };
    const { imported, refused, rows } = await send('admin', [fresh(), wrong]);
    expect([imported, refused, rows[1]?.code]).toEqual([0, 1, 'UUID_OF_ANOTHER_PLATFORM']);
    expect(rows[1]?.message).toContain('ffffffff');
    expect(await count()).toBe(before);
    const byOwner = await send('owner', [fresh()]);
    expect(byOwner.rows.map(({ code }) => code)).toEqual(['FORBIDDEN']);
    expect(await count()).toBe(before);
  });

  it('takes 1 to 500 rows', async () => {
    const many = Array.from({ length: importLimit + 1 }, () => fresh());
    for (const devices of [[], many]) {
      const reply = await world.as('admin').call('manyDevices.import', { body: { devices, preview: true } });
      expect(outcome(reply)).toBe('INVALID_REQUEST');
    }
  });
});
