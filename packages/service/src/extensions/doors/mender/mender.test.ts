import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyReleaseCandidate } from '../../../core/bundles/tags.ts';
import { type DoorWorld, doorWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { menderArtifact, tarOf } from '../../../testing/mender-artifact.ts';

const api = '/api/devices/v1';
const deployments = `${api}/deployments/device/deployments`;

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const kinds: readonly (readonly [string, () => Keys, 'sha256' | null])[] = [
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }), 'sha256'],
  ['ECDSA', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sha256'],
  ['Ed25519', () => generateKeyPairSync('ed25519'), null],
];

eachDatabase('Mender', (open) => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await doorWorld(await open());
  });

  const ec = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** Calls of one client, as that of Mender makes them. */
  function menderClient(
    mac: string,
    tenantToken: string,
    { publicKey, privateKey }: Keys = ec(),
    algorithm: 'sha256' | null = 'sha256',
  ) {
    let token = '';
    async function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: unknown, more: object = {}) {
      const reply = await world.app.service.devices.inject({
        method,
        url,
        headers: {
          host: 'hub.local:8443',
          authorization: `Bearer ${token}`,
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...more,
        },
        ...(payload !== undefined && { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
      });
      return { status: reply.statusCode, text: reply.payload, headers: reply.headers };
    }
    async function authenticate(tamper: (body: string) => string = (body) => body) {
      const pubkey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
      // The signature is over these very bytes, blanks and all.
      const body = JSON.stringify(
        { id_data: JSON.stringify({ mac }), pubkey, tenant_token: tenantToken, tier: 'standard' },
        null,
        1,
      );
      const signature = sign(algorithm, Buffer.from(body), privateKey).toString('base64');
      const headers = { 'x-men-signature': signature, authorization: 'API_KEY' };
      const reply = await call('POST', `${api}/authentication/auth_requests`, tamper(body), headers);
      if (reply.status === 200) token = reply.text;
      return reply;
    }
    const next = (artifact_name: string, device_type = 'moor-board') =>
      call('POST', '/api/devices/v2/deployments/device/deployments/next', {
        device_provides: { device_type, artifact_name, 'rootfs-image.checksum': 'x' },
        update_control_map: true,
      });
    const say = async (id: string, status: string) =>
      (await call('PUT', `${deployments}/${id}/status`, { status })).status;
    return { call, authenticate, next, say };
  }

  /** A product, a token of it, and what adds a release with artifacts. */
  async function opened(more: object = {}) {
    const { product, tokenOf } = await world.openProduct(more);
    const { token } = await tokenOf('mender');
    const firmware = await world.app.make.firmware({
      platform_id: world.platform.id,
      flavor_id: world.platform.flavor.id,
    });
    const upload = (bundle_id: string, name: string, payload: Buffer) =>
      world.app.api.inject({
        method: 'POST',
        url: `/api/bundles/${bundle_id}/artifacts/${name}`,
        headers: { authorization: `Bearer ${world.owner.token}`, 'content-type': 'application/octet-stream' },
        payload,
      });
    const draft = () =>
      world.app.make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: world.owner.id });
    async function release(name: string, types = ['moor-board']) {
      const bundle = await draft();
      expect((await upload(bundle.id, 'image.mender', menderArtifact(name, types))).statusCode).toBe(200);
      unwrap(
        await world.api.call('bundles.setState', { params: { bundle_id: bundle.id }, body: { state: 'published' } }),
      );
      unwrap(await world.api.call('bundles.setTag', { params: { bundle_id: bundle.id }, body: { tag: 'release' } }));
      return bundle;
    }
    return { product, token, upload, draft, release };
  }

  let macs = 0;
  const newMac = () => `02:00:00:00:00:${(++macs).toString(16).padStart(2, '0')}`;
  const updatesOf = async (mac: string) => world.history((await world.deviceNamed(mac))?.id ?? '');

  // API-MENDER-auth, API-EP-POST-devices-v1-authentication-auth_requests
  it.each(kinds)(
    'a device with a key of kind %s registers with the token of the product',
    async (_, keys, algorithm) => {
      const { token, product } = await opened();
      const mac = newMac();
      const client = menderClient(mac, token, keys(), algorithm);
      expect((await client.next('rel-1')).status).toBe(401);
      const reply = await client.authenticate();
      expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/jwt' } });
      expect(reply.text.split('.')).toHaveLength(3);
      expect(await world.deviceNamed(mac)).toMatchObject({ product_id: product.id, title: mac, state: 'active' });
      // Each start authenticates again, and so does the client before it commits.
      expect((await client.authenticate()).status).toBe(200);
      expect((await client.next('rel-1')).status).toBe(204);
    },
  );

  it.each([
    ['another body', (body: string) => body.replace('standard', 'system ')],
    ['a body written anew', (body: string) => JSON.stringify(JSON.parse(body))],
  ])('a signature of %s is 401', async (_, tamper) => {
    const { token } = await opened();
    expect((await menderClient(newMac(), token).authenticate(tamper)).status).toBe(401);
  });

  it('a wrong token, another key under a known name and a closed door are 401', async () => {
    const { token, product } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    expect((await menderClient(mac, token).authenticate()).status).toBe(401);
    expect((await menderClient(newMac(), 'wrong').authenticate()).status).toBe(401);
    const params = { product_id: product.id };
    unwrap(await world.api.call('doors.set', { params, body: { ddi: true, mender: false, waiting: false } }));
    expect((await client.authenticate()).status).toBe(401);
    expect((await client.next('rel-1')).status).toBe(401);
  });

  it('a key that nothing speaks for waits, and is let in by people', async () => {
    const { product } = await opened({ waiting: true });
    const mac = newMac();
    const client = menderClient(mac, product.product.toLowerCase());
    expect((await client.authenticate()).status).toBe(401);
    const params = { product_id: product.id };
    const list = await world.api.call('doors.waiting', { params });
    expect(list.ok && list.value.value).toMatchObject([{ door: 'mender', name: mac }]);
    unwrap(await world.api.call('doors.decide', { params, body: { accept: true } }));
    expect((await client.authenticate()).status).toBe(200);
  });

  // API-DOOR-keys, API-EP-POST-products-product_id-door-keys, API-EP-GET-products-product_id-door-keys
  describe('a key that is accepted beforehand', () => {
    const pem = ({ publicKey }: Keys) => publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const der = ({ publicKey }: Keys) => publicKey.export({ type: 'spki', format: 'der' });

    it.each([
      ['as PEM', pem],
      ['as base64', (keys: Keys) => der(keys).toString('base64')],
      ['by its check sum', (keys: Keys) => hash('sha256', der(keys)).toUpperCase()],
    ])('%s is let in without a token', async (_, textOf) => {
      const { product } = await opened();
      const [mac, keys, params] = [newMac(), ec(), { product_id: product.id }];
      const body = { keys: [{ name: mac, key: textOf(keys) }] };
      const added = await world.api.call('doors.addKeys', { params, body });
      expect(added.ok && added.value.value).toEqual({ done: 1, refused: [] });
      const list = async () => {
        const reply = await world.api.call('doors.keys', { params });
        return reply.ok && reply.value.value;
      };
      const proof = hash('sha256', der(keys)).slice(0, 16);
      expect(await list()).toEqual([expect.objectContaining({ name: mac, proof })]);
      expect((await menderClient(mac, '', ec()).authenticate()).status).toBe(401);
      expect((await menderClient(mac, '', keys).authenticate()).status).toBe(200);
      expect(await list()).toEqual([]);
      expect(await world.deviceNamed(mac)).toMatchObject({ product_id: product.id, user_id: world.owner.id });
      // Its name is taken from then on.
      const again = await world.api.call('doors.addKeys', { params, body });
      expect(again.ok && again.value.value).toMatchObject({ done: 0, refused: [{ name: mac, code: 'DUPLICATE' }] });
    });

    it('is refused when it is none, and is taken back', async () => {
      const { product } = await opened();
      const [mac, keys, params] = [newMac(), ec(), { product_id: product.id }];
      const wrong = {
        keys: [
          { name: mac, key: pem(keys) },
          { name: 'y', key: 'no key' },
        ],
      };
      expect(await world.api.call('doors.addKeys', { params, body: wrong })).toMatchObject({
        ok: false,
        error: { status: 400, body: { validation: { source: 'body', keys: ['keys.1.key'] } } },
      });
      unwrap(await world.api.call('doors.addKeys', { params, body: { keys: [{ name: mac, key: pem(keys) }] } }));
      const list = await world.api.call('doors.keys', { params });
      const key_id = (list.ok && list.value.value[0]?.id) || '';
      // API-EP-DELETE-products-product_id-door-keys-key_id
      unwrap(await world.api.call('doors.removeKey', { params: { ...params, key_id } }));
      expect((await menderClient(mac, '', keys).authenticate()).status).toBe(401);
    });
  });

  // API-MENDER-next, API-MENDER-download, API-MENDER-status, API-MENDER-inventory
  it('a release is offered, fetched by its link, installed, and done when the device has its name', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    const bundle = await release('rel-2');
    const offered = await client.next('rel-1');
    expect(offered.status).toBe(200);
    const deployment = JSON.parse(offered.text);
    expect(deployment).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      artifact: {
        artifact_name: 'rel-2',
        device_types_compatible: ['moor-board'],
        source: { expire: expect.any(String) },
      },
    });
    const path = deployment.artifact.source.uri.replace('http://hub.local:8443', '');
    const bytes = menderArtifact('rel-2', ['moor-board']);
    // As a client without a token asks.
    const stranger = menderClient(newMac(), '');
    const whole = await stranger.call('GET', path, undefined, { authorization: '' });
    expect([whole.status, Number(whole.headers['content-length'])]).toEqual([200, bytes.length]);
    expect((await stranger.call('GET', path, undefined, { authorization: '', range: 'bytes=100-' })).status).toBe(206);
    expect((await stranger.call('GET', path.replace(/\?.*/, ''), undefined, { authorization: '' })).status).toBe(401);
    const said = ['downloading', 'downloading', 'installing', 'installing', 'rebooting', 'success', 'success'];
    for (const status of said) expect([status, await client.say(deployment.id, status)]).toEqual([status, 204]);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'installed' }]);
    expect((await client.next('rel-1')).status).toBe(204);
    const inventory = [
      { name: 'device_type', value: 'moor-board' },
      { name: 'artifact_name', value: 'rel-2' },
      { name: 'network', value: ['eth0', 'wlan0'] },
    ];
    expect((await client.call('PUT', `${api}/inventory/device/attributes`, inventory)).status).toBe(200);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'done', to_bundle_id: bundle.id }]);
    const { id = '' } = (await world.deviceNamed(mac)) ?? {};
    const attributes = await world.api.call('attributes.list', { params: { device_id: id } });
    expect(attributes.ok && attributes.value.value).toContainEqual(
      expect.objectContaining({ name: 'network', value: 'eth0, wlan0' }),
    );
    expect((await client.next('rel-2')).status).toBe(204);
  });

  it.each([
    ['GET', `${deployments}/next?artifact_name=rel-1&device_type=moor-board`, undefined],
    ['POST', `${deployments}/next`, { artifact_name: 'rel-1', device_type: 'moor-board' }],
  ] as const)('earlier clients ask by %s', async (method, url, body) => {
    const { token, release } = await opened();
    const client = menderClient(newMac(), token);
    await client.authenticate();
    await release('rel-2');
    expect((await client.call(method, url, body)).status).toBe(200);
  });

  it('what is installed already is no update', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    await release('rel-2');
    expect((await client.next('rel-2')).status).toBe(204);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'done' }]);
  });

  it('a release for other types of devices fails once', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    await release('rel-2', ['other-board']);
    for (let count = 0; count < 2; count++) expect((await client.next('rel-1')).status).toBe(204);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'failed', reason: expect.stringContaining('moor-board') }]);
  });

  // API-MENDER-log
  it('a deployment that is taken back is 409, and its failure and log are taken', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    await release('rel-2');
    const { id } = JSON.parse((await client.next('rel-1')).text);
    expect(await client.say(id, 'downloading')).toBe(204);
    await release('rel-3');
    expect(JSON.parse((await client.next('rel-1')).text)).toMatchObject({ artifact: { artifact_name: 'rel-3' } });
    expect(await client.say(id, 'installing')).toBe(409);
    expect(await client.say(id, 'failure')).toBe(204);
    const messages = [{ timestamp: '2026-01-01T00:00:00Z', level: 'error', message: 'aborted' }];
    expect((await client.call('PUT', `${deployments}/${id}/log`, { messages })).status).toBe(204);
    const device_id = (await world.deviceNamed(mac))?.id ?? '';
    const log = await world.api.call('doors.messages', { params: { device_id, update_id: Number(id) } });
    expect(log.ok && log.value.value.map(({ text }) => text)).toEqual([
      'downloading',
      'installing',
      'failure',
      'error: aborted',
    ]);
  });

  it('what selection takes back is 409 with the next status', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    const bundle = await release('rel-2');
    const tag = (value: 'release' | '') =>
      world.api.call('bundles.setTag', { params: { bundle_id: bundle.id }, body: { tag: value } });
    const { id } = JSON.parse((await client.next('rel-1')).text);
    expect(await client.say(id, 'downloading')).toBe(204);
    unwrap(await tag(''));
    expect(await client.say(id, 'installing')).toBe(409);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'superseded' }]);
  });

  it('a failure is recorded, and what has failed is not offered again', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    await release('rel-2');
    const { id } = JSON.parse((await client.next('rel-1')).text);
    expect(await client.say(id, 'failure')).toBe(204);
    expect((await client.next('rel-1')).status).toBe(204);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'failed' }]);
    expect(await client.say('999999', 'failure')).toBe(404);
  });

  it.each(['inventory', 'next'] as const)('a device that was mended by hand is up to date, by its %s', async (way) => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    const bundle = await release('rel-2');
    const { id } = JSON.parse((await client.next('rel-1')).text);
    await client.say(id, 'failure');
    const inventory = [{ name: 'artifact_name', value: 'rel-2' }];
    if (way === 'next') expect((await client.next('rel-2')).status).toBe(204);
    else expect((await client.call('PUT', `${api}/inventory/device/attributes`, inventory)).status).toBe(200);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'failed' }, { state: 'done', to_bundle_id: bundle.id }]);
    expect(await world.deviceNamed(mac)).toMatchObject({ bversion: expect.stringContaining(bundle.version) });
    expect((await client.next('rel-2')).status).toBe(204);
    expect(await updatesOf(mac)).toHaveLength(2);
  });

  it('the log of a failure, which comes after it, says why', async () => {
    const { token, release } = await opened();
    const mac = newMac();
    const client = menderClient(mac, token);
    await client.authenticate();
    await release('rel-2');
    const { id } = JSON.parse((await client.next('rel-1')).text);
    for (const status of ['downloading', 'installing', 'failure']) await client.say(id, status);
    expect(await updatesOf(mac)).toMatchObject([{ reason: 'The client reports a failure' }]);
    const messages = [
      { level: 'info', message: 'begin' },
      { level: 'error', message: 'The module \0failed' },
      { level: 'info', message: 'rolled back' },
    ];
    expect((await client.call('PUT', `${deployments}/${id}/log`, { messages })).status).toBe(204);
    expect(await updatesOf(mac)).toMatchObject([{ state: 'failed', reason: 'The module failed' }]);
  });

  // API-RULE-artifact-1
  it.each(['resource', 'artifact', 'copy of a release candidate'] as const)(
    'an artifact added as a %s is offered',
    async (way) => {
      const { upload, draft, token } = await opened();
      const { id } = await draft();
      const bytes = menderArtifact('rel-9', ['moor-board']);
      const add = (filename: string, base64: string) =>
        world.api.call('bundles.addResource', { params: { bundle_id: id }, body: { filename, base64 } });
      if (way === 'artifact') expect((await upload(id, 'image.mender', bytes)).statusCode).toBe(200);
      else unwrap(await add('image.mender', Buffer.from(bytes).toString('base64')));
      expect(await add('other.mender', Buffer.from('garbage').toString('base64'))).toMatchObject({
        ok: false,
        error: { status: 400, body: { code: 'WRONG_ARTIFACT' } },
      });
      const params = { bundle_id: id };
      unwrap(await world.api.call('bundles.setState', { params, body: { state: 'published' } }));
      unwrap(await world.api.call('bundles.setTag', { params, body: { tag: 'release' } }));
      if (way === 'copy of a release candidate') return expectCopied(id);
      const client = menderClient(newMac(), token);
      await client.authenticate();
      expect(JSON.parse((await client.next('rel-1')).text)).toMatchObject({ artifact: { artifact_name: 'rel-9' } });
      return undefined;
    },
  );

  /** The product that a bundle is copied to has what its files say of themselves. */
  async function expectCopied(bundleId: string) {
    const { db } = world.app.storage;
    const from = await db.selectFrom('bundles').selectAll().where('id', '=', bundleId).executeTakeFirstOrThrow();
    const to = await world.app.make.product({ platform_id: world.platform.id, user_id: world.owner.id });
    const at = { productId: to.id, userId: world.owner.id, atMs: 1 };
    expect(await world.app.storage.transaction((trx) => copyReleaseCandidate(trx, from.product_id, at))).toBe(true);
    const headers = db
      .selectFrom('artifact_headers as h')
      .innerJoin('resources as r', 'r.id', 'h.resource_id')
      .innerJoin('bundles as b', 'b.id', 'r.bundle_id')
      .select('h.name')
      .where('b.product_id', '=', to.id);
    expect(await headers.execute()).toEqual([{ name: 'rel-9' }]);
  }

  describe('an artifact that is none is refused at upload', () => {
    it.each([
      ['image.mender', Buffer.from('no tar'), /no tar archive/],
      ['image.mender', menderArtifact('', ['x']), /names no artifact/],
      ['image.mender', menderArtifact('x', []), /no types of devices/],
      ['image.swu', Buffer.from('no cpio'), /no cpio archive/],
      ['image.swu', Buffer.from(`070701${'0'.repeat(104)}other-file`), /sw-description/],
    ])('%s', async (name, bytes, reason) => {
      const { upload, draft } = await opened();
      const reply = await upload((await draft()).id, name, bytes);
      expect([reply.statusCode, reply.json().code]).toEqual([400, 'WRONG_ARTIFACT']);
      expect(reply.json().message).toMatch(reason);
    });

    /** An archive for SWUpdate that says this of itself. */
    const swuOf = (text: string) => {
      const body = Buffer.from(`software = { ${text} }`);
      const field = (value: number) => value.toString(16).padStart(8, '0').toUpperCase();
      const name = 'sw-description\0';
      const fields = [1, 0o100644, 0, 0, 1, 0, body.length, 0, 0, 0, 0, name.length, 0].map(field).join('');
      const head = Buffer.from(`070702${fields}${name}`);
      return Buffer.concat([head, Buffer.alloc((4 - (head.length % 4)) % 4), body]);
    };

    it('and so is an archive for SWUpdate that contradicts another of the bundle, or its version', async () => {
      const { upload, draft } = await opened();
      const { id, version } = await draft();
      const add = async (name: string, text: string) => {
        const reply = await upload(id, name, swuOf(text));
        return reply.statusCode === 200 ? 200 : reply.json().message;
      };
      const hardware = (of: string) => `hardware-compatibility: [ ${of} ];`;
      expect(await add('one.swu', `version = "1.0.1"; ${hardware('"1.0", "1.1"')}`)).toBe(200);
      expect(await add('same.swu', `version = "1.0.1"; ${hardware('"1.1"')}`)).toBe(200);
      expect(await add('two.swu', `version = "1.0.2"; ${hardware('"1.0"')}`)).toMatch(/"1\.0\.2".*"1\.0\.1"/);
      expect(await add('boot/loader.swu', 'version = "7";')).toBe(200);
      expect(await add('radio/r.swu', `version = "7"; ${hardware('"2.0"')}`)).toMatch(/hardware "2\.0"/);
      expect(await add('sealed.swu', 'encrypted')).toBe(200);
      expect(await add('9.swu', 'version = "9.0.0.1";')).toContain(`"9.0.0.1", and that of the bundle is "${version}"`);
      expect(await add('fan/9.swu', 'version = "9.0.0.1";')).toBe(200);
    });

    it('and one whose header is packed by xz, with what to do', async () => {
      const { upload, draft } = await opened();
      const version = Buffer.from('{"format":"mender","version":3}');
      const reply = await upload((await draft()).id, 'x.mender', tarOf({ version, 'header.tar.xz': Buffer.from('x') }));
      expect(reply.json().message).toMatch(/--compression gzip/);
    });

    it('and so is one of another release', async () => {
      const { upload, draft } = await opened();
      const { id } = await draft();
      expect((await upload(id, 'a.mender', menderArtifact('rel-1', ['a']))).statusCode).toBe(200);
      expect((await upload(id, 'b.mender', menderArtifact('rel-1', ['b']))).statusCode).toBe(200);
      expect((await upload(id, 'c.mender', menderArtifact('rel-2', ['c']))).statusCode).toBe(400);
    });
  });
});
