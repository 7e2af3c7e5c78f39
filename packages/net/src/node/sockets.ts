import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failure, isLoopback, type Result, realClock, success } from '@moorage/base';
import type { Connection, DialOptions, Listener, ListenOptions, NetFailure } from '../ports.ts';
import { anyAddress, hostPortOf, type NodeNetOptions } from './addresses.ts';
import { failureOf } from './errors.ts';
import { acceptTls, opening } from './tls.ts';

/** Longest handshake of a client where the listener names none, in ms. */
export const defaultHandshakeTimeoutMs = 10_000;

/** Connections that wait to be accepted; the host may allow fewer. One too many is dropped, and tries again in 1, 3, 7 s. */
const maxBacklog = 4_096;

/**
 * Turns of the event loop that a connection waits for what those before it have sent: one to read a connection that was
 * handed over in the same turn, one for the end behind its bytes, one for its listeners.
 */
const handOverTurns = 3;

async function turnsPass(): Promise<void> {
  for (let turn = 0; turn < handOverTurns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Connects a socket to an address. The module's own address is its sender where that can be. */
export function openSocket(
  { port, localPort, timeoutMs }: DialOptions,
  address: string,
  ip: string,
): Promise<Result<Connection, NetFailure>> {
  // A loopback address cannot reach anything else: traffic to the outside leaves from wherever the host sends it.
  const binds = ip !== anyAddress && (!isLoopback(ip) || isLoopback(address));
  const socket = connect({
    host: address,
    port,
    allowHalfOpen: true,
    noDelay: true,
    ...(binds && { localAddress: ip }),
    ...(localPort !== undefined && { localPort }),
  });
  return opening(realClock, timeoutMs, socket, 'unreachable', (finish) => {
    socket.once('connect', () => finish(success(connectionOf(socket))));
    return socket;
  });
}

const connectionOf = (socket: Socket, stream: Duplex = socket): Connection => ({
  stream,
  localAddress: socket.localAddress ?? '',
  localPort: socket.localPort ?? 0,
  remoteAddress: socket.remoteAddress ?? '',
  remotePort: socket.remotePort ?? 0,
  keepAlive: ({ initialMs, retryMs, retries }) => {
    socket.setKeepAlive(true, initialMs, retryMs, retries);
  },
});

/** Listens on a port of the module; connections from outside the loopback range are dropped unless they are allowed. */
export function listenOn(
  net: NodeNetOptions,
  port: number,
  accept: (connection: Connection) => void,
  options: ListenOptions = {},
): Promise<Result<Listener, NetFailure>> {
  const hostPort = hostPortOf(port, net);
  if (!hostPort.ok) return Promise.resolve(hostPort);
  let last = Promise.resolve();
  const { inOrder = false } = options;
  // The port as the module knows it: on the host it has an offset.
  const welcome = (connection: Connection): void =>
    accept(port === 0 ? connection : { ...connection, localPort: port });
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: inOrder }, (socket) => {
    socket.on('error', () => {});
    // Spec: MOD-NET-loopback-guard.
    if (!net.listenLan && !isLoopback(socket.remoteAddress)) socket.destroy();
    else if (!inOrder) void greet(socket, welcome, options);
    else {
      last = last.then(turnsPass).then(() => {
        // After `close` there is no taker.
        if (server.listening) void greet(socket, welcome, options);
        else socket.destroy();
      });
    }
  });
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(failure(failureOf(error))));
    server.listen({ port: hostPort.value, host: net.ip, backlog: maxBacklog }, () => {
      const bound = server.address();
      const listening = typeof bound === 'object' && bound ? bound : { address: net.ip, port: hostPort.value };
      resolve(success({ address: listening.address, port: listening.port, close: () => closeServer(server) }));
    });
  });
}

async function greet(socket: Socket, accept: (connection: Connection) => void, options: ListenOptions): Promise<void> {
  if (!options.tls) {
    accept(connectionOf(socket));
    return;
  }
  // Asked before the handshake: a socket that is gone has no addresses any more.
  const plain = connectionOf(socket);
  const secured = await acceptTls(socket, options.tls, options.handshakeTimeoutMs ?? defaultHandshakeTimeoutMs);
  if (secured.ok) accept({ ...plain, stream: secured.value });
  else options.refused?.(secured.error);
}

/** Stops listening. Accepted connections stay open: they belong to the caller. */
const closeServer = (server: ReturnType<typeof createServer>): Promise<void> =>
  new Promise((resolve) => {
    server.close();
    setImmediate(resolve);
  });
