import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Benchmark, type Finding, interleave, type Peer, startPeer } from './harness.ts';
import { openLine } from './serial-line.ts';

const bytesPerTransfer = 10 * 1024 * 1024;
const transfersPerRound = 8;
const rounds = 5;
const piece = Buffer.alloc(64 * 1024, 'moorage');

/** Both ends of what is measured. */
interface Ends {
  readonly peer: Peer;
  readonly near: Socket;
  readonly far: Socket;
}

/** Starts what lies between, and connects to its near end. */
async function connectEnds(kind: 'large' | 'defaults' | 'pipe'): Promise<Ends> {
  const server = createServer({ noDelay: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const coming = once(server, 'connection');
  const port = typeof address === 'object' && address ? address.port : 0;
  const peer = await startPeer('peers/stream-mode.ts', [kind, String(port)]);
  const near = await openLine(Number(peer.ready.port));
  // The listener hands over sockets.
  const [far] = (await coming) as [Socket];
  server.close();
  return { peer, near, far };
}

/** Sends bytes through, as fast as they are taken. */
async function transfer(from: Socket, to: Socket): Promise<void> {
  const arrived = new Promise<void>((resolve) => {
    let left = bytesPerTransfer;
    const onData = (bytes: Buffer): void => {
      left -= bytes.length;
      if (left > 0) return;
      to.off('data', onData);
      resolve();
    };
    to.on('data', onData);
  });
  for (let sent = 0; sent < bytesPerTransfer; sent += piece.length) {
    if (!from.write(piece)) await once(from, 'drain');
  }
  await arrived;
}

/** MB each second. */
async function speed(from: Socket, to: Socket): Promise<number> {
  const startMs = performance.now();
  for (let count = 0; count < transfersPerRound; count++) await transfer(from, to);
  return (transfersPerRound * bytesPerTransfer) / (performance.now() - startMs) / 1_000;
}

async function compare(label: string, ours: () => Promise<number>, theirs: () => Promise<number>): Promise<Finding> {
  const pair = await interleave(rounds, ours, theirs);
  return { label, beside: 'socket pipe', unit: 'MB/s', ...pair, goal: { atLeast: 0.7 } };
}

export const streamMode: Benchmark = {
  name: 'stream-mode',
  goal: 'bytes through a module in stream mode, from its serial port on TCP to a TCP peer and back, at least 0.7 of a bare pipe between two sockets',
  async run() {
    const large = await connectEnds('large');
    const defaults = await connectEnds('defaults');
    const pipe = await connectEnds('pipe');
    const findings: Finding[] = [];
    try {
      for (const [buffers, { near, far }] of [
        ['the largest buffers', large],
        ['the default buffers', defaults],
      ] as const) {
        findings.push(
          await compare(
            `serial to network, ${buffers}`,
            () => speed(near, far),
            () => speed(pipe.near, pipe.far),
          ),
          await compare(
            `network to serial, ${buffers}`,
            () => speed(far, near),
            () => speed(pipe.far, pipe.near),
          ),
        );
      }
      return findings;
    } finally {
      for (const { near, far, peer } of [large, defaults, pipe]) {
        near.destroy();
        far.destroy();
        await peer.stop();
      }
    }
  },
};
