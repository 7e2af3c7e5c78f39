import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { defined, type Store, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net, TlsClient } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { nodeNet } from '@moorage/net/node';
import { fileFlags, type NewFile } from '../device/flash.ts';
import { createModule, type Module } from '../module.ts';
import { offlinePersonality } from './offline.ts';

/** Ways to a module's HTTP server. */
export const webWires = ['memory', 'sockets'] as const;
type WebWire = (typeof webWires)[number];

interface WebRigOptions {
  readonly wire?: WebWire;
  /** Variables to set before the network comes up, besides `http.server.enabled`. */
  readonly variables?: Readonly<Record<string, string | number>>;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly store?: Store;
  /** The module's address over `memory`. */
  readonly ip?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface WebRig {
  readonly module: Module;
  readonly clock: VirtualClock;
  /** Port on which it is reached. */
  readonly port: number;
  /** Lines of the log since the last look. */
  logged(): readonly string[];
  /** Runs a command as a serial host would: its code and text. */
  run(line: string, data?: string | Uint8Array): Promise<string>;
  /** Puts a file into the flash. */
  put(name: string, content: string | Uint8Array, more?: Partial<NewFile>): Promise<void>;
  /** A connection of its own to the server. */
  dial(tls?: TlsClient): Promise<Duplex>;
  /** One request on a connection of its own. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** `POST /command`; the reply. */
  command(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** A port that was free just now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

const dialSocket = async (port: number, tls?: TlsClient): Promise<Duplex> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  if (!tls) return socket;
  const secured: TLSSocket = connectTls({ socket, servername: 'localhost', ca: tls.ca, cert: tls.cert, key: tls.key });
  await once(secured, 'secureConnect');
  return secured;
};

async function dialMemory(client: Net, port: number, tls?: TlsClient): Promise<Duplex> {
  const dialled = await client.dial({ host: 'module', port, timeoutMs: 1_000, ...defined({ tls }) });
  if (!dialled.ok) throw new Error(dialled.error.detail);
  return dialled.value.stream;
}

/** Sends one request over a connection and reads the answer. */
export function exchange(stream: Duplex, method: string, path: string, { headers, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method,
      path,
      headers: {
        host: 'localhost',
        ...(body !== undefined && !headers?.['transfer-encoding'] && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
      createConnection: () => stream,
    });
    request.once('error', reject);
    request.once('upgrade', (response) => {
      stream.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.alloc(0), text: '' });
    });
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const received = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: received,
          text: received.toString(),
        });
        stream.destroy();
      });
    });
    request.end(body);
  });
}

/** A joined module with its HTTP server on, over simulated connections or over real ones, on a clock that stands still. */
export async function webRig({
  wire = 'memory',
  variables = {},
  files = {},
  store = new MemoryStore(),
  ip = '10.5.6.108',
}: WebRigOptions = {}): Promise<WebRig> {
  const clock = new VirtualClock(Date.UTC(2024, 0, 1));
  const network = new MemoryNetwork(clock);
  const client = network.attach('client', '10.5.6.20');
  const port = wire === 'memory' ? 80 : await freePort();
  const net =
    wire === 'memory' ? network.attach('module', ip) : nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
  const module = await createModule({ clock, net, store, seed: 1, personality: offlinePersonality });
  const lines: string[] = [];
  module.log.attach((line) => lines.push(line));
  const run = async (line: string, data?: string | Uint8Array): Promise<string> => {
    const { code, text } = await module.execute(line, typeof data === 'string' ? Buffer.from(data) : data);
    return `${code} ${text}`;
  };
  const put: WebRig['put'] = async (name, content, more = {}) => {
    const bytes = Buffer.from(content);
    const flags = fileFlags.user;
    const writer = await module.flash.create({
      name,
      size: bytes.length,
      version: [1, 0, 0, 0],
      type: 0xfe,
      flags,
      ...more,
    });
    if (!writer.ok) throw new Error(writer.error);
    await writer.value.append(bytes);
    const made = await writer.value.finish();
    if (!made.ok) throw new Error(made.error);
  };
  const booted = module.boot();
  await clock.advance(0);
  await booted;
  for (const [name, content] of Object.entries(files)) await put(name, content);
  const all = { 'wlan.ssid': 'harbour-open', 'http.server.enabled': 1, 'http.server.port': port, ...variables };
  for (const [name, value] of Object.entries(all)) {
    const answer = await run(`set ${name} "${value}"`);
    if (answer !== '0 Set OK') throw new Error(`${name}: ${answer}`);
  }
  lines.length = 0;
  unwrap(await module.wlan.ensureUp('wlan'));
  const dial = (tls?: TlsClient): Promise<Duplex> =>
    wire === 'memory' ? dialMemory(client, port, tls) : dialSocket(port, tls);
  const call: WebRig['call'] = async (method, path, options) => exchange(await dial(), method, path, options);
  return {
    module,
    clock,
    port,
    logged: () => lines.splice(0),
    run,
    put,
    dial,
    call,
    command: async (body, headers) => {
      const answer = await call('POST', '/command', { body: JSON.stringify(body), ...defined({ headers }) });
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return JSON.parse(answer.text) as Record<string, unknown>;
    },
    close: () => module.close(),
  };
}
