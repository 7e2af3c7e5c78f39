import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase, extensionsRun } from '../../testing/index.ts';

const place = { lat_e6: 1_000_000, lon_e6: 2_000_000, city: 'Hamburg', country: 'DE' };
let addresses = 0;
const address = () =>
  `02:00:00:00:${(++addresses >> 8).toString(16).padStart(2, '0')}:${(addresses & 255).toString(16).padStart(2, '0')}`.toUpperCase();

eachDatabase('what the people of a product see of a device', (open) => {
  let world: DeviceWorld;
  beforeAll(async () => {
    world = await deviceWorld(await open());
  });

  const located = (owner: Person | null) =>
    world.deviceOf(owner, { mac: address(), bt_addr: address(), ip: '203.0.113.7', ...place });
  const read = (who: Person, identifier: string) => world.as(who).call('devices.get', { params: { identifier } });

  // API-RULE-access-1
  it('a tester sees no address, place or telemetry; owner, vendor and administrator do', async () => {
    const device = await located('owner');
    const telemetry = { device_id: device.id, at: 1, data: '{"ip":"203.0.113.7"}' };
    await world.app.storage.db.insertInto('telemetry').values(telemetry).execute();
    const all = { mac: device.mac, bt_addr: device.bt_addr, ip: '203.0.113.7', telemetry: { ip: '203.0.113.7' } };
    const none = { mac: null, bt_addr: null, ip: null, location: null, telemetry: null };
    for (const [who, role, shown] of [
      ['owner', 'owner', all],
      ['maker', 'vendor', all],
      ['manager', 'vendor', all],
      ['admin', 'none', all],
      ['tester', 'tester', none],
    ] as const) {
      expect(unwrap(await read(who, device.id)).value).toMatchObject({ role, ...shown });
      const listed = unwrap(await world.as(who).call('devices.list', { query: { q: device.uuid } })).value;
      expect(listed).toMatchObject([{ role, ...shown }]);
      const channel = unwrap(await world.as(who).call('channel.status', { params: { device_id: device.id } })).value;
      expect(channel.telemetry === null).toBe(who === 'tester');
    }
  });

  it('a tester’s own device hides nothing from them', async () => {
    const device = await located('tester');
    expect(unwrap(await read('tester', device.id)).value).toMatchObject({ role: 'owner', ip: '203.0.113.7' });
    const listed = await world.as('tester').call('devices.list', { query: { q: device.mac ?? '' } });
    expect(unwrap(listed).value.map(({ id }) => id)).toEqual([device.id]);
  });

  it.runIf(extensionsRun)('no search, count, map or lookup gives a tester what the record hides', async () => {
    const device = await located('owner');
    const query = { q: (device.mac ?? '').slice(0, 16) };
    for (const [who, sees] of [
      ['tester', false],
      ['manager', true],
    ] as const) {
      const listed = unwrap(await world.as(who).call('devices.list', { query }));
      expect(listed.value.some(({ id }) => id === device.id)).toBe(sees);
      expect(listed.total).toBe(listed.value.length);
      for (const name of [device.mac, device.bt_addr]) {
        expect(outcome(await read(who, name ?? ''))).toBe(sees ? 'ok' : 'NOT_FOUND');
      }
      for (const filter of [`mac==${device.mac}`, 'ip==203.0.113.7']) {
        const filtered = unwrap(await world.as(who).call('devices.list', { query: { filter } }));
        expect(filtered.value.some(({ id }) => id === device.id)).toBe(sees);
        expect(filtered.total).toBe(filtered.value.length);
        const not = { filter: filter.replace('==', '!=') };
        const others = unwrap(await world.as(who).call('devices.list', { query: not })).value;
        expect(others.some(({ id }) => id === device.id)).toBe(!sees);
      }
      const map = unwrap(await world.as(who).call('metrics.locations', { query: { product_id: world.product.id } }));
      expect(map.value.some(({ device_id }) => device_id === device.id)).toBe(sees);
      expect(map.total).toBe(map.value.length);
    }
  });

  it('a tester reads no messages, and hears of none', async () => {
    const device = await located('owner');
    const params = { device_id: device.id };
    const capabilities = JSON.stringify({ name: 'x', version: '1', messages: { 'to-device': true } });
    const activation = { device_id: device.id, user_id: world.people.owner.id, capabilities, activated_at: 1 };
    await world.app.storage.db.insertInto('activations').values(activation).execute();
    const posted = await world.as('owner').call('data.postMessage', { params, body: { data: 'private' } });
    const message = { ...params, message_id: unwrap(posted).value.id };
    for (const [who, code] of [
      ['tester', 'FORBIDDEN'],
      ['stranger', 'NOT_FOUND'],
      ['manager', 'ok'],
    ] as const) {
      expect(outcome(await world.as(who).call('data.messages', { params }))).toBe(code);
      expect(outcome(await world.as(who).call('data.message', { params: message }))).toBe(code);
    }
  });

  describe('files of a device', () => {
    const trust = (who: Person, device_id: string, vendor_files = true) =>
      world.as(who).call('devices.update', { params: { device_id }, body: { vendor_files } });
    const files = async (who: Person, device_id: string) =>
      outcome(await world.as(who).call('deviceFiles.list', { params: { device_id } }));
    const isOpen = async (id: string) => unwrap(await read('admin', id)).value.vendor_files;

    it('only the owner of a device opens them to its vendor, which the log says', async () => {
      const device = await located('owner');
      for (const who of ['maker', 'manager', 'tester', 'admin'] as const) {
        expect(outcome(await trust(who, device.id))).toBe('FORBIDDEN');
      }
      expect(await files('maker', device.id)).toBe('FORBIDDEN');
      expect(unwrap(await trust('owner', device.id)).value.vendor_files).toBe(true);
      expect(await files('maker', device.id)).toBe('ok');
      expect(unwrap(await trust('owner', device.id, false)).value.vendor_files).toBe(false);
      expect(await files('maker', device.id)).toBe('FORBIDDEN');
      const logs = unwrap(await world.as('owner').call('logs.list', { query: { device_id: device.id } })).value;
      expect(logs.map(({ message }) => message).sort()).toEqual([
        `Files of device "${device.title}" are closed to its vendor again`,
        `Files of device "${device.title}" are open to its vendor now`,
      ]);
    });

    it('a vendor uses those of a device that nobody owns', async () => {
      expect(await files('manager', (await located(null)).id)).toBe('ok');
    });

    it('another vendor or owner is trusted anew', async () => {
      const { platform } = world;
      const moved = await located('owner');
      unwrap(await trust('owner', moved.id));
      const body = { product_id: platform.product_id };
      unwrap(await world.as('owner').call('devices.activate', { params: { device_id: moved.id }, body }));
      expect(await isOpen(moved.id)).toBe(false);
      const reset = await located('owner');
      unwrap(await trust('owner', reset.id));
      unwrap(await world.as('owner').call('devices.reset', { params: { device_id: reset.id } }));
      expect(await isOpen(reset.id)).toBe(false);
    });

    it('the log of a vendor names files that it may use, and no others', async () => {
      const device = await located('owner');
      const write = (path: string) =>
        world.as('owner').call('deviceFiles.upload', { params: { device_id: device.id, path }, body: new Blob(['x']) });
      unwrap(await write('hidden.txt'));
      unwrap(await trust('owner', device.id));
      unwrap(await write('shown.txt'));
      const seen = async (who: Person) =>
        unwrap(await world.as(who).call('logs.list', { query: { device_id: device.id, type: 'device.file_write' } }))
          .value.map(({ message }) => message)
          .sort();
      expect(await seen('owner')).toEqual(['File "hidden.txt" written', 'File "shown.txt" written']);
      expect(await seen('maker')).toEqual(['File "shown.txt" written']);
    });
  });
});

