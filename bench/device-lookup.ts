import { type Benchmark, type Finding, interleave } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const deviceCount = 100_000;
const recentCount = 500;
const rounds = 5;

/** Requests a second for random ones of all devices and for a few of them, beside a bare server with the same answers. */
async function measure(database?: 'postgres'): Promise<Finding[]> {
  const { peer: service, ready } = await startServicePeer({
    devices: deviceCount,
    clients: 0,
    fileBytes: 1,
    ...(database && { database }),
  });
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
    const common = { beside: 'node:http', unit: 'requests/s' };
    if (database) return [{ label: `${database}: random of ${deviceCount}`, ...common, ...random }];
    const recent = await interleave(rounds, () => perSecond({ paths: load.paths.slice(0, recentCount) }), theirs);
    return [
      { label: `random of ${deviceCount}`, ...common, ...random, goal: { atLeast: 0.5 } },
      { label: `recent ${recentCount}`, ...common, ...recent, goal: { atLeast: 0.8 } },
    ];
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
}

export const deviceLookup: Benchmark = {
  name: 'device-lookup',
  goal: 'GET /api/devices/{uuid} with bearer check, 100,000 devices: on SQLite at least 0.5 of bare node:http over random ones, 0.8 over recent ones',
  run: async () => [...(await measure()), ...(await measure('postgres'))],
};
