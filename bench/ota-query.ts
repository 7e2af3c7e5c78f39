import { type Benchmark, interleave } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const clients = 64;
/** As many as it takes until most of them are of a service that has warmed up. */
const rounds = 11;

export const otaQuery: Benchmark = {
  name: 'ota-query',
  goal: 'OTA query on the device listener, keep-alive, last-seen recorded durably: at least 10,000 a second on 4 cores, p99 under 25 ms',
  async run() {
    const { peer: service, ready } = await startServicePeer({ devices: 10_000, clients, fileBytes: 1 });
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
        { label: 'queries', beside, unit: 'requests/s', ...pair, limit: { atLeast: 10_000 } },
        {
          label: 'slowest of a hundred',
          beside,
          unit: 'ms',
          ours: p99s.ours.slice(1),
          theirs: p99s.theirs.slice(1),
          limit: { atMost: 25 },
        },
      ];
    } finally {
      await Promise.all([service.end(), bare.stop()]);
    }
  },
};
