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

export const idleModules: Benchmark = async () => {
  const modules: Measured[] = [];
  const listeners: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    modules.push(await measure('modules'));
    listeners.push(await measure('listeners'));
  }
  const kibibytes = (measured: readonly Measured[]) => measured.map(({ bytesEach }) => bytesEach / 1024);
  const findings: Finding[] = [
    {
      label: 'memory of an idle module',
      beside: 'an empty object with the same listener',
      unit: 'KiB',
      ours: kibibytes(modules),
      theirs: kibibytes(listeners),
    },
    {
      label: 'boot of a module',
      beside: 'opening the listener alone',
      unit: 'ms',
      ours: modules.map(({ bootMs }) => median(bootMs)),
      theirs: listeners.map(({ bootMs }) => median(bootMs)),
    },
  ];
  return findings;
};
