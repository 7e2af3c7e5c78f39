import { configDefaults, defineConfig } from 'vitest/config';
import { each, run } from './vitest.shared.ts';

// Whole programs, from the command line and the guides, drills, and walks through all that there is: `npm run test:long`,
// which CI runs too.
export default defineConfig({
  test: {
    ...each,
    ...run,
    include: ['e2e/long/**/*.test.ts', '**/*.long.test.ts'],
    exclude: configDefaults.exclude,
    // Again for what hangs alone.
    testTimeout: 3_600_000,
  },
});
