import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DoorWorld, doorWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

/** As the RAUC updater calls itself, and as it asks. */
const updater = {
  'user-agent': 'rauc-hawkbit-c-agent/1.4',
  accept: 'application/json;charset=UTF-8',
  'content-type': 'application/json;charset=UTF-8',
};

eachDatabase('RAUC', (open) => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await doorWorld(await open());
  });

  interface Rules {
    readonly consent?: boolean;
    readonly version_attribute?: string;
    readonly probation_s?: number;
  }

  /** A product with a bundle for RAUC on offer, and a client with its token. */
  async function offered(name: string, rules: Rules = {}, tag: 'release' | null = 'release') {
    const made = await world.openProduct();
    const params = { product_id: made.product.id };
    const body = { ddi: true, mender: false, waiting: false, ...rules };
    unwrap(await world.api.call('doors.set', { params, body }));
    const { token } = await made.tokenOf('ddi');
    const firmware = await world.app.make.firmware({
      platform_id: world.platform.id,
      flavor_id: world.platform.flavor.id,
    });
    const of = { product_id: made.product.id, firmware_id: firmware.id, user_id: world.owner.id };
    const bundle = await world.app.make.bundle({ ...of, state: 'published', tag });
    const bytes = new TextEncoder().encode('a bundle');
    await world.app.make.resource(bytes, { bundle_id: bundle.id, filename: 'image.raucb' });
    const client = world.ddiClient(name, `GatewayToken ${token}`);
    const call = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
      client.call(method, url, payload, updater);
    const poll = () => call('GET', '');
    const say = (id: string, execution: string, finished: string, details: readonly string[]) =>
      call('POST', `deploymentBase/${id}/feedback`, { id, status: { execution, result: { finished }, details } });
    const states = async () =>
      (await world.history((await world.deviceNamed(name))?.id ?? '')).map(({ state }) => state);
    return { ...made, bundle, token, client, call, poll, say, states };
  }
  type Offered = Awaited<ReturnType<typeof offered>>;

  const linkOf = async ({ client, poll }: Offered, link: string) => client.linkOf(await poll(), link);
  const actionOf = async (made: Offered) =>
    ((await linkOf(made, 'deploymentBase')) ?? '').replace('deploymentBase/', '');
  const configData = { time: '20260101T000000', status: { result: { finished: 'success' }, execution: 'closed' } };

  describe('its updater', () => {
    it('is let in, sends its attributes, installs one file of one chunk, and is done', async () => {
      const made = await offered('gate-r');
      const base = await made.poll();
      expect(Object.keys(base.body._links).toSorted()).toEqual(['configData', 'deploymentBase']);
      expect((await made.call('PUT', 'configData', { ...configData, data: { product: 'Moor' } })).status).toBe(200);
      const id = await actionOf(made);
      const { chunks } = (await made.call('GET', `deploymentBase/${id}`)).body.deployment;
      expect(chunks.map(({ artifacts }: { artifacts: unknown[] }) => artifacts.length)).toEqual([1]);
      expect(chunks[0].artifacts[0]).toMatchObject({ filename: 'image.raucb', size: 8 });
      for (const line of ['Download complete. 1.00 MB/s', 'File checksum OK.', ' 40% Checking bundle', 'idle']) {
        expect((await made.say(id, 'proceeding', 'none', [line])).status).toBe(200);
      }
      await made.say(id, 'closed', 'success', ['Software bundle installed successfully.']);
      expect(await made.states()).toEqual(['done']);
      // API-DDI-installed
      expect(await linkOf(made, 'installedBase')).toBe(`installedBase/${id}`);
    });

    it('reports the last error of RAUC as the reason', async () => {
      const made = await offered('gate-f');
      const id = await actionOf(made);
      await made.say(id, 'proceeding', 'none', ['LastError: Failed mounting bundle']);
      await made.say(id, 'closed', 'failure', ['Failed to install software bundle.']);
      const { id: device = '' } = (await world.deviceNamed('gate-f')) ?? {};
      expect(await world.history(device)).toMatchObject([{ state: 'failed', reason: 'Failed mounting bundle' }]);
    });

    // API-DOOR-probation
    it('is not believed before its restart: the attribute that the product names has to show the version', async () => {
      const made = await offered('gate-p', { version_attribute: 'os' });
      const id = await actionOf(made);
      await made.call('PUT', 'configData', { ...configData, data: { os: '1' } });
      await made.call('GET', `deploymentBase/${id}`);
      await made.say(id, 'closed', 'success', ['Software bundle installed successfully.']);
      expect(await made.states()).toEqual(['installed']);
      // It is not shown the update again, which it would install again, and is asked for its attributes at each request.
      expect(Object.keys((await made.poll()).body._links)).toEqual(['configData']);
      expect((await made.call('GET', `deploymentBase/${id}`)).status).toBe(404);
      await made.call('PUT', 'configData', { ...configData, data: { os: '1' } });
      await world.app.clock.skip(3_600_000);
      await made.poll();
      expect(await made.states()).toEqual(['installed']);
      await made.call('PUT', 'configData', { ...configData, data: { os: made.bundle.version } });
      expect(await made.states()).toEqual(['done']);
      expect(await world.deviceNamed('gate-p')).toMatchObject({
        bversion: expect.stringContaining(made.bundle.version),
      });
      expect(Object.keys((await made.poll()).body._links)).toEqual(['installedBase']);
    });

    it('is believed after the probation of the product', async () => {
      const made = await offered('gate-t', { probation_s: 600 });
      const id = await actionOf(made);
      await made.call('GET', `deploymentBase/${id}`);
      await made.say(id, 'closed', 'success', ['Software bundle installed successfully.']);
      await world.app.clock.skip(599_000);
      await made.poll();
      expect(await made.states()).toEqual(['installed']);
      await world.app.clock.skip(1_000);
      await made.poll();
      expect(await made.states()).toEqual(['done']);
    });

    it('waits with the downloaded bundle while it is only to be fetched, which SWUpdate is not shown', async () => {
      const made = await offered('gate-d', {}, null);
      await made.poll();
      const body = { title: 'fetch', bundle_id: made.bundle.id, settings: { stages: [{}], download_only: true } };
      const params = { product_id: made.product.id };
      const rollout = await world.api.call('rollouts.create', { params, body });
      if (!rollout.ok) throw new Error(rollout.error.body.message);
      const { id: rollout_id } = rollout.value.value;
      unwrap(await world.api.call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
      const id = await actionOf(made);
      const { deployment } = (await made.call('GET', `deploymentBase/${id}`)).body;
      expect(deployment).toMatchObject({ download: 'forced', update: 'skip', maintenanceWindow: 'unavailable' });
      expect((await made.say(id, 'downloaded', 'success', ['File checksum OK.'])).status).toBe(200);
      expect(made.client.linkOf(await made.client.poll(), 'deploymentBase')).toBeUndefined();
    });

    it('is told that what is soft is forced from a time on', async () => {
      const made = await offered('gate-s', {}, null);
      await made.poll();
      const force_at = world.app.clock.now() + 60_000;
      const body = {
        title: 's',
        bundle_id: made.bundle.id,
        settings: { stages: [{}], force: 'soft' as const, force_at },
      };
      const params = { product_id: made.product.id };
      const rollout = await world.api.call('rollouts.create', { params, body });
      if (!rollout.ok) throw new Error(rollout.error.body.message);
      const { id: rollout_id } = rollout.value.value;
      unwrap(await world.api.call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
      const id = await actionOf(made);
      const told = async () => (await made.call('GET', `deploymentBase/${id}`)).body.deployment;
      expect(await told()).toMatchObject({ download: 'attempt', update: 'attempt' });
      await world.app.clock.skip(60_000);
      expect(await told()).toMatchObject({ download: 'forced', update: 'forced' });
    });
  });

  // API-DDI-confirmation
  describe('where the product asks for consent', () => {
    it('an update waits for it, and is denied or confirmed', async () => {
      const made = await offered('gate-c', { consent: true });
      const link = (await linkOf(made, 'confirmationBase')) ?? '';
      const id = link.replace('confirmationBase/', '');
      expect(await actionOf(made)).toBe('');
      expect((await made.call('GET', `deploymentBase/${id}`)).status).toBe(404);
      expect((await made.call('GET', `${link}?actionHistory=1`)).body).toMatchObject({
        id,
        confirmation: { download: 'forced', update: 'forced', chunks: [{ part: 'os' }] },
        actionHistory: { status: 'WAIT_FOR_CONFIRMATION' },
      });
      expect((await made.call('GET', 'confirmationBase')).body).toMatchObject({
        autoConfirm: { active: false },
        _links: { activateAutoConfirm: {}, confirmationBase: {} },
      });
      const answer = (confirmation: string) =>
        made.call('POST', `${link}/feedback`, { confirmation, code: 7, details: ['by the user'] });
      expect((await answer('denied')).status).toBe(200);
      expect(await linkOf(made, 'confirmationBase')).toBe(link);
      expect((await answer('confirmed')).status).toBe(200);
      expect(await actionOf(made)).toBe(id);
      expect((await made.call('GET', link)).status).toBe(404);
      await made.say(id, 'closed', 'success', ['done']);
      expect((await answer('denied')).status).toBe(410);
      const { id: device_id = '' } = (await world.deviceNamed('gate-c')) ?? {};
      const log = await world.api.call('doors.messages', { params: { device_id, update_id: Number(id) } });
      expect(log.ok && log.value.value.map(({ text }) => text)).toContain('confirmed, code 7');
    });

    it('a device may consent to all, and take that back', async () => {
      const made = await offered('gate-a', { consent: true });
      const body = { initiator: 'the user', remark: 'at night' };
      expect((await made.call('POST', 'confirmationBase/activateAutoConfirm', body)).status).toBe(200);
      expect((await made.call('GET', 'confirmationBase')).body).toMatchObject({
        autoConfirm: { active: true, ...body, activatedAt: world.app.clock.now() },
        _links: { deactivateAutoConfirm: {} },
      });
      expect(await actionOf(made)).not.toBe('');
      expect((await made.call('POST', 'confirmationBase/deactivateAutoConfirm')).status).toBe(200);
      expect(await actionOf(made)).toBe('');
      expect((await made.call('POST', 'confirmationBase/999999/feedback', { confirmation: 'denied' })).status).toBe(
        404,
      );
      expect((await made.call('POST', 'confirmationBase/1/feedback', { confirmation: 'maybe' })).status).toBe(400);
    });
  });

  // API-DDI-polling
  describe('its own polling', () => {
    const basic = (name: string, token: string) => `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`;
    const running = (version: string) => ({
      'user-agent': 'rauc/1.15',
      range: 'bytes=0-3',
      'rauc-system-version': version,
      'rauc-serial': 'SN-1',
    });

    it('is redirected to the bundle, fetches it in parts, and is done when it runs another version', async () => {
      const { token, states } = await offered('gate-b');
      const client = world.ddiClient('gate-b', basic('gate-b', token));
      const poll = (version: string) => client.call('GET', 'update.raucb', undefined, running(version));
      const found = await poll('1.0.0');
      expect(found.status).toBe(302);
      const path = String(found.headers.location).replace('http://hub.local:8443', '');
      expect(path).toMatch(/image\.raucb\?ticket=/);
      const part = await world.ddiClient('gate-b', undefined).call('GET', path, undefined, { range: 'bytes=0-3' });
      expect([part.status, part.text]).toEqual([206, 'a bu']);
      expect(await states()).toEqual(['downloading']);
      expect((await poll('1.0.0')).status).toBe(302);
      expect((await poll('2.0.0')).status).toBe(204);
      expect(await states()).toEqual(['done']);
      const { id: device_id = '' } = (await world.deviceNamed('gate-b')) ?? {};
      const attributes = await world.api.call('attributes.list', { params: { device_id } });
      expect(attributes.ok && attributes.value.value).toContainEqual(
        expect.objectContaining({ name: 'rauc.system-version', value: '2.0.0' }),
      );
    });

    it.each([
      ['a wrong token', 'gate-w', 'wrong'],
      ['another name', 'other', undefined],
    ])('is 401 with %s', async (_, name, wrong) => {
      const { token } = await offered('gate-w');
      const client = world.ddiClient('gate-w', basic(name, wrong ?? token));
      expect((await client.call('GET', 'update.raucb', undefined, running('1'))).status).toBe(401);
    });

    it('waits for consent, and gets 204 without a bundle of its kind', async () => {
      const asked = await offered('gate-k', { consent: true });
      const ask = (name: string, token: string) =>
        world.ddiClient(name, basic(name, token)).call('GET', 'update.raucb', undefined, running('1'));
      expect((await ask('gate-k', asked.token)).status).toBe(204);
      const { bundleOf, tokenOf } = await world.openProduct();
      await bundleOf('release');
      expect((await ask('gate-n', (await tokenOf('ddi')).token)).status).toBe(204);
    });
  });

  it('what a client says by name and version becomes attributes', async () => {
    const made = await offered('gate-i');
    expect((await made.call('PUT', 'installedBase', { name: 'os', version: '3.1' })).status).toBe(200);
    const { id: device_id = '' } = (await world.deviceNamed('gate-i')) ?? {};
    const attributes = await world.api.call('attributes.list', { params: { device_id } });
    expect(attributes.ok && attributes.value.value).toContainEqual(
      expect.objectContaining({ name: 'installed.version', value: '3.1' }),
    );
  });
});
