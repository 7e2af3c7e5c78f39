import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { realClock } from '@moorage/base';
import { buildService, type Service } from '@moorage/service';
import { databaseSource, fixtures, injectFetch, testSettings } from '@moorage/service/testing/index';
import { must } from '../../packages/moorage/src/up/example.ts';

/**
 * Whether this system lacks what the test of a client needs: that is said, with how to get it, and the test is left out.
 *
 * @param packages programs, and the Debian packages that have them
 * @throws where `CLIENTS_REQUIRED` says that all have to be there
 */
export function isLacking(packages: Readonly<Record<string, string>>): boolean {
  const programs = Object.keys(packages);
  const lacking = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (lacking.length === 0) return false;
  const names = [...new Set(lacking.map((program) => packages[program]))].join(' ');
  const said = `Left out, because this system has no ${lacking.join(', ')}: apt-get install ${names}`;
  if (process.env.CLIENTS_REQUIRED) throw new Error(said);
  console.warn(said);
  return true;
}

/** Makes a key and a certificate of its own that sign images, as `NAME.key` and `NAME.pem` of a folder. */
export function makeSigner(folder: string, name: string): void {
  const uses = ['-addext', 'extendedKeyUsage=emailProtection', '-addext', 'keyUsage=digitalSignature'];
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', '/CN=t', ...files, ...uses];
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
}

/** What tests of SWUpdate need. */
export const swupdateNeeds = { swupdate: 'swupdate', cpio: 'cpio', openssl: 'openssl' } as const;

/** What tests of Mender need. */
export const menderNeeds = {
  mender: 'mender-client',
  'mender-artifact': 'mender-artifact',
  'dbus-run-session': 'dbus-daemon',
} as const;

/** What Debian's package of Mender leaves to the maker of the device. */
export const menderFiles = {
  identity: '/usr/share/mender/identity/mender-device-identity',
  info: '/etc/mender/artifact_info',
} as const;

/** Whether such files may be written, which are for the whole system. */
export const mayWriteSystem = process.getuid?.() === 0;

/** What tests of deltas need. */
export const deltaNeeds = { zck: 'zchunk', zckdl: 'zchunk', zck_read_header: 'zchunk' } as const;

/** What the way between a client and the service does: cuts once after so many bytes, passes them on slowly, or none. */
export interface Trouble {
  isClosed?: boolean;
  cutAfterBytes: number | undefined;
  bytesPerSecond: number | undefined;
}

