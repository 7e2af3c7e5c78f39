import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    // They have commands of their own: `npm run test:clients`, `test:console`, `test:long`.
    exclude: [...configDefaults.exclude, 'e2e/clients/**', 'e2e/console/**', 'e2e/long/**', '**/*.long.test.ts'],
    setupFiles: ['scripts/support/compare-bytes.ts', 'packages/service/src/testing/cheap-passwords.ts'],
    globalSetup: ['packages/service/src/testing/global-setup.ts'],
    pool: 'forks',
    // Files share their worker's modules, which are loaded once, not 270 times: a module keeps no state of its own, and
    // a test leaves nothing behind. That halves the processor time of a run.
    isolate: false,
    // Many tests wait for processes, databases and limits of time: one worker more than there are processors.
    maxWorkers: availableParallelism() + 1,
    // For tests that hang, and for nothing else: tests set no limits of their own, because none fits a machine that does
    // other things meanwhile. What waits for something gives up before its test does, and says for what.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What fails is tried once more, and the report counts the tries: a second one is a defect to look at, and no reason
    // to stop everything else.
    retry: 1,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    reporters: ['default'],
  },
});
