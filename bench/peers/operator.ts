import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realClock } from '@moorage/base';
import { buildService } from '@moorage/service';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import { openRecords } from '@moorage/service/tables';
import { PostgresServer, testSettings } from '@moorage/service/testing/index';
import { makeOperatorData } from '../operator-data.ts';

// A service with the data of an operator and the console, on SQLite, or on PostgreSQL when the argument says so. With a folder
// as argument the data stays in it, and `moorage serve --data FOLDER` opens it; without, it goes with this process.
const server = process.argv[2] === 'postgres' ? await PostgresServer.create() : undefined;
await server?.start();
const kept = server ? undefined : process.argv[2];
const folder = kept ?? mkdtempSync(join(tmpdir(), 'moorage-bench-'));
mkdirSync(folder, { recursive: true });
const storage = await openRecords(server?.url() ?? `sqlite:${join(folder, 'moorage.db')}`);
const startMs = performance.now();
const { admin, productId } = await makeOperatorData(storage);
const fillMs = performance.now() - startMs;
const service = await buildService({
  settings: testSettings,
  storage,
  blobs: memoryBlobs(realClock),
  logLevel: 'error',
  logStream: process.stderr,
  consoleDir: fileURLToPath(new URL('../../packages/console/dist', import.meta.url)),
});
const api = await service.api.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ api, token: admin.token, productId, fillMs }));
process.stdin.resume().once('end', async () => {
  await service.close();
  await storage.close();
  await server?.remove();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
