import { type Benchmark, type Finding, startPeer } from './harness.ts';

/** Modules; the goal of the design is for 5,000 and more. */
const moduleCount = Number(process.env.BENCH_FLEET ?? 300);
/** Longest wait until all are updated, in s. */
const timeoutS = 900;

/** `moorage fleet` against `moorage serve`, each in a process of its own, on real mutual TLS. */
export const fleet: Benchmark = {
  name: 'fleet',
  goal: `${moduleCount} modules on mutual TLS beside the service: no error, all updated, at most 100 KiB each (BENCH_FLEET says how many)`,
  async run() {
    const bare = await startPeer('peers/virtual-fleet.ts', ['1', String(timeoutS)]);
    const bareBytes = Number(bare.ready.bytes);
    await bare.end();
    const peer = await startPeer('peers/virtual-fleet.ts', [String(moduleCount), String(timeoutS)]);
    const { bytes, failures, seconds, troubles, updated } = peer.ready;
    await peer.end();
    const each = (Number(bytes) - bareBytes) / (moduleCount - 1) / 1024;
    const beside = 'all that there are';
    const findings: Finding[] = [
      {
        label: 'resident memory of each',
        beside: 'the whole process of one',
        unit: 'KiB',
        ours: [each],
        theirs: [bareBytes / 1024],
        limit: { atMost: 100 },
      },
      {
        label: 'updated',
        beside,
        unit: 'modules',
        ours: [Number(updated)],
        theirs: [moduleCount],
        goal: { atLeast: 1 },
      },
      {
        label: 'failures and troubles',
        beside,
        unit: '',
        ours: [Number(failures) + Number(troubles)],
        theirs: [moduleCount],
        limit: { atMost: 0 },
      },
      {
        label: 'from the start until all are updated',
        beside: 'one second for 50 of them',
        unit: 's',
        ours: [Number(seconds)],
        theirs: [moduleCount / 50],
      },
    ];
    return findings;
  },
};
