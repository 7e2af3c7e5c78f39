import { type Benchmark, interleave } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const deviceCount = 100_000;
const recentCount = 500;
const rounds = 5;

export const deviceLookup: Benchmark = {
  name: 'device-lookup',
  goal: 'GET /api/devices/{uuid} with bearer check, SQLite, 100,000 devices: at least 0.5 of bare node:http over random ones, 0.8 over recent ones',
  async run() {
    const { peer: service, ready } = await startServicePeer({ devices: deviceCount, clients: 0, fileBytes: 1 });
    const load: Load = {
      port: ready.api,
      connections: 64,
      durationMs: 2_000,
      paths: ready.uuids.map((uuid) => `/api/devices/${uuid}`),
      method: 'GET',
      headers: { Authorization: `Bearer ${ready.token}` },
      body: '',
    };
    const sample = await fetch(`http://127.0.0.1:${ready.api}${load.paths[0]}`, { headers: load.headers });
    const bare = await startBarePeer({ text: await sample.text() });
    try {
      const perSecond = async (part: Partial<Load>) => (await runLoad({ ...load, ...part })).perSecond;
      const theirs = () => perSecond({ port: Number(bare.ready.port) });
      const random = await interleave(rounds, () => perSecond({}), theirs);
      const recent = await interleave(rounds, () => perSecond({ paths: load.paths.slice(0, recentCount) }), theirs);
      const common = { beside: 'node:http', unit: 'requests/s' };
      return [
        { label: `random of ${deviceCount}`, ...common, ...random, goal: { atLeast: 0.5 } },
        { label: `recent ${recentCount}`, ...common, ...recent, goal: { atLeast: 0.8 } },
      ];
    } finally {
      await Promise.all([service.stop(), bare.stop()]);
    }
  },
};
