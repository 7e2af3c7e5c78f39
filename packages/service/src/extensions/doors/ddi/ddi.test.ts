import { createHash } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DdiWorld, ddiWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

const digest = (kind: string, text: string) => createHash(kind).update(text).digest('hex');

eachDatabase('DDI', (open) => {
  let world: DdiWorld;
  beforeAll(async () => {
    world = await ddiWorld(await open());
  });
  const newcomer = (name: string) => world.newcomer(name);
  const updating = (name: string) => world.updating(name);

  // API-DDI-base, API-DOOR-identity, API-DOOR-token
  it('a client registers with the token of the product, and is asked for its attributes', async () => {
    const { client, product, token } = await newcomer('first');
    const base = await client.poll();
    expect(base).toMatchObject({
      status: 200,
      body: { config: { polling: { sleep: expect.stringMatching(/^\d\d:\d\d:\d\d$/) } } },
    });
    expect(Object.keys(base.body._links)).toEqual(['configData']);
    const settings = { params: { product_id: product.id }, body: { poll_interval_s: 120 } };
    expect((await world.api.call('rollouts.setFleetSettings', settings)).ok).toBe(true);
    expect((await client.poll()).body.config.polling.sleep).toBe('00:02:00');
    expect(await world.deviceNamed('first')).toMatchObject({
      title: 'first',
      product_id: product.id,
      user_id: world.owner.id,
      state: 'active',
      last_seen_at: world.app.clock.now(),
    });
    // Its product is named in any letter case; another is not its own.
    expect((await world.ddiClient('first', `gatewaytoken ${token}`, product.product.toLowerCase()).poll()).status).toBe(
      200,
    );
    expect((await world.ddiClient('first', `GatewayToken ${token}`, 'OTHER-THING').poll()).status).toBe(401);
  });

  // API-DDI-config
  it('attributes become those of the device; names that it cannot have are made to fit', async () => {
    const { client } = await newcomer('attributes');
    await client.poll();
    const send = (data: object, mode?: string) =>
      client.call('PUT', 'configData', {
        id: '',
        time: '20260101T000000',
        ...(mode && { mode }),
        status: { result: { finished: 'success' }, execution: 'closed', details: [''] },
        data,
      });
    const { id = '' } = (await world.deviceNamed('attributes')) ?? {};
    const attributes = async () => {
      const reply = await world.api.call('attributes.list', { params: { device_id: id } });
      if (!reply.ok) throw new Error(reply.error.body.message);
      return Object.fromEntries(reply.value.value.map(({ name, value }) => [name, value]));
    };
    expect(await send({ serial: 'SN1', 'HW revision': '1.0', version: '7' })).toMatchObject({ status: 200 });
    expect(await attributes()).toEqual({ serial: 'SN1', HW_revision: '1.0', 'reported.version': '7' });
    expect((await client.poll()).body._links).toEqual({});
    await send({ serial: 'x'.repeat(300) }, 'replace');
    expect(await attributes()).toEqual({ serial: 'x'.repeat(256) });
    await send({ serial: '' }, 'remove');
    expect(await attributes()).toEqual({});
  });

  // API-DDI-deployment
  it('a release is shown as one chunk for each folder, with all check sums and links for a day', async () => {
    const { shown, id, release } = await updating('shown');
    expect(shown.status).toBe(200);
    expect(Number.isInteger(Number(id))).toBe(true);
    const { chunks, ...deployment } = shown.body.deployment;
    expect({ id: shown.body.id, ...deployment }).toEqual({ id, download: 'forced', update: 'forced' });
    expect(chunks.map(({ part, version, artifacts }: never) => [part, version, (artifacts as []).length])).toEqual([
      ['boot', release.version, 1],
      ['os', release.version, 1],
    ]);
    const text = `image ${release.version}`;
    const [artifact] = chunks[1].artifacts;
    expect(artifact).toMatchObject({
      filename: 'image.swu',
      size: text.length,
      hashes: { sha1: digest('sha1', text), md5: digest('md5', text), sha256: digest('sha256', text) },
    });
    // Without TLS, links of that kind and no others.
    expect(Object.keys(artifact._links)).toEqual(['download-http', 'md5sum-http']);
  });

  // API-DDI-artifact, API-DOOR-ticket
  it('a file is fetched whole, in part, by its head and by its sum; its link needs no token, and is good for a day', async () => {
    const { shown, client, release, states } = await updating('files');
    const text = `image ${release.version}`;
    const href: string = shown.body.deployment.chunks[1].artifacts[0]._links['download-http'].href;
    const path = href.replace('http://hub.local:8443', '');
    expect(await client.call('HEAD', path)).toMatchObject({
      status: 200,
      headers: { 'content-length': String(text.length) },
    });
    expect(await states()).toEqual(['offered']);
    const stranger = world.ddiClient('files', undefined);
    expect(await stranger.call('GET', path)).toMatchObject({ status: 200, text });
    expect(await states()).toEqual(['downloading']);
    expect(await client.call('GET', path, undefined, { range: 'bytes=3-' })).toMatchObject({
      status: 206,
      text: text.slice(3),
    });
    expect((await client.call('GET', path, undefined, { range: `bytes=${text.length}-` })).status).toBe(416);
    const sum: string = shown.body.deployment.chunks[1].artifacts[0]._links['md5sum-http'].href;
    expect(await stranger.call('GET', sum.replace('http://hub.local:8443', ''))).toMatchObject({
      status: 200,
      text: `${digest('md5', text)}  image.swu\n`,
    });
    const bare = path.replace(/\?.*/, '');
    expect((await client.call('GET', bare)).status).toBe(200);
    expect((await stranger.call('GET', bare)).status).toBe(401);
    expect((await stranger.call('GET', `${bare}?ticket=1.2.x`)).status).toBe(401);
    const other = path.replace('/files/', '/other/');
    expect((await stranger.call('GET', other)).status).toBe(401);
    const list = await client.call('GET', path.replace(/\/artifacts\/.*/, '/artifacts'));
    expect(list.body.map(({ filename }: { filename: string }) => filename)).toEqual(['loader.swu', 'image.swu']);
    await world.app.clock.skip(25 * 3_600_000);
    expect((await stranger.call('GET', path)).status).toBe(401);
  });

  // API-DDI-feedback, API-DOOR-messages
  it('SWUpdate installs, restarts and confirms: what it says is kept, and the device runs the version', async () => {
    const { client, id, device, states, release } = await updating('swupdate');
    const said = [
      await client.say(id, 'proceeding', 'none', ['Installing Update Chunk Artifacts.'], {
        progress: { cnt: 0, of: 1 },
      }),
      await client.say(id, 'proceeding', 'none', ['one', 'two'], { progress: { cnt: 1, of: 1 } }),
      await client.say(id, 'proceeding', 'none', ['Installed Chunk.'], { progress: { cnt: 1, of: 1 } }),
    ];
    expect(said.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await states()).toEqual(['offered']);
    await client.say(id, 'proceeding', 'none', ['All Chunks Installed.'], { progress: { cnt: 1, of: 1 } });
    expect(await states()).toEqual(['installed']);
    // It asks on with the action still there, until it has restarted.
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBe(`deploymentBase/${id}`);
    expect((await client.say(id, 'closed', 'success', ['Update Installed.'])).status).toBe(200);
    expect(await states()).toEqual(['done']);
    expect(await world.deviceNamed('swupdate')).toMatchObject({ bversion: expect.stringContaining(release.version) });
    // Said twice it is no more than once; the contrary comes too late.
    expect((await client.say(id, 'closed', 'success', ['Update Installed.'])).status).toBe(200);
    expect((await client.say(id, 'closed', 'failure', ['no'])).status).toBe(410);
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBeUndefined();
    // API-DDI-installed
    expect(await client.call('GET', `installedBase/${id}?actionHistory=2`)).toMatchObject({
      status: 200,
      body: { id, actionHistory: { status: 'FINISHED', messages: ['Update Installed.', 'Update Installed.'] } },
    });
    // API-EP-GET-devices-device_id-updates-update_id-messages
    const log = await world.api.call('doors.messages', { params: { device_id: device.id, update_id: Number(id) } });
    expect(log.ok && log.value.value.map(({ step, text }) => `${step}: ${text}`)).toEqual([
      'proceeding: Installing Update Chunk Artifacts.',
      'proceeding: one',
      'proceeding: two',
      'proceeding: Installed Chunk.',
      'proceeding: All Chunks Installed.',
      'closed: Update Installed.',
      'closed: Update Installed.',
    ]);
  });

  it('what has failed is not offered again until a person asks for it, or another bundle comes', async () => {
    const { client, id, device, states, bundleOf } = await updating('failing');
    await client.say(id, 'closed', 'failure', ['signature wrong', '']);
    expect(await world.history(device.id)).toMatchObject([{ state: 'failed', reason: 'signature wrong' }]);
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBeUndefined();
    await world.app.clock.advance(1_000);
    unwrap(await world.api.call('devices.askUpdate', { params: { device_id: device.id } }));
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBe(`deploymentBase/${Number(id) + 1}`);
    await client.say(Number(id) + 1, 'closed', 'failure', ['again']);
    unwrap(
      await world.api.call('bundles.setTag', {
        params: { bundle_id: (await bundleOf(null)).id },
        body: { tag: 'release' },
      }),
    );
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBe(`deploymentBase/${Number(id) + 2}`);
    expect(await states()).toEqual(['failed', 'failed', 'offered']);
  });

  it('an update that is skipped is no success', async () => {
    const { client, id, states } = await updating('skipping');
    expect((await client.say(id, 'closed', 'success', ['Skipped Update.'])).status).toBe(200);
    expect(await states()).toEqual(['offered']);
  });

  // API-DDI-cancel
  it('an update that is over is cancelled before the next is shown, and its last words are taken', async () => {
    const { client, id, states, bundleOf } = await updating('cancelled');
    const next = await bundleOf(null);
    unwrap(await world.api.call('bundles.setTag', { params: { bundle_id: next.id }, body: { tag: 'release' } }));
    const base = await client.poll();
    expect(client.linkOf(base, 'cancelAction')).toBe(`cancelAction/${id}`);
    expect(client.linkOf(base, 'deploymentBase')).toBeUndefined();
    expect(await client.call('GET', `cancelAction/${id}`)).toMatchObject({
      status: 200,
      body: { id, cancelAction: { stopId: id } },
    });
    expect((await client.say(id, 'proceeding', 'none', ['dropped'])).status).toBe(200);
    const feedback = { id, status: { execution: 'closed', result: { finished: 'success' }, details: [] } };
    expect((await client.call('POST', `cancelAction/${id}/feedback`, feedback)).status).toBe(200);
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBe(`deploymentBase/${Number(id) + 1}`);
    expect(await states()).toEqual(['superseded', 'offered']);
    expect((await client.call('GET', `cancelAction/${id}`)).status).toBe(404);
  });

  it('a client that never says that it knows of the end is left alone after a quarter of an hour', async () => {
    const { client, id, bundleOf } = await updating('silent');
    const next = await bundleOf(null);
    unwrap(await world.api.call('bundles.setTag', { params: { bundle_id: next.id }, body: { tag: 'release' } }));
    expect(client.linkOf(await client.poll(), 'cancelAction')).toBe(`cancelAction/${id}`);
    await world.app.clock.skip(15 * 60_000);
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBe(`deploymentBase/${Number(id) + 1}`);
  });

  it('what a client has installed although it was cancelled is what it runs', async () => {
    const { client, id, bundleOf, release } = await updating('late');
    const next = await bundleOf(null);
    unwrap(await world.api.call('bundles.setTag', { params: { bundle_id: next.id }, body: { tag: 'release' } }));
    await client.poll();
    expect((await client.say(id, 'closed', 'success', ['Update Installed.'])).status).toBe(200);
    expect(await world.deviceNamed('late')).toMatchObject({ bversion: expect.stringContaining(release.version) });
  });

  it('a rollout brings an update, and its emergency stop cancels it', async () => {
    const { client, product, bundleOf } = await newcomer('rolled');
    const bundle = await bundleOf(null);
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBeUndefined();
    const made = await world.api.call('rollouts.create', {
      params: { product_id: product.id },
      body: { title: 'all', bundle_id: bundle.id, settings: { stages: [{}], force: 'soft' } },
    });
    if (!made.ok) throw new Error(made.error.body.message);
    const rollout = { rollout_id: made.value.value.id };
    unwrap(await world.api.call('rollouts.act', { params: rollout, body: { action: 'start' } }));
    const link = client.linkOf(await client.poll(), 'deploymentBase') ?? '';
    expect((await client.call('GET', link)).body.deployment).toMatchObject({ download: 'attempt', update: 'attempt' });
    unwrap(await world.api.call('rollouts.act', { params: rollout, body: { action: 'abort' } }));
    expect(client.linkOf(await client.poll(), 'cancelAction')).toBe(link.replace('deploymentBase', 'cancelAction'));
  });

  // API-DDI-confirmation
  it('no update waits for a consent on the device', async () => {
    const { client } = await newcomer('consent');
    expect(await client.call('GET', 'confirmationBase')).toMatchObject({
      status: 200,
      body: { autoConfirm: { active: false }, _links: { activateAutoConfirm: {} } },
    });
  });

  describe('who does not come in learns nothing else', () => {
    const wrong = (reply: { status: number; body?: { code: string } }) => [reply.status, reply.body?.code];
    const stranger = [401, 'DOOR_UNAUTHORISED'];

    it.each([
      ['no token', undefined],
      ['an unknown token', 'TargetToken unknown'],
      ['an unknown token of a product', 'GatewayToken unknown'],
      ['another scheme', 'Bearer unknown'],
      ['an empty token', 'TargetToken '],
    ])('with %s', async (_, header) => {
      await newcomer('known');
      for (const name of ['known', 'unknown']) {
        expect(wrong(await world.ddiClient(name, header).poll())).toEqual(stranger);
      }
    });

    it('with a token that has been revoked, at once', async () => {
      const { client, product, tokenOf } = await newcomer('revoked');
      const { id } = await tokenOf('ddi');
      const { token, ...one } = await tokenOf('ddi');
      const other = world.ddiClient('revoked', `GatewayToken ${token}`);
      expect((await other.poll()).status).toBe(200);
      const params = { product_id: product.id, token_id: one.id };
      expect((await world.api.call('doors.removeToken', { params })).ok).toBe(true);
      expect(wrong(await other.poll())).toEqual(stranger);
      expect((await client.poll()).status).toBe(200);
      expect(id).not.toBe(one.id);
    });

    it('with a name that devices cannot have', async () => {
      const { token } = await newcomer('plain');
      expect(wrong(await world.ddiClient('a%2fb', `GatewayToken ${token}`).poll())).toEqual(stranger);
    });

    it('when the door of the product is closed', async () => {
      const { client, product } = await newcomer('shut');
      await client.poll();
      const body = { ddi: false, mender: true, waiting: false };
      unwrap(await world.api.call('doors.set', { params: { product_id: product.id }, body }));
      expect(wrong(await client.poll())).toEqual(stranger);
    });

    it('when the device is blocked', async () => {
      const { client } = await newcomer('blocked');
      await client.poll();
      const { id = '' } = (await world.deviceNamed('blocked')) ?? {};
      unwrap(await world.api.call('devices.setState', { params: { device_id: id }, body: { state: 'disabled' } }));
      expect(wrong(await client.poll())).toEqual(stranger);
    });

    it('nor of the updates of other devices', async () => {
      const { id } = await updating('mine');
      const { client } = await newcomer('theirs');
      await client.poll();
      expect((await client.call('GET', `deploymentBase/${id}`)).status).toBe(404);
      expect((await client.say(id, 'closed', 'success')).status).toBe(404);
      expect((await client.call('GET', `cancelAction/${id}`)).status).toBe(404);
      expect((await client.call('GET', `installedBase/${id}`)).status).toBe(404);
    });
  });

  it.each([
    ['an id that is no number', 'GET', 'deploymentBase/x', undefined, 400],
    ['a feedback without a status', 'POST', 'deploymentBase/1/feedback', { id: '1' }, 400],
    [
      'an unknown execution',
      'POST',
      'deploymentBase/1/feedback',
      { status: { execution: 'exploded', result: { finished: 'none' } } },
      400,
    ],
    ['attributes that are no object', 'PUT', 'configData', { data: [] }, 400],
    ['an unknown path', 'GET', 'nothing', undefined, 404],
  ] as const)('%s is refused with a status that clients know', async (_, method, url, body, status) => {
    const { token } = await newcomer('wrong');
    expect((await world.ddiClient('wrong', `GatewayToken ${token}`).call(method, url, body)).status).toBe(status);
  });
});
