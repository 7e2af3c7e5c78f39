import { randomUUID } from 'node:crypto';
import { executionStates, rolloutStates, type StandingState } from '@moorage/api';
import { expect, it } from 'vitest';
import { buildApp, eachDatabase, type TestApp } from '../../../testing/index.ts';

const text = (product: string, version: string) => `${product}-${version}, 2026-01-01T00:00:00Z, FW-1.0.0.0`;

/** A product with the release 1.0.0.0, the beta 2.0.0.0, and 3.0.0.0 without a tag. */
async function scene(app: TestApp) {
  const admin = await app.make.admin();
  const platform = await app.make.platform();
  const product = await app.make.product({ platform_id: platform.id, user_id: admin.id });
  const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
  const bundle = (version: string, tag: 'release' | 'beta' | null) =>
    app.make.bundle({
      product_id: product.id,
      firmware_id: firmware.id,
      user_id: admin.id,
      state: 'published',
      version,
      tag,
    });
  const bundles = {
    release: await bundle('1.0.0.0', 'release'),
    beta: await bundle('2.0.0.0', 'beta'),
    other: await bundle('3.0.0.0', null),
  };
  const on = { platform_id: platform.id, product_id: product.id, state: 'active' as const };
  const client = app.client.as(admin.token);
  return {
    product,
    bundles,
    client,
    device: (values: { tag?: 'beta'; bversion?: string | null; title?: string } = {}) =>
      app.make.device({ ...on, ...values }),
    async standing(id: string) {
      const got = await client.call('devices.get', { params: { identifier: id } });
      if (!got.ok) throw new Error('The device is not there');
      return got.value.value.standing;
    },
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

interface Case {
  readonly title: string;
  readonly tag?: 'beta';
  /** The version that it reports. */
  readonly runs?: string;
  readonly update?: {
    readonly to: keyof Scene['bundles'];
    readonly state: 'offered' | 'downloading' | 'installed' | 'done' | 'failed' | 'superseded';
    readonly reason?: string;
    /** Result code of the module. */
    readonly result?: number;
  };
  readonly is: StandingState;
  readonly version: string;
}

const cases: readonly Case[] = [
  { title: 'that has reported nothing', is: 'unknown', version: '1.0.0.0' },
  { title: 'that runs the release without an update', runs: '1.0.0.0', is: 'up_to_date', version: '1.0.0.0' },
  { title: 'that runs something else', runs: '0.9.0.0', is: 'waiting', version: '1.0.0.0' },
  { title: 'that runs the release and follows beta', runs: '1.0.0.0', tag: 'beta', is: 'waiting', version: '2.0.0.0' },
  { title: 'that was offered it', update: { to: 'release', state: 'offered' }, is: 'waiting', version: '1.0.0.0' },
  { title: 'that fetches', update: { to: 'release', state: 'downloading' }, is: 'updating', version: '1.0.0.0' },
  { title: 'that restarts', update: { to: 'release', state: 'installed' }, is: 'updating', version: '1.0.0.0' },
  { title: 'that landed', update: { to: 'release', state: 'done' }, is: 'up_to_date', version: '1.0.0.0' },
  {
    title: 'whose last update landed before a newer release',
    runs: '3.0.0.0',
    update: { to: 'other', state: 'done' },
    is: 'waiting',
    version: '1.0.0.0',
  },
  {
    // The module sends no code when an update expires.
    title: 'whose update expired',
    update: { to: 'release', state: 'failed', reason: 'The download was not complete after 7 days' },
    is: 'failed',
    version: '1.0.0.0',
  },
  {
    title: 'that came back with the former version',
    runs: '0.9.0.0',
    update: { to: 'release', state: 'failed', reason: 'The device restarted', result: 0 },
    is: 'failed',
    version: '1.0.0.0',
  },
  {
    title: 'whose update failed, and that runs what it should',
    runs: '1.0.0.0',
    update: { to: 'beta', state: 'failed' },
    is: 'up_to_date',
    version: '1.0.0.0',
  },
  {
    title: 'whose update was given up',
    update: { to: 'other', state: 'superseded' },
    is: 'waiting',
    version: '1.0.0.0',
  },
];

/** Rows of rollouts of a product, each for the devices of its title. */
const rolloutsOf = (productId: string) => (state: (typeof rolloutStates)[number], stage: number, bundleId: string) => ({
  id: `00000000-0000-4000-8000-0000000000${stage}${rolloutStates.indexOf(state)}`,
  product_id: productId,
  bundle_id: bundleId,
  title: state,
  filter: `title==${state}`,
  priority: 1,
  settings: JSON.stringify({ stages: [{ percent: 10 }, { percent: 100 }] }),
  state,
  holds: 1 as const,
  reason: null,
  stage,
  gate_at: null,
  pace_from: 0,
  pace_count: 0,
  created_at: stage,
  started_at: null,
  finished_at: null,
});

/** A member of a rollout of which nothing more is to be told. */
const unmoved = { kind: null, attempt: 1, update_id: null, due_at: null, changed_at: 1 };

// API-RULE-standing-1
eachDatabase('how a device stands', (open) => {
  it('a page, the list, its filter and the counts all say the same', async () => {
    const app = await buildApp(await open());
    const { product, bundles, client, device, standing } = await scene(app);
    const expected: Record<StandingState, string[]> = {
      up_to_date: [],
      waiting: [],
      updating: [],
      failed: [],
      unknown: [],
    };
    for (const { title, tag, runs, update, is, version } of cases) {
      const bversion = runs === undefined ? null : text(product.product, runs);
      const { id } = await device({ ...(tag && { tag }), bversion });
      if (update) {
        const to = bundles[update.to];
        const isOver = ['done', 'failed', 'superseded'].includes(update.state);
        await app.make.update({
          device_id: id,
          product_id: product.id,
          to_bundle_id: to.id,
          to_version: to.version,
          state: update.state,
          reason: update.reason ?? null,
          result: update.result ?? null,
          finished_at: isOver ? 7 : null,
        });
      }
      const why = is === 'failed' ? (update?.reason ?? null) : null;
      expect(await standing(id), `a device ${title}`).toMatchObject({ state: is, version, reason: why });
      expected[is].push(id);
    }
    for (const [state, ids] of Object.entries(expected)) {
      // Safe: the keys are the states.
      const query = { standing: state as StandingState, product_id: product.id };
      const found = await client.call('devices.list', { query });
      expect(found.ok && found.value.value.map(({ id }) => id).sort(), state).toEqual(ids.sort());
      expect(found.ok && found.value.value.map(({ standing: { state: one } }) => one)).toEqual(ids.map(() => state));
    }
    const summary = await client.call('fleet.summary', { query: { product_id: product.id } });
    expect(summary).toMatchObject({
      value: {
        value: {
          standings: Object.fromEntries(Object.entries(expected).map(([state, ids]) => [state, ids.length])),
          targets: [
            { version: '2.0.0.0', waiting: 1, updating: 0, failed: 0 },
            { version: '1.0.0.0', waiting: 4, updating: 2, failed: 2 },
          ],
        },
      },
    });
  });

  it('waits for the bundle that selection names, whatever pins and rollouts say', async () => {
    const app = await buildApp(await open());
    const { product, bundles, client, device, standing } = await scene(app);
    const { db } = app.storage;
    const bversion = text(product.product, '0.9.0.0');
    const rollout = rolloutsOf(product.id);
    const ids: string[] = [];
    const enlist = async (
      of: ReturnType<typeof rollout>,
      state: (typeof executionStates)[number],
      {
        stage = 0,
        bundle = bundles.other,
      }: { readonly stage?: number; readonly bundle?: { readonly id: string } } = {},
    ) => {
      const { id: rolloutId, title } = of;
      const { id } = await device({ bversion, title });
      const member = { rollout_id: rolloutId, device_id: id, bundle_id: bundle.id, stage, state };
      await db
        .insertInto('executions')
        .values({ ...unmoved, ...member })
        .onConflict((conflict) => conflict.columns(['rollout_id', 'device_id']).doUpdateSet({ ...unmoved, ...member }))
        .execute();
      ids.push(id);
      return id;
    };
    for (const state of rolloutStates) {
      const row = rollout(state, 0, bundles.other.id);
      await db.insertInto('rollouts').values(row).execute();
      // Those that may come back are asked for their filter when they ask.
      const enlisted = executionStates.filter((execution) => execution !== 'left' && execution !== 'skipped');
      for (const execution of enlisted) {
        await enlist(row, execution);
        // What it is brought back to.
        if (state === 'rolled_back') await enlist(row, execution, { bundle: bundles.beta });
      }
      await enlist(row, 'waiting', { stage: 1 });
    }
    const pin = async (until: number | null) => {
      const id = await enlist(rollout('running', 0, ''), 'done');
      const values = { device_id: id, bundle_id: bundles.beta.id, reason: 'test', until, created_at: 1 };
      await db.insertInto('pins').values(values).execute();
    };
    await pin(null);
    await pin(app.clock.now() + 1);
    await pin(app.clock.now());
    const waitsFor = new Set<string | null>();
    for (const id of ids) {
      const selected = await client.call('rollouts.selection', { params: { device_id: id } });
      const { state, version } = await standing(id);
      expect({ state, version }).toEqual({ state: 'waiting', version: selected.ok && selected.value.value.bundle });
      waitsFor.add(version);
    }
    expect([...waitsFor].sort()).toEqual(['1.0.0.0', '2.0.0.0', '3.0.0.0']);

    // One for all takes in those who are in none.
    await db
      .insertInto('rollouts')
      .values({ ...rollout('running', 1, bundles.beta.id), filter: null, priority: 9 })
      .execute();
    const { id } = await device({ bversion });
    const selected = await client.call('rollouts.selection', { params: { device_id: id } });
    expect(selected).toMatchObject({ value: { value: { by: 'rollout', bundle: '2.0.0.0' } } });
    expect(await standing(id)).toMatchObject({ state: 'waiting', version: '2.0.0.0' });
  });

  it('held at a bundle that was archived is with that one, or with nothing', async () => {
    const app = await buildApp(await open());
    const { product, bundles, client, device, standing } = await scene(app);
    const archived = await app.make.bundle({
      ...bundles.other,
      id: randomUUID(),
      version: '4.0.0.0',
      state: 'archive',
    });
    for (const [runs, is, now] of [
      ['4.0.0.0', 'up_to_date', '4.0.0.0'],
      ['0.9.0.0', 'unknown', null],
    ] as const) {
      const held = await device({ bversion: text(product.product, runs) });
      const values = { device_id: held.id, bundle_id: archived.id, reason: 'test', until: null, created_at: 1 };
      await app.storage.db.insertInto('pins').values(values).execute();
      const selected = await client.call('rollouts.selection', { params: { device_id: held.id } });
      expect(selected).toMatchObject({ value: { value: { by: 'pin', bundle: null } } });
      expect(await standing(held.id)).toMatchObject({ state: is, version: now });
    }
  });
});
