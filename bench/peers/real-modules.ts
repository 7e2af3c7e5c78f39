import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { defaultModel } from '@moorage/module/model/model';
import { nodeNet } from '@moorage/net/node';

// Modules in one process that know no service, each at an address of its own with an HTTP server, as one finds them on a
// wall. The arguments say how many, and how many files of 64 KiB each has.
const [count, files] = process.argv.slice(2).map(Number) as [number, number];
const portOffset = 43_000;
const fileBytes = 64 * 1024;
const flash = { areaBytes: { i: 768 * 1024, e: 4 * 1024 * 1024, b: 0 }, maxFilesPerArea: 100 };
const settings = ['wlan.ssid harbour-open', 'http.server.enabled 1', 'ntp.enabled 0', 'wlan.auto_join.enabled 1'];

const addresses: string[] = [];
let part = '';
for (let seed = 1; seed <= count; seed++) {
  const ip = `127.9.${seed >> 8}.${seed & 255}`;
  const net = nodeNet({ ip, portOffset, listenLan: false });
  const module = await createModule({
    clock: realClock,
    store: new MemoryStore(),
    net,
    seed,
    model: { ...defaultModel, flash },
  });
  await module.boot();
  part = module.identity.uuid.slice(0, 8).toLowerCase();
  const run = async (line: string, data?: Uint8Array): Promise<string> => {
    const { code, text } = await module.execute(line, data);
    if (code !== 0) throw new Error(`${line}: ${text}`);
    return text;
  };
  for (let file = 0; file < files; file++)
    await run(`file_create webapp/page${file}.bin ${fileBytes}`, Buffer.alloc(fileBytes, file + 1));
  for (const setting of settings) await run(`set ${setting}`);
  for (const line of ['save', 'network_up']) await run(line);
  while ((await run('get wlan.network.ip')) !== ip) await new Promise((resolve) => setTimeout(resolve, 20));
  addresses.push(`http://${ip}:${portOffset + 80}`);
}
console.log(
  JSON.stringify({ addresses, part, names: Array.from({ length: files }, (_, file) => `webapp/page${file}.bin`) }),
);
process.stdin.resume().once('end', () => process.exit(0));
