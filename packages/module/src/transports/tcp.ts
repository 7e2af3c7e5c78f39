import { lookup } from 'node:dns/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { failure, isLoopback, type Result, success } from '@moorage/base';
import type { SessionBoard } from '../interpreter/board-port.ts';

/** Connections to one listener of a module at a time; each further one gets the reason. */
const maxConnections = 16;

/** Further connections that get the reason at a time; beyond them they are closed at once. */
const maxRefusing = 16;

/** How long a refused one may take to leave, in ms. */
const refusalTimeoutMs = 1_000;

export interface TcpPlace {
  readonly host: string;
  readonly port: number;
  readonly listenLan: boolean;
}

export interface TcpPort {
  readonly port: number;
  close(): Promise<void>;
}

/** What one client too many of a board's serial port reads. */
export const tooMany = ({ personality }: SessionBoard): string =>
  personality.text('tooManyConnections', { count: maxConnections });

/**
 * Listens on TCP; port 0 takes a free one. Without `listenLan` it neither listens on nor answers addresses outside the
 * loopback range, since none of the module's own ports has a password. The refusal is one sentence for the user.
 */
export async function listenTcp(
  listen: TcpPlace,
  attach: (socket: Socket) => void,
  refusal = `Too many connections: ${maxConnections} are open`,
): Promise<Result<TcpPort, string>> {
  const resolved = await lookup(listen.host).catch(() => undefined);
  if (!resolved) return failure(`Cannot find the address of "${listen.host}"`);
  if (!listen.listenLan && !isLoopback(resolved.address)) {
    return failure(`Address "${listen.host}" is outside the loopback range; --listen-lan allows that`);
  }
  const sockets = new Set<Socket>();
  let refusing = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    if (!listen.listenLan && !isLoopback(socket.remoteAddress)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    if (sockets.size - refusing > maxConnections) {
      refusing++;
      socket.on('close', () => refusing--);
      refuse(socket, refusal);
    } else attach(socket);
  });
  server.maxConnections = maxConnections + maxRefusing;
  const started = await start(server, resolved.address, listen.port);
  if (!started.ok) return started;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return success({ port: started.value, close });
}

/** Says why, and reads what comes meanwhile: a connection that ends with bytes unread would lose the words. */
function refuse(socket: Socket, refusal: string): void {
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.setTimeout(refusalTimeoutMs, () => socket.destroy());
  socket.end(`${refusal}\r\n`);
  socket.resume();
}

function start(server: Server, address: string, port: number): Promise<Result<number, string>> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be opened (${error.code ?? error.message})`;
      resolve(failure(`Port ${port} on ${address} ${why}`));
    });
    server.listen(port, address, () => {
      const bound = server.address();
      resolve(success(typeof bound === 'object' && bound ? bound.port : port));
    });
  });
}
