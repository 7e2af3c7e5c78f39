import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a server answered on a raw connection: its status, and what of the body came with it. */
export interface RawReply {
  readonly status: number;
  readonly text: string;
}

/** Opens a connection to a listening server, for requests that no client library would send. */
export async function rawConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // The server may close first, as these tests want it to.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** All that comes until the server closes the connection. */
export async function rawReply(socket: Socket): Promise<RawReply> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString();
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

/** Sends a request whose target is not touched, and returns the reply. */
export async function rawRequest(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<RawReply> {
  const socket = await rawConnection(port);
  const reply = rawReply(socket);
  const all = { host: 'test', connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return reply;
}
