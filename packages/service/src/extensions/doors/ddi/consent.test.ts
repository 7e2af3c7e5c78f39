import { ignoreFailure, unwrap } from '@moorage/base';
import { beforeAll, expect, it } from 'vitest';
import { type DoorWorld, doorWorld } from '../../../testing/door-world.ts';
import { eachDatabase } from '../../../testing/index.ts';

type Does = 'confirms' | 'denies' | 'reports' | 'drops' | 'is aborted';
interface Standing {
  /** How it is reached. */
  readonly after: readonly Does[];
  /** The only link to an action. */
  readonly link: string | undefined;
  /** The status of what the client does then; nothing where that is no request. */
  readonly gets: Readonly<Record<Does, number | undefined>>;
}

/** Where an update can stand that waits for a consent, and what the documentation of this interface says of each request. */
const standings: Readonly<Record<string, Standing>> = {
  'waits for a consent': {
    after: [],
    link: 'confirmationBase',
    gets: { confirms: 200, denies: 200, reports: 404, drops: 405, 'is aborted': undefined },
  },
  'is denied': {
    after: ['denies'],
    link: 'confirmationBase',
    gets: { confirms: 200, denies: 200, reports: 404, drops: 405, 'is aborted': undefined },
  },
  'is confirmed': {
    after: ['confirms'],
    link: 'deploymentBase',
    gets: { confirms: 200, denies: 404, reports: 200, drops: 405, 'is aborted': undefined },
  },
  'is confirmed after a denial': {
    after: ['denies', 'confirms'],
    link: 'deploymentBase',
    gets: { confirms: 200, denies: 404, reports: 200, drops: 405, 'is aborted': undefined },
  },
  'has begun': {
    after: ['confirms', 'reports'],
    link: 'deploymentBase',
    gets: { confirms: 200, denies: 404, reports: 200, drops: 405, 'is aborted': undefined },
  },
  'is cancelled before the consent': {
    after: ['is aborted'],
    link: 'cancelAction',
    gets: { confirms: 410, denies: 410, reports: 200, drops: 200, 'is aborted': undefined },
  },
  'is cancelled after the consent': {
    after: ['confirms', 'reports', 'is aborted'],
    link: 'cancelAction',
    gets: { confirms: 410, denies: 410, reports: 200, drops: 200, 'is aborted': undefined },
  },
  'is dropped': {
    after: ['confirms', 'is aborted', 'drops'],
    link: undefined,
    gets: { confirms: 410, denies: 410, reports: 200, drops: 200, 'is aborted': undefined },
  },
};

// API-DDI-confirmation, API-DDI-cancel
eachDatabase('consent', (open) => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await doorWorld(await open());
  });

  /** A client whose update waits for a consent, and what it can do. */
  async function waiting(name: string) {
    const { product, bundleOf, tokenOf } = await world.openProduct();
    const params = { product_id: product.id };
    const doors = { ddi: true, mender: false, waiting: false, consent: true };
    unwrap(await world.api.call('doors.set', { params, body: doors }));
    const client = world.ddiClient(name, `GatewayToken ${(await tokenOf('ddi')).token}`);
    await client.poll();
    const body = { title: 'all', bundle_id: (await bundleOf(null)).id, settings: { stages: [{}] } };
    const made = await world.api.call('rollouts.create', { params, body });
    if (!made.ok) throw new Error(made.error.body.message);
    const rollout = { rollout_id: made.value.value.id };
    unwrap(await world.api.call('rollouts.act', { params: rollout, body: { action: 'start' } }));
    const id = (client.linkOf(await client.poll(), 'confirmationBase') ?? '').replace('confirmationBase/', '');
    expect((await client.call('GET', `confirmationBase/${id}`)).status).toBe(200);
    const answer = async (confirmation: string) =>
      (await client.call('POST', `confirmationBase/${id}/feedback`, { confirmation })).status;
    const closed = { id, status: { execution: 'closed', result: { finished: 'success' } } };
    const does: Readonly<Record<Does, () => Promise<number | undefined>>> = {
      confirms: () => answer('confirmed'),
      denies: () => answer('denied'),
      reports: async () => (await client.say(id, 'proceeding', 'none', ['on it'])).status,
      drops: async () => (await client.call('POST', `cancelAction/${id}/feedback`, closed)).status,
      'is aborted': async () => {
        // It may be over already.
        ignoreFailure(await world.api.call('rollouts.act', { params: rollout, body: { action: 'abort' } }));
        await client.poll();
        return undefined;
      },
    };
    const link = async () => {
      const { _links } = (await client.poll()).body;
      return ['deploymentBase', 'confirmationBase', 'cancelAction'].filter((one) => one in _links);
    };
    const lines = async () => {
      const { id: device_id = '' } = (await world.deviceNamed(name)) ?? {};
      const log = await world.api.call('doors.messages', { params: { device_id, update_id: Number(id) } });
      return log.ok ? log.value.value.map(({ text }) => text) : [];
    };
    return { does, link, lines };
  }

  it.each(Object.entries(standings))(
    'an update that %s takes what the documentation says',
    async (where, { after, ...standing }) => {
      for (const [what, status] of Object.entries(standing.gets) as [Does, number | undefined][]) {
        const { does, link, lines } = await waiting(`${where} ${what}`.replaceAll(' ', '-'));
        for (const step of after) await does[step]();
        expect(await link()).toEqual([standing.link].flatMap((one) => one ?? []));
        const before = await lines();
        expect([what, await does[what]()]).toEqual([what, status]);
        // What is not taken leaves nothing.
        if (status === 404 || status === 405) expect([await lines(), await link()]).toEqual([before, [standing.link]]);
      }
    },
  );
});
