import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import { isLoopback, type Result, realClock, success } from '@moorage/base';
import type { Connection, DialOptions, Net, NetFailure, SecureOptions } from '../ports.ts';
import { hostPortOf, type NodeNetOptions, netmaskOf, resolveHost } from './addresses.ts';
import { openDatagrams } from './datagrams.ts';
import { within } from './errors.ts';
import { pingHost } from './ping.ts';
import { listenOn, openSocket } from './sockets.ts';
import { startTls } from './tls.ts';

export { addressProblem, type NodeNetOptions } from './addresses.ts';
export { acceptTls, startTls } from './tls.ts';

/** The host's own sockets. */
export function nodeNet(options: NodeNetOptions): Net {
  return {
    resolve: resolveHost,
    dial: (dialling) => dial(dialling, options),
    secure,
    listen: (port, accept, listening) => listenOn(options, port, accept, listening),
    datagrams: (wanted, receive) => openDatagrams(options, wanted, receive),
    async ping(host, timeoutMs) {
      const address = await within(realClock, timeoutMs, resolveHost(host));
      return address.ok ? pingHost(address.value, options.ip, timeoutMs) : address;
    },
    // Spec: MOD-NET-port-offset.
    reachedAt: (port) => port + options.portOffset,
    lease: () => leaseOf(options.ip),
  };
}

async function dial(dialling: DialOptions, net: NodeNetOptions): Promise<Result<Connection, NetFailure>> {
  const { host, localPort = 0, tls, timeoutMs } = dialling;
  const hostPort = hostPortOf(localPort, net);
  if (!hostPort.ok) return hostPort;
  const address = await within(realClock, timeoutMs, resolveHost(host));
  if (!address.ok) return address;
  const opened = await openSocket({ ...dialling, localPort: hostPort.value }, address.value, net.ip);
  return opened.ok && tls ? secure(opened.value, { host, tls, timeoutMs }) : opened;
}

async function secure(connection: Connection, options: SecureOptions): Promise<Result<Connection, NetFailure>> {
  const secured = await startTls(connection.stream, options);
  return secured.ok ? success({ ...connection, stream: secured.value }) : secured;
}

/** What a DHCP server would offer an interface with this address of the host. */
function leaseOf(ip: string): ReturnType<Net['lease']> {
  const gateway = isLoopback(ip) ? '127.0.0.1' : ip.replace(/\d+$/, '1');
  return {
    ip,
    netmask: netmaskOf(ip),
    gateway,
    dns: getServers().find((server) => isIP(server) === 4) ?? gateway,
  };
}
