import { hash } from 'node:crypto';
import { type Benchmark, type Finding, interleave, type Peer, residentBytes, startPeer } from './harness.ts';
import { type Load, openConnection, runLoad } from './load.ts';
import { startBarePeer } from './service-peer.ts';

/** What `peers/doors.ts` says when it is ready. */
interface DoorsReady {
  readonly devices: number;
  readonly authorization: string;
  readonly names: readonly string[];
  readonly base: string;
  /** Where each client fetches the image of its update. */
  readonly downloads: readonly string[];
  readonly file: string;
  readonly acceptedS: number;
}

const tenant = 'DEFAULT';
const registered = 100_000;
const waiting = 10_000;
const imageBytes = 512 * 1024 * 1024;
const downloaders = 50;
const rounds = 3;
const connections = 64;

async function startDoors(data: object): Promise<{ peer: Peer; ready: DoorsReady }> {
  const peer = await startPeer('peers/doors.ts', [JSON.stringify(data)]);
  // Written by that very script.
  return { peer, ready: peer.ready as unknown as DoorsReady };
}

/** Polls of devices that are spread over all there are. */
export const doorPolls: Benchmark = {
  name: 'door-polls',
  goal: 'DDI polls, last-seen recorded durably, SQLite, 100,000 devices: at least 0.3 of bare node:http with the same checks, p99 under 25 ms, under 300 MiB; 10,000 let in under 10 s',
  async run() {
    const { peer: service, ready } = await startDoors({ registered, waiting, imageBytes: 0, downloaders: 0 });
    const tokenHash = hash('sha256', ready.authorization.split(' ')[1] ?? '');
    const bare = await startBarePeer({ text: ready.base, door: { tenant, tokenHash, devices: registered } });
    const load: Load = {
      port: ready.devices,
      connections,
      durationMs: 3_000,
      paths: ready.names.map((name) => `/${tenant}/controller/v1/${name}`),
      method: 'GET',
      headers: { Authorization: ready.authorization, Accept: 'application/json' },
      body: '',
    };
    const p99s = { ours: [] as number[], theirs: [] as number[] };
    const measure = async (port: number, p99: number[]) => {
      const result = await runLoad({ ...load, port });
      p99.push(result.p99Ms);
      return result.perSecond;
    };
    try {
      const polls = await interleave(
        rounds,
        () => measure(ready.devices, p99s.ours),
        () => measure(Number(bare.ready.port), p99s.theirs),
      );
      const memory = async (peer: Peer) => (await residentBytes(peer.process.pid ?? 0)) / 1024 / 1024;
      const beside = 'node:http with the same checks';
      const slowest = { ours: p99s.ours.slice(1), theirs: p99s.theirs.slice(1) };
      return [
        { label: `polls, random of ${registered}`, beside, unit: 'requests/s', ...polls, goal: { atLeast: 0.3 } },
        { label: 'slowest of a hundred', beside, unit: 'ms', ...slowest, limit: { atMost: 25 } },
        {
          label: `memory with ${registered} devices`,
          beside,
          unit: 'MiB',
          ours: [await memory(service)],
          theirs: [await memory(bare)],
          limit: { atMost: 300 },
        },
        {
          label: `${waiting} devices let in`,
          beside: 'the goal',
          unit: 's',
          ours: [ready.acceptedS],
          theirs: [10],
          limit: { atMost: 10 },
        },
      ];
    } finally {
      await Promise.all([service.stop(), bare.stop()]);
    }
  },
};

/** Bytes per second of clients that fetch one image together, each from the middle on; and the memory that each takes. */
async function fetchTogether(peer: Peer, port: number, paths: readonly string[]) {
  const pid = peer.process.pid ?? 0;
  const before = await residentBytes(pid);
  let most = before;
  const watch = setInterval(() => {
    void residentBytes(pid).then((now) => {
      most = Math.max(most, now);
    });
  }, 200);
  const startMs = performance.now();
  const headers = { Range: `bytes=${imageBytes / 2}-` };
  const load: Load = { port, connections: 1, durationMs: 0, paths: [], method: 'GET', headers, body: '' };
  const fetched = paths.map(async (path, at) => {
    const socket = await openConnection(load, at);
    return new Promise<number>((resolve, reject) => {
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      socket.once('close', () => resolve(bytes));
      socket.once('error', reject);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nRange: ${headers.Range}\r\n\r\n`);
    });
  });
  const bytes = (await Promise.all(fetched)).reduce((sum, one) => sum + one, 0);
  clearInterval(watch);
  const seconds = (performance.now() - startMs) / 1000;
  return { megabytesPerS: bytes / 1e6 / seconds, kibibytesEach: Math.max(0, most - before) / 1024 / paths.length };
}

export const doorDownload: Benchmark = {
  name: 'door-download',
  goal: 'image of 512 MiB to 50 clients of DDI by ranges: at least 0.8 of the bytes per second of node:http streaming the same part; under 256 KiB each',
  async run() {
    const { peer: service, ready } = await startDoors({ registered: 0, waiting: 0, imageBytes, downloaders });
    const bare = await startPeer('peers/bare-ranges.ts', [ready.file]);
    const memory = { ours: [] as number[], theirs: [] as number[] };
    const measure = async (peer: Peer, port: number, kept: number[]) => {
      const { megabytesPerS, kibibytesEach } = await fetchTogether(peer, port, ready.downloads);
      kept.push(kibibytesEach);
      return megabytesPerS;
    };
    try {
      const pair = await interleave(
        1,
        () => measure(service, ready.devices, memory.ours),
        () => measure(bare, Number(bare.ready.port), memory.theirs),
      );
      const beside = 'node:http streaming the same part';
      const [ours, theirs] = [memory.ours.slice(1), memory.theirs.slice(1)];
      const findings: Finding[] = [
        { label: 'download', beside, unit: 'MB/s', ...pair, goal: { atLeast: 0.8 } },
        { label: 'memory of a download', beside, unit: 'KiB', ours, theirs, limit: { atMost: 256 } },
      ];
      return findings;
    } finally {
      await Promise.all([service.stop(), bare.stop()]);
    }
  },
};
