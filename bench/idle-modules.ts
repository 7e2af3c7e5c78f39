import { type Benchmark, type Finding, median, startPeer } from './harness.ts';

const moduleCount = 1_000;
const rounds = 3;

interface Measured {
  readonly bytesEach: number;
  readonly bootMs: readonly number[];
}

async function measure(kind: 'modules' | 'listeners'): Promise<Measured> {
  const peer = await startPeer('peers/idle.ts', [kind, String(moduleCount)]);
  const { bytesEach, bootMs } = peer.ready as unknown as Measured;
  await peer.stop();
  return { bytesEach, bootMs };
}

export const idleModules: Benchmark = {
  name: 'idle-modules',
  goal: 'one idle module in a process of 1,000, files and variables included: at most 40 KiB of resident memory above the base; boot under 50 ms',
  async run() {
    const modules: Measured[] = [];
    const listeners: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      modules.push(await measure('modules'));
      listeners.push(await measure('listeners'));
    }
    const kibibytes = (measured: readonly Measured[]) => measured.map(({ bytesEach }) => bytesEach / 1024);
    const findings: Finding[] = [
      {
        label: 'resident memory of each',
        beside: 'an empty object with the same listener',
        unit: 'KiB',
        ours: kibibytes(modules),
        theirs: kibibytes(listeners),
        limit: { atMost: 40 },
      },
      {
        label: 'boot to [Ready]',
        beside: 'opening the listener alone',
        unit: 'ms',
        ours: modules.map(({ bootMs }) => median(bootMs)),
        theirs: listeners.map(({ bootMs }) => median(bootMs)),
        limit: { atMost: 50 },
      },
    ];
    return findings;
  },
};
