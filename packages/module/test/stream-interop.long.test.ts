import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { realClock, unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { nodeNet } from '@moorage/net/node';
import { testCertificates } from '@moorage/net/testing/certificates';
import { loopback } from '@moorage/net/testing/nets';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createModule, type Module } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';

// Programs that are not ours, each a process, on the loopback sockets of this machine.

const mebibyte = 1024 * 1024;
const openssl = spawnSync('openssl', ['version']).status === 0;
const withOpenssl = openssl ? test : test.skip;
const ssl = (name: string): string => (openssl ? name : `${name} (openssl is not installed)`);

let module: Module;
const children: ChildProcessWithoutNullStreams[] = [];
const folder = mkdtempSync(join(tmpdir(), 'moorage-streams-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const net = nodeNet({ ...loopback, ip: `127.9.${1 + (process.pid % 250)}.1` });
  module = await createModule({
    clock: realClock,
    net,
    store: new MemoryStore(),
    seed: 1,
    personality: offlinePersonality,
  });
  await module.boot();
  for (const line of ['mdns.enabled 0', 'http.server.enabled 0', 'tcp.client.retries 1', 'wlan.ssid harbour-open'])
    expect((await module.execute(`set ${line}`)).code).toBe(0);
  unwrap(await module.wlan.ensureUp());
});
afterAll(() => module.close());
afterEach(async () => {
  for (const child of children.splice(0)) child.kill();
  await run('close all');
});

async function run(line: string, data?: Uint8Array | string): Promise<string> {
  const { code, text } = await module.execute(line, typeof data === 'string' ? Buffer.from(data) : data);
  return `${code} ${text}`;
}

/** Runs a command that must answer with a handle. */
async function open(line: string): Promise<number> {
  const answer = await run(line);
  expect(answer).toMatch(/^0 \d+$/);
  return Number(answer.slice(2));
}

/** Reads until so much has come. */
async function read(handle: number, size: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (let missing = size; missing > 0; ) {
    const { code, payload } = await module.execute(`read ${handle} ${Math.min(missing, 65_000)}`);
    expect(code).toBe(0);
    const bytes = payload.subarray(0, Math.max(0, payload.length - 2));
    parts.push(bytes);
    missing -= bytes.length;
  }
  return Buffer.concat(parts);
}

function start(command: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { stdio: 'pipe' });
  children.push(child);
  return child;
}

async function echoes(): Promise<{ readonly tcp: number; readonly udp: number }> {
  const child = start(process.execPath, [fileURLToPath(new URL('echo-peer.ts', import.meta.url))]);
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return JSON.parse(line) as { tcp: number; udp: number };
}

