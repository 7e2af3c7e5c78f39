// `ws` is allowed here although this is not `net/node.ts`: it is handed a stream that the net port has dialled and opens
// nothing by itself; it only speaks the protocol.
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

/** One message: text as it is, or bytes. */
export type Frame = string | Uint8Array;

export interface WebSocketOptions {
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Longest message that is taken, in bytes; a longer one ends the socket. */
  readonly frameLimitBytes: number;
}

/** Why a web socket is over. */
export type SocketEnd =
  /** The server answered the handshake with another status than 101. */
  | { readonly kind: 'refused'; readonly status: number; readonly retryAfterMs?: number }
  /** A close frame, or 1006 without one. */
  | { readonly kind: 'closed'; readonly code: number };

/** What comes over a web socket. After `ended`, which is called once, nothing does. */
export interface SocketListener {
  opened(): void;
  frame(frame: Frame): void;
  /** The other side is alive: a ping or a pong. */
  alive(): void;
  ended(end: SocketEnd): void;
}

/** The sending side of a web socket. */
export interface WebSocketLine {
  /** Bytes that have been sent and that the network has not taken. */
  readonly waitingBytes: number;
  send(frame: Frame): void;
  ping(): void;
  /** Says goodbye and waits for the answer; `cut` when none comes. */
  close(): void;
  /** Ends at once. */
  cut(): void;
}

const bytesOf = (data: Buffer | ArrayBuffer | Buffer[]): Buffer =>
  Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);

/** The time that a server names, where it names one in seconds. */
function retryAfter(header: string | undefined): { readonly retryAfterMs?: number } {
  return /^\d{1,5}$/.test(header ?? '') ? { retryAfterMs: Number(header) * 1_000 } : {};
}

/** Does the handshake over an open connection, which belongs to the web socket from here on. */
export function openWebSocket(stream: Duplex, options: WebSocketOptions, listener: SocketListener): WebSocketLine {
  const { host, path, headers, frameLimitBytes } = options;
  let end: SocketEnd | undefined;
  const socket = new WebSocket(`ws://${host}${path}`, {
    createConnection: () => stream,
    headers,
    maxPayload: frameLimitBytes,
    // It costs every idle socket more than it saves.
    perMessageDeflate: false,
  });
  socket.on('open', () => listener.opened());
  socket.on('message', (data, isBinary) => listener.frame(isBinary ? bytesOf(data) : bytesOf(data).toString()));
  socket.on('ping', () => listener.alive());
  socket.on('pong', () => listener.alive());
  socket.on('unexpected-response', (request, { statusCode = 0, headers: received }) => {
    end = { kind: 'refused', status: statusCode, ...retryAfter(received['retry-after']) };
    // The library leaves the connection to this listener.
    request.destroy();
    stream.destroy();
    socket.terminate();
  });
  // The close that follows says enough.
  socket.on('error', () => {});
  socket.on('close', (code) => {
    stream.destroy();
    listener.ended(end ?? { kind: 'closed', code });
  });
  return {
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    send: (frame) => socket.send(frame),
    ping: () => socket.ping(),
    close: () => socket.close(1000),
    cut: () => socket.terminate(),
  };
}
