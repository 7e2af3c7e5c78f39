import type { DeviceListQuery } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase, type MadeUser, testStartMs } from '../../testing/index.ts';

eachDatabase('devices', (open) => {
  let world: DeviceWorld;
  let app: DeviceWorld['app'];
  let platform: DeviceWorld['platform'];
  let product: DeviceWorld['product'];
  const as = (person: Person) => world.as(person);
  const idOf = (person: Person) => world.people[person].id;
  const deviceOf = (owner: Person | null, more?: object) => world.deviceOf(owner, more);
  const logsOf = (deviceId: string) => world.logsOf(deviceId);

  beforeAll(async () => {
    world = await deviceWorld(await open());
    ({ app, platform, product } = world);
  });

  describe('provision', () => {
    const uuidOf = (end: string) => `${platform.part_id}${end.padStart(32, '0')}`;
    const body = (end: string, more: object = {}) => ({ uuid: uuidOf(end), platform_id: platform.id, ...more });

    // API-EP-POST-devices-provision, API-STATE-device-none-enabled, API-RULE-provision-2
    // API-FIELD-device-uuid, API-FIELD-device-platform_id
    it('provision gives the record and a token that is shown once', async () => {
      const reply = await as('admin').call('devices.provision', { body: body('a1', { mac: '4c55cc10789b' }) });
      if (!reply.ok) throw new Error(reply.error.body.message);
      const made = reply.value.value;
      expect(made).toMatchObject({
        uuid: uuidOf('a1'),
        title: '10789B',
        mac: '4C:55:CC:10:78:9B',
        platform: platform.code,
        product_id: platform.product_id,
        product: platform.edition.product,
        state: 'enabled',
        user_id: null,
        claimable: true,
        locked: false,
        bundle_id: null,
        bundle_ok: false,
        online: false,
        created_at: String(testStartMs),
        last_seen_at: null,
        certificates_url: `/api/devices/${made.id}/certificates.zip`,
      });
      expect(Buffer.from(made.token, 'base64').toString('latin1')).toMatch(/^[A-Za-z0-9]{24}$/);
      expect(await logsOf(made.id)).toEqual([{ type: 'device.provision', user_id: idOf('admin') }]);
      const read = await as('admin').call('devices.get', { params: { identifier: made.id } });
      expect(read.ok && read.value.value).not.toHaveProperty('token');
      const rows = await app.storage.db.selectFrom('devices').selectAll().where('id', '=', made.id).execute();
      expect(JSON.stringify(rows)).not.toContain(made.token);
    });

    it('provision of a software device is for anyone, who owns it then', async () => {
      const soft = await app.make.platform({ code: 'SOFT', part_id: null });
      const uuid = 'ab'.repeat(20);
      const reply = await as('stranger').call('devices.provision', {
        body: { uuid, platform_id: soft.id, title: 'Gateway' },
      });
      expect(reply).toMatchObject({ ok: true, value: { value: { user_id: idOf('stranger'), title: 'Gateway' } } });
    });

    // API-RULE-provision-1, API-ERR-409
    it('provision of a uuid or address that is there is refused', async () => {
      unwrap(
        await as('admin').call('devices.provision', {
          body: body('b1', { mac: '00:00:00:00:00:b1', bt_addr: '00-00-00-00-00-b2' }),
        }),
      );
      const again = [
        body('b1'),
        body('B1'),
        body('b2', { mac: '0000.0000.00b1' }),
        body('b3', { bt_addr: '0000000000b2' }),
        body('b4', { mac: '0000000000b2' }),
      ];
      for (const one of again) {
        expect(outcome(await as('admin').call('devices.provision', { body: one }))).toBe('DUPLICATE');
      }
    });

    // API-ERR-400, API-ERR-401, API-ERR-403, API-ERR-404
    it('provision refuses what is not valid or not allowed', async () => {
      const unknown = '00000000-0000-4000-8000-000000000000';
      const rows: [Person, object, string][] = [
        ['admin', body('c1', { uuid: 'xyz' }), 'INVALID_DEVICE_UUID'],
        ['admin', body('c1', { uuid: `${'0'.repeat(8)}${'1'.repeat(32)}` }), 'UUID_OF_ANOTHER_PLATFORM'],
        ['admin', { platform_id: platform.id }, 'INVALID_REQUEST'],
        ['admin', { uuid: uuidOf('c1') }, 'INVALID_REQUEST'],
        ['admin', body('c1', { mac: 'zz' }), 'INVALID_REQUEST'],
        ['admin', body('c1', { platform_id: 'x' }), 'INVALID_REQUEST'],
        ['admin', body('c1', { platform_id: unknown }), 'NOT_FOUND'],
        ['owner', body('c1'), 'FORBIDDEN'],
      ];
      for (const [who, wrong, code] of rows) {
        // Safe: what is wrong with these bodies is what the service shall find.
        const reply = await as(who).call('devices.provision', { body: wrong as ReturnType<typeof body> });
        expect([JSON.stringify(wrong), outcome(reply)]).toEqual([JSON.stringify(wrong), code]);
      }
      expect(outcome(await app.client.call('devices.provision', { body: body('c1') }))).toBe('UNAUTHENTICATED');
    });

    it('provision of one uuid by many at once makes one device', async () => {
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => as('admin').call('devices.provision', { body: body('d1') })),
      );
      expect(replies.map(outcome).sort()).toEqual([...Array(7).fill('DUPLICATE'), 'ok']);
    });
  });

  describe('get', () => {
    // API-EP-GET-devices-identifier, API-RULE-ids-2
    it('get finds a device by any of its names in any usual spelling', async () => {
      const device = await deviceOf('owner', { mac: '4C:55:CC:AA:78:01', bt_addr: '4C:55:CC:AA:78:02' });
      const names = [
        device.id,
        device.id.toUpperCase(),
        device.uuid,
        device.uuid.toUpperCase(),
        '4c:55:cc:aa:78:01',
        '4C55CCAA7801',
        '4c-55-cc-aa-78-02',
        '4c55.ccaa.7802',
      ];
      for (const identifier of names) {
        const reply = await as('owner').call('devices.get', { params: { identifier } });
        expect([identifier, reply.ok && reply.value.value.id]).toEqual([identifier, device.id]);
      }
    });

    // API-RULE-access-2: who has no access does not learn that it is there.
    it.each([
      ['owner', 'ok'],
      ['maker', 'ok'],
      ['manager', 'ok'],
      ['tester', 'ok'],
      ['admin', 'ok'],
      ['stranger', 'NOT_FOUND'],
    ] as const)('get by %s: %s', async (who, expected) => {
      const device = await deviceOf('owner');
      expect(outcome(await as(who).call('devices.get', { params: { identifier: device.uuid } }))).toBe(expected);
    });

    it.each(['x', '00000000-0000-4000-8000-000000000000', 'f'.repeat(40), '00:00:00:00:00:ff', "' or 1=1 --"])(
      'get of "%s" finds nothing',
      async (identifier) => {
        expect(outcome(await as('admin').call('devices.get', { params: { identifier } }))).toBe('NOT_FOUND');
      },
    );
  });

  describe('list', () => {
    let lister: MadeUser;
    beforeAll(async () => {
      lister = await app.make.user();
      for (const [index, title] of ['Alpha', 'beta', 'Gamma 100%'].entries()) {
        const mac = `AA:00:00:00:00:0${index}`;
        const tag = index === 0 ? 'beta' : null;
        const uuid = `${platform.part_id}${'0123abcd'.repeat(3)}0000000${index}`;
        await deviceOf(null, { user_id: lister.id, uuid, title, mac, tag, created_at: testStartMs + index });
      }
    });
    const titles = async (query: DeviceListQuery, who?: Person) => {
      const client = who ? as(who) : app.client.as(lister.token);
      const reply = await client.call('devices.list', { query });
      if (!reply.ok) throw new Error(reply.error.body.message);
      return reply.value.value.map(({ title }) => title);
    };

    // API-EP-GET-devices, API-RULE-list-1
    it('list gives the own devices, newest first, in pages with totals and links', async () => {
      expect(await titles({})).toEqual(['Gamma 100%', 'beta', 'Alpha']);
      const page = await app.client
        .as(lister.token)
        .call('devices.list', { query: { limit: 1, offset: 1, sort: 'title' } });
      if (!page.ok) throw new Error(page.error.body.message);
      expect(page.value.total).toBe(3);
      expect(page.value.headers.get('link')).toContain('rel="next"');
      expect(page.value.headers.get('link')).toContain('rel="prev"');
      expect(page.value.value).toHaveLength(1);
      expect(await titles({ sort: '-uuid', limit: 500 })).toHaveLength(3);
      expect(await titles({ sort: 'last_seen_at' })).toHaveLength(3);
    });

    // API-RULE-list-2
    it.each<[string, DeviceListQuery, string[]]>([
      ['q in the title, letter case aside', { q: 'ALPHA' }, ['Alpha']],
      ['q in the address', { q: 'aa:00:00:00:00:01' }, ['beta']],
      ['q in the uuid, letter case aside', { q: 'ABCD00000002' }, ['Gamma 100%']],
      ['q with a wildcard that means itself', { q: '100%' }, ['Gamma 100%']],
      ['q that nothing has', { q: '_' }, []],
      ['a tag', { tag: 'beta' }, ['Alpha']],
      ['no tag', { tag: '' }, ['Gamma 100%', 'beta']],
      ['state enabled', { state: 'enabled' }, ['Gamma 100%', 'beta', 'Alpha']],
      ['state active', { state: 'active' }, []],
      ['online', { online: true }, []],
      ['offline', { online: false }, ['Gamma 100%', 'beta', 'Alpha']],
      ['claimable', { claimable: true }, ['Gamma 100%', 'beta', 'Alpha']],
      ['locked', { claimable: false }, []],
      ['updated', { updated: 'ok' }, []],
    ])('list filters by %s', async (_, query, expected) => {
      expect(await titles(query)).toEqual(expected);
    });

    it('list filters by ids', async () => {
      expect(await titles({ product_id: product.id, platform_id: platform.id, user_id: lister.id })).toHaveLength(3);
      expect(await titles({ product_id: platform.product_id })).toEqual([]);
      expect(await titles({ bundle_id: product.id })).toEqual([]);
    });

    it('list of people of the product shows its devices, others not, and an administrator sees all', async () => {
      for (const who of ['maker', 'manager', 'tester', 'admin'] as const) {
        expect(await titles({ user_id: lister.id }, who)).toHaveLength(3);
      }
      expect(await titles({ user_id: lister.id }, 'stranger')).toEqual([]);
    });

    // API-RULE-list-3
    it.each([
      'limit=0',
      'limit=501',
      'offset=-1',
      'sort=secret',
      'tag=gamma',
      'state=x',
      'product_id=1',
      'online=maybe',
    ])('list refuses %s', async (query) => {
      const headers = { authorization: `Bearer ${lister.token}` };
      const reply = await app.api.inject({ url: `/api/devices?${query}`, headers });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toMatchObject({ code: 'INVALID_REQUEST', validation: { source: 'query' } });
    });
  });
});