// API-RULE-provision-1
eachDatabase('what module hardware is called by', (open) => {
  let world: DeviceWorld;
  let software: { id: string; product_id: string };
  beforeAll(async () => {
    world = await deviceWorld(await open());
    software = await world.app.make.platform({ code: 'SOFT', part_id: null });
  });

  let numbers = 0;
  const uuid = () => `${world.platform.part_id}${(++numbers).toString(16).padStart(32, '0')}`;
  const provision = (who: Person, body: { uuid: string; platform_id: string; mac?: string; bt_addr?: string }) =>
    world.as(who).call('devices.provision', { body });
  const row = (id: string) => world.app.storage.hot.deviceById(id);
  const warnings = async (device_id: string) =>
    unwrap(await world.as('admin').call('logs.list', { query: { device_id, level: 'warning' } })).value.length;

  it('a uuid that somebody without the hardware has taken goes to the hardware, and that one is shut out', async () => {
    const wanted = uuid();
    const squatter = unwrap(await provision('stranger', { uuid: wanted, platform_id: software.id })).value;
    const zip = await world.as('stranger').call('devices.certificates', { params: { device_id: squatter.id } });
    expect(outcome(zip)).toBe('ok');
    const before = await row(squatter.id);
    const made = unwrap(await provision('admin', { uuid: wanted, platform_id: world.platform.id })).value;
    expect(made.uuid).toBe(wanted);
    expect(made.user_id).toBeNull();
    expect(await row(squatter.id)).toMatchObject({ certificate_fingerprint: null, provision_token_hash: null });
    expect((await row(squatter.id))?.uuid).toMatch(/^[0-9a-f]{40}$/);
    expect((await row(squatter.id))?.uuid).not.toBe(wanted);
    const retired = await world.app.storage.db
      .selectFrom('retired_certificates')
      .select('fingerprint')
      .where('device_id', '=', squatter.id)
      .execute();
    expect(retired).toEqual([{ fingerprint: before?.certificate_fingerprint }]);
    expect(await warnings(squatter.id)).toBe(1);
  });

  it('addresses that others have typed or reported go to the hardware', async () => {
    const [typed, blue, reported] = [address(), address(), address()];
    const squatter = unwrap(
      await provision('stranger', { uuid: uuid(), platform_id: software.id, mac: typed, bt_addr: blue }),
    ).value;
    const liar = await world.deviceOf('stranger', { mac: reported, mac_reported: 1 });
    for (const body of [{ mac: typed, bt_addr: blue }, { mac: reported }]) {
      const made = await provision('admin', { uuid: uuid(), platform_id: world.platform.id, ...body });
      expect(unwrap(made).value).toMatchObject(body);
    }
    expect(await row(squatter.id)).toMatchObject({ mac: null, bt_addr: null });
    expect(await row(liar.id)).toMatchObject({ mac: null, mac_reported: 0 });
    expect([await warnings(squatter.id), await warnings(liar.id)]).toEqual([2, 1]);
  });

  it('what hardware has from the factory, or a user asks for, gives way to none', async () => {
    const mac = address();
    const hardware = { uuid: uuid(), platform_id: world.platform.id, mac };
    unwrap(await provision('admin', hardware));
    expect(outcome(await provision('admin', hardware))).toBe('DUPLICATE');
    expect(outcome(await provision('admin', { ...hardware, uuid: uuid() }))).toBe('DUPLICATE');
    expect(outcome(await provision('stranger', { uuid: hardware.uuid, platform_id: software.id }))).toBe('DUPLICATE');
    expect(outcome(await provision('stranger', { uuid: uuid(), platform_id: software.id, mac }))).toBe('DUPLICATE');
    const taken = uuid();
    unwrap(await provision('stranger', { uuid: taken, platform_id: software.id }));
    expect(outcome(await provision('owner', { uuid: taken, platform_id: software.id }))).toBe('DUPLICATE');
  });

  it('an address that is refused takes the rest of the provisioning back', async () => {
    const mac = address();
    unwrap(await provision('admin', { uuid: uuid(), platform_id: world.platform.id, mac }));
    const wanted = uuid();
    const squatter = unwrap(await provision('stranger', { uuid: wanted, platform_id: software.id })).value;
    expect(outcome(await provision('admin', { uuid: wanted, platform_id: world.platform.id, mac }))).toBe('DUPLICATE');
    expect((await row(squatter.id))?.uuid).toBe(wanted);
  });
});
