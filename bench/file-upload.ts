import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type Benchmark, type Finding, interleave, type Peer, residentBytes } from './harness.ts';
import { type Load, openConnection } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const fileBytes = 16 * 1024 * 1024;
const uploads = 32;
const clients = 8;
const rounds = 5;
/** Uploads that stand half-way while the memory is read. */
const stalled = 64;

// The contents differ from upload to upload, as files do; they are made once.
const content = Buffer.alloc(fileBytes + uploads * clients, 'moorage');
for (let at = 0; at < content.length; at += 4096) content.writeUInt32LE(at, at);

const headOf = (load: Load, index: number): string => {
  const headers = Object.entries(load.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const path = load.paths[index % load.paths.length];
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.join('')}Content-Length: ${fileBytes}\r\n\r\n`;
};

async function uploadOne(load: Load, socket: Socket, index: number): Promise<void> {
  socket.write(headOf(load, index));
  socket.write(content.subarray(index, index + fileBytes));
  const [reply] = (await once(socket, 'data')) as [Buffer];
  if (!reply.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(`Unexpected answer: ${reply}`);
}

/** Megabytes per second of several clients that each send one file after another. */
async function speed(load: Load): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: clients }, (_, at) => openConnection(load, at)));
  const startMs = performance.now();
  await Promise.all(
    sockets.map(async (socket, client) => {
      for (let each = 0; each < uploads / clients; each++) await uploadOne(load, socket, each * clients + client);
    }),
  );
  const seconds = (performance.now() - startMs) / 1_000;
  for (const socket of sockets) socket.destroy();
  return (uploads * fileBytes) / seconds / 1e6;
}

/** Resident KiB that each upload costs that stands half-way. */
async function memoryPerUpload(peer: Peer, load: Load): Promise<number> {
  const pid = peer.process.pid ?? 0;
  const before = await residentBytes(pid);
  const sockets = await Promise.all(Array.from({ length: stalled }, (_, at) => openConnection(load, at)));
  for (const [index, socket] of sockets.entries()) {
    socket.write(headOf(load, index));
    socket.write(content.subarray(0, fileBytes / 2));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const after = await residentBytes(pid);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return Math.max(0, after - before) / stalled / 1024;
}

export const fileUpload: Benchmark = async () => {
  const { peer: service, ready } = await startServicePeer({ devices: 1, clients: 0, fileBytes: 1 });
  const bare = await startBarePeer({ store: true });
  const load: Load = {
    port: ready.api,
    connections: clients,
    durationMs: 0,
    paths: [ready.uploadPath],
    method: 'POST',
    headers: { Authorization: `Bearer ${ready.token}`, 'Content-Type': 'application/octet-stream' },
    body: '',
  };
  const bareLoad = { ...load, port: Number(bare.ready.port) };
  try {
    const pair = await interleave(
      rounds,
      () => speed(load),
      () => speed(bareLoad),
    );
    const memory = await interleave(
      2,
      () => memoryPerUpload(service, load),
      () => memoryPerUpload(bare, bareLoad),
    );
    const findings: Finding[] = [
      {
        label: 'upload of 16 MiB',
        beside: 'node:http streaming to a synced file',
        unit: 'MB/s',
        ...pair,
      },
      { label: 'memory of a half-way upload', beside: 'node:http', unit: 'KiB', ...memory },
    ];
    return findings;
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
};
