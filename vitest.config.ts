import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { executableName, findBun } from './scripts/find-bun.mjs';
import { getDiskFolder, useMemoryFolder } from './test/memory-folder.ts';

useMemoryFolder();

const operations = ['src/*/operations/**/*.test.ts', 'src/store/**/*.test.ts', 'test/scenarios/**/*.test.ts'];
/** Tests that do not depend on the store run on one engine only. */
const storeless = [
  'src/admin/operations/help',
  'src/admin/operations/completion',
  'src/admin/operations/setup',
  'src/admin/operations/inject',
  'src/skills/operations/install',
  'test/scenarios/unknown-tasks',
  'test/scenarios/wrong-values',
].map((name) => `${name}.test.ts`);
/** Tests that measure time or memory, wait for a fixed time, or start many processes at once run alone. */
const timed = [
  'bench-times',
  'faults/claims',
  'faults/crowds',
  'faults/runner',
  'faults/server',
  'faults/storage',
  'faults/team',
  'faults/workers',
].map((name) => `test/${name}.test.ts`);
/** `npm run test:fixes` records no error of the guides, which take long. */
const unrecorded = process.env.CLEO_FIXES === 'full' ? ['test/docs.test.ts'] : [];
/** Long files start first: one that starts last would run alone on one core. */
const longest = ['faults/hostile', 'faults/migrate', 'parity', 'linear-time', 'docs', 'skills', 'plan-in-git'].map(
  (name) => `test/${name}.test.ts`,
);

/** Keeps the order of the projects, which share their processes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const getRank = ({ moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(import.meta.dirname, moduleId).replaceAll('\\', '/'));
      return place < 0 ? longest.length : place;
    };
    return projects.flatMap((project) => sorted.filter((file) => file.project === project).sort((a, b) => getRank(a) - getRank(b)));
  }
}

/** Tests that start processes but cannot apply to the native build. */
const nodeTests = [
  // How Node loads the code: parts, code cache and the end of a process.
  'test/bench*.test.ts',
  // The SQLite driver of the npm package.
  'test/driver.test.ts',
  // Bun reports a deleted working folder itself; `test/native.test.ts` has the test of it.
  'test/faults/deleted-folder.test.ts',
];

/** True for `npm run test:native`, which runs all tests that start processes on the native build. */
const isNativeFull = process.env.CLEO_NATIVE === 'full';

/** Tests of the sources, which start no process. */
const sourceTests = ['tidy', 'language', 'linear-time'].map((name) => `test/${name}.test.ts`);

/** Tests that run on the native build too, where Bun is installed. */
const nativeTests = isNativeFull
  ? {
      include: ['test/*.test.ts', 'test/faults/*.test.ts'],
      exclude: [...sourceTests, ...nodeTests, ...timed],
    }
  : {
      include: [
        'test/native.test.ts',
        ...['mcp', 'mcp-wire', 'identity', 'prompts', 'faults/claims', 'faults/kill', 'faults/mcp'].map((name) => `test/${name}.test.ts`),
      ],
    };

const common = { setupFiles: ['test/seed.ts'], globalSetup: ['test/fresh-index.ts'], testTimeout: 60_000, hookTimeout: 60_000 };
/** Tests that run the built command. */
const built = { ...common, globalSetup: [...common.globalSetup, 'test/fresh-dist.ts'] };
/** Tests that run alone. Users have their projects on a disk. */
const alone = { env: { TMPDIR: getDiskFolder() }, testTimeout: 600_000, fileParallelism: false };
/** Tests that run the native build. */
const native = {
  ...built,
  env: { CLEO_BIN: `dist-native/${executableName}` },
  globalSetup: [...built.globalSetup, 'test/fresh-native.ts'],
  testTimeout: 600_000,
};

export default defineConfig({
  test: {
    // Tests mostly wait for other processes: a database server, a command line.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Without isolation one process runs many files, which takes half the time. Tests of rules and operations share no state.
      { test: { ...common, name: 'rules', isolate: false, include: ['src/**/*.test.ts'], exclude: operations } },
      {
        test: {
          ...common,
          name: 'sqlite',
          isolate: false,
          include: operations,
          exclude: ['src/store/dialects/postgres*.test.ts', 'src/store/sql/tasks/rank-plans.test.ts'],
          env: { CLEO_TEST_ENGINE: 'sqlite' },
        },
      },
      {
        test: {
          ...built,
          name: 'postgres',
          isolate: false,
          include: [...operations, 'test/engines/*.test.ts'],
          exclude: ['src/store/dialects/sqlite*.test.ts', 'src/admin/operations/backup-restore.test.ts', ...storeless],
          env: { CLEO_TEST_ENGINE: 'postgres' },
          globalSetup: [...built.globalSetup, 'test/postgres.ts'],
        },
      },
      {
        test: {
          ...built,
          name: 'surfaces',
          include: ['test/*.test.ts'],
          exclude: [...timed, ...unrecorded, 'test/native.test.ts'],
          testTimeout: 120_000,
        },
      },
      { test: { ...built, name: 'damage', include: ['test/faults/*.test.ts'], exclude: timed, testTimeout: 600_000 } },
      { test: { ...built, ...alone, name: 'faults', include: timed } },
      ...(findBun() ? [{ test: { ...native, ...nativeTests, name: 'native' } }] : []),
      ...(findBun() && isNativeFull
        ? [
            {
              test: { ...native, ...alone, name: 'native-timed', include: timed, exclude: nodeTests, env: { ...native.env, ...alone.env } },
            },
          ]
        : []),
      // Tests of the page drive a browser, which all files share. A process runs many files, so that it connects to it once.
      {
        test: {
          ...built,
          name: 'web',
          isolate: false,
          include: ['web/test/*.test.ts'],
          globalSetup: [...built.globalSetup, 'web/test/global-setup.ts'],
          testTimeout: 120_000,
        },
      },
      // `npm run shots` and `npm run bench:web`
      ...(process.env.CLEO_WEB_RUN
        ? [
            {
              test: {
                ...built,
                name: process.env.CLEO_WEB_RUN,
                include: [`web/bench/${process.env.CLEO_WEB_RUN}.ts`],
                globalSetup: [...built.globalSetup, 'web/test/global-setup.ts'],
                testTimeout: 600_000,
                hookTimeout: 600_000,
              },
            },
          ]
        : []),
      // `npm run test:clients` sets the folder of the installed clients.
      ...(process.env.CLEO_CLIENTS_DIR
        ? [{ test: { ...built, name: 'clients', include: ['test/clients/*.test.ts'], testTimeout: 300_000 } }]
        : []),
      // `npm run test:peers` sets the paths of the installed tools.
      ...(process.env.CLEO_PEERS ? [{ test: { ...built, name: 'peers', include: ['test/peers/*.test.ts'], testTimeout: 300_000 } }] : []),
    ],
  },
});
