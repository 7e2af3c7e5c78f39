import type { Duplex } from 'node:stream';
import { unwrap, VirtualClock } from '@moorage/base';
import type { Connection, ListenOptions, Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { nodeNet } from '@moorage/net/node';
import { tlsPair } from '@moorage/net/testing/nets';
import { type Ground, joinedModule } from './http-rig.ts';

export { type Ground, grounds } from './http-rig.ts';

/** Port of the far host that the dialogues use; on real sockets it has an address of its own. */
export const farPort = 8047;

let hosts = 0;

/** An address of the loopback range that no other test uses just now, so that well-known ports are free on it. */
export const ownAddress = (): string => `127.${10 + (process.pid % 200)}.${1 + ((process.pid >> 8) % 250)}.${++hosts}`;

/** What services say by themselves would be between the lines under test. */
const quiet = ['set mdns.enabled 0', 'set http.server.enabled 0'];

/** A module that has joined and a host beside it, over memory or over the sockets of this machine. */
export async function socketRig(ground: Ground = 'memory', over: Parameters<typeof joinedModule>[3] = {}) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock, { tls: tlsPair });
  const farIp = ground === 'memory' ? '10.5.6.9' : ownAddress();
  const moduleIp = ground === 'memory' ? '10.5.6.108' : ownAddress();
  const make = (name: string, ip: string): Net =>
    ground === 'memory' ? network.attach(name, ip) : nodeNet({ ip, portOffset: 0, listenLan: false });
  const far = make('far.test', farIp);
  const parts = await joinedModule(make('module', moduleIp), clock, ground, over);
  for (const line of quiet) await parts.run(line);
  const join = async (): Promise<void> => {
    await parts.run('network_up');
    unwrap(await parts.until(parts.module.wlan.ensureUp()));
    await parts.settle();
    parts.printed.length = 0;
  };
  await join();
  const open: (Duplex | { close(): Promise<void> })[] = [];
  const { settle, module, printed, until } = parts;

  /** A server of the far host that keeps its connections. */
  const serve = async (port: number = farPort, options?: ListenOptions) => {
    const accepted: End[] = [];
    const accept = (connection: Connection): void => {
      open.push(connection.stream);
      accepted.push(new End(connection.stream));
    };
    const listener = unwrap(await far.listen(port, accept, options));
    open.push(listener);
    return { accepted, listener };
  };

  /** The far host connects to a server of the module. */
  const call = async (port: number): Promise<End> => {
    const connection = unwrap(await until(far.dial({ host: moduleIp, port, timeoutMs: 5_000 })));
    open.push(connection.stream);
    const end = new End(connection.stream);
    await settle();
    return end;
  };

  /** Lines of the log since the last look. */
  const said = async (): Promise<readonly string[]> => {
    await settle();
    return printed.splice(0);
  };

  const close = async (): Promise<void> => {
    for (const thing of open) {
      if ('destroy' in thing) thing.destroy();
      else await thing.close();
    }
    await until(module.close());
  };
  return { ...parts, clock, network, far, farIp, moduleIp, join, serve, call, said, close };
}

export type SocketRig = Awaited<ReturnType<typeof socketRig>>;

/** The far end of a connection; what comes is kept. */
export class End {
  readonly stream: Duplex;
  text = '';
  ended = false;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1');
    });
    stream.on('end', () => {
      this.ended = true;
    });
    stream.on('error', () => {});
  }

  send(text: string): void {
    this.stream.write(Buffer.from(text, 'latin1'));
  }

  /** The other side has ended or broken the connection. */
  get over(): boolean {
    return this.ended || this.stream.destroyed;
  }
}
