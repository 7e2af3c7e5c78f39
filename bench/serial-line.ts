import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Peer, startPeer } from './harness.ts';

/** Opens a TCP connection without delay. */
export async function openLine(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** Modules in a process of their own, each with its serial port on TCP. */
export async function startModules(count: number): Promise<{ peer: Peer; ports: readonly number[] }> {
  const peer = await startPeer('peers/modules.ts', [String(count)]);
  // Written by that very script.
  return { peer, ports: peer.ready.ports as readonly number[] };
}

/** Sends a request and waits until as many bytes have come back as its answer has. */
export const exchange = (socket: Socket, request: string | Uint8Array, replyBytes: number): Promise<void> =>
  new Promise((resolve) => {
    let received = 0;
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received < replyBytes) return;
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.write(request);
  });

/** Reply of a machine-mode module to commands, read until it has been silent for a moment. */
async function replyOf(socket: Socket, request: string): Promise<string> {
  let text = '';
  const onData = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
  };
  socket.on('data', onData);
  socket.write(request);
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.off('data', onData);
  return text;
}

/** As `replyOf`; throws when a command has failed, since the numbers would be about something else. */
export async function succeed(socket: Socket, request: string): Promise<string> {
  const reply = await replyOf(socket, request);
  if (!/(^|\n)R0\d{5}\r\n/.test(reply)) throw new Error(`The module answered ${JSON.stringify(reply)}`);
  return reply;
}
