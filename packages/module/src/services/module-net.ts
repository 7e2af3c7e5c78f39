import type { Clock, Result } from '@moorage/base';
import type {
  Connection,
  DatagramOptions,
  DatagramSocket,
  DialOptions,
  Net,
  NetFailure,
  SecureOptions,
  TlsClock,
} from '@moorage/net';
import { isWritable } from '@moorage/net/dns/dns-message';
import { resolveLocal } from '@moorage/net/dns/mdns-browser';

/** Whether mDNS is asked for a name before anything else. */
const isLocal = (host: string): boolean => /[^.]\.local\.?$/i.test(host) && isWritable(host.replace(/\.$/, ''));

/**
 * The network as the module sees it: `.local` names are looked for by mDNS first, then as before, and certificates are
 * judged by the module's clock, whoever speaks TLS. Reference: network 4.1. Spec: MOD-RULE-mdns.
 */
export class ModuleNet implements Net {
  readonly #net: Net;
  readonly #clock: Clock;
  readonly #tlsClock: () => TlsClock;

  /** `tlsClock` is asked at each connection. */
  constructor(net: Net, clock: Clock, tlsClock: () => TlsClock = () => ({})) {
    this.#net = net;
    this.#clock = clock;
    this.#tlsClock = tlsClock;
  }

  async dial(given: DialOptions): Promise<Result<Connection, NetFailure>> {
    const options = this.#judged(given);
    if (!isLocal(options.host)) return this.#net.dial(options);
    const host = await this.#place(options.host);
    const { tls } = options;
    // The certificate is that of the name, wherever it is found.
    return this.#net.dial({
      ...options,
      host,
      ...(tls && { tls: { ...tls, serverName: tls.serverName ?? options.host } }),
    });
  }

  async resolve(host: string): Promise<Result<string, NetFailure>> {
    return this.#net.resolve(await this.#place(host));
  }

  async ping(host: string, timeoutMs: number): Promise<Result<number, NetFailure>> {
    return this.#net.ping(await this.#place(host), timeoutMs);
  }

  async datagrams(
    options: DatagramOptions,
    receive: Parameters<Net['datagrams']>[1],
  ): Promise<Result<DatagramSocket, NetFailure>> {
    const opened = await this.#net.datagrams(options, receive);
    if (!opened.ok) return opened;
    const socket = opened.value;
    const send: DatagramSocket['send'] = async (bytes, host, port) =>
      socket.send(bytes, isLocal(host) ? await this.#place(host) : host, port);
    return { ok: true, value: { ...socket, send, close: () => socket.close() } };
  }

  reachedAt(port: number): number {
    return this.#net.reachedAt?.(port) ?? port;
  }

  secure(connection: Connection, options: SecureOptions): ReturnType<Net['secure']> {
    return this.#net.secure(connection, this.#judged(options));
  }

  listen(...[port, accept, options = {}]: Parameters<Net['listen']>): ReturnType<Net['listen']> {
    return this.#net.listen(port, accept, this.#judged(options));
  }

  lease(): ReturnType<Net['lease']> {
    return this.#net.lease();
  }

  #judged<Options extends { readonly tls?: TlsClock }>(options: Options): Options {
    return options.tls ? { ...options, tls: { ...options.tls, ...this.#tlsClock() } } : options;
  }

  /** The address that mDNS knows, or the name as it is. */
  async #place(host: string): Promise<string> {
    if (!isLocal(host)) return host;
    const found = await resolveLocal({ clock: this.#clock, net: this.#net }, host);
    return found.ok ? found.value : host;
  }
}
