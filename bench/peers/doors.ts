import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@moorage/api';
import { realClock } from '@moorage/base';
import { buildService } from '@moorage/service';
import { diskBlobs } from '@moorage/service/engine/blobs/backends/disk-blobs';
import { openRecords } from '@moorage/service/tables';
import { fixtures, injectFetch, testSettings } from '@moorage/service/testing/index';
import { must } from '../../packages/moorage/src/up/example.ts';

// A service with devices behind doors, in a process of its own. The argument says how many, and what they fetch.
const given = JSON.parse(process.argv[2] ?? '{}') as {
  registered: number;
  waiting: number;
  imageBytes: number;
  downloaders: number;
  /** Only makes the data, in this folder, and goes: what that takes of memory is no one's business. */
  seedIn?: string;
};
const { registered, waiting, imageBytes, downloaders, seedIn } = given;

const folder = seedIn ?? mkdtempSync(join(tmpdir(), 'moorage-bench-'));
if (seedIn === undefined) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const tokenFile = join(folder, 'token');
if (seedIn === undefined) {
  const argument = JSON.stringify({ ...given, seedIn: folder });
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), argument], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
const storage = await openRecords(`sqlite:${join(folder, 'moorage.db')}`);
const blobs = await diskBlobs(join(folder, 'blobs'));
const settings = { ...testSettings, deviceInsecure: true };
const service = await buildService({ settings, storage, blobs, logLevel: 'error', logStream: process.stderr });
const names = Array.from({ length: Math.max(registered, downloaders) }, (_, at) => `device-${at}`);
const file = join(folder, 'image');

/** Rows of one statement. */
const rowsAtOnce = 500;
const parts = (count: number) =>
  Array.from({ length: Math.ceil(count / rowsAtOnce) }, (_, part) =>
    Array.from({ length: Math.min(rowsAtOnce, count - part * rowsAtOnce) }, (__, at) => part * rowsAtOnce + at),
  );

/** Lets in all that wait. Returns how long that takes, in seconds. */
async function letIn(productId: string, client: ReturnType<ReturnType<typeof createClient>['as']>): Promise<number> {
  for (const some of parts(waiting)) {
    const rows = some.map((at) => ({
      id: randomUUID(),
      product_id: productId,
      door: 'ddi' as const,
      name: `stranger-${at}`,
      secret_hash: `secret-${at}`,
      ip: null,
      first_at: Date.now(),
      last_at: Date.now(),
    }));
    await storage.db.insertInto('door_waiting').values(rows).execute();
  }
  const startMs = performance.now();
  const { done } = must(
    await client.call('doors.decide', { params: { product_id: productId }, body: { accept: true } }),
  );
  const seconds = (performance.now() - startMs) / 1000;
  if (done !== waiting) throw new Error(`${done} of ${waiting} were let in`);
  return seconds;
}

/** Makes what the service has, and ends this process. */
async function seed(): Promise<never> {
  const make = fixtures({ storage, blobs, clock: realClock });
  const owner = await make.admin();
  const client = createClient({ baseUrl: 'http://service', fetch: injectFetch(service.api) }).as(owner.token);
  const platform = await make.platform();
  const product = await make.product({ platform_id: platform.id, user_id: owner.id });
  const params = { product_id: product.id };
  must(await client.call('doors.set', { params, body: { ddi: true, mender: false, waiting: true } }));
  const { token } = must(await client.call('doors.addToken', { params, body: { door: 'ddi', title: 'bench' } }));

  const template = await make.device({
    platform_id: platform.id,
    product_id: product.id,
    user_id: owner.id,
    state: 'active',
  });
  const { id: _id, ...fields } = template;
  for (const some of parts(names.length)) {
    const rows = some.map((at) => ({
      ...fields,
      id: randomUUID(),
      uuid: at.toString(16).padStart(40, '0'),
      mac: null,
      bt_addr: null,
    }));
    await storage.transaction(async (trx) => {
      await trx.insertInto('devices').values(rows).execute();
      const doors = rows.map(({ id }, row) => ({
        device_id: id,
        product_id: product.id,
        door: 'ddi' as const,
        name: names[some[row] ?? 0] ?? '',
        token_hash: null,
        reported_at: 1,
        created_at: 1,
      }));
      await trx.insertInto('door_devices').values(doors).execute();
    });
  }

  const acceptedS = waiting > 0 ? await letIn(product.id, client) : 0;
  if (imageBytes > 0) {
    writeFileSync(file, '');
    truncateSync(file, imageBytes);
    const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const of = { product_id: product.id, firmware_id: firmware.id, user_id: owner.id };
    const bundle = await make.bundle({ ...of, state: 'published', tag: 'release' });
    await make.resource(Buffer.alloc(imageBytes), { bundle_id: bundle.id, filename: 'image.bin' });
  }
  writeFileSync(tokenFile, JSON.stringify({ token, acceptedS }));
  process.exit(0);
}

if (seedIn !== undefined) await seed();

// Written by that very script.
const { token, acceptedS } = JSON.parse(readFileSync(tokenFile, 'utf8')) as { token: string; acceptedS: number };
const portOf = (address: unknown): number => (address as { port: number }).port;
await service.devices.listen({ host: '127.0.0.1', port: 0 });
const devices = portOf(service.devices.server.address());
const authorization = `GatewayToken ${token}`;

/** Where a client of DDI finds its image. */
async function downloadOf(name: string): Promise<string> {
  const ask = async (url: string) => (await (await fetch(url, { headers: { authorization } })).json()) as never;
  const base = `http://127.0.0.1:${devices}/DEFAULT/controller/v1/${name}`;
  const { _links } = (await ask(base)) as { _links: { deploymentBase: { href: string } } };
  const { deployment } = (await ask(_links.deploymentBase.href)) as {
    deployment: { chunks: { artifacts: { _links: { 'download-http': { href: string } } }[] }[] };
  };
  const href = deployment.chunks[0]?.artifacts[0]?._links['download-http'].href ?? '';
  return href.replace(`http://127.0.0.1:${devices}`, '');
}

const downloads: string[] = [];
for (const name of names.slice(0, downloaders)) downloads.push(await downloadOf(name));
const first = await fetch(`http://127.0.0.1:${devices}/DEFAULT/controller/v1/device-0`, { headers: { authorization } });
const ready = { devices, authorization, names, base: await first.text(), downloads, file, acceptedS };
console.log(JSON.stringify(ready));
