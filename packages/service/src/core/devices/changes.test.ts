import { X509Certificate } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditedTimes } from '../../testing/audited.ts';
import { type DeviceWorld, deviceWorld, outcome, type Person } from '../../testing/device-world.ts';
import { eachDatabase, extensionsRun, testStartMs } from '../../testing/index.ts';

eachDatabase('changes of devices', (open) => {
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

    // API-EP-POST-devices-device_id-state, API-STATE-device-any-disabled, API-RULE-access-1, API-RULE-access-2
    it.each([
      ['owner', 'ok'],
      ['maker', 'FORBIDDEN'],
      ['manager', 'FORBIDDEN'],
      ['tester', 'FORBIDDEN'],
      ['stranger', 'NOT_FOUND'],
      ['admin', 'ok'],
    ] as const)('%s may block a device: %s; twice is once, and it is let in again', async (who, may) => {
      const device = await deviceOf('owner', { state: 'active' });
      const ask = (state: 'disabled' | 'enabled') =>
        as(who).call('devices.setState', { params: { device_id: device.uuid }, body: { state } });
      const state = async () => {
        const read = await as('admin').call('devices.get', { params: { identifier: device.id } });
        return read.ok && read.value.value.state;
      };
      expect(outcome(await ask('enabled'))).toBe(may);
      expect(await state()).toBe('active');
      for (let time = 0; time < 2; time++) expect(outcome(await ask('disabled'))).toBe(may);
      if (may !== 'ok') return expect(await state()).toBe('active');
      expect(await state()).toBe('disabled');
      expect(outcome(await as('owner').call('devices.reset', { params: { device_id: device.id } }))).toBe(
        'DEVICE_DISABLED',
      );
      for (let time = 0; time < 2; time++) expect(outcome(await ask('enabled'))).toBe('ok');
      expect(await state()).toBe('enabled');
      expect((await logsOf(device.id)).map(({ type }) => type)).toEqual(['device.state', 'device.state']);
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

    // API-RULE-reset-1, API-RULE-production-1
    it('reset of a production device frees it for the next owner, and leaves it on its product', async () => {
      const production = await app.make.product({ platform_id: platform.id, production: 1, claimable: 1 });
      const device = await deviceOf('owner', { product_id: production.id, activated_at: 7, title: 'Mine' });
      expect(outcome(await as('owner').call('devices.reset', { params: { device_id: device.id } }))).toBe('ok');
      const read = await as('admin').call('devices.get', { params: { identifier: device.id } });
      const title = device.uuid.slice(-6);
      const left = { user_id: null, title, state: 'enabled', product_id: production.id, activated_at: '7' };
      expect(read).toMatchObject({ value: { value: left } });
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
    const activate = (who: Person, device_id: string, product_id: string) =>
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
      const trashed = await make.product({ platform_id: platform.id, user_id: idOf('owner'), trashed: 1 });
      const device = await deviceOf('owner');
      const onLocked = await deviceOf('owner', { product_id: locked.id });
      const onProduction = await deviceOf('owner', { product_id: production.id });
      const disabled = await deviceOf('owner', { state: 'disabled' });
      const rows: [Person, string, string, string][] = [
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
    const fetchZip = (who: Person, device_id: string) =>
      as(who).call('devices.certificates', { params: { device_id } });

    // API-EP-POST-devices-device_id-certificates.zip
    it.runIf(extensionsRun)(
      'certificates are a zip with a fresh certificate, which outdates the one before',
      async () => {
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
        expect(await auditedTimes(app.storage, 'devices.certificates', { id: idOf('owner') })).toBe(2);
      },
    );

    it.each<[Person, object, string]>([
      ['owner', { provision_status: 'complete' }, 'PROVISIONING_COMPLETE'],
      ['owner', { provision_status: 'pending', state: 'disabled' }, 'DEVICE_DISABLED'],
      ['maker', { provision_status: 'pending' }, 'FORBIDDEN'],
      ['tester', { provision_status: 'pending' }, 'FORBIDDEN'],
      ['stranger', { provision_status: 'pending' }, 'NOT_FOUND'],
    ] as const)('certificates for %s of a device with %o are refused: %s', async (who, more, code) => {
      expect(outcome(await fetchZip(who, (await deviceOf('owner', more)).id))).toBe(code);
    });

    // API-EP-POST-devices-device_id-token
    it('renewToken lets a device be provisioned again, and its certificate stops working at once', async () => {
      const device = await deviceOf('owner', { provision_status: 'complete', certificate_fingerprint: 'f'.repeat(64) });
      const renewed = await as('owner').call('devices.renewToken', { params: { device_id: device.id } });
      expect(renewed.ok && renewed.value.value.token).toMatch(/^[A-Za-z0-9+/]{32}$/);
      const row = await app.storage.hot.deviceById(device.id);
      expect(row).toMatchObject({ certificate_fingerprint: null, provision_status: 'pending' });
      expect((await logsOf(device.id)).map(({ type }) => type)).toEqual(['device.certificate']);
    });

    it.each([
      ['maker', 'FORBIDDEN'],
      ['tester', 'FORBIDDEN'],
      ['stranger', 'NOT_FOUND'],
    ] as const)('renewToken by %s is refused: %s', async (who, code) => {
      const device = await deviceOf('owner', { provision_status: 'complete' });
      const renewed = await as(who).call('devices.renewToken', { params: { device_id: device.id } });
      expect(outcome(renewed)).toBe(code);
    });

    // API-EP-GET-ca.pem
    it('the certificate of the authority is public', async () => {
      const reply = await app.client.call('identity.authority');
      expect(reply.ok && strFromU8(reply.value.value)).toBe(app.service.identity.ca);
    });
  });
});
