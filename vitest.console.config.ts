import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The console in a real browser: `npm run test:console`, which CI runs too.
// A browser may miss a frame: what fails is tried once more, and the report counts the tries.
export default defineConfig({ test: { ...base.test, include: ['e2e/console/**/*.test.ts'], exclude: [], retry: 1 } });
