import { createSocket, type Socket } from 'node:dgram';
import { failure, isLoopback, type Result, success } from '@moorage/base';
import type { Datagram, DatagramOptions, DatagramSocket, NetFailure } from '../ports.ts';
import {
  anyAddress,
  broadcastsOf,
  hostPortOf,
  isMulticast,
  type NodeNetOptions,
  outwardAddress,
  resolveHost,
} from './addresses.ts';
import { failureOf } from './errors.ts';

/** How many hosts outside the loopback range a socket remembers as those that may answer it. */
const maxCorrespondents = 64;

/**
 * Opens the sockets that together are one of the module's. On Linux a socket that is bound to an address gets nothing
 * that was sent to a group or to all, so there is a receiving socket for each beside it; they share their port.
 */
export async function openDatagrams(
  net: NodeNetOptions,
  { port, group }: DatagramOptions,
  receive: (datagram: Datagram) => void,
): Promise<Result<DatagramSocket, NetFailure>> {
  const hostPort = group === undefined ? hostPortOf(port, net) : success(port);
  if (!hostPort.ok) return hostPort;
  const mouth = new Mouth(net, receive);
  const main = await bind(net.ip, hostPort.value, group !== undefined, mouth.hear);
  if (!main.ok) return main;
  mouth.main = main.value;
  const bound = main.value.address().port;
  if (group !== undefined) {
    const joined = await mouth.join(group, bound);
    if (!joined.ok) {
      await mouth.close();
      return joined;
    }
  } else if (port !== 0) await mouth.hearBroadcasts(bound);
  const send: DatagramSocket['send'] = (bytes, host, to) => mouth.send(bytes, host, to);
  return success({ address: net.ip, port: bound, send, close: () => mouth.close() });
}

/** The sockets of one of the module's, and the hosts that may send to them. */
class Mouth {
  readonly #net: NodeNetOptions;
  readonly #receive: (datagram: Datagram) => void;
  readonly #ears: Socket[] = [];
  readonly #correspondents = new Set<string>();
  /** Reaches what a loopback address cannot; opened at the first need. */
  #outer: Promise<Result<Socket, NetFailure>> | undefined;
  #closed = false;
  main: Socket | undefined;

  constructor(net: NodeNetOptions, receive: (datagram: Datagram) => void) {
    this.#net = net;
    this.#receive = receive;
  }

  readonly hear = (bytes: Uint8Array, { address, port }: { readonly address: string; readonly port: number }): void => {
    // Spec: MOD-NET-loopback-guard. Who has been written to may answer.
    const welcome = this.#net.listenLan || isLoopback(address) || this.#correspondents.has(`${address}:${port}`);
    if (welcome && !this.#closed) this.#receive({ bytes, address, port });
  };

  /** Membership and sending are those of the module's own address: on the loopback range a group stays there. */
  async join(group: string, port: number): Promise<Result<void, NetFailure>> {
    const { ip } = this.#net;
    try {
      if (ip === anyAddress) this.main?.addMembership(group);
      else {
        this.main?.setMulticastInterface(ip);
        const ear = await bind(group, port, true, this.hear);
        if (!ear.ok) return ear;
        this.#ears.push(ear.value);
        ear.value.addMembership(group, ip);
      }
      return success(undefined);
    } catch (error) {
      return failure(failureOf(error as Error));
    }
  }

  /** Another program may have the port to itself there; then broadcasts are its own. */
  async hearBroadcasts(port: number): Promise<void> {
    for (const address of broadcastsOf(this.#net.ip)) {
      const ear = await bind(address, port, true, this.hear);
      if (ear.ok) this.#ears.push(ear.value);
    }
  }

  async send(bytes: Uint8Array, host: string, port: number): Promise<Result<void, NetFailure>> {
    const found = await resolveHost(host);
    if (!found.ok) return found;
    const address = outwardAddress(found.value, this.#net.ip);
    const socket = await this.#socketFor(address);
    if (!socket.ok) return socket;
    if (this.#closed) return failure({ error: 'unreachable', detail: 'The socket is closed' });
    this.#remember(address, port);
    return new Promise((resolve) => {
      socket.value.send(bytes, port, address, (error) =>
        resolve(error ? failure(failureOf(error)) : success(undefined)),
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const outer = await this.#outer;
    const sockets = [...(this.main ? [this.main] : []), ...(outer?.ok ? [outer.value] : []), ...this.#ears.splice(0)];
    this.main = undefined;
    await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
  }

  #socketFor(address: string): Promise<Result<Socket, NetFailure>> | Result<Socket, NetFailure> {
    const { ip } = this.#net;
    if (isLoopback(ip) && !isLoopback(address) && !isMulticast(address)) {
      this.#outer ??= bind(anyAddress, 0, false, this.hear);
      return this.#outer;
    }
    return this.main ? success(this.main) : failure({ error: 'unreachable', detail: 'The socket is closed' });
  }

  #remember(address: string, port: number): void {
    if (this.#net.listenLan || isLoopback(address) || isMulticast(address)) return;
    const name = `${address}:${port}`;
    this.#correspondents.delete(name);
    this.#correspondents.add(name);
    const [oldest] = this.#correspondents;
    if (this.#correspondents.size > maxCorrespondents && oldest !== undefined) this.#correspondents.delete(oldest);
  }
}

function bind(
  address: string,
  port: number,
  shared: boolean,
  hear: (bytes: Uint8Array, from: { readonly address: string; readonly port: number }) => void,
): Promise<Result<Socket, NetFailure>> {
  const socket = createSocket({ type: 'udp4', reuseAddr: shared });
  socket.on('message', hear);
  return new Promise((resolve) => {
    socket.on('error', (error) => {
      resolve(failure(failureOf(error)));
    });
    socket.once('error', () => socket.close());
    socket.bind(port, address, () => {
      socket.removeAllListeners('error');
      // Later errors come from the send that they belong to.
      socket.on('error', () => {});
      socket.setBroadcast(true);
      resolve(success(socket));
    });
  });
}
