import { once } from 'node:events';
import { createServer } from 'node:net';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { openSerial } from '@moorage/module/transports/open';
import { nodeNet } from '@moorage/net/node';

// Many idle modules, each with a serial port on TCP; or as many bare listeners, for comparison.
const kind = process.argv[2];
const count = Number(process.argv[3]);
const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
const kept: unknown[] = [];

async function startModule(seed: number): Promise<void> {
  const module = await createModule({ clock: realClock, store: new MemoryStore(), net, seed });
  const serial = await openSerial('tcp:127.0.0.1:0', module);
  await module.boot();
  kept.push(module, serial);
}

async function startListener(): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  kept.push({ server });
}

const start = (seed: number): Promise<void> => (kind === 'modules' ? startModule(seed) : startListener());
// As under pressure: the room for young objects, which starting a thousand modules makes V8 widen, does not count.
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
const collector = (globalThis as { gc?: Collect }).gc ?? (() => {});
const collect = (): void => collector({ type: 'major', execution: 'sync', flavor: 'last-resort' });

// As many again come first. They bring what all share: code, tables, texts, and 20 MB that V8 takes once to compile it.
for (let seed = 0; seed < count; seed++) await start(seed);
collect();
const baseBytes = process.memoryUsage.rss();
const bootMs: number[] = [];
for (let seed = count; seed < 2 * count; seed++) {
  const startMs = performance.now();
  await start(seed);
  bootMs.push(performance.now() - startMs);
}
collect();
await new Promise((resolve) => setTimeout(resolve, 500));
collect();
console.log(JSON.stringify({ bytesEach: (process.memoryUsage.rss() - baseBytes) / count, bootMs }));
setInterval(() => kept.length, 60_000);
