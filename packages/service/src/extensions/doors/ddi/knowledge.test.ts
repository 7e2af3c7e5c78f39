import { createHash } from 'node:crypto';
import { unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type DdiWorld, ddiWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

const digest = (kind: string, text: string) => createHash(kind).update(text).digest('hex');

eachDatabase('DDI, what it knows of a device', (open) => {
  let world: DdiWorld;
  beforeAll(async () => {
    world = await ddiWorld(await open());
  });
  const newcomer = (name: string) => world.newcomer(name);
  const updating = (name: string) => world.updating(name);

  it('a file may be named like the sum of another', async () => {
    const { client, bundleOf } = await newcomer('summed');
    const bundle = await bundleOf('release');
    const named = { 'a.swu': 'one', 'a.swu.MD5SUM': 'two', 'b.MD5SUM': 'three' };
    for (const [filename, text] of Object.entries(named)) {
      await world.app.make.resource(new TextEncoder().encode(text), { bundle_id: bundle.id, filename });
    }
    await client.poll();
    const path = `softwaremodules/${bundle.id}/artifacts`;
    for (const [name, text] of Object.entries(named)) {
      expect(await client.call('GET', `${path}/${name}`)).toMatchObject({ status: 200, text });
    }
    expect(await client.call('GET', `${path}/b.MD5SUM.MD5SUM`)).toMatchObject({
      text: `${digest('md5', 'three')}  b.MD5SUM\n`,
    });
  });

  // API-DOOR-ticket
  it.each(['token of the product', 'own token'] as const)(
    'a link goes with the %s by which it was got',
    async (kind) => {
      const { product, tokenOf, bundleOf } = await world.openProduct();
      await bundleOf('release');
      const params = { product_id: product.id };
      const name = `linked-${kind.slice(0, 3)}`;
      const own =
        kind === 'own token' &&
        unwrap(await world.api.call('doors.addDevice', { params, body: { door: 'ddi', name } })).value;
      const shared = await tokenOf('ddi');
      const client = world.ddiClient(name, own ? `TargetToken ${own.token}` : `GatewayToken ${shared.token}`);
      const shown = await client.call('GET', client.linkOf(await client.poll(), 'deploymentBase') ?? '');
      const { href } = shown.body.deployment.chunks[0].artifacts[0]._links['download-http'];
      const fetch = async () =>
        (await world.ddiClient(name, undefined).call('GET', href.replace('http://hub.local:8443', ''))).status;
      expect(await fetch()).toBe(200);
      const { id: other } = await tokenOf('ddi');
      unwrap(await world.api.call('doors.removeToken', { params: { ...params, token_id: other } }));
      expect(await fetch()).toBe(200);
      if (own) unwrap(await world.api.call('doors.revokeDevice', { params: { device_id: own.device_id } }));
      else unwrap(await world.api.call('doors.removeToken', { params: { ...params, token_id: shared.id } }));
      expect(await fetch()).toBe(401);
    },
  );

  it('a device that is moved to another product is the same device there', async () => {
    const from = await newcomer('mover');
    await from.client.poll();
    const to = await newcomer('already-there');
    const { id: device_id = '' } = (await world.deviceNamed('mover')) ?? {};
    const body = { product_id: to.product.id };
    unwrap(await world.api.call('devices.activate', { params: { device_id }, body }));
    const moved = world.ddiClient('mover', `GatewayToken ${to.token}`);
    expect((await moved.poll()).status).toBe(200);
    expect((await from.client.poll()).status).toBe(401);
    const rows = world.app.storage.db.selectFrom('door_devices').select('device_id').where('name', '=', 'mover');
    expect(await rows.execute()).toEqual([{ device_id }]);
  });

  // API-RULE-device-texts-1
  it('what a client says is taken without the character NUL', async () => {
    const { client, id, device } = await updating('nul');
    expect((await client.call('PUT', 'configData', { data: { serial: 'a\0b' } })).status).toBe(200);
    expect((await client.say(id, 'closed', 'failure', ['write: \0\0end'])).status).toBe(200);
    expect(await world.history(device.id)).toMatchObject([{ state: 'failed', reason: 'write: end' }]);
    const params = { device_id: device.id };
    const attributes = await world.api.call('attributes.list', { params });
    expect(attributes.ok && attributes.value.value).toMatchObject([{ name: 'serial', value: 'ab' }]);
  });

  // API-DDI-config
  it('attributes are asked for again after an update, when a person asks, and when the service has forgotten them', async () => {
    const { client, id, device } = await updating('asked-again');
    const { clock } = world.app;
    const isAsked = async () => 'configData' in (await client.poll()).body._links;
    const report = async () => {
      await clock.advance(1_000);
      await client.call('PUT', 'configData', { data: { os_version: '1' } });
      expect(await isAsked()).toBe(false);
      await clock.advance(1_000);
    };
    await report();
    await client.say(id, 'closed', 'success', ['Update Installed.']);
    expect(await isAsked()).toBe(true);
    await report();
    unwrap(await world.api.call('devices.askUpdate', { params: { device_id: device.id } }));
    expect(await isAsked()).toBe(true);
    await report();
    await world.app.storage.db.deleteFrom('attributes').where('device_id', '=', device.id).execute();
    expect(await isAsked()).toBe(true);
  });

  // API-DDI-base
  it('the number behind the link of an action changes with how it is handled', async () => {
    const { client } = await updating('numbered');
    const { href } = (await client.poll()).body._links.deploymentBase;
    expect(href).toMatch(/\/deploymentBase\/\d+\?c=3$/);
  });

  it('a success after a failure is what the device runs', async () => {
    const { client, id, release, states } = await updating('after-all');
    await client.say(id, 'closed', 'failure', ['no']);
    expect((await client.say(id, 'closed', 'success', ['Update Installed.'])).status).toBe(200);
    expect(await states()).toEqual(['failed', 'done']);
    expect(await world.deviceNamed('after-all')).toMatchObject({ bversion: expect.stringContaining(release.version) });
    expect(client.linkOf(await client.poll(), 'deploymentBase')).toBeUndefined();
  });
});
