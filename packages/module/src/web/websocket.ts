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

/** The only version of the protocol that is spoken. */
export const webSocketVersion = '13';

/** What the library says of a handshake, and how the module says it. */
const ownWords: Readonly<Record<string, string>> = {
  'Invalid Upgrade header': 'Upgrade is not websocket',
  'Missing or invalid Sec-WebSocket-Key header': 'No valid Sec-WebSocket-Key',
  'Missing or invalid Sec-WebSocket-Version header': 'No Sec-WebSocket-Version',
  'Invalid Sec-WebSocket-Protocol header': 'No valid Sec-WebSocket-Protocol',
};

/** What to do when a handshake is refused. */
const refusals = new WeakMap<Duplex, Refused>();

/** Hears why a handshake is none; 426 when the client speaks another version. */
type Refused = (status: 400 | 426, reason: string) => void;

handshakes.on('wsClientError', (error, socket) =>
  refusals.get(socket)?.(400, ownWords[error.message] ?? 'Not a websocket handshake'),
);

/**
 * Answers a websocket handshake and hands over the socket, or says why it is none. Nothing has been written then.
 */
export function shakeHands(
  request: IncomingMessage,
  head: Buffer,
  opened: (socket: WebSocket) => void,
  refused: Refused,
): void {
  // The listing of the API calls it POST, browsers send GET: both are meant.
  if (request.method === 'POST') request.method = 'GET';
  const version = request.headers['sec-websocket-version'];
  if (version !== undefined && version !== webSocketVersion) {
    refused(426, `Version ${webSocketVersion} is spoken here`);
    return;
  }
  refusals.set(request.socket, refused);
  handshakes.handleUpgrade(request, request.socket, head, opened);
}
