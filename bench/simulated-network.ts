import { type Benchmark, startPeer } from './harness.ts';

/** Modules; the goal of the design is for 20,000. */
const moduleCount = Number(process.env.BENCH_SIMULATED ?? 2_000);

/** Modules set as those of a fleet are, each on a network in memory, in one process. */
export const simulatedNetwork: Benchmark = {
  name: 'simulated-network',
  goal: `${moduleCount} modules on a network in memory, the whole process: 1 GiB for 20,000 (BENCH_SIMULATED says how many)`,
  async run() {
    const peer = await startPeer('peers/simulated-network.ts', [String(moduleCount)]);
    await peer.stop();
    const mebibytes = Number(peer.ready.bytes) / 2 ** 20;
    return [
      {
        label: 'most resident memory',
        beside: '1 GiB',
        unit: 'MiB',
        ours: [mebibytes],
        theirs: [1_024],
        goal: { atMost: 1 },
      },
    ];
  },
};
