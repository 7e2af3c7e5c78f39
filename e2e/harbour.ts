import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BundleDetail, type Client, createClient, type ProductRecord } from '@moorage/api';
import { type Clock, realClock } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { createModule, type Module } from '@moorage/module';
import { offlinePersonality } from '@moorage/module/testing/offline';
import { nodeNet } from '@moorage/net/node';
import { buildService, type Service } from '@moorage/service';
import { issueToken } from '@moorage/service/core/auth/accounts';
import { diskBlobs } from '@moorage/service/engine/blobs/backends/disk-blobs';
import type { Storage } from '@moorage/service/engine/db/storage';
import { fixtures, testSettings } from '@moorage/service/testing/index';
import { ensureExample } from '../packages/moorage/src/up/example.ts';

/** A service and a module on loopback sockets, as `moorage up` has them, in this process. */
export interface Harbour {
  readonly service: Service;
  readonly client: Client;
  readonly module: Module;
  readonly product: ProductRecord;
  readonly bundle: BundleDetail;
  /** Folder of the blobs. */
  readonly blobsDir: string;
  /** The wire between the two; tests cut it. */
  readonly wire: Wire;
  /** Runs a command of the module, which must succeed. */
  run(line: string): Promise<string>;
  close(): Promise<void>;
}

/** Everything the module says to the service goes through here. */
export interface Wire {
  readonly port: number;
  /** Cuts the next connection after it has carried this many bytes to the module; `undefined` cuts none. */
  cutAfterBytes: number | undefined;
  /** After a cut every new connection ends at once. */
  staysCut: boolean;
  /** Connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** A TCP relay in front of `targetPort`. */
async function openWire(targetPort: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  const state = { cutAfterBytes: undefined as number | undefined, staysCut: false, connections: 0 };
  const server: Server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    const limit = state.cutAfterBytes ?? Number.POSITIVE_INFINITY;
    state.connections++;
    let carried = 0;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      carried += chunk.length;
      if (carried <= limit) {
        if (!near.write(chunk)) far.pause();
        return;
      }
      // An orderly end: a reset would also take what the module has not read yet, and how much is unknown.
      if (state.staysCut) state.cutAfterBytes = 0;
      far.removeAllListeners('data');
      near.end();
    });
    near.on('drain', () => far.resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return Object.assign(state, {
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

export interface HarbourOptions {
  readonly settings?: Partial<typeof testSettings>;
  /** The module's own time. */
  readonly clock?: Clock;
  readonly serviceClock?: Clock;
}

/** Builds both programs over a database of the test; the module is joined, provisioned, claimed and activated. */
export async function openHarbour(storage: Storage, options: HarbourOptions = {}): Promise<Harbour> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-e2e-'));
  const blobsDir = join(folder, 'blobs');
  const blobs = await diskBlobs(blobsDir);
  const service = await buildService({
    settings: { ...testSettings, ...options.settings },
    storage,
    blobs,
    clock: options.serviceClock ?? realClock,
    logLevel: 'silent',
  });
  const baseUrl = await service.api.listen({ host: '127.0.0.1', port: 0 });
  await service.devices.listen({ host: '127.0.0.1', port: 0 });
  const address = service.devices.server.address();
  const wire = await openWire(typeof address === 'object' && address ? address.port : 0);
  const admin = await fixtures({ storage, blobs, clock: realClock }).admin();
  const { token } = await issueToken(service.deps, admin.id, 'e2e');
  const client = createClient({ baseUrl, token });

  const store = await DiskStore.open(join(folder, 'flash'));
  const module = await createModule({
    clock: options.clock ?? realClock,
    store,
    net: nodeNet({ ip: '127.0.0.1', portOffset: 8000, listenLan: false }),
    seed: 1,
    personality: offlinePersonality,
    service: { host: '127.0.0.1', port: wire.port },
  });
  await module.boot();
  const run = async (line: string): Promise<string> => {
    const { code, text } = await module.execute(line);
    if (code !== 0) throw new Error(`"${line}" answered ${code} ${text}: ${module.log.entries().at(-1)}`);
    return text;
  };
  const { product, bundle } = await ensureExample(client, module.model.partId);
  return {
    service,
    client,
    module,
    product,
    bundle,
    blobsDir,
    wire,
    run,
    async close() {
      await module.close();
      await store.close();
      await wire.close();
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Joins the default network and gives the module its certificate. */
export async function provision({ client, module, run, service }: Harbour): Promise<void> {
  await run('set wlan.ssid harbour');
  await run('set wlan.passkey moorings');
  await run('set wlan.auto_join.enabled 1');
  await run('save');
  const platforms = await client.call('platforms.list', {});
  const platform_id = platforms.ok ? (platforms.value.value[0]?.id ?? '') : '';
  const { uuid, mac } = module.identity;
  const device = await client.call('devices.provision', { body: { uuid, mac, platform_id } });
  if (!device.ok) throw new Error(device.error.body.message);
  const done = await module.client.provision(device.value.value.token, service.identity.ca);
  if (!done.ok) throw new Error(done.error.message);
}

/** Claims the module with an activation token, which activates it as well. */
export async function claim({ client, product, run }: Harbour): Promise<void> {
  const made = await client.call('products.addToken', { params: { product_id: product.id }, body: { uses: 1 } });
  if (!made.ok) throw new Error(made.error.body.message);
  await run(`dms claim ${product.product} ${made.value.value.token}`);
}

/** Resolves when the restarted module has reported its update. */
export const updateLanded = ({ module }: Harbour): Promise<void> =>
  new Promise((resolve, reject) => {
    const unwatch = module.client.onEvent((event) => {
      if (event.type !== 'updated' && event.type !== 'failed') return;
      unwatch();
      if (event.type === 'updated') resolve();
      else reject(new Error(event.message));
    });
  });
