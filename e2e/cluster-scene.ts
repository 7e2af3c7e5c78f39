import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type ProductRecord } from '@moorage/api';
import { realClock, seededRandom, success } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createDevice, type Device } from '@moorage/device';
import { nodeNet } from '@moorage/net/node';
import { ChildServer, missingProgram } from '@moorage/service/testing/child-server';
import { databaseSource, freePort } from '@moorage/service/testing/index';
import { NatsServer, natsMissing } from '@moorage/service/testing/nats-server';
import { ObjectStore } from '@moorage/service/testing/object-store';
import { PgBouncer, pgBouncerMissing } from '@moorage/service/testing/pgbouncer';
import { ensureExample, must } from '../packages/moorage/src/up/example.ts';
import { eventOf, type Moorage, moorage } from './command-line.ts';

const login = { username: 'owner@example.com', password: 'a long password' };
const partId = '2b004189';

/** How the nodes of a cluster find their database and each other. */
export interface ClusterKind {
  readonly title: string;
  /** Why drills with such a cluster are left out; empty where all that it needs is installed. */
  readonly missing: string;
  /** NATS carries the messages between nodes where it is installed; the database without it. */
  readonly hasNats: boolean;
  /** The database is behind PgBouncer in transaction mode. */
  readonly isPooled: boolean;
}

const proxyMissing = missingProgram('haproxy', 'haproxy');

export const clusterKinds: readonly ClusterKind[] = [
  {
    title: natsMissing === '' ? 'with NATS' : 'without NATS, which is missing',
    missing: proxyMissing,
    hasNats: true,
    isPooled: false,
  },
  { title: 'with messages in the database', missing: proxyMissing, hasNats: false, isPooled: false },
  {
    title: 'with a database behind PgBouncer',
    missing: proxyMissing || pgBouncerMissing,
    hasNats: false,
    isPooled: true,
  },
];

/** One process of the service. */
export interface ClusterNode {
  readonly name: string;
  readonly program: Moorage;
  readonly api: string;
  readonly apiPort: number;
  readonly devicePort: number;
  /** As the administrator. */
  readonly client: Client;
}

/** A device with a message channel by way of the proxy. */
export interface ClusterDevice {
  readonly id: string;
  readonly title: string;
  readonly device: Device;
  /** Command lines that have come. */
  readonly commands: string[];
  /** Why its channels have ended, or have not opened. */
  readonly ends: string[];
  isOpen(): boolean;
}

const portOf = (address: unknown): number => Number(new URL(String(address)).port);

/** Resolves when a server listens there. */
async function untilListening(port: number): Promise<void> {
  for (;;) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) return;
  }
}

/** Connections of devices go to the node that has the fewest, and away from one that does not answer. */
const proxyConfig = (port: number, nodes: readonly ClusterNode[]): string => `
defaults
  mode tcp
  timeout connect 2s
  timeout client 10m
  timeout server 10m
frontend devices
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance leastconn
  option redispatch
  option httpchk GET /healthz
  timeout check 3s
  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, devicePort, apiPort }) => `  server ${name} 127.0.0.1:${devicePort} check port ${apiPort}`).join('\n')}
`;

/**
 * Three nodes on one PostgreSQL database and one object store, NATS or the database between them, and HAProxy before
 * their device listeners.
 */
