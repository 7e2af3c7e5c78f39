import { X509Certificate } from 'node:crypto';
import type { CallFailure, DeviceListQuery } from '@moorage/api';
import type { Result } from '@moorage/base';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, eachDatabase, type MadeUser, type TestApp, testStartMs } from '../testing/index.ts';

const outcome = (reply: Result<unknown, CallFailure>): string => (reply.ok ? 'ok' : reply.error.body.code);

eachDatabase('devices', (open) => {
  let app: TestApp;
  const people: Record<string, MadeUser> = {};
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;
  let product: Awaited<ReturnType<TestApp['make']['product']>>;

  const as = (name: string) => {
    const person = people[name];
    if (!person) throw new Error(`Nobody is called ${name}`);
    return app.client.as(person.token);
  };
  const idOf = (name: string) => people[name]?.id ?? '';
  const deviceOf = (owner: string | null, more: object = {}) =>
    app.make.device({
      platform_id: platform.id,
      product_id: product.id,
      user_id: owner === null ? null : idOf(owner),
      ...more,
    });
  const logsOf = (deviceId: string) =>
    app.storage.db
      .selectFrom('logs')
      .select(['type', 'user_id'])
      .where('device_id', '=', deviceId)
      .orderBy('created_at')
      .execute();

  beforeAll(async () => {
    app = await buildApp(await open());
    const { make } = app;
    for (const name of ['owner', 'stranger', 'maker', 'manager', 'tester']) people[name] = await make.user();
    people.admin = await make.admin();
    platform = await make.platform();
    product = await make.product({ platform_id: platform.id, user_id: idOf('maker') });
    await make.member(product.id, idOf('manager'), 'manager');
    await make.member(product.id, idOf('tester'), 'tester');
  });

  describe('provision', () => {
    const uuidOf = (end: string) => `${platform.part_id}${end.padStart(32, '0')}`;
    const body = (end: string, more: object = {}) => ({ uuid: uuidOf(end), platform_id: platform.id, ...more });

    // API-EP-POST-devices-provision, API-STATE-device-none-enabled, API-RULE-provision-2
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
      await as('admin').call('devices.provision', {
        body: body('b1', { mac: '00:00:00:00:00:b1', bt_addr: '00-00-00-00-00-b2' }),
      });
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
      const rows: [string, object, string][] = [
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
    ])('get by %s: %s', async (who, expected) => {
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
    let own: Awaited<ReturnType<typeof deviceOf>>[];
    beforeAll(async () => {
      people.lister = await app.make.user();
      own = [];
      for (const [index, title] of ['Alpha', 'beta', 'Gamma 100%'].entries()) {
        const mac = `AA:00:00:00:00:0${index}`;
        const tag = index === 0 ? 'beta' : null;
        own.push(await deviceOf('lister', { title, mac, tag, created_at: testStartMs + index }));
      }
    });
    const titles = async (query: DeviceListQuery, who = 'lister') => {
      const reply = await as(who).call('devices.list', { query });
      if (!reply.ok) throw new Error(reply.error.body.message);
      return reply.value.value.map(({ title }) => title);
    };

    // API-EP-GET-devices, API-RULE-list-1
    it('list gives the own devices, newest first, in pages with totals and links', async () => {
      expect(await titles({})).toEqual(['Gamma 100%', 'beta', 'Alpha']);
      const page = await as('lister').call('devices.list', { query: { limit: 1, offset: 1, sort: 'title' } });
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
      expect(await titles({ product_id: product.id, platform_id: platform.id, user_id: idOf('lister') })).toHaveLength(
        3,
      );
      expect(await titles({ product_id: platform.product_id })).toEqual([]);
      expect(await titles({ bundle_id: product.id })).toEqual([]);
    });

    it('list of people of the product shows its devices, others not, and an administrator sees all', async () => {
      for (const who of ['maker', 'manager', 'tester', 'admin']) {
        expect(await titles({ user_id: idOf('lister') }, who)).toHaveLength(3);
      }
      expect(await titles({ user_id: idOf('lister') }, 'stranger')).toEqual([]);
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
      const headers = { authorization: `Bearer ${people.lister?.token}` };
      const reply = await app.api.inject({ url: `/api/devices?${query}`, headers });
      expect(reply.statusCode).toBe(400);
      expect(reply.json()).toMatchObject({ code: 'INVALID_REQUEST', validation: { source: 'query' } });
    });
  });

  describe('update, tag and reset', () => {
    // API-EP-PUT-devices-device_id, API-FIELD-device-title, API-FIELD-device-description
    it('update changes title and description, and tells the log once', async () => {
      const device = await deviceOf('owner');
      const params = { device_id: device.id };
      const body = { title: 'Kitchen', description: 'By the window' };
      for (let time = 0; time < 2; time++) {
        const reply = await as('owner').call('devices.update', { params, body });
        expect(reply).toMatchObject({ ok: true, value: { value: body } });
      }
      const partly = await as('manager').call('devices.update', { params, body: { description: '' } });
      expect(partly).toMatchObject({ ok: true, value: { value: { title: 'Kitchen', description: '' } } });
      expect((await logsOf(device.id)).map(({ type }) => type)).toEqual(['device.update', 'device.update']);
    });

    // API-RULE-access-1, API-RULE-access-2
    const access = [
      ['owner', 'ok', 'ok', 'ok'],
      ['maker', 'ok', 'ok', 'FORBIDDEN'],
      ['manager', 'ok', 'ok', 'FORBIDDEN'],
      ['tester', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
      ['stranger', 'NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
      ['admin', 'ok', 'ok', 'ok'],
    ] as const;
    it.each(access)('%s may update: %s, tag: %s, reset: %s', async (who, update, tag, reset) => {
      const params = { device_id: (await deviceOf('owner')).id };
      expect(outcome(await as(who).call('devices.update', { params, body: { title: 'T' } }))).toBe(update);
      expect(outcome(await as(who).call('devices.setTag', { params, body: { tag: 'beta' } }))).toBe(tag);
      expect(outcome(await as(who).call('devices.reset', { params }))).toBe(reset);
    });

    // API-EP-POST-devices-device_id-tag
    it('tag sets the tag, and the empty text clears it', async () => {
      const device = await deviceOf('owner');
      const params = { device_id: device.id };
      for (const [tag, shown] of [
        ['beta', 'beta'],
        ['beta', 'beta'],
        ['', null],
      ] as const) {
        expect(await as('owner').call('devices.setTag', { params, body: { tag } })).toMatchObject({
          value: { value: { result: 'ok' } },
        });
        const read = await as('owner').call('devices.get', { params: { identifier: device.id } });
        expect(read).toMatchObject({ value: { value: { tag: shown } } });
      }
      expect(await logsOf(device.id)).toHaveLength(2);
    });

    it('tag refuses a value that is none', async () => {
      const params = { device_id: (await deviceOf('owner')).id };
      // Safe: the service shall find it.
      const body = { tag: 'gamma' as 'beta' };
      expect(outcome(await as('owner').call('devices.setTag', { params, body }))).toBe('INVALID_REQUEST');
    });

    // API-EP-POST-devices-device_id-reset, API-RULE-reset-1, API-STATE-device-active-enabled
    it('reset takes owner, tag, texts and product back, and keeps the log', async () => {
      const device = await deviceOf('owner', { state: 'active', tag: 'beta', description: 'mine', claimed_at: 1 });
      expect(outcome(await as('owner').call('devices.reset', { params: { device_id: device.uuid } }))).toBe('ok');
      const read = await as('admin').call('devices.get', { params: { identifier: device.id } });
      expect(read).toMatchObject({
        value: {
          value: {
            state: 'enabled',
            user_id: null,
            tag: null,
            title: device.uuid.slice(-6),
            description: '',
            product_id: platform.product_id,
            claimed_at: null,
          },
        },
      });
      expect((await logsOf(device.id)).map(({ type }) => type)).toEqual(['device.reset']);
    });

    it('reset of a locked device is refused', async () => {
      const locked = await app.make.product({ platform_id: platform.id, claimable: 0 });
      const device = await deviceOf('owner', { product_id: locked.id });
      expect(outcome(await as('owner').call('devices.reset', { params: { device_id: device.id } }))).toBe(
        'DEVICE_LOCKED',
      );
    });
  });

  describe('activation', () => {
    const activate = (who: string, device_id: string, product_id: string) =>
      as(who).call('devices.activate', { params: { device_id }, body: { product_id } });

    // API-EP-POST-devices-device_id-activate, API-RULE-activate-4
    it('activation moves a device, forgets what it was offered and keeps its texts', async () => {
      const published = await app.make.product({ platform_id: platform.id, publication: 'published' });
      const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
      const bundle = await app.make.bundle({
        product_id: product.id,
        firmware_id: firmware.id,
        user_id: idOf('maker'),
        state: 'published',
      });
      const device = await deviceOf('owner', { title: 'Kept' });
      const params = { device_id: device.id };
      const offered = await as('owner').call('deviceUpdates.query', { params, body: { bundle_id: bundle.id } });
      expect(outcome(offered)).toBe('ok');
      const reply = await activate('owner', device.id, published.id);
      expect(reply).toMatchObject({
        value: {
          value: {
            product_id: published.id,
            bundle_id: null,
            bundle_ok: false,
            title: 'Kept',
            activated_at: String(testStartMs),
          },
        },
      });
      const history = await as('owner').call('deviceUpdates.list', { params });
      expect(history).toMatchObject({ value: { value: [{ state: 'superseded', bundle_id: bundle.id }] } });
      expect((await logsOf(device.id)).map(({ type }) => type).sort()).toEqual(['device.activate', 'ota.start']);
    });

    it('activation to the product that it has changes nothing', async () => {
      const published = await app.make.product({ platform_id: platform.id, publication: 'published' });
      const device = await deviceOf('owner', { product_id: published.id });
      expect(await activate('owner', device.id, published.id)).toMatchObject({
        value: { value: { activated_at: null } },
      });
      expect(await logsOf(device.id)).toEqual([]);
    });

    // API-RULE-activate-1, API-RULE-activate-2, API-RULE-activate-3, API-RULE-production-1
    it('activation is refused by each precondition', async () => {
      const { make } = app;
      const published = { publication: 'published' } as const;
      const open = await make.product({ platform_id: platform.id, ...published });
      const elsewhere = await make.product({ platform_id: (await make.platform()).id, ...published });
      const locked = await make.product({ platform_id: platform.id, claimable: 0 });
      const production = await make.product({ platform_id: platform.id, production: 1 });
      const archived = await make.product({ platform_id: platform.id, user_id: idOf('owner'), publication: 'archive' });
      const trashed = await make.product({ platform_id: platform.id, ...published, trashed: 1 });
      const device = await deviceOf('owner');
      const onLocked = await deviceOf('owner', { product_id: locked.id });
      const onProduction = await deviceOf('owner', { product_id: production.id });
      const disabled = await deviceOf('owner', { state: 'disabled' });
      const rows: [string, string, string, string][] = [
        ['owner', device.id, elsewhere.id, 'PLATFORM_MISMATCH'],
        ['owner', onLocked.id, open.id, 'DEVICE_LOCKED'],
        ['owner', onProduction.id, open.id, 'PRODUCTION_DEVICE'],
        ['owner', device.id, archived.id, 'PRODUCT_ARCHIVED'],
        ['owner', device.id, trashed.id, 'NOT_FOUND'],
        // The device is theirs, the product in preview is not.
        ['owner', (await deviceOf('owner', { product_id: open.id })).id, product.id, 'NOT_FOUND'],
        ['owner', disabled.id, open.id, 'DEVICE_DISABLED'],
        ['owner', device.id, device.id, 'NOT_FOUND'],
        ['owner', device.id, 'x', 'INVALID_REQUEST'],
        ['maker', device.id, open.id, 'FORBIDDEN'],
        ['tester', device.id, open.id, 'FORBIDDEN'],
        ['stranger', device.id, open.id, 'NOT_FOUND'],
      ];
      for (const [who, id, target, code] of rows) {
        expect([who, code, outcome(await activate(who, id, target))]).toEqual([who, code, code]);
      }
    });

    it('two activations at once leave one of the two products and one way there', async () => {
      const targets = await Promise.all(
        [1, 2].map(() => app.make.product({ platform_id: platform.id, publication: 'published' })),
      );
      const device = await deviceOf('owner');
      const calls = Array.from({ length: 8 }, (_, index) => activate('owner', device.id, targets[index % 2]?.id ?? ''));
      expect((await Promise.all(calls)).map(outcome)).toEqual(Array(8).fill('ok'));
      const read = await as('owner').call('devices.get', { params: { identifier: device.id } });
      expect(targets.map(({ id }) => id)).toContain(read.ok && read.value.value.product_id);
    });

    // API-EP-GET-devices-id-products
    it('products are those that the owner can activate the device to', async () => {
      const { make } = app;
      const mine = await make.platform();
      const published = await make.product({ platform_id: mine.id, publication: 'published' });
      const tested = await make.product({ platform_id: mine.id });
      await make.member(tested.id, idOf('owner'), 'tester');
      const archived = await make.product({ platform_id: mine.id, user_id: idOf('owner'), publication: 'archive' });
      const hidden = await make.product({ platform_id: mine.id });
      const device = await make.device({ platform_id: mine.id, product_id: mine.product_id, user_id: idOf('owner') });
      const choices = await as('owner').call('devices.products', { params: { id: device.uuid } });
      if (!choices.ok) throw new Error(choices.error.body.message);
      const ids = choices.value.value.map(({ product_id }) => product_id);
      expect(ids.sort()).toEqual([mine.product_id, published.id, tested.id].sort());
      expect(ids).not.toContain(archived.id);
      expect(ids).not.toContain(hidden.id);
      expect(outcome(await as('stranger').call('devices.products', { params: { id: device.uuid } }))).toBe('NOT_FOUND');
    });

    // API-RULE-production-1
    it('products of a production device are its own alone', async () => {
      const production = await app.make.product({ platform_id: platform.id, production: 1, claimable: 0 });
      const device = await deviceOf('owner', { product_id: production.id });
      const choices = await as('owner').call('devices.products', { params: { id: device.id } });
      expect(choices).toMatchObject({ value: { value: [{ product: production.product, claimable: false }] } });
      expect(choices.ok && choices.value.value).toHaveLength(1);
    });
  });

  describe('certificates', () => {
    const fetchZip = (who: string, device_id: string) =>
      as(who).call('devices.certificates', { params: { device_id } });

    it('certificates are a zip with a fresh certificate, which outdates the one before', async () => {
      const device = await deviceOf('owner', { provision_status: 'pending' });
      const prints: string[] = [];
      for (let time = 0; time < 2; time++) {
        const reply = await fetchZip('owner', device.id);
        if (!reply.ok) throw new Error(reply.error.body.message);
        const files = unzipSync(reply.value.value);
        expect(Object.keys(files).sort()).toEqual(['ca.pem', 'device.crt', 'device.key']);
        const certificate = new X509Certificate(files['device.crt'] ?? '');
        expect(certificate.subject).toBe(`CN=${device.uuid}`);
        expect(certificate.verify(new X509Certificate(files['ca.pem'] ?? '').publicKey)).toBe(true);
        expect(strFromU8(files['device.key'] ?? new Uint8Array())).toContain('PRIVATE KEY');
        prints.push(certificate.fingerprint256.replaceAll(':', '').toLowerCase());
      }
      const row = await app.storage.hot.deviceById(device.id);
      expect(row).toMatchObject({ certificate_fingerprint: prints[1], provision_status: 'issued' });
      expect(prints[0]).not.toBe(prints[1]);
      expect((await logsOf(device.id)).map(({ type }) => type)).toEqual(['device.certificate', 'device.certificate']);
    });

    it.each([
      ['owner', { provision_status: 'complete' }, 'PROVISIONING_COMPLETE'],
      ['owner', { provision_status: 'pending', state: 'disabled' }, 'DEVICE_DISABLED'],
      ['maker', { provision_status: 'pending' }, 'FORBIDDEN'],
      ['tester', { provision_status: 'pending' }, 'FORBIDDEN'],
      ['stranger', { provision_status: 'pending' }, 'NOT_FOUND'],
    ])('certificates for %s of a device with %o are refused: %s', async (who, more, code) => {
      expect(outcome(await fetchZip(who, (await deviceOf('owner', more)).id))).toBe(code);
    });

    // API-EP-POST-devices-device_id-token
    it('renewToken lets a device be provisioned again, and its certificate stops working at once', async () => {
      const device = await deviceOf('owner', { provision_status: 'complete', certificate_fingerprint: 'f'.repeat(64) });
      const renewed = await as('owner').call('devices.renewToken', { params: { device_id: device.id } });
      expect(renewed.ok && renewed.value.value.token).toMatch(/^[A-Za-z0-9+/]{32}$/);
      const row = await app.storage.hot.deviceById(device.id);
      expect(row).toMatchObject({ certificate_fingerprint: null, provision_status: 'pending' });
      expect((await logsOf(device.id)).map(({ type }) => type)).toEqual(['device.provision']);
    });

    it.each([
      ['maker', 'FORBIDDEN'],
      ['tester', 'FORBIDDEN'],
      ['stranger', 'NOT_FOUND'],
    ])('renewToken by %s is refused: %s', async (who, code) => {
      const device = await deviceOf('owner', { provision_status: 'complete' });
      const renewed = await as(who).call('devices.renewToken', { params: { device_id: device.id } });
      expect(outcome(renewed)).toBe(code);
    });

    it('the certificate of the authority is public', async () => {
      const reply = await app.client.call('identity.authority');
      expect(reply.ok && strFromU8(reply.value.value)).toBe(app.service.identity.ca);
    });
  });
});
