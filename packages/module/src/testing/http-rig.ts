import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { defined, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net } from '@moorage/net';
import { type Conditions, MemoryNetwork } from '@moorage/net/memory';
import { nodeNet } from '@moorage/net/node';
import { tlsPair } from '@moorage/net/testing/nets';
import type { Model } from '../model/model.ts';
import { createModule, type ModuleOptions } from '../module.ts';
import { offlinePersonality } from './offline.ts';

/** The network that a rig is built on: in memory, or the loopback sockets of the host. */
export const grounds = ['memory', 'sockets'] as const;
export type Ground = (typeof grounds)[number];

interface HttpRigOptions {
  readonly ground?: Ground;
  /** Makes it an HTTPS server. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly model?: Model;
  /** What every dial meets; in memory only. */
  readonly conditions?: Conditions;
}

/** Real milliseconds for which bytes on real sockets are waited for before the module's time goes on. */
const arrivalMs = 30;

/** A module that has joined, and what it takes to run commands on it. */
export async function joinedModule(
  net: Net,
  clock: VirtualClock,
  ground: Ground,
  over: Partial<Pick<ModuleOptions, 'model' | 'personality'>> = {},
) {
  const module = await createModule({
    clock,
    net,
    store: new MemoryStore(),
    seed: 1,
    personality: offlinePersonality,
    ...over,
  });
  const booted = module.boot();
  await clock.advance(module.timings.bootMs);
  await booted;
  const printed: string[] = [];
  module.log.attach((line) => printed.push(line));
  /** Lets real bytes arrive and time go on until a promise has settled. */
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    for (let step = 0; step < 5000 && !settled; step++) {
      const deadline = performance.now() + (ground === 'sockets' ? arrivalMs : 0);
      for (let turn = 0; !settled && (turn < 20 || performance.now() < deadline); turn++) await clock.advance(0);
      if (!settled) await clock.advance(50);
    }
    if (!settled) throw new Error('The promise did not settle');
    return promise;
  };
  /** Runs a command line: its log lines, its code and its text, as in `Closing: 0|[Closed: 0]|0 Success`. */
  const run = async (line: string, data?: string | Uint8Array): Promise<string> => {
    printed.length = 0;
    const running = module.execute(line, typeof data === 'string' ? Buffer.from(data) : data);
    const { code, text } = await until(running);
    return [...printed, `${code} ${text}`].join('|');
  };
  /** Lets everything that is on its way arrive, without time for the module. */
  const settle = async (): Promise<void> => {
    const deadline = performance.now() + (ground === 'sockets' ? arrivalMs : 0);
    for (let turn = 0; turn < 40 || performance.now() < deadline; turn++) await clock.advance(0);
  };
  module.variables.set('wlan.ssid', 'harbour-open');
  /** Brings the network up: the air is never real, so nothing real is waited for. */
  const join = async (): Promise<void> => {
    const up = module.wlan.ensureUp('wlan');
    for (let step = 0; step < 1000 && !module.wlan.isUp('wlan'); step++) await clock.advance(100);
    unwrap(await up);
  };
  return { module, printed, run, until, settle, join };
}

export type HttpRig = Awaited<ReturnType<typeof httpRig>>;

/** A server that answers as `answer` does, and a module that reaches it at `base`. */
export async function httpRig(answer: RequestListener, options: HttpRigOptions = {}) {
  const { ground = 'memory', tls } = options;
  const clock = new VirtualClock();
  // In memory the network itself speaks TLS.
  const server = tls && ground === 'sockets' ? createTlsServer(tls, answer) : createPlainServer(answer);
  // The rig's own server must not close what a test leaves open.
  server.keepAliveTimeout = 0;
  const scheme = tls ? 'https' : 'http';
  if (ground === 'sockets') {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
    const parts = await joinedModule(net, clock, ground, defined({ model: options.model }));
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await parts.module.close();
    };
    return { ...parts, clock, server, host: '127.0.0.1', port, base: `${scheme}://127.0.0.1:${port}`, close };
  }
  const network = new MemoryNetwork(clock, { tls: tlsPair });
  network.conditions = () => options.conditions ?? {};
  const port = tls ? 443 : 80;
  const accept = ({ stream }: { readonly stream: Duplex }): void => void server.emit('connection', stream);
  unwrap(await network.attach('server.test', '10.5.6.9').listen(port, accept, tls ? { tls } : {}));
  const parts = await joinedModule(
    network.attach('module', '10.5.6.108'),
    clock,
    ground,
    defined({ model: options.model }),
  );
  const close = async (): Promise<void> => {
    await parts.module.close();
  };
  return { ...parts, clock, server, network, host: 'server.test', port, base: `${scheme}://server.test`, close };
}
