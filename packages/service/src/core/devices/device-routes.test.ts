import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { hashPassword } from '../auth/passwords.ts';

const password = 'correct horse';

// The rules behind the calls; that the certificate decides who calls is tested over TLS, in http/device-listener.test.ts.
eachDatabase('device listener', (open) => {
  let app: TestApp;
  let owner: MadeUser;
  let other: MadeUser;
  let maker: MadeUser;
  let platform: Awaited<ReturnType<TestApp['make']['platform']>>;

  /** A device with its token, as development mode identifies it. */
  async function deviceOf(more: object = {}) {
    const token = newTokenValue();
    const row = await app.make.device({
      platform_id: platform.id,
      product_id: platform.product_id,
      provision_token_hash: hashSecret(token),
      provision_status: 'pending',
      ...more,
    });
    return { ...row, token };
  }
  type Device = Awaited<ReturnType<typeof deviceOf>>;

  async function call(device: Device | undefined, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) {
    const headers = device ? { 'x-device-uuid': device.uuid, 'x-device-token': device.token } : {};
    const reply = await app.service.devices.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: reply.statusCode, body: reply.json() };
  }
  const logsOf = async (device: Device) =>
    (await app.storage.db.selectFrom('logs').select('type').where('device_id', '=', device.id).execute()).map(
      ({ type }) => type,
    );
  const rowOf = (device: Device) => app.storage.hot.deviceById(device.id);

  async function tokenOf(product_id: string, uses_left = 1): Promise<string> {
    const token = newTokenValue();
    const values = {
      id: crypto.randomUUID(),
      product_id,
      user_id: maker.id,
      token_hash: hashSecret(token),
      tail: '',
      uses_left,
      created_at: 0,
    };
    await app.storage.db.insertInto('activation_tokens').values(values).execute();
    return token;
  }

  beforeAll(async () => {
    app = await buildApp(await open(), { settings: { deviceInsecure: true } });
    await app.service.devices.ready();
    const password_hash = await hashPassword(password);
    [owner, other, maker] = [
      await app.make.user({ password_hash }),
      await app.make.user({ password_hash }),
      await app.make.user({ password_hash }),
    ];
    platform = await app.make.platform();
  });

  describe('identity', () => {
    // API-DEV-insecure, API-DEV-status
    it('a call without or with wrong headers is 403', async () => {
      const device = await deviceOf();
      const wrong = [
        undefined,
        { ...device, token: 'x' },
        { ...device, uuid: 'f'.repeat(40) },
        { ...(await deviceOf()), uuid: device.uuid },
      ];
      for (const one of wrong) {
        expect(await call(one, 'GET', '/info')).toMatchObject({ status: 403, body: { code: 'DEVICE_NOT_IDENTIFIED' } });
      }
      expect((await rowOf(device))?.last_seen_at).toBeNull();
    });

    // API-DEV-first-contact, API-STATE-device-enabled-active
    it('the first contact makes a device active, once, and each is recorded', async () => {
      const device = await deviceOf();
      const replies = await Promise.all(Array.from({ length: 6 }, () => call(device, 'GET', '/info')));
      expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(await logsOf(device)).toEqual(['device.first_contact']);
      expect(await rowOf(device)).toMatchObject({ state: 'active', last_seen_at: app.clock.now(), ip: '127.0.0.1' });
    });

    // API-STATE-device-any-disabled
    it('every call of a disabled device is 403', async () => {
      const device = await deviceOf({ state: 'disabled' });
      const calls = [
        ['GET', '/info', undefined],
        ['GET', '/products', undefined],
        ['PUT', '/provision', undefined],
        ['POST', '/claim', { username: owner.username, password }],
        ['POST', '/activate', { product: 'X' }],
        ['POST', '/ota', {}],
        ['POST', '/ota/result', { bundle_id: device.id, result: 1, bversion: '' }],
        ['GET', `/ota/${device.id}/a`, undefined],
      ] as const;
      for (const [method, url, body] of calls) {
        expect(await call(device, method, url, body)).toMatchObject({ status: 403, body: { code: 'DEVICE_DISABLED' } });
      }
      expect(await call(undefined, 'POST', '/provision', { token: device.token })).toMatchObject({ status: 403 });
    });

    // API-DEV-GET-info
    it('info tells a device what the service knows of it', async () => {
      const device = await deviceOf({ title: 'Kitchen', tag: 'beta' });
      expect((await call(device, 'GET', '/info')).body).toEqual({
        id: device.id,
        uuid: device.uuid,
        title: 'Kitchen',
        platform: platform.code,
        product: platform.edition.product,
        tag: 'beta',
        bundle_id: null,
        state: 'active',
        claimable: true,
      });
    });

    // API-DEV-status
    it.each([
      ['GET', '/nowhere', 404],
      ['GET', '/claim', 404],
      ['POST', '/info', 404],
      ['GET', '/api/devices', 404],
    ] as const)('%s %s is %i', async (method, url, status) => {
      expect(await call(await deviceOf(), method, url)).toMatchObject({ status });
    });

    it('bodies that are not as they shall be are 400', async () => {
      const device = await deviceOf();
      const headers = { 'x-device-uuid': device.uuid, 'x-device-token': device.token };
      const json = { ...headers, 'content-type': 'application/json' };
      const rows = [
        { url: '/claim', headers: json, payload: '{' },
        { url: '/claim', headers: json, payload: '{"username":"a"}' },
        { url: '/claim', headers: json, payload: '{"username":1,"password":"b"}' },
        { url: '/activate', headers: json, payload: '{}' },
        { url: '/ota/result', headers: json, payload: '{"bundle_id":"x","result":1,"bversion":""}' },
        { url: '/ota/result', headers: json, payload: `{"bundle_id":"${device.id}","result":10,"bversion":""}` },
        { url: '/ota', headers: json, payload: '{"files":[{"name":"a"}]}' },
        { url: '/ota', headers: { ...headers, 'content-type': 'text/plain' }, payload: 'bid=1' },
      ];
      for (const row of rows) {
        const reply = await app.service.devices.inject({ method: 'POST', ...row });
        expect([row.payload, reply.statusCode]).toEqual([row.payload, 400]);
      }
    });
  });

  describe('provisioning', () => {
    // API-DEV-POST-provision
    it.each(['body', 'header'])('a token in the %s is exchanged for a certificate of the device', async (place) => {
      const device = await deviceOf();
      const reply = await app.service.devices.inject({
        method: 'POST',
        url: '/provision',
        headers: place === 'header' ? { 'x-device-token': device.token } : {},
        payload: place === 'body' ? { token: device.token, uuid: device.uuid.toUpperCase() } : { uuid: device.uuid },
      });
      const { uuid, certificate, key, ca } = reply.json();
      expect(uuid).toBe(device.uuid);
      expect(key).toContain('PRIVATE KEY');
      expect(ca).toBe(app.service.identity.ca);
      const parsed = new X509Certificate(certificate);
      expect(parsed.subject).toBe(`CN=${device.uuid}`);
      expect(await rowOf(device)).toMatchObject({
        provision_status: 'issued',
        certificate_fingerprint: parsed.fingerprint256.replaceAll(':', '').toLowerCase(),
      });
    });

    it('a token works again until it is acknowledged', async () => {
      const device = await deviceOf();
      for (let time = 0; time < 2; time++) {
        expect(await call(undefined, 'POST', '/provision', { token: device.token })).toMatchObject({ status: 200 });
      }
      // API-DEV-PUT-provision; twice is as good as once.
      for (let time = 0; time < 2; time++) {
        expect(await call(device, 'PUT', '/provision')).toEqual({ status: 200, body: { result: 'ok' } });
      }
      expect((await rowOf(device))?.provision_status).toBe('complete');
      expect(await call(undefined, 'POST', '/provision', { token: device.token })).toMatchObject({
        status: 400,
        body: { code: 'PROVISIONING_COMPLETE' },
      });
    });

    it.each([{}, { token: 'x' }, { uuid: 'f'.repeat(40) }])('provisioning with %o is 403', async (body) => {
      expect(await call(undefined, 'POST', '/provision', body)).toMatchObject({
        status: 403,
        body: { code: 'WRONG_PROVISIONING_TOKEN' },
      });
    });

    it('a token of another uuid is 403', async () => {
      const [one, two] = [await deviceOf(), await deviceOf()];
      expect(await call(undefined, 'POST', '/provision', { token: one.token, uuid: two.uuid })).toMatchObject({
        status: 403,
      });
    });
  });

  describe('claim', () => {
    // API-DEV-POST-claim, API-RULE-claim-1
    it('claim by account gives the device to the user, and again changes nothing', async () => {
      const device = await deviceOf();
      for (const username of [owner.username, owner.email]) {
        expect(await call(device, 'POST', '/claim', { username, password })).toEqual({
          status: 200,
          body: { result: 'ok', product: platform.edition.product, user: owner.username },
        });
      }
      expect(await rowOf(device)).toMatchObject({ user_id: owner.id, claimed_at: app.clock.now() });
      expect((await logsOf(device)).filter((type) => type === 'device.claim')).toHaveLength(1);
    });

    it('claim is 403 for a wrong password, of another user and of a locked device', async () => {
      const locked = await app.make.product({ platform_id: platform.id, claimable: 0 });
      const rows = [
        [await deviceOf(), owner, 'wrong', 'WRONG_LOGIN'],
        [await deviceOf({ user_id: other.id }), owner, password, 'DEVICE_OF_ANOTHER_USER'],
        [await deviceOf({ product_id: locked.id }), owner, password, 'DEVICE_LOCKED'],
      ] as const;
      for (const [device, { username }, tried, code] of rows) {
        const reply = await call(device, 'POST', '/claim', { username, password: tried });
        expect(reply).toMatchObject({ status: 403, body: { code } });
      }
    });

    // API-RULE-claim-2
    it('claim by token gives the device to the owner of the product, activates it and counts the use', async () => {
      const product = await app.make.product({ platform_id: platform.id, user_id: maker.id });
      const token = await tokenOf(product.id);
      const device = await deviceOf();
      for (const name of [product.product, product.code]) {
        expect(await call(device, 'POST', '/claim', { product: name.toLowerCase(), token })).toEqual({
          status: 200,
          body: { result: 'ok', product: product.product, user: maker.username },
        });
      }
      expect(await rowOf(device)).toMatchObject({ user_id: maker.id, product_id: product.id });
      expect((await logsOf(device)).sort()).toEqual([
        'activation_token.use',
        'device.activate',
        'device.claim',
        'device.first_contact',
      ]);
      const second = await deviceOf();
      expect(await call(second, 'POST', '/claim', { product: product.product, token })).toMatchObject({
        status: 403,
        body: { code: 'WRONG_ACTIVATION_TOKEN' },
      });
    });

    it('a token for one device is not spent twice by two at once', async () => {
      const product = await app.make.product({ platform_id: platform.id, user_id: maker.id });
      const token = await tokenOf(product.id);
      const devices = await Promise.all(Array.from({ length: 6 }, () => deviceOf()));
      const replies = await Promise.all(
        devices.map((device) => call(device, 'POST', '/claim', { product: product.product, token })),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403]);
    });

    it('claim by token is refused for each reason', async () => {
      const product = await app.make.product({ platform_id: platform.id, user_id: maker.id });
      const elsewhere = await app.make.product({ platform_id: (await app.make.platform()).id, user_id: maker.id });
      const rows = [
        [await deviceOf(), 'NO-SUCH_CODE', await tokenOf(product.id), 404, 'NOT_FOUND'],
        [await deviceOf(), product.product, 'x', 403, 'WRONG_ACTIVATION_TOKEN'],
        [await deviceOf(), product.product, await tokenOf(elsewhere.id), 403, 'WRONG_ACTIVATION_TOKEN'],
        [await deviceOf(), product.product, await tokenOf(product.id, 0), 403, 'WRONG_ACTIVATION_TOKEN'],
        [await deviceOf(), elsewhere.product, await tokenOf(elsewhere.id), 400, 'PLATFORM_MISMATCH'],
        [
          await deviceOf({ user_id: other.id }),
          product.product,
          await tokenOf(product.id),
          403,
          'DEVICE_OF_ANOTHER_USER',
        ],
      ] as const;
      for (const [device, name, token, status, code] of rows) {
        expect(await call(device, 'POST', '/claim', { product: name, token })).toMatchObject({
          status,
          body: { code },
        });
      }
    });
  });

  describe('activation', () => {
    // API-DEV-POST-activate
    it('activation by full or short code moves the device and tells what an update will bring', async () => {
      const product = await app.make.product({ platform_id: platform.id, publication: 'published' });
      const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
      const bundle = await app.make.bundle({
        product_id: product.id,
        firmware_id: firmware.id,
        user_id: maker.id,
        state: 'published',
        tag: 'release',
      });
      for (const name of [product.product, product.code, product.code.toLowerCase()]) {
        const device = await deviceOf({ user_id: owner.id });
        expect(await call(device, 'POST', '/activate', { product: name })).toEqual({
          status: 200,
          body: { result: 'ok', product: product.product, bundle: bundle.version },
        });
        expect((await rowOf(device))?.product_id).toBe(product.id);
      }
    });

    // API-RULE-product-3
    it('a short code means the owner’s own product before one that they test, and that before a stranger’s', async () => {
      const at = { platform_id: platform.id, code: 'SHORT' };
      const activated = async () => {
        const device = await deviceOf({ user_id: owner.id });
        await call(device, 'POST', '/activate', { product: 'short' });
        return (await rowOf(device))?.product_id;
      };
      const foreign = await app.make.product({ ...at, publication: 'published' });
      expect(await activated()).toBe(foreign.id);
      const tested = await app.make.product(at);
      await app.make.member(tested.id, owner.id, 'tester');
      expect(await activated()).toBe(tested.id);
      const own = await app.make.product({ ...at, user_id: owner.id });
      expect(await activated()).toBe(own.id);
    });

    it('activation to a product without a bundle tells of none', async () => {
      const product = await app.make.product({ platform_id: platform.id, publication: 'published' });
      const device = await deviceOf({ user_id: owner.id });
      expect((await call(device, 'POST', '/activate', { product: product.product })).body.bundle).toBeNull();
    });

    it('activation is refused for each reason, in the statuses of a module', async () => {
      const { make } = app;
      const elsewhere = await make.product({ platform_id: (await make.platform()).id, publication: 'published' });
      const open = await make.product({ platform_id: platform.id, publication: 'published' });
      const hidden = await make.product({ platform_id: platform.id });
      const production = await make.product({ platform_id: platform.id, production: 1 });
      const mine = { user_id: owner.id };
      const rows = [
        [await deviceOf(), open.product, 403, 'DEVICE_UNCLAIMED'],
        [await deviceOf(mine), 'NO-SUCH_CODE', 404, 'NOT_FOUND'],
        [await deviceOf(mine), hidden.product, 404, 'NOT_FOUND'],
        [await deviceOf(mine), elsewhere.product, 400, 'PLATFORM_MISMATCH'],
        [await deviceOf({ ...mine, product_id: production.id }), open.product, 403, 'PRODUCTION_DEVICE'],
      ] as const;
      for (const [device, product, status, code] of rows) {
        expect(await call(device, 'POST', '/activate', { product })).toMatchObject({ status, body: { code } });
      }
    });

    // API-DEV-GET-products
    it('products are those that the owner may activate to; without an owner its own', async () => {
      const mine = await app.make.platform();
      const open = await app.make.product({ platform_id: mine.id, publication: 'published' });
      const at = { platform_id: mine.id, product_id: mine.product_id };
      const codes = async (device: Device) =>
        (await call(device, 'GET', '/products')).body.map(({ product }: { product: string }) => product);
      expect(await codes(await deviceOf({ ...at, user_id: owner.id }))).toEqual(
        [mine.edition.product, open.product].sort(),
      );
      expect(await codes(await deviceOf(at))).toEqual([mine.edition.product]);
    });
  });
});
