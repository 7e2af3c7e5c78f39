import type { Client } from '@moorage/api';
import { expect } from 'vitest';
import { must } from '../packages/moorage/src/up/example.ts';
import { type Cluster, type ClusterDevice, logTypes } from './cluster-scene.ts';

/** What can be written at one node and read at another, `number` times, each time something else; returns both. */
type Pair = (
  writer: Client,
  reader: Client,
  cluster: Cluster,
  number: number,
) => Promise<{ readonly written: unknown; readonly read: unknown }>;

const deviceAt = ({ devices }: Cluster, number: number): ClusterDevice => {
  const found = devices[number % devices.length];
  if (!found) throw new Error('The cluster has no devices');
  return found;
};

/** One for each thing that some process keeps a copy of. */
const pairs: Readonly<Record<string, Pair>> = {
  async 'title of a device'(writer, reader, cluster, number) {
    const { id } = deviceAt(cluster, number);
    const written = `Gauge ${number}`;
    must(await writer.call('devices.update', { params: { device_id: id }, body: { title: written } }));
    return { written, read: must(await reader.call('devices.get', { params: { identifier: id } })).title };
  },
  async 'tag of a device'(writer, reader, cluster, number) {
    const { id } = deviceAt(cluster, number);
    const written = number % 2 === 0 ? 'beta' : '';
    must(await writer.call('devices.setTag', { params: { device_id: id }, body: { tag: written } }));
    return { written, read: must(await reader.call('devices.get', { params: { identifier: id } })).tag ?? '' };
  },
  async 'label of a device'(writer, reader, cluster, number) {
    const params = { device_id: deviceAt(cluster, number).id };
    const written = `dock ${number}`;
    must(await writer.call('attributes.setLabels', { params, body: { labels: { dock: written } } }));
    return { written, read: must(await reader.call('attributes.labels', { params })).dock };
  },
  async 'title of a product'(writer, reader, { product }, number) {
    const params = { product_id: product.id };
    const written = `Tide gauge ${number}`;
    must(await writer.call('products.update', { params, body: { code: product.code, title: written } }));
    return { written, read: must(await reader.call('products.get', { params })).title };
  },
  async 'a new token'(writer, reader) {
    const { token, id } = must(await writer.call('tokens.create', {}));
    const { ok } = await reader.as(token).call('users.get', {});
    must(await reader.call('tokens.revoke', { params: { token_id: id } }));
    return { written: true, read: ok };
  },
  async 'a revoked token'(writer, reader) {
    const { token, id } = must(await reader.call('tokens.create', {}));
    // The reader knows it, and would keep it.
    must(await reader.as(token).call('users.get', {}));
    must(await writer.call('tokens.revoke', { params: { token_id: id } }));
    const read = await reader.as(token).call('users.get', {});
    return { written: 401, read: read.ok ? 200 : read.error.status };
  },
};

/** Writes here and reads there, on every node in turn; returns what was not as it had been written. */
export async function writeHereReadThere(cluster: Cluster, count: number): Promise<readonly string[]> {
  const kinds = Object.entries(pairs);
  const wrong: string[] = [];
  for (let number = 0; number < count; number++) {
    const [name, pair] = kinds[number % kinds.length] ?? [];
    const round = Math.floor(number / kinds.length);
    const here = cluster.node(round % 3);
    const there = cluster.node((round + 1 + (Math.floor(round / 3) % 2)) % 3);
    const result = await pair?.(here.client, there.client, cluster, number);
    if (result?.written !== result?.read) {
      wrong.push(`${name}: ${result?.written} written at ${here.name}, ${result?.read} read at ${there.name}`);
    }
  }
  return wrong;
}

/** All devices are online for every node that is there, and each does a command that any of these is given. */
export async function allAnswer(cluster: Cluster, nodes: readonly number[]): Promise<void> {
  for (const { id, isOpen, commands, ends } of cluster.devices) {
    for (const index of nodes) {
      const { client } = cluster.node(index);
      const params = { device_id: id };
      const state = async () => ({
        online: must(await client.call('channel.status', { params })).online,
        isOpen: isOpen(),
        ends: isOpen() ? [] : [...ends],
      });
      await expect.poll(state, { interval: 50 }).toEqual({ online: true, isOpen: true, ends: [] });
      const line = `ver ${index} ${commands.length}`;
      // One that has just changed its node may be asked at the old one: it is away then, and that is said at once.
      const attempt = () => client.call('channel.command', { params, body: { command: line, timeout_ms: 10_000 } });
      await expect
        .poll(attempt, { interval: 50 })
        .toMatchObject({ ok: true, value: { value: { data: `did ${line}` } } });
    }
  }
}

/** What is done at one node is told to those who listen at another. */
export async function eventsArrive(cluster: Cluster): Promise<void> {
  const [here, there] = [cluster.node(0), cluster.node(1)];
  const leaving = new AbortController();
  const { token } = must(await there.client.call('tokens.create', {}));
  const types = await logTypes(there, token, leaving.signal);
  const params = { device_id: deviceAt(cluster, 0).id };
  must(await here.client.call('devices.setTag', { params, body: { tag: 'beta' } }));
  must(await here.client.call('devices.setTag', { params, body: { tag: '' } }));
  await expect.poll(() => types).toContain('device.tag');
  leaving.abort();
}
