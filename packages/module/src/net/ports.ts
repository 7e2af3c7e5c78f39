import type { Duplex } from 'node:stream';
import type { Result } from '@moorage/base';

/** Why the network refused. */
export type NetError = 'refused' | 'unreachable' | 'timeout' | 'not-found' | 'in-use' | 'tls' | 'reset';

export interface NetFailure {
  readonly error: NetError;
  /** For the log line: what the layer below said. */
  readonly detail: string;
}

/** TLS settings of a client; all PEM texts. */
export interface TlsClient {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
}

/** An open connection. Half-close is allowed: `end()` leaves the reading side open. */
export interface Connection {
  readonly stream: Duplex;
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

export interface DialOptions {
  readonly host: string;
  readonly port: number;
  readonly localPort?: number;
  readonly timeoutMs: number;
  readonly tls?: TlsClient;
}

export interface Listener {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The network behind the radio. The real one uses the host's sockets; the simulated one never leaves the process.
 * Datagrams come with the network issue; they belong here.
 */
export interface Net {
  dial(options: DialOptions): Promise<Result<Connection, NetFailure>>;
  listen(port: number, accept: (connection: Connection) => void): Promise<Result<Listener, NetFailure>>;
  /** IPv4 address of a name. */
  resolve(host: string): Promise<Result<string, NetFailure>>;
  /** What a joined interface gets from the network's DHCP server. */
  lease(): { readonly ip: string; readonly netmask: string; readonly gateway: string; readonly dns: string };
}
