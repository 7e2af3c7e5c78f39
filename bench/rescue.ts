import { Agent, get } from 'node:http';
import { realClock, unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { type OpenPorts, openDriver, rescue as rescueModule } from '@moorage/gateway';
import { createModule } from '@moorage/module';
import { defaultModel } from '@moorage/module/model/model';
import { HttpClient } from '@moorage/net/http/client';
import { MemoryNetwork } from '@moorage/net/memory';
import { hostPorts } from '../packages/moorage/src/gateway/host-ports.ts';
import { type Benchmark, type Finding, interleave, startPeer } from './harness.ts';

const rounds = 5;
/** Files of 64 KiB: 1 MiB. */
const files = 16;
const fileBytes = 64 * 1024;
const flash = { areaBytes: { i: 768 * 1024, e: 4 * 1024 * 1024, b: 0 }, maxFilesPerArea: 100 };
const goal = { atMost: 1.5 };

/** Reads a file as a browser does; returns its bytes. */
const fetchBytes = (agent: Agent, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('end', () => resolve(bytes));
    });
    request.once('error', reject);
  });

const timed = async (work: () => Promise<void>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** Reads a module, and makes sure that the files are there. */
async function rescueFrom(ports: OpenPorts, address: string, names: readonly string[]): Promise<void> {
  const driver = unwrap(await openDriver(ports, address));
  const archive = unwrap(await rescueModule(driver, { clock: realClock }));
  await driver.close();
  const held = archive.files.filter(({ name, content }) => names.includes(name) && content);
  if (held.length !== files) throw new Error(`${held.length} files were read`);
}

/** A module's server in a process of its own, on loopback: a command takes as long as a file there, so this has no goal. */
async function overLoopback(): Promise<Finding> {
  const peer = await startPeer('peers/real-modules.ts', ['1', String(files)]);
  const { addresses, names } = peer.ready as { addresses: string[]; names: string[] };
  const [address = ''] = addresses;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const pair = await interleave(
      rounds,
      () => timed(() => rescueFrom(hostPorts('127.0.0.1'), address, names)),
      () =>
        timed(async () => {
          for (const name of names) await fetchBytes(agent, `${address}/${name}`);
        }),
    );
    return { label: '1 MiB in 16 files, on loopback', beside: 'the files alone', unit: 'ms', ...pair };
  } finally {
    agent.destroy();
    await peer.end();
  }
}

/** Over a link as modules have one: 10 Mbit/s, and 3 ms in either direction. */
async function overLink(): Promise<Finding> {
  const network = new MemoryNetwork(realClock);
  // Nothing in memory keeps a program alive.
  const awake = setInterval(() => {}, 1_000);
  const module = await createModule({
    clock: realClock,
    net: network.attach('module', '10.5.6.108'),
    store: new MemoryStore(),
    seed: 1,
    model: { ...defaultModel, flash },
  });
  await module.boot();
  const run = async (line: string, data?: Uint8Array): Promise<void> => {
    const { code, text } = await module.execute(line, data);
    if (code !== 0) throw new Error(`${line}: ${text}`);
  };
  const names = Array.from({ length: files }, (_, file) => `webapp/page${file}.bin`);
  for (const name of names) await run(`file_create ${name} ${fileBytes}`, Buffer.alloc(fileBytes, name));
  for (const line of ['set wlan.ssid harbour-open', 'set http.server.enabled 1', 'network_up']) await run(line);
  network.conditions = () => ({ latencyMs: 3, bytesPerSecond: 1_250_000 });
  const ports = { net: network.attach('owner', '10.5.6.2'), clock: realClock };
  const alone = async (): Promise<void> => {
    const client = new HttpClient(ports.net, realClock, { host: 'module', port: 80 });
    for (const name of names) unwrap(await client.fetch(`/${name}`, fileBytes));
    client.close();
  };
  const pair = await interleave(
    rounds,
    () => timed(() => rescueFrom(ports, 'http://module:80', names)),
    () => timed(alone),
  );
  await module.close();
  clearInterval(awake);
  const label = '1 MiB in 16 files, at 10 Mbit/s and 6 ms';
  return { label, beside: 'the files alone', unit: 'ms', ...pair, goal };
}

/** All that a module shows of itself, beside its own HTTP server that sends the same files. */
export const rescue: Benchmark = {
  name: 'rescue',
  goal: 'rescue of a module with 1 MiB of files over HTTP within 1.5 times of what its own HTTP server needs to send them',
  run: async () => [await overLink(), await overLoopback()],
};
