import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Answers calls of HTTP. */
export interface HttpCalls {
  call(call: { readonly method: string; readonly path: string; readonly body: string }): {
    readonly status: number;
    readonly text: string;
  };
}

/** Longest body, in bytes. */
const maxBodyBytes = 4096;

const users = new WeakMap<Socket, HttpCalls>();

/** Whether bytes are the beginning of a request of HTTP, and no line of JSON. */
export const isHttp = (bytes: Buffer): boolean => /^[A-Z]{3,7} /.test(bytes.toString('latin1', 0, 8));

let server: Server | undefined;

/** Lets requests be read from a connection; it opens no port itself. */
export function serveHttp(socket: Socket, user: HttpCalls): void {
  server ??= createServer((request, response) => void answer(request, response));
  users.set(socket, user);
  server.emit('connection', socket);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = await replyTo(request);
  response.writeHead(reply.status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(reply.text);
}

async function replyTo(request: IncomingMessage): Promise<{ readonly status: number; readonly text: string }> {
  const { headers, method = '', url = '' } = request;
  // A page of a browser on this machine can call it as well, and says so.
  if ((headers.origin ?? headers['sec-fetch-site']) !== undefined)
    return { status: 403, text: 'Pages of a browser may not call the control port' };
  const body = await textOf(request);
  if (body === undefined) return { status: 413, text: `A body has at most ${maxBodyBytes} bytes` };
  const [path = ''] = url.split('?', 1);
  return users.get(request.socket)?.call({ method, path, body }) ?? { status: 404, text: '' };
}

async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBodyBytes) chunks.push(chunk as Buffer);
  }
  return bytes <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}
