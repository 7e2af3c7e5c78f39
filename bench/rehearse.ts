import { type Benchmark, type Finding, startPeer } from './harness.ts';

/** Twins; the goal of the design is for 10,000. */
const twins = Number(process.env.BENCH_REHEARSE ?? 200);

/** A rollout of four stages over three days of virtual time, in a process of its own. */
export const rehearse: Benchmark = {
  name: 'rehearse',
  goal: `${twins} twins through four stages and three virtual days in under 5 minutes and 2 GiB (BENCH_REHEARSE says how many)`,
  async run() {
    const peer = await startPeer('peers/rehearsal.ts', [String(twins)]);
    const { bytes, cpuMs, days, done, polls, seconds } = peer.ready;
    await peer.end();
    const findings: Finding[] = [
      {
        label: 'the whole rehearsal',
        beside: '5 minutes',
        unit: 's',
        ours: [Number(seconds)],
        theirs: [300],
        goal: { atMost: 1 },
      },
      {
        label: 'most resident memory',
        beside: '2 GiB',
        unit: 'MiB',
        ours: [Number(bytes) / 2 ** 20],
        theirs: [2_048],
        goal: { atMost: 1 },
      },
      {
        label: 'updated',
        beside: 'all that there are',
        unit: 'twins',
        ours: [Number(done)],
        theirs: [twins],
        goal: { atLeast: 1 },
      },
      {
        label: 'processor time for each poll, whatever else there is to do shared out',
        beside: `${polls} polls in ${Math.round(10 * Number(days)) / 10} virtual days`,
        unit: 'ms',
        ours: [Number(cpuMs) / Number(polls)],
        theirs: [Number(polls)],
      },
    ];
    return findings;
  },
};
