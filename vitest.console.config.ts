import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The console in a real browser: `npm run test:console`, which CI runs too.
export default defineConfig({ test: { ...base.test, include: ['e2e/console/**/*.test.ts'], exclude: [] } });
