import { defineConfig } from 'vitest/config';
import { each, run } from './vitest.shared.ts';

// Update clients of other makers as the system has them: `npm run test:clients`, which CI runs too.
export default defineConfig({
  test: {
    ...each,
    ...run,
    include: ['e2e/clients/**/*.test.ts'],
    exclude: [],
    // One client runs for minutes where the machine is busy.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
