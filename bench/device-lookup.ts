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
    return [{ label: `a device by uuid, ${database ?? 'sqlite'}`, beside: 'node:http', unit: 'requests/s', ...random }];
  } finally {
    await Promise.all([service.end(), bare.stop()]);
  }
}

export const deviceLookup: Benchmark = async () => [...(await measure()), ...(await measure('postgres'))];
