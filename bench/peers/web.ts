import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { nodeNet } from '@moorage/net/node';

// Modules in one process, joined; the argument says how many, whether their HTTP servers are on, and where the flash is.
const { count, enabled, fileBytes, flash } = JSON.parse(process.argv[2] ?? '{}') as {
  count: number;
  enabled: boolean;
  fileBytes: number;
  flash: 'memory' | 'disk';
};
const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
const kept: unknown[] = [];

/** A port that is free now. */
async function freePort(): Promise<number> {
  const listener = await net.listen(0, () => {});
  if (!listener.ok) throw new Error(listener.error.detail);
  await listener.value.close();
  return listener.value.port;
}

async function must(module: Awaited<ReturnType<typeof createModule>>, line: string, data?: Uint8Array): Promise<void> {
  const { code, text } = await module.execute(line, data);
  if (code !== 0) throw new Error(`${line}: ${text}`);
}

async function start(seed: number): Promise<number> {
  const folder = flash === 'disk' ? mkdtempSync(join(tmpdir(), 'moorage-web-')) : undefined;
  const store = folder === undefined ? new MemoryStore() : await DiskStore.open(folder);
  const module = await createModule({ clock: realClock, store, net, seed });
  await module.boot();
  const port = await freePort();
  await must(module, 'set ntp.enabled 0');
  await must(module, 'set wlan.ssid harbour-open');
  await must(module, `set http.server.port ${port}`);
  await must(module, 'set http.server.max_clients 8');
  if (enabled) await must(module, 'set http.server.enabled 1');
  if (fileBytes > 0) await must(module, `file_create file.bin ${fileBytes}`, Buffer.alloc(fileBytes, 'moorage '));
  const up = await module.wlan.ensureUp();
  if (!up.ok) throw new Error(up.error);
  kept.push(module);
  return port;
}

const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});
// The first few bring what all share.
const shared = 20;
const port = await start(0);
if (count > 1) for (let seed = 1; seed < shared; seed++) await start(seed);
collect();
const baseBytes = process.memoryUsage.rss();
if (count > 1) {
  for (let seed = shared; seed < shared + count; seed++) await start(seed);
  collect();
  await new Promise((resolve) => setTimeout(resolve, 500));
  collect();
}
console.log(JSON.stringify({ port, bytesEach: (process.memoryUsage.rss() - baseBytes) / count }));
setInterval(() => kept.length, 60_000);
