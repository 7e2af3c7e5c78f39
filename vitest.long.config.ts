import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// What takes minutes by itself: `npm run test:long`, which CI runs too.
export default defineConfig({
  test: {
    ...base.test,
    include: ['e2e/long/**/*.test.ts', 'e2e/fleet.test.ts'],
    exclude: [],
    // Again for what hangs alone.
    testTimeout: 3_600_000,
    env: { FLEET_SIZE: '200' },
  },
});
