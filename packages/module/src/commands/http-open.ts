import { failure, type Result, success } from '@moorage/base';
import type { Connection, Interface, TlsClient } from '@moorage/net';
import { HttpExchange, type RequestHead } from '@moorage/net/http/exchange';
import { tlsErrorNumber } from '@moorage/net/tls-facts';
import { HttpStream } from '../device/http-stream.ts';
import { sayOpenFailed } from '../services/open-reasons.ts';
import { tlsSettings } from '../services/tls-settings.ts';
import type { Board } from './board.ts';
import type { HttpUrl } from './http-url.ts';

interface HttpRequest {
  readonly method: RequestHead['method'];
  readonly url: HttpUrl;
  /** What the option `-i` names. */
  readonly iface: Interface | undefined;
  /** File with the authorities that the server's certificate is checked against. */
  readonly cert: string | undefined;
  readonly headers?: RequestHead['headers'];
  /** Gives the request up: nothing is opened any more. */
  readonly signal: AbortSignal;
}

export interface OpenHttp {
  readonly handle: number;
  readonly stream: HttpStream;
  readonly exchange: HttpExchange;
}

/**
 * Connects to the server of a URL and puts the request, of which nothing is sent yet, into the stream table. Prints the
 * documented lines; of a failure all that is left to say is `Command failed`.
 */
export async function openHttp(board: Board, request: HttpRequest): Promise<Result<OpenHttp, 'failed'>> {
  const { log, net, streams, wlan } = board;
  const { url } = request;
  // Spec: MOD-NET-auto-up, MOD-OPT-http_get-i.
  const iface = wlan.interfaceOf(request.iface);
  const joined = await wlan.ensureUp(iface);
  if (!joined.ok || request.signal.aborted) return failure('failed');
  if (!streams.hasFree) return refused(board, 'noFreeStream');
  const tls = url.secure ? await tlsSettings(board, request.cert) : undefined;
  if (tls && !tls.ok) return tls;
  log.notice('stream_opening', { connection: url.host });
  log.say('httpRequest', { method: request.method, path: url.path });
  log.say(url.secure ? 'connectingHttps' : 'connectingHttp', { host: url.host, port: url.port });
  // Spec: MOD-OPT-http_get-timeout.
  const timeoutMs = board.variables.get('tcp.client.connect_timeout');
  const dialled = await net.dial({ host: url.host, port: url.port, timeoutMs });
  const opened =
    dialled.ok && tls && !request.signal.aborted ? await secured(board, dialled.value, url.host, tls.value) : dialled;
  // The network may have gone meanwhile.
  if (!opened.ok || !wlan.isUp(iface) || request.signal.aborted) {
    if (opened.ok) opened.value.stream.destroy();
    if (!request.signal.aborted)
      sayOpenFailed(log, url.host, dialled.ok ? (opened.ok ? 'link-lost' : undefined) : dialled.error.error);
    return failure('failed');
  }
  return enter(board, request, opened.value);
}

async function secured(board: Board, connection: Connection, host: string, tls: TlsClient) {
  board.log.say('startingTls');
  const timeoutMs = board.variables.get('tcp.client.connect_timeout');
  const done = await board.net.secure(connection, { host, tls, timeoutMs });
  if (!done.ok) board.log.say('tlsFailed', { error: tlsErrorNumber(done.error) });
  return done;
}

function enter(board: Board, request: HttpRequest, connection: Connection): Result<OpenHttp, 'failed'> {
  const { url, method } = request;
  const exchange = new HttpExchange(connection.stream, {
    method,
    path: url.path,
    headers: [...ownHeaders(board, url), ...(request.headers ?? [])],
  });
  const stream = new HttpStream(exchange, {
    type: url.secure ? 'HTTPS' : 'HTTP',
    host: url.host,
    port: url.port,
    localPort: connection.localPort,
    clock: board.clock,
    pool: board.streams.pool,
    announce: ({ status, chunked }) => {
      board.log.say('httpResponse', { status });
      if (chunked) board.log.say('chunkedResponse');
    },
  });
  const handle = board.streams.open(stream);
  if (handle.ok) return success({ handle: handle.value, stream, exchange });
  // A server's client may have taken the last one meanwhile.
  connection.stream.destroy();
  return refused(board, 'noFreeStream');
}

const ownHeaders = ({ personality }: Board, { host, port, secure }: HttpUrl): RequestHead['headers'] => [
  ['Host', port === (secure ? 443 : 80) ? host : `${host}:${port}`],
  ['User-Agent', `${personality.name}/${personality.version}`],
  ['Accept', '*/*'],
];

function refused(board: Board, why: Parameters<Board['log']['say']>[0]): Result<never, 'failed'> {
  board.log.say(why);
  return failure('failed');
}

/** Waits until the answer's head has come, for at most `tcp.client.connect_timeout`. Sends the request. */
export async function untilAnswered(board: Board, { exchange }: Pick<OpenHttp, 'exchange'>): Promise<boolean> {
  exchange.send();
  if (exchange.status === undefined && exchange.failure === undefined) {
    await new Promise<void>((resolve) => {
      const stop = board.clock.after(board.variables.get('tcp.client.connect_timeout'), resolve);
      void exchange.answered.then(() => {
        stop();
        resolve();
      });
    });
  }
  return exchange.status !== undefined;
}

/** Waits until something changes on a stream; false after `timeoutMs` of silence. */
export const untilChange = (board: Board, handle: number, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const stopTimer = board.clock.after(timeoutMs, () => {
      stopListening();
      resolve(false);
    });
    const stopListening = board.streams.onChange(handle, () => {
      stopTimer();
      resolve(true);
    });
  });
