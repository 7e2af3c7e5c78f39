import { type Benchmark, type Finding, interleave } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const clients = 64;

/** Of so many rounds that most of them are of a service that has warmed up. */
async function measure(rounds: number, database?: 'postgres'): Promise<Finding[]> {
  const { peer: service, ready } = await startServicePeer({
    devices: 10_000,
    clients,
    fileBytes: 1,
    ...(database && { database }),
  });
  const tls = { ca: ready.ca, clients: ready.certificates };
  const query = { bid: ready.bundleId, mac: '02:00:00:00:00:01', files: [] };
  const load: Load = {
    port: ready.devices,
    connections: clients,
    durationMs: 2_000,
    paths: ['/ota'],
    method: 'POST',
    headers: {},
    body: JSON.stringify(query),
    tls,
  };
  const answer = JSON.stringify({
    result: 'none',
    bundle_id: ready.bundleId,
    bversion: 'OWNER-CODE-0.0.0.1, 2026-01-01T00:00:00Z, FW-1.0.0.1',
  });
  const { certificate: cert, key } = ready.server;
  const bare = await startBarePeer({ text: answer, tls: { ca: ready.ca, cert, key } });
  try {
    const p99s = { ours: [] as number[], theirs: [] as number[] };
    const measure = async (port: number, p99: number[]) => {
      const result = await runLoad({ ...load, port });
      p99.push(result.p99Ms);
      return result.perSecond;
    };
    const pair = await interleave(
      rounds,
      () => measure(ready.devices, p99s.ours),
      () => measure(Number(bare.ready.port), p99s.theirs),
    );
    const beside = 'node:https with client certificates';
    return [
      { label: `update queries, ${database ?? 'sqlite'}`, beside, unit: 'requests/s', ...pair },
      {
        label: `slowest of a hundred of them, ${database ?? 'sqlite'}`,
        beside,
        unit: 'ms',
        ours: p99s.ours.slice(1),
        theirs: p99s.theirs.slice(1),
      },
    ];
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
}

export const otaQuery: Benchmark = async () => [...(await measure(11)), ...(await measure(5, 'postgres'))];
