import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { makeWallProduct } from '../e2e/wall-module.ts';
import { type Benchmark, type Finding, residentBytes, startPeer } from './harness.ts';

/** Modules; the goal is for 200. */
const moduleCount = Number(process.env.BENCH_GATEWAY ?? 200);
const updateBytes = 256 * 1024;
const login = { username: 'owner@example.com', password: 'a long password' };
/** The program as it is built; from the sources, Node's reading of TypeScript takes some 50 MiB. */
const entry = process.env.BENCH_PROGRAM ?? fileURLToPath(new URL('../packages/moorage/src/main.ts', import.meta.url));
const mebibyte = 2 ** 20;

type Event = Readonly<Record<string, unknown>> & { readonly event: string };

/** A process of the command line, and its events. */
function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [entry, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const listeners = new Set<(event: Event) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    for (const listener of listeners) listener(JSON.parse(line));
  });
  /** Resolves when an event has come so many times, with the last. */
  const seen = (name: string, count: number): Promise<Event> =>
    new Promise((resolve, reject) => {
      let left = count;
      listeners.add((event) => {
        if (event.event === name && --left === 0) resolve(event);
      });
      child.once('exit', (code) => reject(new Error(`moorage ${args[0]} ended with ${code}`)));
    });
  return { child, seen };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function publish(client: Client, productId: string, firmware_id: string): Promise<void> {
  const version = '1.0.0.0';
  const params = { product_id: productId };
  const body = { product_id: productId, firmware_id, version };
  const bundle = { params: { bundle_id: unwrap(await client.call('bundles.create', { params, body })).value.id } };
  const content = Buffer.alloc(updateBytes, 'harbour ').toString('base64');
  const page = { filename: 'webapp/page.html', type: 'MISC_FIX_LEN', version, mime: 'text/plain', base64: content };
  unwrap(await client.call('bundles.addResource', { ...bundle, body: page }));
  unwrap(await client.call('bundles.setState', { ...bundle, body: { state: 'published' } }));
  unwrap(await client.call('bundles.setTag', { ...bundle, body: { tag: 'release' } }));
}

async function measure(folder: string): Promise<Finding[]> {
  const peer = await startPeer('peers/real-modules.ts', [String(moduleCount), '0']);
  const { addresses, part } = peer.ready as { addresses: string[]; part: string };
  const admin = { MOORAGE_ADMIN_EMAIL: login.username, MOORAGE_ADMIN_PASSWORD: login.password };
  const serving = start(['serve', '--data', join(folder, 'service'), '--port', '0', '--device-port', '0'], admin);
  const { api, devices } = await serving.seen('ready', 1);
  const { token } = unwrap(await createClient({ baseUrl: String(api) }).call('auth.login', { body: login })).value;
  const client = createClient({ baseUrl: String(api), token });
  const { product, firmware_id } = await makeWallProduct(client, part);

  const place = ['gateway', '--service', String(devices), '--data', join(folder, 'gateway'), '--ip', '127.0.0.1'];
  const as = { MOORAGE_API: String(api), MOORAGE_TOKEN: token };
  const adopting = start([...place, '--adopt', addresses.join(','), '--product', product.product], as);
  await adopting.seen('online', moduleCount);
  await end(adopting.child);

  let from = performance.now();
  const gateway = start(place, as);
  await gateway.seen('online', moduleCount);
  const pollS = (performance.now() - from) / 1000;
  const idle = (await residentBytes(gateway.child.pid ?? 0)) / mebibyte;
  const updated = gateway.seen('updated', moduleCount);
  from = performance.now();
  await publish(client, product.id, firmware_id);
  await updated;
  const updateS = (performance.now() - from) / 1000;
  const after = (await residentBytes(gateway.child.pid ?? 0)) / mebibyte;
  await end(gateway.child);
  await end(serving.child);
  await peer.end();
  const beside = `${moduleCount} modules`;
  const finding = (label: string, unit: string, value: number, atMost: number): Finding => ({
    label,
    beside,
    unit,
    ours: [value],
    theirs: [moduleCount],
    limit: { atMost },
  });
  return [
    finding('from the start until all have been polled', 's', pollS, 10),
    finding('resident memory', 'MiB', idle, 150),
    finding('256 KiB brought to all', 's', updateS, 120),
    finding('resident memory after it', 'MiB', after, 150),
  ];
}

/** `moorage gateway` with many adopted modules over HTTP, beside `moorage serve`, each in a process of its own. */
export const gateway: Benchmark = {
  name: 'gateway',
  goal: `${moduleCount} adopted modules in one gateway: under 150 MiB, poll of all within 10 s, an update of 256 KiB to all in under 2 minutes (BENCH_GATEWAY says how many, BENCH_PROGRAM names a built program)`,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'moorage-bench-'));
    try {
      return await measure(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
