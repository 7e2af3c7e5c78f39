import { availableParallelism } from 'node:os';

/** What all test runs share. */
export const each = {
  setupFiles: ['scripts/support/compare-bytes.ts', 'packages/service/src/testing/cheap-passwords.ts'],
  pool: 'forks' as const,
  // Files share their worker's modules, which are loaded once, not 270 times: a module keeps no state of its own, and
  // a test leaves nothing behind. That halves the processor time of a run.
  isolate: false,
  // For tests that hang, and for nothing else: tests set no limits of their own, because none fits a machine that does
  // other things meanwhile. What waits for something gives up before its test does, and says for what.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // What fails is tried once more, and the report counts the tries: a second one is a defect to look at, and no reason
  // to stop everything else.
  retry: 1,
  expect: { poll: { timeout: 120_000, interval: 10 } },
};

/** The databases that tests are given; once for a run. */
export const run = {
  globalSetup: ['packages/service/src/testing/global-setup.ts'],
  // Many tests wait for processes, databases and limits of time: one worker more than there are processors.
  maxWorkers: availableParallelism() + 1,
  reporters: ['default'],
};
