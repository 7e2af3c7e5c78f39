import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/service/src/testing/global-setup.ts'],
    pool: 'forks',
    // Files share their worker's modules, which are loaded once, not 270 times: a module keeps no state of its own, and
    // a test leaves nothing behind. That halves the processor time of a run.
    isolate: false,
    // Many tests wait for processes and databases: one worker for each processor, even on two.
    maxWorkers: Math.max(2, availableParallelism()),
    // For tests that hang: a slow machine that does other things meanwhile is not in a hurry.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default'],
  },
});
