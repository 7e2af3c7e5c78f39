import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { type Clock, realClock, seededRandom, unwrap } from '@moorage/base';
import { afterEach } from 'vitest';
import { MemoryNetwork } from '../memory/index.ts';
import { acceptTls, nodeNet, startTls } from '../node/index.ts';
import type { Connection, Datagram, DatagramOptions, DatagramSocket, ListenOptions, Net } from '../ports.ts';

export const timeoutMs = 5_000;

export const loopback = { ip: '127.0.0.1', portOffset: 0, listenLan: false };

/** TLS over streams that never leave the process. */
export const tlsPair = { client: startTls, server: acceptTls };

/** Two hosts that reach each other. */
export interface NetPair {
  readonly near: Net;
  readonly far: Net;
  readonly farHost: string;
  readonly nearAddress: string;
}

/** A network in memory with two hosts. */
export function memoryPair(clock: Clock, seed = 1) {
  const network = new MemoryNetwork(clock, { tls: tlsPair, random: seededRandom(seed) });
  const far = network.attach('far', '10.0.0.2');
  return { network, near: network.attach('near', '10.0.0.1'), far, farHost: 'far', nearAddress: '10.0.0.1' };
}

/** Both nets behave alike; the real one only on loopback. */
export const nets: readonly { readonly name: string; readonly make: () => NetPair }[] = [
  { name: 'memory', make: () => memoryPair(realClock) },
  {
    name: 'node',
    make: () => ({
      near: nodeNet({ ...loopback, ip: '127.0.0.9' }),
      far: nodeNet(loopback),
      farHost: 'localhost',
      nearAddress: '127.0.0.9',
    }),
  },
];

export async function textOf(stream: Duplex): Promise<string> {
  let text = '';
  // Only the way that is read ends: a loop over the stream itself ends both.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) text += String(chunk);
  return text;
}

interface Closable {
  close(): Promise<void>;
}

/** Closed after the test, even when it fails. */
export function opened() {
  const open: (Closable | Duplex)[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0)) {
      if ('destroy' in thing) thing.destroy();
      else await thing.close();
    }
  });
  return open;
}

/** A connection between the two hosts, and both its ends. */
export async function connect(
  { near, far, farHost }: NetPair,
  open: ReturnType<typeof opened>,
  listening?: ListenOptions,
) {
  const accepted = Promise.withResolvers<Connection>();
  const listener = unwrap(await far.listen(0, accepted.resolve, listening));
  const client = unwrap(await near.dial({ host: farHost, port: listener.port, timeoutMs }));
  const server = await accepted.promise;
  open.push(listener, client.stream, server.stream);
  return { listener, client, server };
}

/** A socket for datagrams that keeps what comes; `next` waits for what has not been taken yet. */
export async function mailbox(
  net: Net,
  options: DatagramOptions,
): Promise<DatagramSocket & { next(): Promise<Datagram> }> {
  const came: Datagram[] = [];
  const waiting: ((datagram: Datagram) => void)[] = [];
  const receive = (datagram: Datagram) => {
    const waiter = waiting.shift();
    if (waiter) waiter(datagram);
    else came.push(datagram);
  };
  const socket = unwrap(await net.datagrams(options, receive));
  const next = () => {
    const first = came.shift();
    return first ? Promise.resolve(first) : new Promise<Datagram>((resolve) => waiting.push(resolve));
  };
  return { ...socket, next };
}

/** A free port. */
export async function freePort(net: Net): Promise<number> {
  const socket = unwrap(await net.datagrams({ port: 0 }, () => {}));
  await socket.close();
  return socket.port;
}

/** An address of this host outside the loopback range; `undefined` where there is none. */
export const outerAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find((address) => address.family === 'IPv4' && !address.internal)?.address;
