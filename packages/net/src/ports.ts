import type { Duplex } from 'node:stream';
import type { Result } from '@moorage/base';

/** Where a packet comes in or goes out: the station in a network, or the module's own access point. */
export type Interface = 'wlan' | 'softap';

/** Why the network refused. */
export type NetError = 'refused' | 'unreachable' | 'timeout' | 'not-found' | 'in-use' | 'denied' | 'tls' | 'reset';

export interface NetFailure {
  readonly error: NetError;
  /** What the layer below said, for a person at the host's side; no module prints it. */
  readonly detail: string;
  /** Its name for that, where it has one. */
  readonly code?: string;
}

/** What a client keeps of its TLS connections with one server under one identity: the same certificates and key. */
export interface TlsSession {
  /** With the next connection it stands for the certificates that have been shown; none before the first. */
  ticket: Uint8Array | undefined;
}

/** The clock by which the dates of certificates are judged. */
export interface TlsClock {
  /** Epoch milliseconds, or `undefined` to judge no dates. Without it the host's clock judges. */
  readonly nowMs?: () => number | undefined;
}

/** TLS settings of a client; all PEM texts. */
export interface TlsClient extends TlsClock {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  /** Makes later connections cheaper for both sides; each pays in full without it. */
  readonly resumption?: TlsSession | undefined;
}

/** TLS settings of a server; all PEM texts. */
export interface TlsServer extends TlsClock {
  readonly cert: string;
  readonly key: string;
  /** Clients must show a certificate that one of these authorities has signed; without it none is asked for. */
  readonly clientCa?: string | undefined;
}

/** When a silent connection is asked whether its peer is still there, and how often before it is given up. */
export interface KeepAlive {
  readonly initialMs: number;
  readonly retryMs: number;
  readonly retries: number;
}

/** An open connection. Half-close is allowed: `end()` leaves the reading side open. */
export interface Connection {
  readonly stream: Duplex;
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** Asks a silent peer from now on; a connection whose peer does not answer ends with an error. Absent: it cannot. */
  readonly keepAlive?: (settings: KeepAlive) => void;
}

export interface DialOptions {
  readonly host: string;
  readonly port: number;
  readonly localPort?: number;
  readonly timeoutMs: number;
  readonly tls?: TlsClient;
}

export interface SecureOptions {
  /** Name or address that the certificate of the peer must carry. */
  readonly host: string;
  readonly tls: TlsClient;
  readonly timeoutMs: number;
}

export interface Listener {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Each connection is handed over when its handshake is done; one that fails is not. */
  readonly tls?: TlsServer;
  /** Longest handshake, in ms. */
  readonly handshakeTimeoutMs?: number;
  /** Each connection is handed over, paused, after all that those before it had sent by then, their ends too. */
  readonly inOrder?: boolean;
  /** Called when a handshake fails. */
  readonly refused?: (failure: NetFailure) => void;
}

/** One datagram that has come. `bytes` belongs to the receiver. */
export interface Datagram {
  readonly bytes: Uint8Array;
  readonly address: string;
  readonly port: number;
}

export interface DatagramOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /**
   * Joins this multicast group: the port is then that of the protocol, without the module's offset, and is shared with
   * every other program and module of the machine that has joined.
   */
  readonly group?: string;
}

export interface DatagramSocket {
  readonly address: string;
  readonly port: number;
  /**
   * Sends one datagram of at most 65,507 bytes; broadcast and multicast addresses are allowed. Resolves when the network
   * has taken it. A sender that listens there gets it too. On the loopback range both stay on the machine: a broadcast
   * goes to 127.255.255.255, which reaches every program there that listens on all addresses, or on that one.
   */
  send(bytes: Uint8Array, host: string, port: number): Promise<Result<void, NetFailure>>;
  close(): Promise<void>;
}

/** The network behind the radio. The real one uses the host's sockets; the simulated one never leaves the process. */
export interface Net {
  dial(options: DialOptions): Promise<Result<Connection, NetFailure>>;
  /** Runs the client's side of a TLS handshake over an open connection; on failure the connection is gone. */
  secure(connection: Connection, options: SecureOptions): Promise<Result<Connection, NetFailure>>;
  /** Listens on a port; 0 takes a free one. */
  listen(
    port: number,
    accept: (connection: Connection) => void,
    options?: ListenOptions,
  ): Promise<Result<Listener, NetFailure>>;
  /** Opens a socket for datagrams. `receive` is called with each that comes. */
  datagrams(
    options: DatagramOptions,
    receive: (datagram: Datagram) => void,
  ): Promise<Result<DatagramSocket, NetFailure>>;
  /** IPv4 address of a name. */
  resolve(host: string): Promise<Result<string, NetFailure>>;
  /** Round trip to a host in ms; `timeout` when it does not answer. */
  ping(host: string, timeoutMs: number): Promise<Result<number, NetFailure>>;
  /** Number by which others reach a port on which the module listens; without it they are the same. */
  readonly reachedAt?: (port: number) => number;
  /** What a joined interface gets from the network's DHCP server. */
  lease(): { readonly ip: string; readonly netmask: string; readonly gateway: string; readonly dns: string };
}
