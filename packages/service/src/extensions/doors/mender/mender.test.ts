import { generateKeyPairSync, hash } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { eachDatabase } from '../../../testing/index.ts';
import { menderArtifact } from '../../../testing/mender-artifact.ts';
import {
  menderApi as api,
  deployments,
  ec,
  type Keys,
  type MenderWorld,
  menderWorld,
  newMac,
} from '../../../testing/mender-world.ts';

const kinds: readonly (readonly [string, () => Keys, 'sha256' | null])[] = [
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2_048 }), 'sha256'],
  ['ECDSA', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sha256'],
  ['Ed25519', () => generateKeyPairSync('ed25519'), null],
];

eachDatabase('Mender', (open) => {
  let world: MenderWorld;
  beforeAll(async () => {
    world = await menderWorld(await open());
  });

  const opened = (more: object = {}) => world.opened(more);
  const menderClient: MenderWorld['menderClient'] = (...of) => world.menderClient(...of);
  const updatesOf = (mac: string) => world.updatesOf(mac);

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
});
