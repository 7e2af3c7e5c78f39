import { type Benchmark, interleave } from './harness.ts';
import { type Load, runLoad } from './load.ts';
import { startBarePeer, startServicePeer } from './service-peer.ts';

const fileBytes = 4 * 1024 * 1024;
const clients = 64;
const rounds = 5;

export const updateDownload: Benchmark = {
  name: 'update-download',
  goal: 'file of an update from the device listener, 4 MiB, 64 devices with TLS: at least 0.8 of the bytes per second of node:https streaming the same file',
  async run() {
    const { peer: service, ready } = await startServicePeer({ devices: clients, clients, fileBytes });
    const { certificate: cert, key } = ready.server;
    const bare = await startBarePeer({ file: ready.file, tls: { ca: ready.ca, cert, key } });
    const tls = { ca: ready.ca, clients: ready.certificates };
    const common = { port: ready.devices, connections: clients, headers: {}, tls } as const;
    const ask: Load = {
      ...common,
      durationMs: 500,
      paths: ['/ota'],
      method: 'POST',
      body: JSON.stringify({ files: [] }),
    };
    const load: Load = { ...common, durationMs: 3_000, paths: [ready.updatePath], method: 'GET', body: '' };
    try {
      // A device gets the files of the bundle that it has been offered.
      await runLoad(ask);
      const speed = async (port: number) => (await runLoad({ ...load, port })).bytesPerSecond / 1e6;
      const pair = await interleave(
        rounds,
        () => speed(ready.devices),
        () => speed(Number(bare.ready.port)),
      );
      const beside = 'node:https streaming the same file';
      return [{ label: 'download', beside, unit: 'MB/s', ...pair, goal: { atLeast: 0.8 } }];
    } finally {
      await Promise.all([service.end(), bare.stop()]);
    }
  },
};
