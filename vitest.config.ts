import { defineConfig } from 'vitest/config';

const operations = ['src/operations/**/*.test.ts', 'src/store/**/*.test.ts', 'test/scenarios/**/*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { test: { name: 'rules', include: ['src/**/*.test.ts'], exclude: operations, testTimeout: 60_000 } },
      {
        test: {
          name: 'sqlite',
          include: operations,
          exclude: ['src/store/dialects/postgres.test.ts'],
          env: { CLEO_TEST_ENGINE: 'sqlite' },
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'postgres',
          include: [...operations, 'test/engines/*.test.ts'],
          exclude: ['src/store/dialects/sqlite.test.ts'],
          env: { CLEO_TEST_ENGINE: 'postgres' },
          globalSetup: ['test/postgres.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'doors', include: ['test/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'faults', include: ['test/faults/*.test.ts'], testTimeout: 600_000, hookTimeout: 60_000, fileParallelism: false } },
    ],
  },
});
