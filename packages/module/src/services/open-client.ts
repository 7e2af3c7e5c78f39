import { defined, failure, type Result, sleep, success } from '@moorage/base';
import type { Connection, Interface, KeepAlive, TlsClient } from '@moorage/net';
import { tlsErrorNumber } from '@moorage/net/tls-facts';
import { DatagramStream } from '../device/net-datagram.ts';
import { SocketStream } from '../device/net-stream.ts';
import { sayOpenFailed } from './open-reasons.ts';
import type { ServiceParts } from './service.ts';

/** What opening a network stream takes. */
export type SocketParts = Pick<ServiceParts, 'clock' | 'flash' | 'log' | 'net' | 'streams' | 'variables' | 'wlan'>;

export interface Target {
  /** As it was typed. */
  readonly host: string;
  readonly port: number;
  /** 0 for any. */
  readonly localPort: number;
  readonly iface: Interface;
  /** Gives the attempt up: nothing is opened any more. */
  readonly signal?: AbortSignal;
  /** Called once when the stream has gone, with whether the other side had closed before. */
  readonly gone?: (remoteClosed: boolean) => void;
}

/** The longest that a timer of the host can be, in ms: variables go further. */
const longestTimerMs = 2_147_483_647;

/**
 * Connects to a TCP server, with TLS when `tls` is given, and puts the stream into the table; answers its handle. Brings
 * the interface up first. Prints the documented lines; of a failure all that is left to say is `Command failed`.
 * Spec: MOD-CMD-tcp_client, MOD-CMD-tls_client, MOD-NET-auto-up.
 */
export async function openTcpClient(
  parts: SocketParts,
  target: Target,
  tls?: TlsClient,
): Promise<Result<number, 'failed'>> {
  const { log, streams } = parts;
  const { host, port } = target;
  if (!(await ready(parts, target))) return failure('failed');
  const link = watchLink(parts, target);
  try {
    // Spec: MOD-EVENT-opening, MOD-EVENT-opened, MOD-EVENT-open-failed.
    log.notice('stream_opening', { connection: `${host}:${port}` });
    const dialled = await dial(parts, target, tls !== undefined, link);
    const opened = dialled.ok && tls && !link.lost ? await secured(parts, dialled.value, host, tls) : dialled;
    let error: Parameters<typeof sayOpenFailed>[2] = dialled.ok ? undefined : dialled.error.error;
    if (link.lost) error = 'link-lost';
    else if (opened.ok) {
      applyKeepAlive(parts, opened.value);
      const stream = clientStream(parts, target, opened.value, tls ? 'TLSC' : 'TCPC');
      const handle = streams.open(stream);
      if (handle.ok) return success(handle.value);
      // A server's client may have taken the last handle meanwhile.
      log.say('noFreeStream');
    }
    if (opened.ok) opened.value.stream.destroy();
    // A client that gave it up has been answered.
    if (!target.signal?.aborted) sayOpenFailed(log, host, error);
    return failure('failed');
  } finally {
    link.stop();
  }
}

/** Opens a stream of datagrams to one host. Spec: MOD-CMD-udp_client, MOD-STREAM-UDPC. */
export async function openUdpClient(parts: SocketParts, target: Target): Promise<Result<number, 'failed'>> {
  const { log, net, streams } = parts;
  const { host, port, localPort, iface, gone } = target;
  if (!(await ready(parts, target))) return failure('failed');
  const link = watchLink(parts, target);
  log.notice('stream_opening', { connection: `${host}:${port}` });
  const address = await net.resolve(host);
  let usedPort = localPort;
  const stream = new DatagramStream({
    type: 'UDPC',
    info: () => `${host}:${port} (${usedPort})`,
    pool: streams.pool,
    iface,
    ...(address.ok && { remote: { address: address.value, port } }),
    ...(gone && { gone: () => gone(false) }),
  });
  const socket = address.ok ? await net.datagrams({ port: localPort }, stream.receive) : address;
  link.stop();
  if (socket.ok) {
    stream.attach(socket.value);
    if (localPort === 0) usedPort = socket.value.port;
    const handle = link.lost ? failure('link-lost' as const) : streams.open(stream);
    if (handle.ok) return success(handle.value);
    await socket.value.close();
    if (handle.error === 'no-handle') log.say('noFreeStream');
    sayOpenFailed(log, host, handle.error === 'link-lost' ? handle.error : undefined);
  } else sayOpenFailed(log, host, link.lost ? 'link-lost' : socket.error.error);
  return failure('failed');
}

