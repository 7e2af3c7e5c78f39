import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { asksInVain } from './body.ts';
import type { Client } from './client.ts';

/** Longest request line and headers together, in bytes. A command line of 4 KiB fits, percent signs and all. */
export const maxHeaderBytes = 16 * 1024;

/** Headers of one request that are looked at. */
const maxHeaders = 64;

/** What becomes of the requests of one connection. */
export interface Receiver {
  readonly client: Client;
  request(request: IncomingMessage, response: ServerResponse): void;
  /** Whether an `Upgrade` header means anything for this request. */
  upgrades(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, head: Buffer): void;
  /** What came is no HTTP. */
  malformed(status: 400 | 431): void;
}

const receivers = new WeakMap<Duplex, Receiver>();

/** Node's HTTP servers, by whether they are strict. */
const servers: { strict?: Server; lenient?: Server } = {};

/**
 * Node's HTTP server, one for all modules of the process: it is handed connections and opens no port. Times are kept by
 * each client on its module's clock. The lenient one understands lines that end in LF alone (RFC 9112 2.2), and with them much
 * else that a proxy in front may read otherwise: it takes one request of a connection, so that nothing is smuggled behind it.
 */
function makeServer(isLenient: boolean): Server {
  const made = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: 0,
      headersTimeout: 0,
      requestTimeout: 0,
      // Programs of embedded systems leave it out.
      requireHostHeader: false,
      insecureHTTPParser: isLenient,
      shouldUpgradeCallback: (request) => receivers.get(request.socket)?.upgrades(request) ?? false,
    },
    (request, response) => receivers.get(request.socket)?.request(request, response),
  );
  made.maxHeadersCount = maxHeaders;
  made.timeout = 0;
  if (isLenient) made.maxRequestsPerSocket = 1;
  // Who sends a request and closes its half still wants the answer.
  Object.assign(made, { httpAllowHalfOpen: true });
  made.on('checkContinue', (request, response) => {
    if (!asksInVain(request)) response.writeContinue();
    receivers.get(request.socket)?.request(request, response);
  });
  made.on('upgrade', (request, socket, head) => receivers.get(socket)?.upgrade(request, head));
  made.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const receiver = receivers.get(socket);
    if (error.code?.startsWith('HPE_')) receiver?.malformed(error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400);
    else socket.destroy();
  });
  return made;
}

/** Lets a server read requests from a connection: the lenient one where the first line ends in LF alone. */
export function serveConnection(receiver: Receiver): void {
  const { socket } = receiver.client;
  receivers.set(socket, receiver);
  let begun = Buffer.alloc(0);
  const serve = (kind: keyof typeof servers): void => {
    socket.off('data', look).off('end', cut);
    socket.pause();
    socket.unshift(begun);
    servers[kind] ??= makeServer(kind === 'lenient');
    servers[kind].emit('connection', socket);
    socket.resume();
  };
  const look = (bytes: Buffer): void => {
    begun = Buffer.concat([begun, bytes]);
    // Blank lines before a request are none of it.
    const line = /[^\r\n][^\n]*\n/.exec(begun.toString('latin1'))?.[0];
    if (line !== undefined) serve(line.endsWith('\r\n') ? 'strict' : 'lenient');
    else if (begun.length > maxHeaderBytes) serve('strict');
  };
  const cut = (): void => (begun.length > 0 ? receiver.malformed(400) : void socket.end());
  socket.on('data', look).on('end', cut);
}
