import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realClock } from '@moorage/base';
import { buildService } from '@moorage/service';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import { openRecords } from '@moorage/service/tables';
import { PostgresServer, testSettings } from '@moorage/service/testing/index';
import { makeOperatorData, type OperatorCounts, operatorAccount } from './operator-data.ts';

// A service with the data of an operator and the console. The argument says on which database, and how much of what. With a
// folder the data stays in it, and `moorage serve --data FOLDER` opens it; without, it goes with this process.
const {
  kind,
  folder: kept,
  ...counts
} = JSON.parse(process.argv[2] ?? '{}') as OperatorCounts & {
  kind?: 'sqlite' | 'postgres';
  folder?: string;
};
const server = kind === 'postgres' ? await PostgresServer.create() : undefined;
await server?.start();
const folder = kept ?? mkdtempSync(join(tmpdir(), 'moorage-bench-'));
mkdirSync(folder, { recursive: true });
const url = server?.url() ?? `sqlite:${join(folder, 'moorage.db')}`;
const filled = await openRecords(url);
const { admin, productId } = await makeOperatorData(filled, counts);
await filled.close();
const startMs = performance.now();
const storage = await openRecords(url);
const service = await buildService({
  settings: testSettings,
  storage,
  blobs: memoryBlobs(realClock),
  logLevel: 'error',
  logStream: process.stderr,
  consoleDir: fileURLToPath(new URL('../../packages/console/dist', import.meta.url)),
});
const api = await service.api.listen({ host: '127.0.0.1', port: 0 });
const startupMs = performance.now() - startMs;
console.log(JSON.stringify({ api, token: admin.token, productId, startupMs, ...operatorAccount }));
process.stdin.resume().once('end', async () => {
  await service.close();
  await storage.close();
  await server?.remove();
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
