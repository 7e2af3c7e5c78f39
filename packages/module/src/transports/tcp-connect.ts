import { connect, type Socket } from 'node:net';
import { type Clock, realClock } from '@moorage/base';

/** How long after a connection has ended, or could not be made, the next one is tried, in ms. */
export const redialMs = 500;

interface Place {
  readonly host: string;
  readonly port: number;
}

/**
 * Calls a TCP server, again and again: emulators and simulators offer a UART so. Each connection is handed to `attach`;
 * one at a time is open. It never fails: a server that is not there yet is called until it is.
 */
export function keepCalling(
  { host, port }: Place,
  attach: (socket: Socket) => void,
  clock: Pick<Clock, 'after'> = realClock,
): { close(): Promise<void> } {
  let closed = false;
  let socket: Socket;
  let cancel = (): void => {};
  const call = (): void => {
    socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => attach(socket));
    socket.on('error', () => socket.destroy());
    // A line whose other end has gone is no line: the next one begins anew.
    socket.once('end', () => socket.end());
    socket.once('close', () => {
      if (!closed) cancel = clock.after(redialMs, call);
    });
  };
  call();
  return {
    async close() {
      closed = true;
      cancel();
      socket.destroy();
    },
  };
}
