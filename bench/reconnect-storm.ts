import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Benchmark, type Finding, type Peer, startPeer } from './harness.ts';
import type { StormNews, StormShare } from './storm-worker.ts';

/** Devices that come at once; 3,000 is what the goals are about. */
const channels = Number(process.env.BENCH_CHANNELS ?? 3_000);
const workers = 2;
/** Longest that all may take, in ms. */
const endMs = 300_000;

interface StormPeer {
  readonly port: number;
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly certificates: StormShare['clients'];
}

/** Devices in threads, all of which want a channel. */
class Storm {
  readonly #workers: readonly Worker[];
  readonly failed: Record<string, number> = {};
  open = 0;
  resumed = 0;

  constructor({ port, ca }: Pick<StormPeer, 'port' | 'ca'>, clients: StormShare['clients']) {
    this.#workers = Array.from({ length: workers }, (_, index) => {
      const share: StormShare = { port, ca, clients: clients.filter((_, at) => at % workers === index) };
      const worker = new Worker(new URL('storm-worker.ts', import.meta.url), { workerData: share });
      worker.on('message', (news: StormNews) => this.#take(news));
      return worker;
    });
  }

  /** Seconds until all channels have been open at the same time. */
  async all(): Promise<number> {
    const startMs = performance.now();
    while (this.open < channels) {
      if (performance.now() - startMs > endMs) throw new Error(`Only ${this.open} of ${channels} channels are open`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return (performance.now() - startMs) / 1_000;
  }

  /** Resolves when the channels are lost. */
  async none(): Promise<void> {
    while (this.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #take({ opened, lost, failed, resumed }: StormNews): void {
    this.open += opened - lost;
    this.resumed += resumed;
    for (const [reason, count] of Object.entries(failed)) this.failed[reason] = (this.failed[reason] ?? 0) + count;
  }
}

/** Processor time that a process has used, in ms. */
function usedMs({ process }: Peer): number {
  const fields = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const startService = (folder: string, port: number): Promise<Peer> =>
  startPeer('peers/data.ts', [JSON.stringify({ kind: 'sqlite', devices: channels, insecure: false, folder, port })]);

const finding = (label: string, beside: string, ours: number, theirs: number, atMost: number): Finding => ({
  label,
  beside,
  unit: 's',
  ours: [ours],
  theirs: [theirs],
  limit: { atMost },
});

async function measure(): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-storm-'));
  let peer = await startService(folder, 0);
  // Written by that very script.
  const ready = peer.ready as unknown as StormPeer;
  const { certificate: cert, key } = ready.server;
  const bare = await startPeer('peers/bare-sockets.ts', [JSON.stringify({ tls: { ca: ready.ca, cert, key } })]);
  const floor = new Storm({ port: Number(bare.ready.port), ca: ready.ca }, ready.certificates);
  const floorMs = usedMs(bare);
  const floorS = await floor.all();
  const floorEach = (usedMs(bare) - floorMs) / channels;
  await floor.end();
  await bare.stop();
  const storm = new Storm(ready, ready.certificates);
  try {
    const before = usedMs(peer);
    const openedS = await storm.all();
    const each = (usedMs(peer) - before) / channels;
    console.log(`  processor time of each: ${each.toFixed(1)} ms, of the bare server ${floorEach.toFixed(1)} ms`);
    console.log(`  attempts that came to nothing while opening: ${JSON.stringify(storm.failed)}`);
    for (const reason of Object.keys(storm.failed)) delete storm.failed[reason];
    const killedMs = performance.now();
    await peer.stop();
    await storm.none();
    peer = await startService(folder, ready.port);
    const startS = (performance.now() - killedMs) / 1_000;
    const started = usedMs(peer);
    await storm.all();
    const backS = (performance.now() - killedMs) / 1_000;
    console.log(`  processor time of each that comes back: ${((usedMs(peer) - started) / channels).toFixed(1)} ms`);
    console.log(`  after the kill: ${JSON.stringify(storm.failed)}; with a ticket of before: ${storm.resumed}`);
    const beside = 'a bare web-socket server that does nothing';
    return [
      finding(`until ${channels} devices that come at once have their channels`, beside, openedS, floorS, 20),
      finding('from kill -9 until all are back', 'the start alone', backS, startS, 30),
    ];
  } finally {
    await storm.end();
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const reconnectStorm: Benchmark = {
  name: 'reconnect-storm',
  goal: '3,000 channels with client certificates on SQLite: open in 20 s, back 30 s after kill -9 (BENCH_CHANNELS: how many)',
  run: measure,
};
