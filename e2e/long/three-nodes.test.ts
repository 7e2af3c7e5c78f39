import { natsMissing } from '@moorage/service/testing/nats-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../packages/moorage/src/up/example.ts';
import { allAnswer, eventsArrive, writeHereReadThere } from '../cluster-drills.ts';
import { Cluster, clusterKinds } from '../cluster-scene.ts';

const rows = clusterKinds.map((kind) => ({ ...kind, note: kind.missing && ` (skipped: ${kind.missing})` }));

describe.each(rows)('three nodes $title$note', (kind) => {
  let cluster: Cluster;
  const isMissing = kind.missing !== '';
  beforeAll(async () => {
    if (isMissing) return;
    cluster = new Cluster(kind);
    await cluster.start();
    await cluster.addDevices(4);
  });
  afterAll(() => cluster?.close());

  it.skipIf(isMissing)('have what was written at another one as soon as it is answered', async () => {
    expect(await writeHereReadThere(cluster, 60)).toEqual([]);
  });

  // API-CHAN-processes
  it.skipIf(isMissing)('reach every device, whichever of them it is connected to', async () => {
    await allAnswer(cluster, [0, 1, 2]);
  });

  it.skipIf(isMissing)('tell what happens at another one', async () => {
    await eventsArrive(cluster);
  });

  it.skipIf(isMissing)('show bytes that another one has taken, and know of each other', async () => {
    const [a, b] = [cluster.node(0), cluster.node(1)];
    const [device] = cluster.devices;
    const params = { device_id: device?.id ?? '', path: 'log/day.txt' };
    const body = Buffer.from('high water 04:12');
    must(await a.client.call('deviceFiles.upload', { params, body }));
    expect(Buffer.from(must(await b.client.call('deviceFiles.get', { params })) as Uint8Array)).toEqual(body);
    const ready = (await (await fetch(`${b.api}/readyz`)).json()) as { bus?: unknown };
    expect(ready.bus).toEqual({ kind: cluster.nats ? 'nats' : 'postgres', connected: true });
  });

  // API-CHAN-processes
  it.skipIf(isMissing)('run no command late, after one of them was frozen', async () => {
    const held = await cluster.addDeviceAt(0);
    const { process } = cluster.node(0).program;
    const { client } = cluster.node(1);
    const params = { device_id: held.id };
    const online = async () => must(await client.call('channel.status', { params })).online;
    const run = (command: string, timeout_ms: number) =>
      client.call('channel.command', { params, body: { command, timeout_ms } });
    await expect.poll(online, { interval: 50 }).toBe(true);
    process.kill('SIGSTOP');
    // The second is answered when the node counts as gone.
    const [short, long] = await Promise.all([run('short', 1_000), run('long', 120_000)]);
    expect(short).toMatchObject({ ok: false, error: { body: { code: 'DEVICE_SILENT' } } });
    expect(long).toMatchObject({ ok: false, error: { body: { code: 'DEVICE_OFFLINE' } } });
    process.kill('SIGCONT');
    await expect.poll(async () => (await run('later', 1_000)).ok, { interval: 50 }).toBe(true);
    expect(held.commands.filter((line) => line !== 'later')).toEqual([]);
    held.device.stop();
  });

  it.skipIf(isMissing || !kind.hasNats || natsMissing !== '')(
    'say that they do not reach each other while the bus is away, and serve their own devices',
    async () => {
      const own = await cluster.addDeviceAt(0);
      const params = { device_id: own.id };
      const online = async () => must(await cluster.node(1).client.call('channel.status', { params })).online;
      await expect.poll(online, { interval: 50 }).toBe(true);
      const run = (index: number) =>
        cluster.node(index).client.call('channel.command', { params, body: { command: 'ver', timeout_ms: 10_000 } });
      await cluster.nats?.stop();
      const apart = { ok: false, error: { status: 503, body: { code: 'NODES_APART' } } };
      await expect.poll(() => run(1), { interval: 50 }).toMatchObject(apart);
      const startMs = performance.now();
      expect(await run(1)).toMatchObject(apart);
      expect(performance.now() - startMs).toBeLessThan(1_000);
      expect((await run(0)).ok).toBe(true);
      await cluster.nats?.start();
      await expect.poll(async () => (await run(1)).ok, { interval: 50 }).toBe(true);
      own.device.stop();
    },
  );
});
