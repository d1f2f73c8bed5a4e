import { defineConfig } from 'vitest/config';

const operations = ['src/*/operations/**/*.test.ts', 'src/store/**/*.test.ts', 'test/scenarios/**/*.test.ts'];
/** Tests that do not use a store run on one engine only. */
const storeless = [
  'admin/operations/help',
  'admin/operations/completion',
  'admin/operations/setup',
  'admin/operations/inject',
  'skills/operations/install',
].map((name) => `src/${name}.test.ts`);
/** Tests that measure time run alone. */
const timed = ['test/bench.test.ts'];
/** Tests of bad input and damage can run in parallel. Those with many processes or kills cannot. */
const parallelFaults = [
  'hostile',
  'hostile-cli',
  'queries',
  'all-or-nothing',
  'damage',
  'migrate',
  'tampering',
  'traces',
  'wire',
  'fuzz',
  'plan-merge',
].map((name) => `test/faults/${name}.test.ts`);
const common = { setupFiles: ['test/seed.ts'], globalSetup: ['test/fresh-index.ts'], testTimeout: 60_000, hookTimeout: 60_000 };
/** Tests that run the built command. */
const built = { ...common, globalSetup: [...common.globalSetup, 'test/fresh-dist.ts'] };

export default defineConfig({
  test: {
    // Tests mostly wait for other processes: a database server, a command line.
    maxWorkers: 2,
    projects: [
      // Without isolation one process runs many files, which takes half the time. These tests share no state.
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
          ...built,
          name: 'postgres',
          // The SQLite run isolates the same files; here they share their schemas.
          isolate: false,
          include: [...operations, 'test/engines/*.test.ts'],
          exclude: ['src/store/dialects/sqlite*.test.ts', 'src/admin/operations/backup-restore.test.ts', ...storeless],
          env: { CLEO_TEST_ENGINE: 'postgres' },
          globalSetup: [...built.globalSetup, 'test/postgres.ts'],
        },
      },
      { test: { ...built, name: 'surfaces', include: ['test/*.test.ts'], exclude: timed, testTimeout: 120_000 } },
      { test: { ...built, name: 'damage', include: parallelFaults, testTimeout: 600_000 } },
      {
        test: {
          ...built,
          name: 'faults',
          include: ['test/faults/*.test.ts', ...timed],
          exclude: parallelFaults,
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
      // `npm run test:clients` sets the folder of the installed clients.
      ...(process.env.CLEO_CLIENTS_DIR
        ? [{ test: { ...built, name: 'clients', include: ['test/clients/*.test.ts'], testTimeout: 300_000 } }]
        : []),
    ],
  },
});
