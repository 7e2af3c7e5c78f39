import { once } from 'node:events';
import { createServer } from 'node:net';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { openSerial } from '@moorage/module/transports/open';
import { nodeNet } from '@moorage/net/node';

// Many joined modules, each on an address of its own with its serial port, its HTTP server and its remote terminal
// listening; or as many addresses with three bare listeners each. Arguments: `modules` or `listeners`, how many.
const kind = process.argv[2];
const count = Number(process.argv[3]);
/** Low ports are for the superuser. */
const portOffset = process.getuid?.() === 0 ? 0 : 20_000;
const kept: unknown[] = [];

/** One address of the loopback range for each, away from 127.0.0.1. */
const addressOf = (number: number): string => `127.90.${number >> 8}.${number & 255}`;

async function must(module: Awaited<ReturnType<typeof createModule>>, line: string): Promise<void> {
  const { code, text } = await module.execute(line);
  if (code !== 0) throw new Error(`${line}: ${text}`);
}

async function startModule(number: number): Promise<void> {
  const net = nodeNet({ ip: addressOf(number), portOffset, listenLan: false });
  const module = await createModule({ clock: realClock, store: new MemoryStore(), net, seed: number });
  const serial = await openSerial('tcp:127.0.0.1:0', module);
  await module.boot();
  for (const setting of [
    'ntp.enabled 0',
    'http.server.enabled 1',
    'remote_terminal.enabled 1',
    'wlan.ssid harbour-open',
  ])
    await must(module, `set ${setting}`);
  const up = await module.wlan.ensureUp();
  if (!up.ok) throw new Error(up.error);
  for (const service of ['http', 'remote terminal'])
    if (!module.services.isRunning(service)) throw new Error(`${service} does not run`);
  kept.push(module, serial);
}

async function startListeners(number: number): Promise<void> {
  for (const [host, port] of [
    ['127.0.0.1', 0],
    [addressOf(number), 80 + portOffset],
    [addressOf(number), 2000 + portOffset],
  ] as const) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => socket.destroy());
    server.listen(port, host);
    await once(server, 'listening');
    kept.push(server);
  }
}

const start = (number: number): Promise<void> => (kind === 'modules' ? startModule(number) : startListeners(number));
// As under pressure: the room for young objects, which starting a thousand modules makes V8 widen, does not count.
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
const collector = (globalThis as { gc?: Collect }).gc ?? (() => {});
const collect = (): void => collector({ type: 'major', execution: 'sync', flavor: 'last-resort' });

// The first few bring what all share: code, tables, texts.
const shared = 20;
for (let number = 1; number <= shared; number++) await start(number);
collect();
const baseBytes = process.memoryUsage.rss();
for (let number = shared + 1; number <= shared + count; number++) await start(number);
collect();
await new Promise((resolve) => setTimeout(resolve, 500));
collect();
console.log(JSON.stringify({ bytesEach: (process.memoryUsage.rss() - baseBytes) / count }));
setInterval(() => kept.length, 60_000);