/** Passes connections on, with trouble on the way to the client. */
async function openWay(target: number, trouble: Trouble) {
  const sockets = new Set<Socket>();
  let passedBytes = 0;
  const server = createServer((client) => {
    const service = connect(target, '127.0.0.1');
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    client.pipe(service);
    let passed = 0;
    service.on('data', (bytes: Buffer) => {
      passed += bytes.length;
      passedBytes += bytes.length;
      if (trouble.isClosed) {
        client.destroy();
        return;
      }
      client.write(bytes);
      if (trouble.cutAfterBytes !== undefined && passed > trouble.cutAfterBytes) {
        trouble.cutAfterBytes = undefined;
        client.destroy();
        return;
      }
      if (trouble.bytesPerSecond === undefined) return;
      service.pause();
      realClock.after((1_000 * bytes.length) / trouble.bytesPerSecond, () => service.resume());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    passedBytes: () => passedBytes,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A running client and what it has printed. */
export interface RunningClient {
  readonly output: () => string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
  stop(): Promise<unknown>;
}

/** Programs that run in a folder, and end with the world at the latest. */
function openPrograms(folder: string) {
  const children = new Set<ChildProcess>();

  /** Starts a program; it ends with the world at the latest. */
  function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningClient {
    const child = spawn(command, args, { env: { ...process.env, ...env }, cwd: folder, detached: true });
    children.add(child);
    let output = '';
    const add = (bytes: Buffer) => {
      output += bytes.toString();
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    void ended.then(() => children.delete(child));
    return {
      output: () => output,
      ended,
      stop() {
        // With its helpers, which are of its group.
        if (child.pid !== undefined && children.has(child)) process.kill(-child.pid, 'SIGKILL');
        return ended;
      },
    };
  }
  return {
    start,
    stopAll() {
      for (const child of children) if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    },
  };
}

interface Releaser {
  readonly service: Service;
  readonly client: ReturnType<ReturnType<typeof createClient>['as']>;
  readonly token: string;
  readonly firmwareId: string;
}

/** Makes what releases files. */
function releaser({ service, client, token, firmwareId }: Releaser) {
  /** A published bundle with these files, which may have its id in them; it carries the tag. */
  async function releaseOf(productId: string, files: (bundleId: string) => Readonly<Record<string, Uint8Array>>) {
    const body = { product_id: productId, firmware_id: firmwareId };
    const made = must(await client.call('bundles.create', { params: { product_id: productId }, body }));
    for (const [name, bytes] of Object.entries(files(made.id))) {
      const reply = await service.api.inject({
        method: 'POST',
        url: `/api/bundles/${made.id}/artifacts/${name}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
        payload: Buffer.from(bytes),
      });
      if (reply.statusCode !== 200) throw new Error(reply.payload);
    }
    const params = { bundle_id: made.id };
    must(await client.call('bundles.setState', { params, body: { state: 'published' } }));
    must(await client.call('bundles.setTag', { params, body: { tag: 'release' } }));
    return made;
  }
  return releaseOf;
}

/**
 * A service and a product of plain Linux devices, for clients that run as the system has them.
 *
 * @param deviceInsecure without TLS, for programs that go by the authorities of the system alone
 */
export async function clientWorld({ deviceInsecure = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-client-'));
  const source = databaseSource('sqlite');
  const own = { database: await source.make(), blobs: `file:${join(folder, 'blobs')}`, deviceInsecure };
  const settings = { ...testSettings, ...own };
  const service = await buildService({ settings, clock: realClock, logLevel: 'silent' });
  const { storage, blobs } = service.deps;
  await service.api.ready();
  const port = Number(new URL(await service.devices.listen({ host: '127.0.0.1', port: 0 })).port);
  const trouble: Trouble = { cutAfterBytes: undefined, bytesPerSecond: undefined };
  const way = await openWay(port, trouble);
  const make = fixtures({ storage, blobs, clock: realClock });
  const owner = await make.user();
  const client = createClient({ baseUrl: 'http://service', fetch: injectFetch(service.api) }).as(owner.token);
  const platform = await make.platform();
  const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
  await writeFile(join(folder, 'ca.pem'), service.identity.ca);
  const programs = openPrograms(folder);

  const releaseOf = releaser({ service, client, token: owner.token, firmwareId: firmware.id });

  return {
    service,
    storage,
    client,
    folder,
    trouble,
    ca: join(folder, 'ca.pem'),
    /** Where clients find the service: with the trouble on the way. */
    url: `${deviceInsecure ? 'http' : 'https'}://localhost:${way.port}`,
    /** What has come from the service until now, in bytes. */
    passedBytes: way.passedBytes,
    start: programs.start,
    /** A product with both doors open, whose devices ask every few seconds. */
    async openProduct() {
      const product = await make.product({ platform_id: platform.id, user_id: owner.id });
      const params = { product_id: product.id };
      must(await client.call('doors.set', { params, body: { ddi: true, mender: true, waiting: true } }));
      must(await client.call('rollouts.setFleetSettings', { params, body: { poll_interval_s: 60 } }));
      // Shorter than people may say, so that a test need not wait.
      await storage.db.updateTable('fleet_settings').set({ poll_interval_s: 2 }).execute();
      return product;
    },
    /** A published bundle with an image, which carries the tag. */
    release: (productId: string, name: string, image: Uint8Array) => releaseOf(productId, () => ({ [name]: image })),
    releaseOf,
    async tokenOf(productId: string, door: 'ddi' | 'mender') {
      const params = { product_id: productId };
      return must(await client.call('doors.addToken', { params, body: { door, title: 'line' } }));
    },
    ...recordsOf(storage),
    async close() {
      programs.stopAll();
      way.close();
      await service.close();
      await source.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What the service has recorded of the devices behind doors. */
const recordsOf = (storage: Service['deps']['storage']) => ({
  deviceNamed: (name: string) =>
    storage.db
      .selectFrom('devices')
      .innerJoin('door_devices', 'door_devices.device_id', 'devices.id')
      .selectAll('devices')
      .where('door_devices.name', '=', name)
      .executeTakeFirst(),
  /** Newest update of a device. */
  async updateOf(name: string) {
    const updates = storage.db
      .selectFrom('updates')
      .innerJoin('door_devices', 'door_devices.device_id', 'updates.device_id')
      .selectAll('updates')
      .where('door_devices.name', '=', name);
    return updates.orderBy('updates.id', 'desc').executeTakeFirst();
  },
  /** What the client knows of an update. */
  doorUpdate: (updateId: number) =>
    storage.db.selectFrom('door_updates').selectAll().where('update_id', '=', updateId).executeTakeFirst(),
  /** All that clients have said of an update. */
  async saidOf(updateId: number): Promise<string> {
    const rows = storage.db.selectFrom('update_messages').select('text').where('update_id', '=', updateId);
    return (await rows.orderBy('seq').execute()).map(({ text }) => text).join('\n');
  },
});

export type ClientWorld = Awaited<ReturnType<typeof clientWorld>>;
