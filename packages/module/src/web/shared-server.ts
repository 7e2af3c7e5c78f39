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

let server: Server | undefined;

/**
 * Node's HTTP server, one for all modules of the process: it is handed connections and opens no port. Times are kept by
 * each client on its module's clock.
 */
function makeServer(): Server {
  const made = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: 0,
      headersTimeout: 0,
      requestTimeout: 0,
      // Programs of embedded systems leave it out.
      requireHostHeader: false,
      // RFC 9112 2.2: a line may end in LF alone.
      insecureHTTPParser: true,
      shouldUpgradeCallback: (request) => receivers.get(request.socket)?.upgrades(request) ?? false,
    },
    (request, response) => receivers.get(request.socket)?.request(request, response),
  );
  made.maxHeadersCount = maxHeaders;
  made.timeout = 0;
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

/** Lets the server read requests from a connection. */
export function serveConnection(receiver: Receiver): void {
  const { socket } = receiver.client;
  server ??= makeServer();
  receivers.set(socket, receiver);
  server.emit('connection', socket);
}
