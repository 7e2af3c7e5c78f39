import { type Client, createClient, type ProductRecord } from '@moorage/api';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule, type Module } from '@moorage/module';
import { defaultModel } from '@moorage/module/model/model';
import { nodeNet } from '@moorage/net/node';
import { eachDatabase } from '@moorage/service/testing/index';
import { expect, test } from 'vitest';
import { ensureExample, must } from '../../packages/moorage/src/up/example.ts';
import { eventOf, type Moorage, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const login = { username: 'owner@example.com', password: 'a long password' };
const fleetSize = 6;
const samplesEach = 15;

const capabilities = JSON.stringify({
  name: 'Tide gauge',
  version: '1.0.0',
  streams: { level: { type: 'number', min: 0, max: 1_000 } },
});

/** A module on real sockets, and the samples that it has taken. */
interface Boat {
  readonly module: Module;
  readonly deviceId: string;
  readonly taken: number[];
  next: number;
}

const folder = dataFolder('restart');

const serve = (database: string, port: number, devicePort: number): Moorage =>
  moorage(
    [
      'serve',
      '--data',
      folder.path,
      '--database',
      database,
      '--port',
      String(port),
      '--device-port',
      String(devicePort),
      '--json',
    ],
    { MOORAGE_ADMIN_EMAIL: login.username, MOORAGE_ADMIN_PASSWORD: login.password },
  );

const portOf = (address: unknown): number => Number(new URL(String(address)).port);

async function run(module: Module, line: string, bytes?: Buffer): Promise<void> {
  const { code, text } = await module.execute(line, bytes);
  if (code !== 0) throw new Error(`"${line}" answered ${code} ${text}: ${module.log.entries().at(-1)}`);
}

/** One round of a host; returns whether there is nothing left to do. */
async function round(boat: Boat, bversion: string): Promise<boolean> {
  const { module, next } = boat;
  if (next < samplesEach) {
    boat.next++;
    if ((await module.execute(`cloud_write level,${next}`)).code === 0) boat.taken.push(next);
  }
  const runs = module.client.installed()?.bversion === bversion && !module.client.reportPending;
  if (!runs) await module.execute('ota');
  const { code } = await module.execute('cloud_sync push');
  return runs && boat.next >= samplesEach && code === 0;
}

interface Harbour {
  readonly devicePort: number;
  readonly authority: string;
  readonly product: ProductRecord;
}

/** A module that is provisioned, activated at the data cloud, and activated to the product. */
async function commission(client: Client, index: number, { devicePort, authority, product }: Harbour): Promise<Boat> {
  const module = await createModule({
    clock: realClock,
    store: new MemoryStore(),
    net: nodeNet({ ip: `127.0.7.${index + 1}`, portOffset: 8000, listenLan: false }),
    seed: `restart ${index}`,
    service: { host: '127.0.0.1', port: devicePort },
  });
  await module.boot();
  const body = { uuid: module.identity.uuid, platform_id: product.platform_id };
  const device = must(await client.call('devices.provision', { body }));
  await run(module, 'set wlan.ssid harbour-open');
  // Nothing of a test may leave the machine.
  await run(module, 'set ntp.enabled 0');
  await run(module, 'save');
  await run(module, `file_create gauge.json ${capabilities.length}`, Buffer.from(capabilities));
  const provisioned = await module.client.provision(device.token, authority);
  if (!provisioned.ok) throw new Error(provisioned.error.message);
  await run(module, `cloud_activate ${login.username} "${login.password}" gauge.json`);
  must(await client.call('devices.activate', { params: { device_id: device.id }, body: { product_id: product.id } }));
  return { module, deviceId: device.id, taken: [], next: 0 };
}

// API-DATA-once, API-RULE-ota-9
eachDatabase('a service that is killed while its modules are at it', (_open, _kind, address) => {
  test('loses nothing that it has acknowledged, and they end at the tagged bundle', async () => {
    const database = await address();
    const first = serve(database, 0, 0);
    const ready = await eventOf(first, 'ready');
    const [port, devicePort] = [portOf(ready.api), portOf(ready.devices)];
    const anonymous = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const client = anonymous.as(must(await anonymous.call('auth.login', { body: login })).token);
    const authority = Buffer.from(must(await client.call('identity.authority')) as Uint8Array).toString();

    const boats: Boat[] = [];
    const { product, bundle } = await ensureExample(client, defaultModel.partId);
    for (let index = 0; index < fleetSize; index++) {
      boats.push(await commission(client, index, { devicePort, authority, product }));
    }

    // Killed, not stopped, as soon as one device has installed and all have sent something; then started again.
    let killed = false;
    let back = (): void => {};
    const isBack = new Promise<void>((resolve) => {
      back = resolve;
    });
    const killOnce = async (): Promise<void> => {
      if (killed) return;
      killed = true;
      first.process.kill('SIGKILL');
      expect(await first.ended).toBe('SIGKILL');
      await eventOf(serve(database, port, devicePort), 'ready');
      back();
    };
    const acknowledged: string[] = [];
    await Promise.all(
      boats.map(async (boat) => {
        while (!(await round(boat, bundle.bversion))) {
          if (boat.module.client.installed() && !boat.module.client.reportPending) acknowledged.push(boat.deviceId);
          if (boats.every(({ next }) => next >= 3) && acknowledged.length > 0) await killOnce();
          if (killed) await isBack;
        }
      }),
    );
    expect(killed).toBe(true);

    const record = must(await client.call('bundles.get', { params: { bundle_id: bundle.id } }));
    expect(record).toMatchObject({ device_count: fleetSize, device_count_bundle_ok: fleetSize });
    for (const { deviceId, taken, module } of boats) {
      const params = { device_id: deviceId, name: 'level' };
      const samples = must(await client.call('data.samples', { params, query: { limit: 500 } }));
      const arrived = samples.map(({ value }) => Number(value)).sort((a, b) => a - b);
      expect(taken).toHaveLength(samplesEach);
      expect(arrived).toEqual(taken);
      await module.close();
    }
  });
});