/** Spec: MOD-VAR-tcp.keepalive.enabled and the three beside it; they count for connections that open from now on. */
export function applyKeepAlive({ variables }: Pick<SocketParts, 'variables'>, { keepAlive }: Connection): void {
  if (!variables.get('tcp.keepalive.enabled')) return;
  const settings: KeepAlive = {
    initialMs: variables.get('tcp.keepalive.initial_timeout') * 1000,
    retryMs: variables.get('tcp.keepalive.retry_timeout') * 1000,
    retries: variables.get('tcp.keepalive.retry_count'),
  };
  keepAlive?.(settings);
}

/** The interface is up and a handle is free. */
async function ready({ log, streams, wlan }: SocketParts, { iface, signal }: Target): Promise<boolean> {
  const joined = await wlan.ensureUp(iface);
  if (!joined.ok || signal?.aborted) return false;
  // Spec: MOD-LIMIT-streams.
  if (!streams.hasFree) log.say('noFreeStream');
  return streams.hasFree;
}

interface Link {
  /** The interface has gone since, even if it is up again; or the attempt has been given up. */
  readonly lost: boolean;
  stop(): void;
}

function watchLink({ wlan }: SocketParts, { iface, signal }: Target): Link {
  let lost = false;
  const stop = wlan.watch({
    down: (gone) => {
      lost ||= gone === iface;
    },
  });
  return {
    get lost() {
      return lost || signal?.aborted === true;
    },
    stop,
  };
}

/** Tries as often as `tcp.client.retries` says. Spec: MOD-VAR-tcp.client.retries, MOD-VAR-tcp.client.retry_period. */
async function dial({ clock, log, net, variables }: SocketParts, target: Target, secure: boolean, link: Link) {
  const { host, port, localPort } = target;
  for (let attempt = 1; ; attempt++) {
    log.say(secure ? 'connectingTls' : 'connectingTcp', { host, port });
    const timeoutMs = connectTimeoutMs(variables);
    const dialled = await net.dial({ host, port, timeoutMs, ...(localPort > 0 && { localPort }) });
    if (dialled.ok || link.lost || attempt >= variables.get('tcp.client.retries')) return dialled;
    await sleep(clock, variables.get('tcp.client.retry_period') * 1000);
    if (link.lost) return dialled;
  }
}

/** Spec: MOD-VAR-tcp.client.connect_timeout. */
const connectTimeoutMs = (variables: SocketParts['variables']): number =>
  Math.min(longestTimerMs, variables.get('tcp.client.connect_timeout'));

async function secured({ log, net, variables }: SocketParts, connection: Connection, host: string, tls: TlsClient) {
  log.say('startingTls');
  const done = await net.secure(connection, { host, tls, timeoutMs: connectTimeoutMs(variables) });
  if (!done.ok) log.say('tlsFailed', { error: tlsErrorNumber(done.error) });
  return done;
}

const clientStream = (
  { clock, streams, variables }: SocketParts,
  { host, port, localPort, iface, gone }: Target,
  connection: Connection,
  type: 'TCPC' | 'TLSC',
): SocketStream =>
  new SocketStream({
    type,
    connection,
    // Spec: MOD-STREAM-TCPC, MOD-STREAM-TLSC.
    info: () => `${host}:${port} (${localPort || connection.localPort})`,
    pool: streams.pool,
    clock,
    iface,
    writeTimeoutMs: () => variables.get('bus.command.write_timeout'),
    ...defined({ gone }),
  });
