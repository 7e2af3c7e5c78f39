import type { Socket } from 'node:net';
import { type Benchmark, type Finding, interleave, type Peer, residentBytes } from './harness.ts';
import { type Load, openConnection, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const fileBytes = 16 * 1024 * 1024;
const updateBytes = 4 * 1024 * 1024;
const clients = 64;
const rounds = 5;

/** Resident bytes that each download costs whose client has stopped reading. */
async function memoryPerDownload(peer: Peer, load: Load): Promise<number> {
  const pid = peer.process.pid ?? 0;
  const before = await residentBytes(pid);
  const sockets: Socket[] = [];
  for (let index = 0; index < clients; index++) {
    const socket = await openConnection(load, index);
    socket.pause();
    const headers = Object.entries(load.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${load.paths[0]} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.join('')}\r\n`);
    sockets.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const after = await residentBytes(pid);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 500));
  return Math.max(0, after - before) / clients / 1024;
}

/** Files of the API. */
async function ofApi(): Promise<Finding[]> {
  const { peer: service, ready } = await startServicePeer({ devices: 1, clients: 0, fileBytes });
  const bare = await startBarePeer({ file: ready.file });
  const load: Load = {
    port: ready.api,
    connections: clients,
    durationMs: 3_000,
    paths: [ready.resourcePath],
    method: 'GET',
    headers: { Authorization: `Bearer ${ready.token}` },
    body: '',
  };
  const bareLoad = { ...load, port: Number(bare.ready.port) };
  try {
    const speed = async (part: Load) => (await runLoad(part)).bytesPerSecond / 1e6;
    const pair = await interleave(
      rounds,
      () => speed(load),
      () => speed(bareLoad),
    );
    const memory = await interleave(
      2,
      () => memoryPerDownload(service, load),
      () => memoryPerDownload(bare, bareLoad),
    );
    const findings: Finding[] = [
      {
        label: 'download of 16 MiB',
        beside: 'node:http streaming the same file',
        unit: 'MB/s',
        ...pair,
      },
      { label: 'memory of a stalled download', beside: 'node:http', unit: 'KiB', ...memory },
    ];
    return findings;
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
}

/** Files of an update, with client certificates. */
async function ofUpdates(): Promise<Finding[]> {
  const { peer: service, ready } = await startServicePeer({ devices: clients, clients, fileBytes: updateBytes });
  const { certificate: cert, key } = ready.server;
  const bare = await startBarePeer({ file: ready.file, tls: { ca: ready.ca, cert, key } });
  const common = { connections: clients, headers: {}, tls: { ca: ready.ca, clients: ready.certificates } } as const;
  const load = { ...common, durationMs: 3_000, paths: [ready.updatePath], method: 'GET', body: '' } as const;
  try {
    // A device gets the files of the bundle that it has been offered.
    const ask = { paths: ['/ota'], method: 'POST', body: JSON.stringify({ files: [] }) } as const;
    await runLoad({ ...load, ...ask, port: ready.devices, durationMs: 500 });
    const speed = async (port: number) => (await runLoad({ ...load, port })).bytesPerSecond / 1e6;
    const pair = await interleave(
      rounds,
      () => speed(ready.devices),
      () => speed(Number(bare.ready.port)),
    );
    return [{ label: 'update file of 4 MiB, TLS', beside: 'node:https streaming it', unit: 'MB/s', ...pair }];
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
}

export const fileDownload: Benchmark = async () => [...(await ofApi()), ...(await ofUpdates())];
