import { once } from 'node:events';
import { natsMissing } from '@moorage/service/testing/nats-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../packages/moorage/src/up/example.ts';
import { allAnswer, eventsArrive, writeHereReadThere } from '../cluster-drills.ts';
import { Cluster, clusterKinds } from '../cluster-scene.ts';

/** A node that is killed is gone for the others by then, in ms: five looks at its signs of life, and one more. */
const goneMs = 12_000;
/** A change that no message has announced is noticed by then, in ms. */
const comparedMs = 15_000;

const [kind] = clusterKinds;
const missing = kind?.missing ?? 'no kind of cluster';

describe.skipIf(missing !== '')(`three nodes${missing && ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    if (!kind) throw new Error('There is no kind of cluster');
    cluster = new Cluster(kind);
    await cluster.start();
    await cluster.addDevices(12);
  });
  afterAll(() => cluster.close());

  /** How many of the rollout's devices are in each state, counted one by one. */
  async function recount(rolloutId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const params = { rollout_id: rolloutId };
    for (const { state } of must(await cluster.node(1).client.call('rollouts.executions', { params }))) {
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return counts;
  }

  /** A bundle that is not tagged, with one file. */
  async function otherBundle() {
    const { client } = cluster.node(0);
    const params = { product_id: cluster.product.id };
    const released = must(await client.call('bundles.byTag', { params: { ...params, tag: 'release' } }));
    const body = { product_id: cluster.product.id, firmware_id: released.firmware_id, version: '3.0.0.0' };
    const { id } = must(await client.call('bundles.create', { params, body }));
    const file = { filename: 'tides.csv', content: 'year,month' };
    must(await client.call('bundles.addResource', { params: { bundle_id: id }, body: file }));
    must(await client.call('bundles.setState', { params: { bundle_id: id }, body: { state: 'published' } }));
    return id;
  }

  it('have what was written at another one as soon as it is answered, a thousand times', async () => {
    expect(await writeHereReadThere(cluster, 1_000)).toEqual([]);
  });

  it('serve and reach all devices while one of them is frozen, and with it again when it goes on', async () => {
    await allAnswer(cluster, [0, 1, 2]);
    const { program } = cluster.node(0);
    program.process.kill('SIGSTOP');
    await allAnswer(cluster, [1, 2]);
    program.process.kill('SIGCONT');
    await allAnswer(cluster, [0, 1, 2]);
    await eventsArrive(cluster);
    expect(program.errors()).not.toContain('"level":60');
  });

  // API-CHAN-processes, API-RULE-rollout-2
  it('go on with everything when one of them is killed during a rollout, and its counts are those of its devices', async () => {
    const { client } = cluster.node(1);
    const params = { product_id: cluster.product.id };
    const settings = { stages: [{ count: 4 }, { percent: 100 }] };
    const body = { title: 'Drill', bundle_id: await otherBundle(), settings };
    const { id } = must(await client.call('rollouts.create', { params, body }));
    must(await cluster.node(0).client.call('rollouts.act', { params: { rollout_id: id }, body: { action: 'start' } }));
    const rollout = async () => must(await client.call('rollouts.get', { params: { rollout_id: id } }));
    let isOver = false;
    const updating = cluster.devices.map(async ({ device }) => {
      // A connection that breaks is tried again; each ends at the bundle of the rollout.
      while (!isOver) {
        const updated = await device.client.ota();
        if (updated.ok && device.client.installed()?.bversion.includes('3.0.0.0')) return;
      }
    });
    const isDone = async () => (await recount(id)).done ?? 0;
    await expect.poll(isDone, { interval: 50 }).toBeGreaterThan(0);
    cluster.node(0).program.process.kill('SIGKILL');
    await expect.poll(async () => (await rollout()).state, { interval: 100 }).toBe('finished');
    isOver = true;
    await Promise.all(updating);
    const { stages } = await rollout();
    const counted: Record<string, number> = {};
    for (const { counts } of stages) {
      for (const [state, count] of Object.entries(counts)) counted[state] = (counted[state] ?? 0) + count;
    }
    expect(counted).toMatchObject({ done: cluster.devices.length });
    expect(await recount(id)).toEqual(Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0)));
    await allAnswer(cluster, [1, 2]);
    await cluster.restart(0);
    await allAnswer(cluster, [0, 1, 2]);
  });

  it('say that a device is away whose node has died, and do not wait for it', async () => {
    const { program } = cluster.node(0);
    // It has no way to another node.
    const lone = await cluster.addDeviceAt(0);
    const other = cluster.node(1).client;
    const params = { device_id: lone.id };
    const online = async () => must(await other.call('channel.status', { params })).online;
    await expect.poll(online, { interval: 50 }).toBe(true);
    program.process.kill('SIGKILL');
    await once(program.process, 'exit');
    const startMs = performance.now();
    const answer = await other.call('channel.command', { params, body: { command: 'ver', timeout_ms: 120_000 } });
    expect(answer).toMatchObject({ ok: false, error: { body: { code: 'DEVICE_OFFLINE' } } });
    expect(performance.now() - startMs).toBeLessThan(goneMs);
    await expect.poll(online, { interval: 50 }).toBe(false);
    lone.device.stop();
    await cluster.restart(0);
    await allAnswer(cluster, [0, 1, 2]);
  });

  // API-DEV-revoked
  it.skipIf(natsMissing !== '')(
    `are right within seconds of a bus that was away, or stood still${natsMissing && ` (skipped: ${natsMissing})`}`,
    async () => {
      const { nats } = cluster;
      if (!nats) throw new Error('NATS is missing');
      for (const [away, back] of [
        [() => nats.stop(), () => nats.start()],
        [() => nats.freeze(), () => nats.thaw()],
      ] as const) {
        const [blocked] = cluster.devices;
        const params = { device_id: blocked?.id ?? '' };
        await away();
        must(await cluster.node(1).client.call('devices.setState', { params, body: { state: 'disabled' } }));
        const startMs = performance.now();
        await back();
        await expect.poll(() => blocked?.isOpen(), { interval: 20 }).toBe(false);
        expect(performance.now() - startMs).toBeLessThan(comparedMs);
        must(await cluster.node(2).client.call('devices.setState', { params, body: { state: 'enabled' } }));
        blocked?.device.stop();
        cluster.devices.shift();
        await allAnswer(cluster, [0, 1, 2]);
      }
    },
  );
});
