import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Worker } from 'node:worker_threads';

/** Requests that a load sends: text before and after a path that changes, or the same bytes each time. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** Each request is one of these, chosen at random. */
  readonly paths: readonly string[];
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Hex digits in the body in whose place each request has others. */
  readonly uniqueMark?: string;
  /** Certificates of the clients, one for each connection, in turn; plain TCP without. */
  readonly tls?: { readonly ca: string; readonly clients: readonly { readonly cert: string; readonly key: string }[] };
}

interface LoadResult {
  readonly perSecond: number;
  readonly bytesPerSecond: number;
  readonly p99Ms: number;
}

/** Processes that make the load, so that it is the server that is busy. */
const workers = 2;

/** Keeps each connection busy with one request at a time; every answer must be a 200. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const share = { ...load, connections: Math.ceil(load.connections / workers) };
  const parts = await Promise.all(Array.from({ length: workers }, (_, index) => runWorker(share, index)));
  const times = parts.flatMap((part) => part.timesMs).sort((a, b) => a - b);
  const seconds = load.durationMs / 1000;
  return {
    perSecond: times.length / seconds,
    bytesPerSecond: parts.reduce((sum, part) => sum + part.bytes, 0) / seconds,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
  };
}

export interface WorkerResult {
  readonly timesMs: number[];
  readonly bytes: number;
}

function runWorker(load: Load, index: number): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('load-worker.ts', import.meta.url), { workerData: { load, index } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

/** Opens connection number `index` of a load. */
export function openConnection(load: Load, index: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const client = load.tls?.clients[index % load.tls.clients.length];
    const socket =
      load.tls && client
        ? connectTls({ port: load.port, host: '127.0.0.1', ca: load.tls.ca, ...client, servername: 'localhost' })
        : connectTcp({ port: load.port, host: '127.0.0.1', noDelay: true });
    socket.once(load.tls ? 'secureConnect' : 'connect', () => resolve(socket));
    socket.once('error', reject);
  });
}
