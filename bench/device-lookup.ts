import { type Benchmark, type Finding, interleave } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const deviceCount = 100_000;
const rounds = 5;

/** Requests a second for random ones of all devices, beside a bare server with the same answers. */
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
    const perSecond = async (port: number) => (await runLoad({ ...load, port })).perSecond;
    const random = await interleave(
      rounds,
      () => perSecond(ready.api),
      () => perSecond(Number(bare.ready.port)),
    );
    const found = {
      label: `${database ?? 'sqlite'}: random of ${deviceCount}`,
      beside: 'node:http',
      unit: 'requests/s',
    };
    return [{ ...found, ...random, ...(!database && { goal: { atLeast: 0.35 } }) }];
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
}

export const deviceLookup: Benchmark = {
  name: 'device-lookup',
  goal: 'GET /api/devices/{uuid} with bearer check, 100,000 devices: at random, on SQLite at least 0.35 of bare node:http',
  run: async () => [...(await measure()), ...(await measure('postgres'))],
};
