import { realClock } from '@moorage/base';
import { buildService } from '@moorage/service';
import { mergeDeviceCounts } from '@moorage/service/core/devices/counts';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import { openRecords } from '@moorage/service/tables';
import { fixtures, testSettings } from '@moorage/service/testing/index';
import { sql } from 'kysely';

// A node of a service on a database that stays when it goes. The argument names the database and, for the first node,
// how many devices it makes there, and how many of them have certificates.
const { url, devicePort, make } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  devicePort: number;
  make?: { devices: number; clients: number };
};

const storage = await openRecords(url);
const blobs = memoryBlobs(realClock);
const settings = { ...testSettings, requestsPerMinute: 0 };
const service = await buildService({ settings, storage, blobs, logLevel: 'error', logStream: process.stderr });

const rowsOfStatement = 500;

async function fill({ devices, clients }: { devices: number; clients: number }) {
  const made = fixtures({ storage, blobs, clock: realClock });
  const admin = await made.admin();
  const platform = await made.platform();
  const product = await made.product({ platform_id: platform.id, user_id: admin.id });
  const firmware = await made.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
  const published = { state: 'published', tag: 'release' } as const;
  const bundle = await made.bundle({
    product_id: product.id,
    firmware_id: firmware.id,
    user_id: admin.id,
    ...published,
  });
  const { id: _id, ...template } = await made.device({
    platform_id: platform.id,
    product_id: product.id,
    user_id: admin.id,
    state: 'active',
    provision_status: 'complete',
    description: 'A device of the benchmark',
  });
  const capabilities = JSON.stringify({
    name: 'Bench',
    version: '1.0.0',
    streams: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`s${index}`, { type: 'number' }])),
  });
  const uuids = Array.from({ length: devices }, (_, index) => index.toString(16).padStart(40, '0'));
  const certificates: { cert: string; key: string }[] = [];
  for (let from = 0; from < devices; from += rowsOfStatement) {
    const part = uuids.slice(from, from + rowsOfStatement);
    const rows = [];
    for (const [at, uuid] of part.entries()) {
      const issued = from + at < clients ? await service.identity.issueDeviceCertificate(uuid) : undefined;
      if (issued) certificates.push({ cert: issued.certificate, key: issued.key });
      const id = `00000000-0000-4000-8000-${String(from + at).padStart(12, '0')}`;
      const fingerprint = issued?.fingerprint ?? null;
      rows.push({ ...template, id, uuid, mac: null, bt_addr: null, certificate_fingerprint: fingerprint });
    }
    await storage.db.insertInto('devices').values(rows).execute();
    const active = rows.filter((row) => row.certificate_fingerprint !== null);
    const activations = active.map(({ id }) => ({
      device_id: id,
      user_id: admin.id,
      capabilities,
      activated_at: Date.now(),
    }));
    if (activations.length > 0) await storage.db.insertInto('activations').values(activations).execute();
  }
  // As a service does each hour.
  await mergeDeviceCounts({ storage });
  const size =
    storage.kind === 'sqlite'
      ? sql<{ bytes: number }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
      : sql<{ bytes: number }>`select pg_total_relation_size('devices') as bytes`;
  const { rows } = await size.execute(storage.db);
  return {
    token: admin.token,
    bundleId: bundle.id,
    certificates,
    uuids: uuids.slice(0, 10_000),
    bytes: rows[0]?.bytes ?? 0,
    // The least that could hold a device: what its row says, as text.
    plainBytes: devices * Buffer.byteLength(JSON.stringify(Object.values(template))),
  };
}

const made = make ? await fill(make) : {};
await service.api.listen({ host: '127.0.0.1', port: 0 });
await service.devices.listen({ host: '127.0.0.1', port: devicePort, backlog: 4_096 });
const portOf = (address: unknown): number => (address as { port: number }).port;
process.stdin.resume().once('end', async () => {
  await service.close();
  await storage.close();
  process.exit(0);
});
console.log(
  JSON.stringify({
    api: portOf(service.api.server.address()),
    devices: portOf(service.devices.server.address()),
    ca: service.identity.ca,
    server: service.identity.server,
    ...made,
  }),
);

// At a line on its input it lets go of all that is unreachable: then its memory is measured from outside.
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
process.stdin.on('data', () => {
  const collect = (globalThis as { gc?: Collect }).gc;
  for (let time = 0; time < 3; time++) collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
});
