import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@moorage/base';
import { buildService } from '@moorage/service';
import { hashPassword } from '@moorage/service/core/auth/passwords';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import { openRecords } from '@moorage/service/tables';
import { fixtures, PostgresServer, testSettings } from '@moorage/service/testing/index';

// A service with the data of a large installation, on one of the databases: the argument says which.
const kind = process.argv[2];
const counts = { devices: 100_000, products: 200, bundlesEach: 10, logs: 1_000_000 } as const;
const password = 'correct horse battery staple';

const folder = mkdtempSync(join(tmpdir(), 'moorage-bench-'));
const server = kind === 'postgres' ? await PostgresServer.create() : undefined;
await server?.start();
const url = server?.url() ?? `sqlite:${join(folder, 'moorage.db')}`;
let storage = await openRecords(url);
const make = fixtures({ storage, blobs: memoryBlobs(realClock), clock: realClock });

/** Inserts `count` rows, many at a time. */
async function fill(table: 'devices' | 'logs', count: number, row: (index: number) => never): Promise<void> {
  // SQLite takes so many values in one statement.
  const batch = 500;
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: Math.min(batch, count - from) }, (_, index) => row(from + index));
    await storage.db.insertInto(table).values(rows).execute();
  }
}

const admin = await make.admin({ email: 'bench@example.com', password_hash: await hashPassword(password) });
const platform = await make.platform();
const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
const products: string[] = [];
for (let index = 0; index < counts.products; index++) {
  const product = await make.product({ platform_id: platform.id, user_id: admin.id });
  products.push(product.id);
  for (let bundle = 0; bundle < counts.bundlesEach; bundle++) {
    await make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: admin.id, state: 'published' });
  }
}
const { id: _, ...device } = await make.device({ platform_id: platform.id, product_id: products[0] ?? '' });
const nowMs = Date.now();
// The rows have the columns of the fixture's own row; the query builder checks them against the table as they go in.
await fill(
  'devices',
  counts.devices,
  (index) =>
    ({
      ...device,
      id: randomUUID(),
      uuid: index.toString(16).padStart(40, '0'),
      title: `Gauge ${index}`,
      product_id: products[index % products.length],
      user_id: admin.id,
      state: index % 3 === 0 ? 'enabled' : 'active',
      created_at: nowMs - index * 1_000,
    }) as never,
);
await fill(
  'logs',
  counts.logs,
  (index) =>
    ({
      id: randomUUID(),
      type: index % 10 === 0 ? 'ota.ok' : 'device.update',
      level: 'info',
      message: `Line ${index}`,
      user_id: admin.id,
      device_id: null,
      product_id: products[index % products.length],
      bundle_id: null,
      ip: null,
      client: null,
      data: '{}',
      created_at: nowMs - index * 1_000,
    }) as never,
);
await storage.close();

const startMs = performance.now();
storage = await openRecords(url);
const service = await buildService({
  settings: testSettings,
  storage,
  blobs: memoryBlobs(realClock),
  logLevel: 'error',
  logStream: process.stderr,
});
const api = await service.api.listen({ host: '127.0.0.1', port: 0 });
const startupMs = performance.now() - startMs;
console.log(
  JSON.stringify({ api, token: admin.token, productId: products[7], email: admin.email, password, startupMs }),
);
// Ends in order when the benchmark closes our input, so that nothing of the server stays behind.
process.stdin.resume().once('end', async () => {
  await service.close();
  await storage.close();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
