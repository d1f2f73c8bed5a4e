import { defineConfig } from 'vitest/config';

const operations = ['src/*/operations/**/*.test.ts', 'src/store/**/*.test.ts', 'test/scenarios/**/*.test.ts'];
/** They ask no store for anything: one engine is enough. */
const storeless = [
  'admin/operations/help',
  'admin/operations/completion',
  'admin/operations/setup',
  'admin/operations/inject',
  'skills/operations/install',
].map((name) => `src/${name}.test.ts`);
/** What measures time runs alone. */
const timed = ['test/bench.test.ts'];
/** Bad input and damage can be tried side by side; crowds and kills want the machine for themselves. */
const quiet = ['hostile', 'hostile-cli', 'queries', 'all-or-nothing', 'damage', 'migrate', 'tampering', 'traces'].map(
  (name) => `test/faults/${name}.test.ts`,
);
const common = { setupFiles: ['test/seed.ts'], testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Much of the time goes to waiting for other processes: a database server, a command line.
    maxWorkers: 2,
    projects: [
      // They keep no state between them: one process for many files takes half of the time.
      { test: { ...common, name: 'rules', isolate: false, include: ['src/**/*.test.ts'], exclude: operations } },
      {
        test: {
          ...common,
          name: 'sqlite',
          include: operations,
          exclude: ['src/store/dialects/postgres.test.ts'],
          env: { CLEO_TEST_ENGINE: 'sqlite' },
        },
      },
      {
        test: {
          ...common,
          name: 'postgres',
          // The same files run apart from each other on SQLite; here they share their schemas.
          isolate: false,
          include: [...operations, 'test/engines/*.test.ts'],
          exclude: ['src/store/dialects/sqlite.test.ts', ...storeless],
          env: { CLEO_TEST_ENGINE: 'postgres' },
          globalSetup: ['test/postgres.ts'],
        },
      },
      { test: { ...common, name: 'doors', include: ['test/*.test.ts'], exclude: timed, testTimeout: 120_000 } },
      { test: { ...common, name: 'damage', include: quiet, testTimeout: 600_000 } },
      {
        test: {
          ...common,
          name: 'faults',
          include: ['test/faults/*.test.ts', ...timed],
          exclude: quiet,
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
