import type { Duplex } from 'node:stream';
import { type Clock, failure, type Random, type Result, seededRandom, sleep, success } from '@moorage/base';
import type {
  Connection,
  DialOptions,
  Listener,
  ListenOptions,
  Net,
  NetFailure,
  SecureOptions,
  TlsServer,
} from '../ports.ts';
import type { Conditions, DatagramConditions, Dialled, LookedUp, NameConditions, Sent } from './conditions.ts';
import { pairOfEnds } from './end.ts';
import { type Mailbox, Post } from './post.ts';

export type { Conditions, DatagramConditions, Dialled, LookedUp, NameConditions, Sent } from './conditions.ts';

/** The two sides of a TLS handshake, as `startTls` and `acceptTls` of `node.ts` do them. */
export interface TlsPair {
  client(stream: Duplex, options: SecureOptions, clock: Clock): Promise<Result<Duplex, NetFailure>>;
  server(stream: Duplex, tls: TlsServer, timeoutMs: number, clock: Clock): Promise<Result<Duplex, NetFailure>>;
}

interface MemoryNetworkOptions {
  /** Without it TLS connections carry plain bytes and every handshake succeeds. */
  readonly tls?: TlsPair;
  /** What jitter and chances are drawn from. */
  readonly random?: Random;
}

interface Host extends Mailbox {
  readonly listeners: Map<number, (connection: Connection) => void>;
}

const firstEphemeralPort = 30_001;

/** Longest handshake of a client where the listener names none, in ms. */
const defaultHandshakeTimeoutMs = 10_000;

/** A network inside the process: named hosts, no sockets, time from the clock. */
export class MemoryNetwork {
  /** Called for every dial; may be changed at any time. */
  conditions: (dialled: Dialled) => Conditions = () => ({});
  /** Called for every datagram and each host that it goes to; may be changed at any time. */
  datagramConditions: (sent: Sent) => DatagramConditions = () => ({});
  /** Called for every look-up of a name; may be changed at any time. */
  nameConditions: (lookedUp: LookedUp) => NameConditions = () => ({});
  readonly #clock: Clock;
  readonly #tls: TlsPair | undefined;
  readonly #random: Random;
  readonly #hosts: Host[] = [];
  readonly #post: Post;
  #nextPort = firstEphemeralPort;
  /** Ports of datagrams are others than those of connections. */
  #nextDatagramPort = firstEphemeralPort;
  #dials = 0;
  #lookups = 0;

