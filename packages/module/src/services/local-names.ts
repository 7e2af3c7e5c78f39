import type { Clock, Result } from '@moorage/base';
import type { Connection, DatagramOptions, DatagramSocket, DialOptions, Net, NetFailure } from '@moorage/net';
import { isWritable } from '@moorage/net/dns/dns-message';
import { resolveLocal } from '@moorage/net/dns/mdns-browser';

/** Whether mDNS is asked for a name before anything else. */
const isLocal = (host: string): boolean => /[^.]\.local\.?$/i.test(host) && isWritable(host.replace(/\.$/, ''));

/**
 * A network on which `.local` names are looked for by mDNS first, then as before. Reference: network 4.1.
 * Spec: MOD-RULE-mdns.
 */
export class LocalNames implements Net {
  readonly #net: Net;
  readonly #clock: Clock;

  constructor(net: Net, clock: Clock) {
    this.#net = net;
    this.#clock = clock;
  }

  async dial(options: DialOptions): Promise<Result<Connection, NetFailure>> {
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

  secure(...given: Parameters<Net['secure']>): ReturnType<Net['secure']> {
    return this.#net.secure(...given);
  }

  listen(...given: Parameters<Net['listen']>): ReturnType<Net['listen']> {
    return this.#net.listen(...given);
  }

  lease(): ReturnType<Net['lease']> {
    return this.#net.lease();
  }

  /** The address that mDNS knows, or the name as it is. */
  async #place(host: string): Promise<string> {
    if (!isLocal(host)) return host;
    const found = await resolveLocal({ clock: this.#clock, net: this.#net }, host);
    return found.ok ? found.value : host;
  }
}
