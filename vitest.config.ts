import { configDefaults, defineConfig } from 'vitest/config';
import { each, run } from './vitest.shared.ts';

/** Tests of the specification: they pass with the extensions and without. */
const specification = ['packages/service/src/core/**/*.test.ts'];

export default defineConfig({
  test: {
    ...run,
    projects: [
      {
        test: {
          ...each,
          name: 'all',
          include: ['packages/*/{src,test}/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
          // They have commands of their own: `npm run test:clients`, `test:console`, `test:long`.
          exclude: [...configDefaults.exclude, 'e2e/clients/**', 'e2e/console/**', 'e2e/long/**', '**/*.long.test.ts'],
        },
      },
      {
        test: {
          ...each,
          name: 'core',
          include: specification,
          exclude: [...configDefaults.exclude, '**/*.long.test.ts'],
          env: { MOORAGE_TEST_EXTENSIONS: 'none' },
        },
      },
    ],
  },
});