  constructor(clock: Clock, { tls, random = seededRandom(1) }: MemoryNetworkOptions = {}) {
    this.#clock = clock;
    this.#tls = tls;
    this.#random = random;
    this.#post = new Post({
      clock,
      random,
      hosts: () => this.#hosts,
      conditions: (sent) => this.datagramConditions(sent),
      resolve: (from, name) => this.#resolve(from, name),
      freePort: () => this.#nextDatagramPort++,
    });
  }

  /** Adds a host, reached by its name and its address. */
  attach(name: string, ip: string): Net {
    const host: Host = { name, ip, listeners: new Map(), sockets: [] };
    this.#hosts.push(host);
    return {
      dial: async (options) => {
        const opened = await this.#dial(host, options);
        return opened.ok && options.tls ? this.#secure(opened.value, { ...options, tls: options.tls }) : opened;
      },
      secure: (connection, options) => this.#secure(connection, options),
      listen: async (port, accept, options) => this.#listen(host, port, accept, options),
      datagrams: async (options, receive) => this.#post.open(host, options, receive),
      resolve: (wanted) => this.#resolve(host, wanted),
      ping: (wanted, timeoutMs) => this.#ping(host, wanted, timeoutMs),
      lease: () => ({ ip, netmask: '255.255.255.0', gateway: ip.replace(/\d+$/, '1'), dns: ip.replace(/\d+$/, '1') }),
    };
  }

  #named(name: string): Host | undefined {
    return this.#hosts.find((host) => host.name === name || host.ip === name);
  }

  async #resolve(
    from: Mailbox,
    name: string,
    timeoutMs = Number.POSITIVE_INFINITY,
  ): Promise<Result<string, NetFailure>> {
    if (/^\d+(\.\d+){3}$/.test(name)) return success(name);
    const { latencyMs = 0, fails } = this.nameConditions({ from: from.name, name, index: this.#lookups++ });
    await this.#pause(Math.min(latencyMs, timeoutMs));
    if (latencyMs > timeoutMs) return failure(timedOut(timeoutMs));
    if (fails !== undefined) return failure({ error: fails, detail: `The name server fails for "${name}"` });
    const found = this.#named(name);
    return found ? success(found.ip) : failure({ error: 'not-found', detail: `Host "${name}" is not known` });
  }

  async #dial(from: Host, { host, port, localPort, timeoutMs }: DialOptions): Promise<Result<Connection, NetFailure>> {
    const index = this.#dials++;
    const address = await this.#resolve(from, host, timeoutMs);
    if (!address.ok) return address;
    const to = this.#named(address.value);
    if (!to) return failure({ error: 'unreachable', detail: `No host has the address ${address.value}` });
    const conditions = this.conditions({ from: from.name, host: to.name, port, index });
    const latencyMs = conditions.latencyMs ?? 0;
    if (conditions.silent || 2 * latencyMs > timeoutMs) {
      await this.#pause(timeoutMs);
      return failure(timedOut(timeoutMs));
    }
    await this.#pause(2 * latencyMs);
    const accept = to.listeners.get(port);
    if (!accept) return failure({ error: 'refused', detail: `${to.name}:${port} refused the connection` });
    const nearPort = localPort ?? this.#nextPort++;
    const [near, far] = pairOfEnds(this.#clock, this.#random, conditions);
    accept({
      stream: far,
      localAddress: to.ip,
      localPort: port,
      remoteAddress: from.ip,
      remotePort: nearPort,
      keepAlive: (settings) => far.keepAlive(settings),
    });
    return success({
      stream: near,
      localAddress: from.ip,
      localPort: nearPort,
      remoteAddress: to.ip,
      remotePort: port,
      keepAlive: (settings) => near.keepAlive(settings),
    });
  }

  async #secure(connection: Connection, options: SecureOptions): Promise<Result<Connection, NetFailure>> {
    if (!this.#tls) return success(connection);
    const secured = await this.#tls.client(connection.stream, options, this.#clock);
    return secured.ok ? success({ ...connection, stream: secured.value }) : secured;
  }

  #listen(
    host: Host,
    wanted: number,
    accept: (connection: Connection) => void,
    options: ListenOptions = {},
  ): Result<Listener, NetFailure> {
    const port = wanted === 0 ? this.#nextPort++ : wanted;
    if (host.listeners.has(port)) return failure({ error: 'in-use', detail: `Port ${port} is taken` });
    const greet = (connection: Connection) => void this.#greet(connection, accept, options);
    host.listeners.set(port, greet);
    const close = async () => {
      // Closing twice must not end a later listener.
      if (host.listeners.get(port) === greet) host.listeners.delete(port);
    };
    return success({ address: host.ip, port, close });
  }

  async #greet(
    connection: Connection,
    accept: (connection: Connection) => void,
    { tls, handshakeTimeoutMs = defaultHandshakeTimeoutMs, refused }: ListenOptions,
  ): Promise<void> {
    if (!tls || !this.#tls) {
      accept(connection);
      return;
    }
    const secured = await this.#tls.server(connection.stream, tls, handshakeTimeoutMs, this.#clock);
    if (secured.ok) accept({ ...connection, stream: secured.value });
    else refused?.(secured.error);
  }

  async #ping(from: Host, host: string, timeoutMs: number): Promise<Result<number, NetFailure>> {
    const address = await this.#resolve(from, host, timeoutMs);
    if (!address.ok) return address;
    const to = this.#named(address.value);
    const sent = { from: from.name, to: to?.name ?? address.value, port: 0, index: 0 };
    const { latencyMs = 0, lossPercent = 0 } = this.datagramConditions(sent);
    const lost = !to || 2 * latencyMs > timeoutMs || (lossPercent > 0 && this.#random.below(100) < lossPercent);
    await this.#pause(lost ? timeoutMs : 2 * latencyMs);
    return lost ? failure(timedOut(timeoutMs)) : success(2 * latencyMs);
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs > 0) await sleep(this.#clock, delayMs);
  }
}

const timedOut = (timeoutMs: number): NetFailure => ({ error: 'timeout', detail: `No answer in ${timeoutMs} ms` });
