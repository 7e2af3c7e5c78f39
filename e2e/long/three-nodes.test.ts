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
});
