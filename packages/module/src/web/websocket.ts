import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { maxMessageBytes } from './web-stream.ts';

/** Does the handshakes of all modules of the process; it holds no connection itself. */
const handshakes = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: maxMessageBytes,
});

/** What to do when a handshake is refused. */
const refusals = new WeakMap<Duplex, (reason: string) => void>();

handshakes.on('wsClientError', (error, socket) => refusals.get(socket)?.(error.message));

/**
 * Answers a websocket handshake and hands over the socket, or says why it is none. Nothing has been written then.
 */
export function shakeHands(
  request: IncomingMessage,
  head: Buffer,
  opened: (socket: WebSocket) => void,
  refused: (reason: string) => void,
): void {
  // The listing of the API calls it POST, browsers send GET: both are meant.
  if (request.method === 'POST') request.method = 'GET';
  refusals.set(request.socket, refused);
  handshakes.handleUpgrade(request, request.socket, head, opened);
}
