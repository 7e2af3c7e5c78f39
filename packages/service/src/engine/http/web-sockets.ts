import type { IncomingMessage } from 'node:http';
import websocket from '@fastify/websocket';
import { refusal } from '@moorage/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { sendRefusal } from './errors.ts';
import { named } from './named.ts';

/** An open web socket as those who use it see it; they know neither the framework nor the library below. */
export interface SocketLine {
  send(frame: string | Uint8Array): void;
  ping(): void;
  close(code: number, reason: string): void;
  cut(): void;
  readonly waitingBytes: number;
  pause(): void;
  resume(): void;
}

/** What comes over a socket. */
export interface SocketListener {
  frame(frame: string | Uint8Array): void;
  heard(): void;
  closed(): void;
}

export interface SocketRoute {
  readonly path: string;
  /** Longest frame, in bytes; a longer one ends the socket. */
  readonly frameLimitBytes: number;
  /** Answers refusals before the handshake, by sending a reply. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  open(request: FastifyRequest, line: SocketLine): SocketListener;
}

const lineOf = (socket: WebSocket): SocketLine => ({
  send: (frame) => socket.send(frame),
  ping: () => socket.ping(),
  close: (code, reason) => socket.close(code, reason),
  cut: () => socket.terminate(),
  get waitingBytes() {
    return socket.bufferedAmount;
  },
  pause: () => socket.pause(),
  resume: () => socket.resume(),
});

/** Frames come whole, as one piece of bytes, unless an option of the library says otherwise. */
const bytesOf = (data: Buffer | ArrayBuffer | Buffer[]): Buffer =>
  Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);

/** Whether a request asks for the web socket at a path. Any other upgrade is passed over. */
export const asksForSocket = ({ method, url, headers }: IncomingMessage, path: string): boolean =>
  method === 'GET' && url?.split('?')[0] === path && headers.upgrade?.toLowerCase() === 'websocket';

/** Serves a web socket at a path. Compression is off: it costs every idle socket more than it saves. */
export function mountSocket(app: FastifyInstance, route: SocketRoute): void {
  // Node would no longer handle any connection with an upgrade: those of other paths would never end.
  Object.assign(app.server, {
    shouldUpgradeCallback: (request: IncomingMessage) => asksForSocket(request, route.path),
  });
  const scope = named('web sockets', async (scope) => {
    await scope.register(websocket, {
      options: { maxPayload: route.frameLimitBytes, perMessageDeflate: false },
      errorHandler: (error, socket, request) => {
        // What a client or its connection breaks has a code; the service's log is not theirs to fill.
        if (!('code' in error)) request.log.error({ err: error }, 'A web socket failed');
        socket.close(1011);
      },
    });
    const detail = 'This path is for web sockets only';
    const onlySocket = refusal('INVALID_REQUEST', { detail }, { source: 'headers', keys: ['upgrade'] });
    const wsHandler = (socket: WebSocket, request: FastifyRequest) => {
      const listener = route.open(request, lineOf(socket));
      socket.on('message', (data, isBinary) => listener.frame(isBinary ? bytesOf(data) : bytesOf(data).toString()));
      socket.on('ping', () => listener.heard());
      socket.on('pong', () => listener.heard());
      socket.on('close', () => listener.closed());
    };
    scope.route({
      method: 'GET',
      url: route.path,
      onRequest: route.onRequest,
      handler: (_request, reply) => sendRefusal(reply, onlySocket, 400),
      wsHandler,
    });
  });
  void app.register(scope);
}
