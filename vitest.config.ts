import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Every test file runs in its own process: some of them start servers, and none may see another's state.
export default defineConfig({
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/service/src/testing/global-setup.ts'],
    pool: 'forks',
    // Many tests wait for processes and databases: one worker for each processor, even on two.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
});
