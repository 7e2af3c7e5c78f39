import type { Socket } from 'node:net';
import { type Peer, residentBytes } from './harness.ts';
import { type Load, openConnection } from './load.ts';

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resident memory when nothing is left that could be collected. */
export async function settledBytes({ process }: Peer): Promise<number> {
  await pause(1_000);
  process.stdin?.write('\n');
  await pause(1_500);
  return residentBytes(process.pid ?? 0);
}

/** Opens a channel and leaves it alone. */
export async function openChannel(load: Load, headers: string, index: number): Promise<Socket> {
  const socket = await openConnection(load, index);
  socket.write(
    `GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`,
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('data', (chunk) => {
      if (String(chunk).startsWith('HTTP/1.1 101')) resolve();
      else reject(new Error(`Unexpected answer: ${String(chunk).slice(0, 200)}`));
    });
    socket.once('error', reject);
  });
  return socket;
}
