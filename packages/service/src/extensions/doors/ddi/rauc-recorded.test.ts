import { hourMs, unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DoorWorld, doorWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

/** What the RAUC updater says of itself. */
const headers = {
  'user-agent': 'rauc-hawkbit-c-agent/1.4',
  accept: 'application/json;charset=UTF-8',
  'content-type': 'application/json;charset=UTF-8',
};
const text = 'a bundle';
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** How the update comes: as the release, or by a rollout with such settings; one to be aborted has none. */
type Offer = 'release' | 'two files' | 'download only' | 'window' | 'abort';
/** What the client asks, in the order of a recording, and what it gets. */
type Step =
  | readonly ['base', ...links: string[]]
  | readonly ['deployment', update: 'forced' | 'skip']
  | readonly ['file']
  | readonly ['file', range: string, part: string]
  | readonly ['say', execution: string, finished: string, ...details: string[]]
  | readonly ['attributes' | 'cancelled' | 'dropped' | 'window opens' | 'is stopped'];

const begin: readonly Step[] = [['base', 'configData', 'deploymentBase'], ['attributes'], ['deployment', 'forced']];
const fetched: readonly Step[] = [
  ['say', 'proceeding', 'none', 'Download complete. 1.00 MB/s'],
  ['say', 'proceeding', 'none', 'File checksum OK.'],
];
const progress: readonly Step[] = [
  'installing',
  '  0% Installing',
  ' 20% Checking bundle',
  '100% Installing done.',
].map((line) => ['say', 'proceeding', 'none', line]);
const done: Step = ['say', 'closed', 'success', 'Software bundle installed successfully.'];

/**
 * Requests in the order in which the updater with RAUC itself was recorded, which the tests cannot install. The words are
 * ours, and the flow that is cancelled is by the rules of DDI alone.
 */
const recordings: readonly [flow: string, offer: Offer, steps: readonly Step[], states: readonly string[]][] = [
  [
    'installs',
    'release',
    [
      ...begin,
      ['file'],
      ...fetched,
      ...progress,
      ['say', 'proceeding', 'none', 'idle'],
      done,
      ['base', 'installedBase'],
    ],
    ['done'],
  ],
  [
    'goes on where the transfer was cut',
    'release',
    [...begin, ['file', 'bytes=0-2', 'a b'], ['file', 'bytes=3-', 'undle'], ...fetched, ...progress, done],
    ['done'],
  ],
  [
    'cannot mount the bundle',
    'release',
    [
      ...begin,
      ['file'],
      ...fetched,
      ['say', 'proceeding', 'none', 'installing'],
      ['say', 'proceeding', 'none', 'LastError: Failed mounting bundle: failed to run device mapper'],
      ['say', 'proceeding', 'none', 'idle'],
      ['say', 'closed', 'failure', 'Failed to install software bundle.'],
      ['base'],
    ],
    ['failed'],
  ],
  [
    'waits for the window with what it has downloaded',
    'window',
    [
      ['base', 'configData', 'deploymentBase'],
      ['attributes'],
      ['deployment', 'skip'],
      ['file'],
      ...fetched,
      ['base', 'deploymentBase'],
      ['deployment', 'skip'],
      ['window opens'],
      ['base', 'deploymentBase'],
      ['deployment', 'forced'],
      ...progress,
      done,
    ],
    ['done'],
  ],
  [
    'is left to download only',
    'download only',
    [
      ['base', 'configData', 'deploymentBase'],
      ['attributes'],
      ['deployment', 'skip'],
      ['file'],
      ...fetched,
      ['say', 'downloaded', 'success', 'File checksum OK.'],
    ],
    ['downloading'],
  ],
  [
    'refuses two chunks, and downloads nothing',
    'two files',
    [...begin, ['say', 'closed', 'failure', 'Deployment has unsupported number of chunks: 2'], ['base']],
    ['failed'],
  ],
  [
    'lets RAUC stream the bundle, which asks without a token',
    'release',
    [...begin, ['say', 'proceeding', 'none', 'installing'], ['file'], ...progress, done],
    ['done'],
  ],
  [
    'is cancelled during the download',
    'abort',
    [
      ...begin,
      ['file', 'bytes=0-2', 'a b'],
      ['is stopped'],
      ['base', 'cancelAction'],
      ['cancelled'],
      ['dropped'],
      ['base'],
    ],
    ['superseded'],
  ],
];

eachDatabase('RAUC, recorded', (open) => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await doorWorld(await open());
  });

  /** A rollout of a bundle with these settings, started. */
  async function rollOut(product_id: string, bundle_id: string, more: object): Promise<string> {
    const settings = { stages: [{}], ...more };
    const body = { title: 'r', bundle_id, settings };
    const made = await world.api.call('rollouts.create', { params: { product_id }, body });
    if (!made.ok) throw new Error(made.error.body.message);
    const { id: rollout_id } = made.value.value;
    unwrap(await world.api.call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }));
    return rollout_id;
  }

  async function offered(name: string, offer: Offer) {
    const { product, tokenOf, bundleOf } = await world.openProduct();
    const client = world.ddiClient(name, `GatewayToken ${(await tokenOf('ddi')).token}`);
    const isRelease = offer === 'release' || offer === 'two files';
    const call = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, more = {}) =>
      client.call(method, url, payload, { ...headers, ...more });
    if (offer === 'two files') {
      await bundleOf('release');
      return { call, stop: async () => {} };
    }
    const { platform, owner } = world;
    const firmware = await world.app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const of = { product_id: product.id, firmware_id: firmware.id, user_id: owner.id, state: 'published' as const };
    const bundle = await world.app.make.bundle({ ...of, tag: isRelease ? 'release' : null });
    await world.app.make.resource(new TextEncoder().encode(text), { bundle_id: bundle.id, filename: 'image.raucb' });
    if (isRelease) return { call, stop: async () => {} };
    // It has to be registered before a rollout can be for it.
    await call('GET', '');
    const at = (afterMs: number) => new Date(world.app.clock.now() + afterMs).toISOString().slice(11, 16);
    const window = { times: [{ days: [...days], from: at(hourMs), to: at(2 * hourMs) }], download_outside: true };
    const more = { 'download only': { download_only: true }, window: { window }, abort: {} }[offer];
    const rollout_id = await rollOut(product.id, bundle.id, more);
    const stop = async () => {
      unwrap(await world.api.call('rollouts.act', { params: { rollout_id }, body: { action: 'abort' } }));
    };
    return { call, stop };
  }

  describe('the updater', () => {
    it.each(recordings)('%s', async (flow, offer, steps, states) => {
      const name = flow.replaceAll(/\W+/g, '-');
      const { call, stop } = await offered(name, offer);
      let id = '';
      let path = '';
      const base = async () => (await call('GET', '')).body._links as Record<string, { href: string }>;
      const play: Readonly<Record<Step[0], (...said: string[]) => Promise<void>>> = {
        async base(...links) {
          const found = await base();
          expect(Object.keys(found).toSorted()).toEqual(links);
          id = (found.deploymentBase ?? found.cancelAction)?.href.match(/\d+(?=\?c=|$)/)?.[0] ?? '';
        },
        async attributes() {
          const body = { time: '20260101T000000', status: { result: { finished: 'success' }, execution: 'closed' } };
          expect((await call('PUT', 'configData', { ...body, data: { product: 'Moor' } })).status).toBe(200);
        },
        async deployment(update) {
          const { deployment } = (await call('GET', `deploymentBase/${id}`)).body;
          expect(deployment).toMatchObject({ download: 'forced', update });
          expect(deployment.maintenanceWindow).toBe(update === 'skip' ? 'unavailable' : undefined);
          const link: string = deployment.chunks[0].artifacts[0]._links['download-http'].href;
          path = link.replace('http://hub.local:8443', '');
        },
        // The link has all that it needs: RAUC itself has no token.
        async file(range, part) {
          const reply = await world
            .ddiClient(name, undefined)
            .call('GET', path, undefined, { ...(range && { range }) });
          expect([reply.status, reply.text]).toEqual(range ? [206, part] : [200, text]);
        },
        async say(execution, finished, ...details) {
          const body = { id, status: { execution, result: { finished }, details } };
          expect((await call('POST', `deploymentBase/${id}/feedback`, body)).status).toBe(200);
        },
        async cancelled() {
          expect((await call('GET', `cancelAction/${id}`)).body).toEqual({ id, cancelAction: { stopId: id } });
        },
        async dropped() {
          const body = {
            id,
            status: { execution: 'canceled', result: { finished: 'success' }, details: ['Action canceled.'] },
          };
          expect((await call('POST', `cancelAction/${id}/feedback`, body)).status).toBe(200);
        },
        'window opens': () => world.app.clock.skip(hourMs),
        'is stopped': stop,
      };
      for (const [what, ...said] of steps) await play[what](...said);
      const { id: deviceId = '' } = (await world.deviceNamed(name)) ?? {};
      expect((await world.history(deviceId)).map(({ state }) => state)).toEqual(states);
    });
  });
});