export class Cluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'moorage-cluster-'));
  readonly #database = databaseSource('postgres', { holds: 'nothing' });
  readonly #nats: NatsServer | undefined;
  readonly #pool: PgBouncer | undefined;
  #objects: ObjectStore | undefined;
  readonly nodes: ClusterNode[] = [];
  readonly devices: ClusterDevice[] = [];
  #proxy: ChildServer | undefined;
  #args: readonly string[] = [];
  #devicePort = 0;
  #product: ProductRecord | undefined;

  constructor({ hasNats, isPooled }: ClusterKind) {
    this.#pool = isPooled ? new PgBouncer() : undefined;
    this.#nats = natsMissing === '' && hasNats ? new NatsServer() : undefined;
  }

  get nats(): NatsServer | undefined {
    return this.#nats;
  }

  get product(): ProductRecord {
    if (!this.#product) throw new Error('The cluster has not been started');
    return this.#product;
  }

  async start(): Promise<void> {
    await this.#nats?.start();
    const objects = await ObjectStore.open('blobs');
    this.#objects = objects;
    const direct = await this.#database.make();
    const database = this.#pool ? await this.#pool.open(direct) : direct;
    this.#args = [
      ...['--database', database, '--device-names', 'localhost', ...objects.flags()],
      ...(this.#nats ? ['--bus', this.#nats.url] : []),
    ];
    for (const name of ['a', 'b', 'c']) this.nodes.push(await this.#serve(name, 0, 0));
    this.#devicePort = await freePort();
    const file = join(this.#folder, 'haproxy.cfg');
    writeFileSync(file, proxyConfig(this.#devicePort, this.nodes));
    this.#proxy = new ChildServer('haproxy', ['-V', '-db', '-f', file], /global\.maxconn/);
    await this.#proxy.start();
    await untilListening(this.#devicePort);
    this.#product = (await ensureExample(this.node(0).client, partId)).product;
  }

  node(index: number): ClusterNode {
    const node = this.nodes[index];
    if (!node) throw new Error(`There is no node ${index}`);
    return node;
  }

  /** Starts a node again that has ended, on its ports. */
  async restart(index: number): Promise<void> {
    const { name, apiPort, devicePort } = this.node(index);
    this.nodes[index] = await this.#serve(name, apiPort, devicePort);
  }

  /** Adds devices of the example's product, each with its channel open. */
  async addDevices(count: number): Promise<void> {
    const made = await Promise.all(Array.from({ length: count }, () => this.#addDevice(this.#devicePort)));
    this.devices.push(...made);
  }

  /** A device that knows one node only. The caller stops it. */
  addDeviceAt(index: number): Promise<ClusterDevice> {
    return this.#addDevice(this.node(index).devicePort);
  }

  async close(): Promise<void> {
    for (const { device } of this.devices) device.stop();
    for (const { program } of this.nodes) program.process.kill('SIGKILL');
    await Promise.all(this.nodes.map(({ program }) => program.ended));
    await this.#proxy?.stop();
    await this.#nats?.stop();
    await this.#objects?.close();
    await this.#pool?.remove();
    await this.#database.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #serve(name: string, port: number, devicePort: number): Promise<ClusterNode> {
    const ports = ['--port', String(port), '--device-port', String(devicePort)];
    const program = moorage(['serve', '--data', join(this.#folder, name), ...ports, '--json', ...this.#args], {
      MOORAGE_ADMIN_EMAIL: login.username,
      MOORAGE_ADMIN_PASSWORD: login.password,
    });
    const ready = await eventOf(program, 'ready');
    const api = String(ready.api);
    const anonymous = createClient({ baseUrl: api });
    const { token } = must(await anonymous.call('auth.login', { body: login }));
    const client = anonymous.as(token);
    return { name, program, api, client, apiPort: portOf(api), devicePort: portOf(ready.devices) };
  }

  #addDevice(port: number): Promise<ClusterDevice> {
    return openDevice(this.node(0).client, this.product, port);
  }
}

/** Makes a device of a product, active, whose channel goes by this port. The caller stops it. */
export async function openDevice(client: Client, product: ProductRecord, port: number): Promise<ClusterDevice> {
  const uuid = partId + randomBytes(16).toString('hex');
  const authority = Buffer.from(must(await client.call('identity.authority')) as Uint8Array).toString();
  const provisioned = must(
    await client.call('devices.provision', { body: { uuid, platform_id: product.platform_id } }),
  );
  const device = await createDevice({
    clock: realClock,
    net: nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false }),
    store: new MemoryStore(),
    identity: { mac: '02:00:00:00:00:07', uuid },
    service: { host: 'localhost', port },
    version: 'GAUGE-0.9.0.0',
    random: seededRandom(uuid),
  });
  const done = await device.client.provision(provisioned.token, authority);
  if (!done.ok) throw new Error(done.error.message);
  const params = { device_id: provisioned.id };
  const activated = must(await client.call('devices.activate', { params, body: { product_id: product.id } }));
  const commands: string[] = [];
  const ends: string[] = [];
  device.client.onEvent((event) => event.type === 'channel' && !event.open && ends.push(event.reason));
  device.client.openChannel({
    random: seededRandom(`channel ${uuid}`),
    clock: realClock,
    async command(line) {
      commands.push(line);
      return success({ code: 0, data: `did ${line}` });
    },
    updatesItself: () => false,
    update: async () => success(undefined),
  });
  return { id: provisioned.id, title: activated.title, device, commands, ends, isOpen: () => device.client.isOnline };
}

/** The log types that a stream of events has sent, as they come. Ends with the signal. */
export async function logTypes(node: ClusterNode, token: string, signal: AbortSignal): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${node.api}/api/events`, { headers, signal });
  const types: string[] = [];
  const read = async () => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const type = /^data: .*"type":"([^"]+)"/.exec(line)?.[1];
        if (type !== undefined) types.push(type);
      }
    }
  };
  // The signal ends it.
  read().catch(() => {});
  return types;
}
