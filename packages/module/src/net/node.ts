import { getServers, lookup } from 'node:dns';
import { connect, createServer, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { failure, type Result, success } from '@moorage/base';
import type { Connection, DialOptions, Listener, Net, NetError, NetFailure, TlsClient } from './ports.ts';

export interface NodeNetOptions {
  /** The host's address that the module's interfaces have; IPv4. */
  readonly ip: string;
  /** Added to every port that the module listens on, save 0. */
  readonly portOffset: number;
  /** Without it listeners refuse peers outside the loopback range: the real module's shell has no password. */
  readonly listenLan: boolean;
}

const highestPort = 65_535;

const errorKinds: Readonly<Record<string, NetError>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'not-found',
  EAI_AGAIN: 'not-found',
  EADDRINUSE: 'in-use',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
};

const failureOf = (error: Error, otherwise: NetError = 'unreachable'): NetFailure => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { error: errorKinds[code] ?? otherwise, detail: error.message };
};

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && (/^(::ffff:)?127\./.test(address) || address === '::1');

/** The host's own sockets. */
export function nodeNet(options: NodeNetOptions): Net {
  const resolve = (host: string) => resolveHost(host);
  return {
    resolve,
    async dial(dialling) {
      const address = await resolve(dialling.host);
      if (!address.ok) return address;
      const opened = await openSocket(dialling, address.value, options.ip);
      if (!opened.ok || !dialling.tls) return opened;
      const secured = await startTls(opened.value.stream, dialling.host, dialling.tls, dialling.timeoutMs);
      return secured.ok ? success({ ...opened.value, stream: secured.value }) : secured;
    },
    listen: (port, accept) => listenOn(options, port, accept),
    lease: () => leaseOf(options.ip),
  };
}

const resolveHost = (host: string): Promise<Result<string, NetFailure>> =>
  new Promise((resolve) => {
    lookup(host, { family: 4 }, (error, address) => {
      resolve(error ? failure(failureOf(error, 'not-found')) : success(address));
    });
  });

function openSocket(dialling: DialOptions, address: string, ip: string): Promise<Result<Connection, NetFailure>> {
  // A loopback address cannot reach anything else: traffic to the outside leaves from wherever the host sends it.
  const binds = ip !== '0.0.0.0' && (!isLoopback(ip) || isLoopback(address));
  const socket = connect({
    host: address,
    port: dialling.port,
    allowHalfOpen: true,
    noDelay: true,
    ...(binds && { localAddress: ip }),
    ...(dialling.localPort !== undefined && { localPort: dialling.localPort }),
  });
  return opening(socket, 'connect', dialling.timeoutMs, () => connectionOf(socket), 'unreachable');
}

/**
 * Runs the client's side of a TLS handshake over an open stream. The peer's certificate is checked against `tls.ca`
 * (the host's authorities without one) and against the server's name or address.
 */
export function startTls(
  stream: Duplex,
  host: string,
  tls: TlsClient,
  timeoutMs: number,
): Promise<Result<Duplex, NetFailure>> {
  const name = tls.serverName ?? host;
  const secured = connectTls({
    socket: stream,
    host: name,
    ca: tls.ca,
    cert: tls.cert,
    key: tls.key,
    // An address is no server name; it is checked against the certificate all the same.
    ...(isIP(name) === 0 && { servername: name }),
  });
  return opening(secured, 'secureConnect', timeoutMs, () => secured, 'tls');
}

/** Waits for the event that says that a stream is open, for an error, or for the time to run out. */
function opening<T>(
  stream: Duplex,
  event: 'connect' | 'secureConnect',
  timeoutMs: number,
  value: () => T,
  otherwise: NetError,
): Promise<Result<T, NetFailure>> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => finish(failure({ error: 'timeout', detail: `No answer in ${timeoutMs} ms` })),
      timeoutMs,
    );
    const finish = (result: Result<T, NetFailure>) => {
      clearTimeout(timer);
      if (!result.ok) stream.destroy();
      resolve(result);
    };
    // Whoever uses the stream listens too; this listener keeps a late error from ending the process.
    stream.on('error', (error) => finish(failure(failureOf(error, otherwise))));
    stream.once('close', () =>
      finish(failure({ error: 'reset', detail: 'The connection was closed while it opened' })),
    );
    stream.once(event, () => finish(success(value())));
  });
}

const connectionOf = (socket: Socket): Connection => ({
  stream: socket,
  localAddress: socket.localAddress ?? '',
  localPort: socket.localPort ?? 0,
  remoteAddress: socket.remoteAddress ?? '',
  remotePort: socket.remotePort ?? 0,
});

function listenOn(
  options: NodeNetOptions,
  port: number,
  accept: (connection: Connection) => void,
): Promise<Result<Listener, NetFailure>> {
  const hostPort = port === 0 ? 0 : port + options.portOffset;
  if (hostPort > highestPort) {
    const detail = `Port ${port} with the offset ${options.portOffset} is over ${highestPort}`;
    return Promise.resolve(failure({ error: 'unreachable', detail }));
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => {});
    // Spec: MOD-NET-loopback-guard.
    if (options.listenLan || isLoopback(socket.remoteAddress)) accept(connectionOf(socket));
    else socket.destroy();
  });
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(failure(failureOf(error))));
    server.listen(hostPort, options.ip, () => {
      const bound = server.address();
      const listening = typeof bound === 'object' && bound ? bound : { address: options.ip, port: hostPort };
      resolve(success({ address: listening.address, port: listening.port, close: () => closeServer(server) }));
    });
  });
}

/** Stops listening. Connections that were accepted belong to whoever took them. */
const closeServer = (server: ReturnType<typeof createServer>): Promise<void> =>
  new Promise((resolve) => {
    server.close();
    setImmediate(resolve);
  });

/** What a DHCP server would tell an interface with this address of the host. */
function leaseOf(ip: string): ReturnType<Net['lease']> {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((address) => address.address === ip);
  const netmask = isLoopback(ip) ? '255.0.0.0' : (own?.netmask ?? '255.255.255.0');
  const gateway = isLoopback(ip) ? '127.0.0.1' : ip.replace(/\d+$/, '1');
  return { ip, netmask, gateway, dns: getServers().find((server) => isIP(server) === 4) ?? gateway };
}
