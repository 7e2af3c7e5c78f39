import { type Benchmark, interleave, startPeer } from './harness.ts';

const moduleCount = 1_000;
const rounds = 3;

async function kibibytesEach(kind: 'modules' | 'listeners'): Promise<number> {
  const peer = await startPeer('peers/idle-network.ts', [kind, String(moduleCount)]);
  await peer.stop();
  return Number(peer.ready.bytesEach) / 1024;
}

export const idleNetwork: Benchmark = {
  name: 'idle-network',
  goal: '1,000 joined modules in a process, each on a loopback address of its own with HTTP server and remote terminal listening: at most 60 KiB of resident memory each above the base',
  async run() {
    const pair = await interleave(
      rounds,
      () => kibibytesEach('modules'),
      () => kibibytesEach('listeners'),
    );
    return [
      {
        label: 'resident memory of each',
        beside: 'three bare listeners on an address',
        unit: 'KiB',
        ...pair,
        limit: { atMost: 60 },
      },
    ];
  },
};
