import { Duplex } from 'node:stream';
import { type Clock, failure, type Result, success } from '@moorage/base';
import type { Connection, Listener, Net, NetFailure, TlsClient } from './ports.ts';

/** How one connection behaves. */
export interface Conditions {
  /** Time that bytes take in either direction, in ms. */
  readonly latencyMs?: number;
  /** Bytes towards the dialling side after which the connection is cut with a reset. */
  readonly cutAfterBytes?: number;
  /** The dial is not answered at all. */
  readonly silent?: boolean;
}

export interface Dialled {
  /** Name of the dialling host. */
  readonly from: string;
  readonly host: string;
  readonly port: number;
  /** 0 for the first dial in this network. */
  readonly index: number;
}

/** Secures the dialling side of a stream, as `startTls` of `node.ts` does. */
type Secure = (stream: Duplex, host: string, tls: TlsClient, timeoutMs: number) => Promise<Result<Duplex, NetFailure>>;

interface Host {
  readonly name: string;
  readonly ip: string;
  readonly listeners: Map<number, (connection: Connection) => void>;
}

const firstEphemeralPort = 30_001;

/** A network inside the process: named hosts, no sockets, time from the clock. */
export class MemoryNetwork {
  /** Asked for every dial; may be changed at any time. */
  conditions: (dialled: Dialled) => Conditions = () => ({});
  readonly #clock: Clock;
  readonly #secure: Secure | undefined;
  readonly #hosts: Host[] = [];
  #nextPort = firstEphemeralPort;
  #dials = 0;

  /** @param secure runs TLS over the streams; without it a TLS dial carries plain bytes */
  constructor(clock: Clock, secure?: Secure) {
    this.#clock = clock;
    this.#secure = secure;
  }

  /** Adds a host, reached by its name and its address. */
  attach(name: string, ip: string): Net {
    const host: Host = { name, ip, listeners: new Map() };
    this.#hosts.push(host);
    return {
      dial: async (options) => {
        const opened = await this.#dial(host, options);
        if (!opened.ok || !options.tls || !this.#secure) return opened;
        const secured = await this.#secure(opened.value.stream, options.host, options.tls, options.timeoutMs);
        return secured.ok ? success({ ...opened.value, stream: secured.value }) : secured;
      },
      listen: async (port, accept) => this.#listen(host, port, accept),
      resolve: async (wanted) => {
        const found = this.#find(wanted);
        return found ? success(found.ip) : failure(notFound(wanted));
      },
      lease: () => ({ ip, netmask: '255.255.255.0', gateway: ip.replace(/\d+$/, '1'), dns: ip.replace(/\d+$/, '1') }),
    };
  }

  #find(name: string): Host | undefined {
    return this.#hosts.find((host) => host.name === name || host.ip === name);
  }

  async #dial(from: Host, options: Parameters<Net['dial']>[0]): Promise<Result<Connection, NetFailure>> {
    const index = this.#dials++;
    const to = this.#find(options.host);
    if (!to) return failure(notFound(options.host));
    const conditions = this.conditions({ from: from.name, host: to.name, port: options.port, index });
    const latencyMs = conditions.latencyMs ?? 0;
    if (conditions.silent || 2 * latencyMs > options.timeoutMs) {
      await this.#pause(options.timeoutMs);
      return failure({ error: 'timeout', detail: `No answer in ${options.timeoutMs} ms` });
    }
    await this.#pause(2 * latencyMs);
    const accept = to.listeners.get(options.port);
    if (!accept) return failure({ error: 'refused', detail: `${to.name}:${options.port} refused the connection` });
    const localPort = options.localPort ?? this.#nextPort++;
    const [near, far] = pair(this.#clock, latencyMs, conditions.cutAfterBytes);
    accept({
      stream: far,
      localAddress: to.ip,
      localPort: options.port,
      remoteAddress: from.ip,
      remotePort: localPort,
    });
    return success({
      stream: near,
      localAddress: from.ip,
      localPort,
      remoteAddress: to.ip,
      remotePort: options.port,
    });
  }

  #listen(host: Host, wanted: number, accept: (connection: Connection) => void): Result<Listener, NetFailure> {
    const port = wanted === 0 ? this.#nextPort++ : wanted;
    if (host.listeners.has(port)) return failure({ error: 'in-use', detail: `Port ${port} is taken` });
    host.listeners.set(port, accept);
    const close = async () => {
      host.listeners.delete(port);
    };
    return success({ address: host.ip, port, close });
  }

  async #pause(delayMs: number): Promise<void> {
    if (delayMs > 0) await new Promise<void>((resolve) => this.#clock.after(delayMs, resolve));
  }
}

const notFound = (host: string): NetFailure => ({ error: 'not-found', detail: `Host "${host}" is not known` });

/** Two ends of one connection; `cutAfterBytes` counts what comes to the first. */
function pair(clock: Clock, latencyMs: number, cutAfterBytes: number | undefined): readonly [Duplex, Duplex] {
  const near = new End(clock, latencyMs, cutAfterBytes);
  const far = new End(clock, latencyMs, undefined);
  near.join(far);
  far.join(near);
  return [near, far];
}

const resetError = (): Error => Object.assign(new Error('The connection was reset'), { code: 'ECONNRESET' });

/** One end of a connection. What it is written to comes out of its peer, no faster than the peer is read. */
class End extends Duplex {
  readonly #clock: Clock;
  readonly #latencyMs: number;
  #leftBytes: number;
  #peer: End | undefined;
  #resume: (() => void) | undefined;

  constructor(clock: Clock, latencyMs: number, cutAfterBytes: number | undefined) {
    super({ allowHalfOpen: true });
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.#leftBytes = cutAfterBytes ?? Number.POSITIVE_INFINITY;
    // A cut must not end the process when nobody is using the stream just then.
    this.on('error', () => {});
  }

  join(peer: End): void {
    this.#peer = peer;
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#travel(() => (this.#peer?.destroyed ? done(resetError()) : this.#peer?.receive(chunk, done)));
  }

  override _final(done: () => void): void {
    this.#travel(() => {
      this.#peer?.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#resume?.();
    // A clean close arrives as the end of the data, anything else as a reset.
    if (peer && !peer.destroyed && !this.writableFinished)
      this.#travel(() => peer.destroyed || peer.destroy(resetError()));
    done(error);
  }

  /** Bytes from the peer. */
  receive(chunk: Buffer, taken: () => void): void {
    if (chunk.length >= this.#leftBytes) {
      this.push(chunk.subarray(0, this.#leftBytes));
      this.#leftBytes = 0;
      taken();
      // What has arrived can still be read; then the line is dead in both directions.
      setImmediate(() => {
        this.#peer?.destroy(resetError());
        this.destroy(resetError());
      });
      return;
    }
    this.#leftBytes -= chunk.length;
    if (this.push(chunk)) taken();
    else this.#resume = taken;
  }

  #travel(arrive: () => void): void {
    if (this.#latencyMs > 0) this.#clock.after(this.#latencyMs, arrive);
    else queueMicrotask(arrive);
  }
}
