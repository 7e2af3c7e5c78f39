import type { Run } from '../rehearsal/run.ts';

/** A run of which nothing else matters. */
export const runOf = (given: Partial<Run> = {}): Run => ({
  seed: '1',
  state: 'finished',
  ended_s: 7200,
  stages: [{ devices: 100, opened_s: 0, ready_s: 3600, passed_s: 7200, done: 100, failed: 0 }],
  stop: null,
  devices: 100,
  done: 100,
  failed: 0,
  reached: 100,
  half_s: 1800,
  most_s: null,
  nearly_all_s: null,
  failures: [],
  load: { requests: 20, polls: 10, bytes: 1000, peakPolls: 3, peakBytes: 500 },
  ...given,
});
