import { failure, type Result, success, unwrap } from '@moorage/base';
import type { Connection, Interface, Listener, NetFailure, TlsServer } from '@moorage/net';
import { isPair, tlsErrorNumber } from '@moorage/net/tls-facts';
import { SocketStream } from '../device/net-stream.ts';
import { netReason } from '../texts/reasons.ts';
import type { Phrase, TextKey } from '../texts/texts.ts';
import { applyKeepAlive, type SocketParts } from './open-client.ts';

/** Longest TLS handshake of a client, in ms. */
const handshakeTimeoutMs = 15_000;

/** Longest certificate or key file, in bytes. */
const maxPemBytes = 16 * 1024;

/** Which command a server belongs to, and is stopped by. */
export type ServerKind = 'tcp' | 'tls';

interface ServerSettings {
  readonly kind: ServerKind;
  readonly port: number;
  readonly iface: Interface;
  readonly tls: TlsServer | undefined;
}

interface Server extends ServerSettings {
  readonly clients: Set<SocketStream>;
  listener: Listener | undefined;
  stopped: boolean;
}

/**
 * The TCP and TLS servers of a module, by their ports. A server takes no stream; each client becomes one.
 * Spec: MOD-STREAM-server, MOD-STREAM-TCPS, MOD-STREAM-TLSS.
 */
export class TcpServers {
  readonly #parts: SocketParts;
  readonly #servers = new Map<number, Server>();

  constructor(parts: SocketParts) {
    this.#parts = parts;
  }

  /** Listens on a port and says so; on a refusal the log says why. */
  async start(settings: ServerSettings): Promise<Result<void, 'failed'>> {
    const { log, net, wlan } = this.#parts;
    const { port, iface, tls } = settings;
    if (this.#servers.has(port)) {
      log.say('serverRunning');
      return failure('failed');
    }
    const server: Server = { ...settings, clients: new Set(), listener: undefined, stopped: false };
    // The port is taken from now on: two may ask for it at once.
    this.#servers.set(port, server);
    const listener = await net.listen(port, (connection) => this.#accept(server, connection), {
      ...(tls && { tls, handshakeTimeoutMs, refused: (failed) => this.#sayHandshake(server, failed) }),
    });
    if (!listener.ok || server.stopped || !wlan.isUp(iface)) {
      const detail: Phrase = listener.ok ? ['networkDown'] : netReason(listener.error);
      if (listener.ok) void listener.value.close();
      if (this.#servers.get(port) === server) this.#servers.delete(port);
      log.say('serviceNotStarted', { service: tls ? 'TLS server' : 'TCP server', detail });
      return failure('failed');
    }
    server.listener = listener.value;
    log.say(tls ? 'tlsListening' : 'tcpListening', { port });
    return success(undefined);
  }

  /** Stops the server of a port, or all of that kind, with their streams. False when there was none. */
  async stop(kind: ServerKind, port?: number): Promise<boolean> {
    const ending = [...this.#servers.values()].filter(
      (server) => server.kind === kind && (port === undefined || server.port === port),
    );
    for (const server of ending) this.#end(server);
    await this.#parts.streams.drop(new Set(ending.flatMap(({ clients }) => [...clients])));
    return ending.length > 0;
  }

  /** Listens no more on an interface, or on both; the streams are for the caller to close. */
  halt(iface?: Interface): void {
    for (const server of [...this.#servers.values()]) {
      if (iface === undefined || server.iface === iface) this.#end(server);
    }
  }

  #end(server: Server): void {
    server.stopped = true;
    this.#servers.delete(server.port);
    void server.listener?.close();
  }

  #accept(server: Server, connection: Connection): void {
    const { log, streams, variables } = this.#parts;
    // The handshake is over by now; nothing else was said in between.
    if (server.tls && !server.stopped) log.say('startingTls');
    // Spec: MOD-VAR-tcp.server.max_clients, MOD-LIMIT-streams.
    const full = server.clients.size >= variables.get('tcp.server.max_clients');
    if (server.stopped || full || !streams.hasFree) {
      if (!server.stopped) log.say(full ? 'tooManyClients' : 'noFreeStream');
      connection.stream.destroy();
      return;
    }
    applyKeepAlive(this.#parts, connection);
    const stream = this.#streamOf(server, connection);
    server.clients.add(stream);
    unwrap(streams.open(stream));
  }

  #streamOf(server: Server, connection: Connection): SocketStream {
    const { clock, streams, variables } = this.#parts;
    const { localAddress, localPort, remoteAddress, remotePort } = connection;
    const stream: SocketStream = new SocketStream({
      type: server.tls ? 'TLSS' : 'TCPS',
      connection,
      info: () => `${localAddress}:${localPort} ${remoteAddress}:${remotePort}`,
      pool: streams.pool,
      clock,
      iface: server.iface,
      answersHalf: true,
      writeTimeoutMs: () => variables.get('bus.command.write_timeout'),
      // Spec: MOD-VAR-tcp.server.idle_timeout.
      idleMs: variables.get('tcp.server.idle_timeout') * 1000,
      gone: () => server.clients.delete(stream),
    });
    return stream;
  }

  #sayHandshake(server: Server, failed: NetFailure): void {
    if (server.stopped) return;
    this.#parts.log.say('startingTls');
    this.#parts.log.say('tlsFailed', { error: tlsErrorNumber(failed) });
  }
}

/**
 * Certificate and key of a server out of the flash: the named files, or those of the HTTP server. The refusal is the
 * text that says why.
 */
export async function serverTls(
  { flash, variables }: SocketParts,
  certFile: string = variables.get('http.server.tls_cert'),
  keyFile: string = variables.get('http.server.tls_key'),
): Promise<Result<TlsServer, TextKey>> {
  if (certFile === '' || keyFile === '') return failure('noCertificate');
  const [cert, key] = await Promise.all([flash.readAll(certFile, maxPemBytes), flash.readAll(keyFile, maxPemBytes)]);
  for (const file of [cert, key])
    if (!file.ok) return failure(file.error === 'missing' ? 'fileMissing' : 'fileTooLarge');
  if (!cert.ok || !key.ok) return failure('fileMissing');
  const texts = { cert: textOf(cert.value), key: textOf(key.value) };
  // Otherwise each handshake would fail without a reason in the log.
  return isPair(texts.cert, texts.key) ? success(texts) : failure('certificateMalformed');
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
