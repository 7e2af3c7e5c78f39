import { type Benchmark, type Finding, interleave, startPeer } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer } from './service-peer.ts';

const clients = 64;
const rounds = 4;
const samplesPerBatch = 50;
const batchMark = '0000000000000000';

interface DataPeer {
  readonly port: number;
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
}

/** Samples of five streams, a second apart, as a module sends them. */
const samples = Array.from({ length: samplesPerBatch }, (_, index) => ({
  n: `s${index % 5}`,
  v: Math.round(Math.sin(index) * 1000) / 100,
  t: 1_700_000_000 + index,
}));

async function measure(kind: 'sqlite' | 'postgres'): Promise<Finding> {
  const peer = await startPeer('peers/data.ts', [JSON.stringify({ kind, devices: clients, insecure: false })]);
  // Written by that very script.
  const ready = peer.ready as unknown as DataPeer;
  const { certificate: cert, key } = ready.server;
  const bare = await startBarePeer({ text: '{"result":"ok"}', parse: true, tls: { ca: ready.ca, cert, key } });
  const load: Load = {
    port: ready.port,
    connections: clients,
    durationMs: 3_000,
    paths: ['/device/v1/data'],
    method: 'POST',
    headers: {},
    body: JSON.stringify({ batch: batchMark, samples }),
    uniqueMark: batchMark,
    tls: { ca: ready.ca, clients: ready.certificates },
  };
  try {
    const perSecond = async (part: Load) => (await runLoad(part)).perSecond * samplesPerBatch;
    const pair = await interleave(
      rounds,
      () => perSecond(load),
      () => perSecond({ ...load, port: Number(bare.ready.port) }),
    );
    const beside = 'node:https that parses the same and answers';
    return { label: `samples in batches of 50, ${kind}`, beside, unit: 'samples/s', ...pair };
  } finally {
    await Promise.all([peer.end(), bare.stop()]);
  }
}

export const dataSamples: Benchmark = async () => [await measure('sqlite'), await measure('postgres')];