/** Resolves with all that a program has printed when something is in it. */
const printed = (child: ChildProcessWithoutNullStreams, wanted: string | RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (new RegExp(wanted).test(text)) resolve(text);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => reject(new Error(`The program ended before "${wanted}": ${text}`)));
  });

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const noise = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size);
  let state = seed * 2_654_435_761;
  for (let at = 0; at < size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
};
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('streams and other programs', () => {
  test('an echo by TCP and one by UDP', async () => {
    // MOD-STREAM-TCPC, MOD-STREAM-UDPC
    const { tcp, udp } = await echoes();
    const [line, datagrams] = [await open(`tcpc 127.0.0.1 ${tcp}`), await open(`udpc 127.0.0.1 ${udp}`)];
    const sent = noise(1_200, 3);
    for (const handle of [line, datagrams]) {
      expect(await run(`write ${handle} ${sent.length}`, sent)).toBe('0 Success');
      expect((await read(handle, sent.length)).equals(sent)).toBe(true);
    }
  });

  test('a program that dies in the middle is reported by poll and close', async () => {
    const child = start(process.execPath, [
      '-e',
      `const s = require('net').createServer((c) => { c.write('the first half'); process.stdin.once('data', () => process.kill(process.pid, 'SIGKILL')); });
       s.listen(0, '127.0.0.1', () => console.log(s.address().port));`,
    ]);
    const port = await printed(child, '\n');
    const handle = await open(`tcpc 127.0.0.1 ${Number(port)}`);
    expect((await read(handle, 5)).toString()).toBe('the f');
    child.stdin.write('die\n');
    await new Promise((resolve) => child.once('exit', resolve));
    await expect.poll(() => module.streams.get(handle)?.remoteClosed).toBe(true);
    expect(await run(`poll ${handle}`)).toBe('0 1');
    expect(await run(`read ${handle} 99`)).toBe('0 irst half');
    expect(await run(`poll ${handle}`)).toBe('1 Command failed');
  });

  withOpenssl(ssl('openssl s_server answers a TLS client'), async () => {
    // MOD-STREAM-TLSC, MOD-CMD-tls_client
    const { ca, server } = await testCertificates();
    const files = ['-cert', fileOf('server.pem', server.cert), '-key', fileOf('server.key', server.key)];
    const child = start('openssl', ['s_server', '-accept', '127.0.0.1:0', ...files, '-naccept', '2']);
    const port = /:(\d+)\n/.exec(await printed(child, /ACCEPT .*\n/))?.[1];
    await run(`fcr authority.pem ${ca.length}`, ca);
    const stream = await open(`tlsc 127.0.0.1 ${port} authority.pem`);
    const received = printed(child, 'from the module');
    expect(await run(`write ${stream} 16`, 'from the module\n')).toBe('0 Success');
    await received;
    child.stdin.write('from openssl\n');
    expect((await read(stream, 13)).toString()).toBe('from openssl\n');
    // It serves one client at a time.
    await run(`close ${stream}`);
    // Only the authorities that are configured count.
    const stranger = await testCertificates();
    await run(`fcr stranger.pem ${stranger.ca.length}`, stranger.ca);
    expect(await run(`tlsc 127.0.0.1 ${port} stranger.pem`)).toBe('1 Command failed');
    expect(module.log.entries().at(-2)).toBe('Error with TLS handshake: 5035');
  });

  withOpenssl(ssl('openssl s_client talks to a TLS server'), async () => {
    // MOD-STREAM-TLSS, MOD-CMD-tls_server
    const { ca, server } = await testCertificates();
    await run(`fcr own.pem ${server.cert.length}`, server.cert);
    await run(`fcr own.key ${server.key.length}`, server.key);
    expect(await run('tlss start 3443 own.pem own.key')).toBe('0 Success');
    const { ip } = module.wlan.addresses;
    const child = start('openssl', [
      's_client',
      ...['-connect', `${ip}:3443`, '-verify_hostname', 'localhost'],
      ...['-CAfile', fileOf('ca.pem', ca), '-verify_return_error', '-quiet'],
    ]);
    await expect.poll(() => module.streams.get(0)?.type).toBe('TLSS');
    child.stdin.write('hello module\n');
    expect((await read(0, 13)).toString()).toBe('hello module\n');
    const received = printed(child, 'hello client');
    await run('write 0 12', 'hello client');
    await received;
    child.stdin.end();
    child.kill();
    await expect.poll(() => module.streams.get(0)).toBeUndefined();
    expect(await run('tlss stop')).toBe('0 Success');
  });
});

describe('streams under load', () => {
  test('eight streams at once move 10 MiB each and nothing is lost or mixed up', async () => {
    const { tcp } = await echoes();
    const size = 10 * mebibyte;
    const handles: number[] = [];
    for (let count = 0; count < 8; count++) handles.push(await open(`tcpc 127.0.0.1 ${tcp}`));
    const sent = handles.map((seed) => noise(size, seed + 1));
    const hashes = handles.map(() => createHash('sha256'));
    // What is written comes back: a step is no more than the echo and the sockets hold.
    const stepBytes = 64 * 1024;
    for (let at = 0; at < size; at += stepBytes) {
      for (const handle of handles) {
        const part = sent[handle]?.subarray(at, at + stepBytes) ?? new Uint8Array();
        expect(await run(`write ${handle} ${part.length}`, part)).toBe('0 Success');
      }
      for (const handle of handles) hashes[handle]?.update(await read(handle, stepBytes));
    }
    expect(hashes.map((hash) => hash.digest('hex'))).toEqual(sent.map(hashOf));
    expect(module.streams.pool.usage).toBe('rx:0,tx:0');
  });

  test('a reader that is slow does not make the module grow, and holds the sender back', async () => {
    let taken = 0;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      const piece = Buffer.alloc(64 * 1024, 'x');
      const send = (): void => {
        while (taken < 64 * mebibyte) {
          taken += piece.length;
          if (!socket.write(piece)) return;
        }
      };
      socket.on('drain', send);
      send();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = (): number => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = heap();
    const handle = await open(`tcpc 127.0.0.1 ${port}`);
    await expect.poll(() => module.streams.get(handle)?.available()).toBeGreaterThan(10_000);
    let last = -1;
    // The sender stands still when the kernel's buffers are full.
    await expect
      .poll(
        () => {
          const still = taken === last;
          last = taken;
          return still;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(taken).toBeLessThan(16 * mebibyte);
    expect(heap() - before).toBeLessThan(mebibyte);
    expect(module.streams.get(handle)?.available()).toBeLessThanOrEqual(15_000);
    server.close();
  });
});
