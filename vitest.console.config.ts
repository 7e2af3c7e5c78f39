import { defineConfig } from 'vitest/config';
import { each, run } from './vitest.shared.ts';

// The console in a real browser: `npm run test:console`, which CI runs too.
export default defineConfig({ test: { ...each, ...run, include: ['e2e/console/**/*.test.ts'], exclude: [] } });
