import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Datagram, DatagramOptions, DatagramSocket, Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { createModule, type Module, type ModuleOptions } from '../module.ts';

/** Address of the module on its network. */
export const moduleIp = '10.5.6.108';

/** Another host, and what it has heard. */
export interface Peer {
  readonly net: Net;
  readonly socket: DatagramSocket;
  readonly received: Datagram[];
}

/** A whole module on a network in memory with other hosts beside it, on a virtual clock. */
export async function networkRig(options: Partial<ModuleOptions> = {}) {
  const clock = new VirtualClock(Date.UTC(2024, 0, 1));
  const network = new MemoryNetwork(clock);
  const net = network.attach('module', moduleIp);
  const lines: string[] = [];

  const start = async (more: Partial<ModuleOptions> = {}): Promise<Module> => {
    const module = await createModule({ clock, net, store: new MemoryStore(), seed: 1, ...options, ...more });
    module.log.attach((line) => lines.push(line));
    await module.boot();
    return module;
  };
  const module = await start();
  lines.length = 0;

  const run = async (line: string, data?: string): Promise<string> => {
    const { code, text } = await module.execute(line, data === undefined ? undefined : Buffer.from(data));
    return `${code} ${text}`;
  };
  /** Runs the command lines, all of which must succeed. */
  const runAll = async (...commands: readonly string[]): Promise<void> => {
    for (const command of commands) {
      const answer = await run(command);
      if (!answer.startsWith('0')) throw new Error(`${command}: ${answer}`);
    }
  };

  return {
    clock,
    network,
    module,
    start,
    run,
    runAll,
    pass: (ms: number) => clock.advance(ms),
    /** Lines of the log since the last look. */
    said: (): readonly string[] => lines.splice(0),
    /** Joins the open network; `ms` is how long that takes with the services that it starts. */
    join: async (ms = 1): Promise<void> => {
      await runAll('set wlan.ssid harbour-open', 'network_up');
      await clock.advance(ms);
    },
    /** Another host with one socket. */
    peer: async (
      ip: string,
      datagrams: DatagramOptions,
      hear?: (datagram: Datagram, socket: DatagramSocket) => void,
    ) => {
      const peerNet = network.attach(ip, ip);
      const received: Datagram[] = [];
      const opened = await peerNet.datagrams(datagrams, (datagram) => {
        received.push(datagram);
        hear?.(datagram, socket);
      });
      if (!opened.ok) throw new Error(opened.error.detail);
      const socket = opened.value;
      return { net: peerNet, socket, received } satisfies Peer;
    },
  };
}

export type NetworkRig = Awaited<ReturnType<typeof networkRig>>;
