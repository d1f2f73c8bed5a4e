import { renameSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { splitShellWords } from '../app.ts';
import { openNexus, type TestNexus, updateConfig } from '../nexus-world.ts';

interface Case {
  why: string;
  /** A variant of an earlier case; it runs only on SQLite. */
  isVariant?: boolean;
  permissions?: Record<string, string>;
  arrange?: (nexus: TestNexus) => unknown;
  /** A command line in the project `api`. */
  run: string;
  exit: number;
  code: string;
  fix: RegExp;
  /** The exit code of the fix. */
  plays?: number;
  /** A command that works after the fix; by default the failed command. */
  then?: string;
  ends?: number;
}

const runInApi = (line: string) => (nexus: TestNexus) => nexus.apps.api!.cli(splitShellWords(line));
const runInWeb = (line: string) => (nexus: TestNexus) => nexus.apps.web!.cli(splitShellWords(line));
const both =
  (...acts: ((nexus: TestNexus) => unknown)[]) =>
  async (nexus: TestNexus) => {
    for (const act of acts) await act(nexus);
  };
const removeRegistry = (nexus: TestNexus): void => renameSync(nexus.registry, `${nexus.registry}.away`);
const overwriteRegistry = (text: string) => (nexus: TestNexus) => writeFileSync(nexus.registry, text);
const breakConfig = (nexus: TestNexus): void =>
  updateConfig(nexus.apps.web!, (config) => {
    config.mood = 'good';
  });
const makeStoreNewer = (nexus: TestNexus) =>
  nexus.apps.web!.tamper("insert into schema_migrations (version, checksum, applied_at) values (99, 'x', 'now')");
const makeStoreOlder = (nexus: TestNexus) =>
  nexus.apps.web!.tamper('delete from schema_migrations where version = (select max(version) from schema_migrations)');
const removeWeb = (nexus: TestNexus) => renameSync(`${nexus.apps.web!.root}/.cleo`, `${nexus.apps.web!.root}/away`);

const errorCases: Case[] = [
  ...['nexus list', 'nexus query web:T001', 'nexus register', 'nexus sync', 'nexus graph', 'nexus permissions'].map((run, i) => ({
    why: `${run} before init`,
    isVariant: i > 0,
    arrange: removeRegistry,
    run,
    exit: 70,
    code: 'E_NEXUS_NOT_INITIALIZED',
    fix: /^cleo nexus init$/,
    then: 'nexus register',
  })),
  {
    why: 'a misspelt project',
    run: 'nexus query wbe:T001',
    exit: 71,
    code: 'E_NEXUS_PROJECT_NOT_FOUND',
    fix: /^cleo nexus query web:T001$/,
    then: 'nexus query web:T001',
  },
  {
    why: 'an unregistered project',
    isVariant: true,
    run: 'nexus deps add T001 mobile:T001',
    exit: 71,
    code: 'E_NEXUS_PROJECT_NOT_FOUND',
    fix: /^cleo nexus list$/,
    then: 'nexus register --name api',
    ends: 101,
  },
  {
    why: 'a misspelt name to unregister',
    isVariant: true,
    run: 'nexus unregister wev',
    exit: 71,
    code: 'E_NEXUS_PROJECT_NOT_FOUND',
    fix: /^cleo nexus unregister web$/,
    then: 'nexus list',
  },
  ...['nexus query web:T001', 'nexus query web:parser', 'nexus deps add T001 web:T001', 'nexus deps web:T001'].map((run, i) => ({
    why: `${run} of a closed project`,
    isVariant: i > 0,
    permissions: { web: 'none' },
    run,
    exit: 72,
    code: 'E_NEXUS_PERMISSION_DENIED',
    fix: /^cleo nexus permissions$/,
    then: 'nexus permissions set web read',
  })),
  {
    why: 'no project',
    run: 'nexus query T001',
    exit: 73,
    code: 'E_NEXUS_INVALID_SYNTAX',
    fix: /^cleo nexus query '\*:T001'$/,
    then: "nexus query '*:T001'",
  },
  {
    why: 'capital letters',
    isVariant: true,
    run: 'nexus query Web:T001',
    exit: 73,
    code: 'E_NEXUS_INVALID_SYNTAX',
    fix: /^cleo nexus query web:T001$/,
    then: 'nexus list',
  },
  {
    why: 'no question',
    isVariant: true,
    run: 'nexus query web:',
    exit: 73,
    code: 'E_NEXUS_INVALID_SYNTAX',
    fix: /^cleo help nexus query$/,
    then: 'nexus query web:T001',
  },
  {
    why: 'a text as dependency',
    isVariant: true,
    run: 'nexus deps add T001 web:soon',
    exit: 73,
    code: 'E_NEXUS_INVALID_SYNTAX',
    fix: /^cleo help nexus deps add$/,
    then: 'nexus deps add T001 web:T001',
  },
  {
    why: 'a removed project',
    arrange: both(runInApi('nexus deps add T001 web:T001'), removeWeb),
    run: 'nexus sync',
    exit: 74,
    code: 'E_NEXUS_SYNC_FAILED',
    fix: /^cleo nexus sync --except web$/,
    plays: 102,
    then: 'nexus deps remove T001 web:T001',
  },
  {
    why: 'a newer store',
    isVariant: true,
    arrange: both(runInApi('nexus deps add T001 web:T001'), makeStoreNewer),
    run: 'nexus sync',
    exit: 74,
    code: 'E_NEXUS_SYNC_FAILED',
    fix: /^cleo nexus sync --except web$/,
    plays: 102,
    then: 'nexus list',
  },
  {
    why: 'a project that is no longer registered',
    isVariant: true,
    arrange: both(runInApi('nexus deps add T001 web:T001'), runInApi('nexus unregister web')),
    run: 'nexus sync',
    exit: 74,
    code: 'E_NEXUS_SYNC_FAILED',
    fix: /^cleo nexus sync --except web$/,
    plays: 102,
    then: 'nexus deps remove T001 web:T001',
  },
  ...[
    ['torn', '{"format":"cleo-nexus","version":1,"pro'],
    ['empty', ''],
    ['of somebody else', '{"projects":{"web":"/web"}}'],
    ['with a wrong entry', '{"format":"cleo-nexus","version":1,"projects":[{"name":"web"}]}'],
  ].map(([how, text], i) => ({
    why: `a registry that is ${how}`,
    isVariant: i > 0,
    arrange: overwriteRegistry(text!),
    run: 'nexus register',
    exit: 75,
    code: 'E_NEXUS_REGISTRY_CORRUPT',
    fix: /^mv \S+nexus\.json \S+nexus\.json\.damaged-\d{17} && cleo nexus init$/,
  })),
  {
    why: 'a registry of a newer cleo',
    isVariant: true,
    arrange: overwriteRegistry('{"format":"cleo-nexus","version":2,"projects":[]}'),
    run: 'nexus init',
    exit: 75,
    code: 'E_NEXUS_REGISTRY_CORRUPT',
    fix: /^cleo version$/,
    then: 'list',
  },
  {
    why: 'a name in use',
    arrange: runInApi('nexus unregister api'),
    run: 'nexus register --name web',
    exit: 76,
    code: 'E_NEXUS_PROJECT_EXISTS',
    fix: /^cleo nexus register --name web-2$/,
    then: 'nexus query web-2:T001',
  },
  {
    why: 'a second name',
    isVariant: true,
    run: 'nexus register --name backend',
    exit: 76,
    code: 'E_NEXUS_PROJECT_EXISTS',
    fix: /^cleo nexus register \S+ --name api$/,
    plays: 101,
    then: 'nexus query api:T001',
  },
  {
    why: 'another permission',
    isVariant: true,
    run: 'nexus register --permission write',
    exit: 76,
    code: 'E_NEXUS_PROJECT_EXISTS',
    fix: /^cleo nexus permissions$/,
    then: 'nexus permissions set api write',
  },
  {
    why: 'a project with an invalid configuration',
    arrange: breakConfig,
    run: 'nexus query web:T001',
    exit: 77,
    code: 'E_NEXUS_QUERY_FAILED',
    fix: /^Ask a person to run: (CLEO_DATABASE_URL= )?CLEO_ROOT=\S+ cleo config unset mood$/,
  },
  {
    why: 'a project with a newer store',
    arrange: makeStoreNewer,
    run: 'nexus query web:parser',
    exit: 77,
    code: 'E_NEXUS_QUERY_FAILED',
    fix: /^(CLEO_DATABASE_URL= )?CLEO_ROOT=\S+ cleo version$/,
    then: "nexus query '*:T001'",
  },
  {
    why: 'a query of a removed project',
    isVariant: true,
    arrange: removeWeb,
    run: 'nexus query web:T001',
    exit: 77,
    code: 'E_NEXUS_QUERY_FAILED',
    fix: /^cleo nexus list$/,
    then: 'nexus unregister web',
  },
  {
    why: 'a cycle',
    arrange: runInWeb('nexus deps add T001 api:T001'),
    run: 'nexus deps add T001 web:T001',
    exit: 78,
    code: 'E_NEXUS_GRAPH_ERROR',
    fix: /^cleo nexus deps T001$/,
    then: 'nexus deps add T001 web:T002',
  },
  {
    why: 'a cycle through a project, its tasks and their parents',
    // api:T001 → web:T002 → (inside web) T003 → api:T002 → (inside api) what contains it, which waits for T001.
    arrange: both(runInWeb('update T002 --depends T003'), runInWeb('nexus deps add T003 api:T003'), runInApi('update T002 --depends T001')),
    run: 'nexus deps add T001 web:T002',
    exit: 78,
    code: 'E_NEXUS_GRAPH_ERROR',
    fix: /^cleo nexus deps T001$/,
    then: 'nexus deps add T004 web:T002',
  },
  {
    why: 'a start before the dependency is done',
    arrange: runInApi('nexus deps add T001 web:T001'),
    run: 'start T001',
    exit: 6,
    code: 'E_VALIDATION_DEPENDS',
    fix: /^cleo nexus deps T001$/,
    then: 'nexus deps remove T001 web:T001',
  },
];

const worlds = {
  api: ['T001: Serve tasks', 'T002 epic: Release', 'T003 in T002: Sign', 'T004: Log'],
  web: ['T001: Show tasks', 'T002: Write the parser', 'T003: Style'],
};

describe('each error has its code, changes neither the registry nor a task, and its fix works', () => {
  test.each(errorCases.filter(({ isVariant }) => !isVariant || process.env.CLEO_TEST_ENGINE !== 'postgres'))(
    '$exit $code: $why',
    async ({ permissions, arrange, run, exit, code, fix, plays = 0, then, ends = 0 }) => {
      const nexus = await openNexus(worlds, { permissions, useSameEngine: true });
      const { api } = nexus.apps;
      await arrange?.(nexus);
      const before = [readState(nexus), (await api!.call('tasks.export')).content];
      const refused = await api!.cli(splitShellWords(run));
      expect(refused).toMatchObject({ exitCode: exit, envelope: { success: false, error: { code, fix: expect.stringMatching(fix) } } });
      expect([readState(nexus), (await api!.call('tasks.export')).content]).toEqual(before);
      expect(await nexus.runFix(refused.envelope.error.fix)).toBe(plays);
      expect((await api!.cli(splitShellWords(then ?? run))).exitCode).toBe(ends);
    },
  );
});

function readState(nexus: TestNexus): string {
  try {
    return nexus.readRegistry();
  } catch {
    return 'none';
  }
}

test('a query does not migrate an older store', async () => {
  const nexus = await openNexus(worlds, { useSameEngine: true });
  await makeStoreOlder(nexus);
  for (const _ of [1, 2])
    expect(await nexus.apps.api!.cli(['nexus', 'query', 'web:T001'])).toMatchObject({
      exitCode: 77,
      envelope: { error: { fix: expect.stringMatching(/CLEO_ROOT=\S+ cleo upgrade$/) } },
    });
});

test('a closed project is closed for every operation, and the others answer', async () => {
  const nexus = await openNexus({ ...worlds, secret: ['T001: The parser of the secret', 'T002: Another'] });
  const { api, secret } = nexus.apps;
  await api!.call('nexus.deps.add', { taskId: 'T001', on: 'secret:T001' });
  await secret!.call('nexus.deps.add', { taskId: 'T002', on: 'api:T001' });
  await api!.call('nexus.permissions.set', { name: 'secret', permission: 'none' });
  await secret!.call('tasks.complete', { taskId: 'T001' });
  const answers: [string, number][] = [
    ["nexus query '*:parser'", 0],
    ["nexus query '*:secret'", 100],
    ['nexus deps T001', 0],
    ['nexus deps api:T001', 0],
    ['nexus graph', 0],
    ['nexus graph --mermaid --json', 0],
    ['nexus sync', 102],
    ['nexus sync --all', 102],
    ['nexus list', 0],
    ['show T001', 0],
  ];
  for (const [line, exit] of answers) {
    const { exitCode, out } = await api!.cli(splitShellWords(line));
    expect({ line, exitCode }).toEqual({ line, exitCode: exit });
    expect(out).not.toMatch(/The parser of the secret|Another/);
  }
  expect(await api!.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'blocked' } });
  expect(await api!.call('nexus.deps', { task: 'T001' })).toMatchObject({
    deps: { waitsFor: [{ project: 'secret', id: 'T001', note: 'the project is closed' }], waitedForBy: [] },
  });
});

const seedLines: [string, number][] = [
  ['nexus init', 101],
  ['nexus register --name api', 101],
  ['nexus list', 0],
  ['nexus query web:T001', 0],
  ["nexus query '*:parser'", 0],
  ["nexus query '*:nothing'", 100],
  ['nexus deps add T001 web:T001', 0],
  ['nexus deps add T001 web:T001', 101],
  ['nexus deps T001', 0],
  ['nexus graph', 0],
  ['nexus sync', 102],
  ['nexus permissions', 0],
  ['nexus permissions set web write', 0],
  ['nexus permissions set web write', 102],
  ['nexus sync --all', 102],
  ['nexus deps remove T001 web:T001', 0],
  ['nexus unregister web', 0],
];

test('every nexus command runs as specified', async () => {
  const { apps } = await openNexus(worlds);
  for (const [line, exit] of seedLines)
    expect({ line, exit: (await apps.api!.cli(splitShellWords(line))).exitCode }).toEqual({ line, exit });
});
