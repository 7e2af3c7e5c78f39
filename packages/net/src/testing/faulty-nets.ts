import { createSocket } from 'node:dgram';
import { connect, createServer, type Socket } from 'node:net';
import { realClock } from '@moorage/base';
import { nodeNet } from '../node/index.ts';
import type { Net } from '../ports.ts';
import { loopback, memoryPair } from './nets.ts';

/** What happens to a connection: bytes are counted until it does. */
export interface StreamFault {
  readonly kind: 'cut' | 'cut-sent' | 'vanish';
  readonly afterBytes: number;
}

export type Fate = 'through' | 'lost' | 'twice' | 'held';

/** Two hosts, and a fault on the way between them. */
export interface FaultyNet {
  readonly near: Net;
  readonly far: Net;
  /** Where near reaches a stream listener of far, with the fault on the way. */
  streams(port: number, fault: StreamFault): Promise<{ readonly host: string; readonly port: number }>;
  /** Where near reaches a datagram socket of far; the n-th datagram has the n-th fate, later ones get through. */
  datagrams(port: number, fates: readonly Fate[]): Promise<{ readonly host: string; readonly port: number }>;
  close(): void;
}

/** A network in memory does faults by itself. */
export function faultyMemory(): FaultyNet {
  const { network, near, far, farHost } = memoryPair(realClock);
  return {
    near,
    far,
    async streams(port, { kind, afterBytes }) {
      const names = { cut: 'cutAfterBytes', 'cut-sent': 'cutAfterSentBytes', vanish: 'vanishAfterBytes' } as const;
      network.conditions = () => ({ [names[kind]]: afterBytes });
      return { host: farHost, port };
    },
    async datagrams(port, fates) {
      let index = 0;
      network.datagramConditions = () => {
        const fate = fates[index++] ?? 'through';
        const certain = 100;
        return {
          lossPercent: fate === 'lost' ? certain : 0,
          duplicatePercent: fate === 'twice' ? certain : 0,
          reorderPercent: fate === 'held' ? certain : 0,
        };
      };
      return { host: farHost, port };
    },
    close: () => {},
  };
}

/** Real sockets go through a relay that does the fault: a program between the two, as a bad router is. */
export function faultyNode(): FaultyNet {
  const closing: (() => void)[] = [];
  return {
    near: nodeNet(loopback),
    far: nodeNet(loopback),
    streams: (port, fault) => streamRelay(port, fault, closing),
    datagrams: (port, fates) => datagramRelay(port, fates, closing),
    close: () => {
      for (const close of closing.splice(0)) close();
    },
  };
}

function streamRelay(port: number, fault: StreamFault, closing: (() => void)[]) {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port, host: loopback.ip, allowHalfOpen: true, noDelay: true });
    const ends = [near, far];
    for (const end of ends) end.on('error', () => {});
    closing.push(() => {
      for (const end of ends) end.destroy();
    });
    pass(far, near, fault.kind === 'cut-sent' ? Number.POSITIVE_INFINITY : fault.afterBytes, fault.kind, ends);
    pass(near, far, fault.kind === 'cut-sent' ? fault.afterBytes : Number.POSITIVE_INFINITY, fault.kind, ends);
  });
  closing.push(() => server.close());
  return listening(server);
}

/** Hands bytes on until the fault: then both ends are reset, or hear nothing any more. */
function pass(from: Socket, to: Socket, untilFault: number, kind: StreamFault['kind'], ends: readonly Socket[]): void {
  let left = untilFault;
  const happen = () => {
    for (const end of ends) {
      if (kind === 'vanish') end.removeAllListeners('data').pause();
      else end.resetAndDestroy();
    }
  };
  if (left === 0) from.once('connect', happen);
  from.on('data', (chunk: Buffer) => {
    const arrives = chunk.subarray(0, left);
    left -= arrives.length;
    to.write(arrives, () => left === 0 && happen());
  });
  from.on('end', () => left > 0 && to.end());
}

const listening = (server: ReturnType<typeof createServer>): Promise<{ host: string; port: number }> =>
  new Promise((resolve) => {
    server.listen(0, loopback.ip, () => {
      const bound = server.address();
      resolve({ host: loopback.ip, port: typeof bound === 'object' && bound ? bound.port : 0 });
    });
  });

function datagramRelay(port: number, fates: readonly Fate[], closing: (() => void)[]) {
  const relay = createSocket('udp4');
  closing.push(() => relay.close());
  let index = 0;
  let held: Buffer | undefined;
  const hand = (bytes: Buffer) => relay.send(bytes, port, loopback.ip);
  relay.on('message', (bytes) => {
    const fate = fates[index++] ?? 'through';
    if (fate === 'held') {
      held = bytes;
      return;
    }
    for (let copy = 0; copy < { lost: 0, through: 1, twice: 2 }[fate]; copy++) hand(bytes);
    if (held) hand(held);
    held = undefined;
  });
  return new Promise<{ host: string; port: number }>((resolve) => {
    relay.bind(0, loopback.ip, () => resolve({ host: loopback.ip, port: relay.address().port }));
  });
}
