import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { formatProjectSchema } from '#core/model/config-schema.ts';
import { asPerson, openApp } from '../../../test/app.ts';
import { createEmptyFolder, readProjectKey, type TestFolder } from '../../../test/folder.ts';

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
const engine = isPostgres ? { store: { engine: 'postgres' } } : {};
const readConfig = ({ root }: TestFolder) => JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8'));
const readFiles = (root: string): Record<string, string> =>
  Object.fromEntries(
    ['config.json', '.gitignore', 'config.schema.json'].map((name) => [name, readFileSync(join(root, '.cleo', name), 'utf8')]),
  );

test('creates a project that works at once', async () => {
  const folder = createEmptyFolder();
  expect(await folder.call('admin.init')).toMatchObject({
    success: true,
    project: { root: folder.root, store: isPostgres ? 'postgres' : 'sqlite', created: true },
  });
  expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ task: { id: 'T001' } });
  expect(readdirSync(folder.root)).toEqual(['.cleo']);
});

test('derives the project key from the folder and writes the JSON Schema', async () => {
  const folder = createEmptyFolder().createSubfolder('My  Shop (v2)');
  await folder.call('admin.init');
  expect(readConfig(folder)).toEqual({
    ...engine,
    $schema: './config.schema.json',
    project: { key: expect.stringMatching(/^my_shop_v2_[0-9a-f]{8}$/) },
  });
  expect(readFiles(folder.root)['config.schema.json']).toBe(formatProjectSchema());
});

test('creates a key for a folder name without Latin letters', async () => {
  const folder = createEmptyFolder().createSubfolder('计划');
  expect(await folder.call('admin.init')).toMatchObject({ success: true });
  expect(readProjectKey(folder.root)).toMatch(/^project_[0-9a-f]{8}$/);
});

test('git sees only files that can be shared, without changing the .gitignore of the user', async () => {
  const folder = createEmptyFolder();
  git(folder, 'init', '-q');
  await folder.call('admin.init');
  await folder.call('tasks.add', { title: 'First' });
  mkdirSync(join(folder.root, '.cleo', 'backups'));
  for (const file of ['backups/x.db', 'trace-salt', 'cleo.db-wal', 'config.json.lock'])
    writeFileSync(join(folder.root, '.cleo', file), 'x');
  expect(git(folder, 'status', '--porcelain', '-uall').trim().split('\n').sort()).toEqual([
    '?? .cleo/.gitignore',
    '?? .cleo/config.json',
    '?? .cleo/config.schema.json',
  ]);
});

test('creates a small .cleo folder', async () => {
  const folder = createEmptyFolder();
  await folder.call('admin.init');
  const size = readdirSync(join(folder.root, '.cleo')).reduce((sum, name) => sum + statSync(join(folder.root, '.cleo', name)).size, 0);
  expect(size).toBeLessThanOrEqual(640 * 1024);
});

describe('an existing project', () => {
  test('is unchanged, with exit code 101', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    await folder.call('tasks.add', { title: 'First' });
    const before = readFiles(folder.root);
    expect(await folder.call('admin.init')).toMatchObject({
      success: true,
      _meta: { exitCode: 101 },
      project: { root: folder.root, created: false },
    });
    expect(readFiles(folder.root)).toEqual(before);
    expect(await folder.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'First' } });
  });

  test('is found from a subfolder', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    const inside = folder.createSubfolder('src/deep');
    expect(await inside.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 }, project: { root: folder.root } });
    expect(existsSync(join(inside.root, '.cleo'))).toBe(false);
  });

  test('is ignored in a nested repository and with CLEO_ROOT', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    const repository = folder.createSubfolder('vendor/lib');
    git(repository, 'init', '-q');
    expect(await repository.call('admin.init')).toMatchObject({ project: { root: repository.root, created: true } });
    const named = folder.createSubfolder('named');
    expect(await named.withEnv({ CLEO_ROOT: named.root }).call('admin.init')).toMatchObject({
      project: { root: named.root, created: true },
    });
  });
});

test('linked worktrees share the store of the main worktree', async () => {
  const main = createEmptyFolder().createSubfolder('main');
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', '../linked');
  const linked = main.createSubfolder('../linked');
  expect(await linked.createSubfolder('src').call('admin.init')).toMatchObject({ project: { root: main.root, created: true } });
  await linked.createSubfolder('src').call('tasks.add', { title: 'From a worktree' });
  expect(await main.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'From a worktree' } });
  expect(await main.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 } });
});

test('a worktree with a checked out .cleo/config.json uses the store of the main worktree', async () => {
  const main = createEmptyFolder().createSubfolder('main');
  git(main, 'init', '-q');
  await main.call('admin.init');
  await main.call('tasks.add', { title: 'Shared' });
  git(main, 'add', '.cleo');
  git(main, 'commit', '-q', '-m', 'configuration');
  git(main, 'worktree', 'add', '-q', '../linked');
  const linked = main.createSubfolder('../linked');
  expect(existsSync(join(linked.root, '.cleo', 'config.json'))).toBe(true);
  expect(await linked.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'Shared' } });
  expect(await linked.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 }, project: { root: main.root } });
});

test('keeps the committed key and settings of a clone', async () => {
  const folder = createEmptyFolder();
  mkdirSync(join(folder.root, '.cleo'));
  const key = `clone_${Math.random().toString(16).slice(2, 10)}`;
  writeFileSync(join(folder.root, '.cleo', 'config.json'), JSON.stringify({ project: { key }, hierarchy: { maxSiblings: 3 } }));
  expect(await folder.call('admin.init')).toMatchObject({ project: { created: true } });
  expect(readConfig(folder)).toEqual({ ...engine, project: { key }, hierarchy: { maxSiblings: 3 } });
  expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ success: true });
});

test("rejects the user's home folder", async () => {
  const folder = createEmptyFolder();
  const home = folder.createSubfolder('../home');
  expect(await home.call('admin.init')).toMatchObject({
    error: { code: 'E_FILE_ERROR', exitCode: 3, fix: 'mkdir -p project && cd project && cleo init' },
  });
  expect(readdirSync(home.root)).toEqual([]);
  mkdirSync(join(home.root, '.cleo'));
  expect(await home.call('admin.init')).toMatchObject({ error: { exitCode: 3 } });
  expect(readdirSync(join(home.root, '.cleo'))).toEqual([]);
});

test('rejects a file named .cleo', async () => {
  const folder = createEmptyFolder();
  writeFileSync(join(folder.root, '.cleo'), 'a file');
  expect(await folder.call('admin.init')).toMatchObject({ error: { code: 'E_FILE_ERROR', exitCode: 3 } });
  expect(readFileSync(join(folder.root, '.cleo'), 'utf8')).toBe('a file');
});

test('rejects an invalid configuration with 8 and leaves it unchanged', async () => {
  const folder = createEmptyFolder();
  mkdirSync(join(folder.root, '.cleo'));
  writeFileSync(join(folder.root, '.cleo', 'config.json'), '{"nope": 1}');
  expect(await folder.call('admin.init')).toMatchObject({ error: { exitCode: 8, fix: 'Ask a person to run: cleo config unset nope' } });
  expect(readdirSync(join(folder.root, '.cleo'))).toEqual(['config.json']);
});

describe('a store address', () => {
  test('with a password is rejected without repeating it', async () => {
    const folder = createEmptyFolder();
    const answer = await folder.call('admin.init', { store: 'postgres://ada:hunter2hunter2@db.example/work' });
    expect(answer).toMatchObject({
      error: { code: 'E_VALIDATION_STORE', exitCode: 6, fix: 'cleo init --store postgres://ada@db.example/work' },
    });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(existsSync(join(folder.root, '.cleo'))).toBe(false);
  });

  test('of another database is rejected', async () => {
    expect(await createEmptyFolder().call('admin.init', { store: 'mysql://db/work' })).toMatchObject({
      error: { code: 'E_VALIDATION_STORE', exitCode: 6 },
    });
  });

  // The name ends in .invalid, so a connection fails: E_STORE_UNREACHABLE means that one was tried.
  const store = 'postgres://ada@db.invalid/work';
  const unreachable = { error: { code: 'E_STORE_UNREACHABLE', exitCode: 3 } };

  test('on another machine needs a person before the connection', async () => {
    const folder = createEmptyFolder();
    delete folder.env.CLEO_DATABASE_URL;
    const forbidden = { error: { code: 'E_FORBIDDEN', exitCode: 64, fix: `Ask a person to run: cleo init --store ${store}` } };
    for (const gateway of ['cli', 'cleo_mutate'] as const)
      expect(await folder.call('admin.init', { store }, { gateway })).toMatchObject(forbidden);
    expect(existsSync(join(folder.root, '.cleo'))).toBe(false);
    const pair = 'postgres://127.0.0.1:1,db.invalid/work';
    expect(await folder.call('admin.init', { store: pair })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
    expect(await folder.withEnv({ PGHOST: 'db.invalid' }).call('admin.init', { store: 'postgres:///work' })).toMatchObject({
      error: { code: 'E_FORBIDDEN' },
    });
    expect((await folder.cli(['init', '--store', store], asPerson)).envelope).toMatchObject(unreachable);
  });

  test("of a clone on another machine is not trusted by an agent's init", async () => {
    const folder = createEmptyFolder();
    delete folder.env.CLEO_DATABASE_URL;
    mkdirSync(join(folder.root, '.cleo'), { mode: 0o700 });
    writeFileSync(join(folder.root, '.cleo', 'config.json'), JSON.stringify({ project: { key: 'clone' }, store: { url: store } }));
    expect(await folder.call('admin.init', { store })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
    expect(await folder.call('tasks.list')).toMatchObject({ error: { code: 'E_PROJECT_UNTRUSTED' } });
  });

  test("that is the user's own or on this machine needs no person", async () => {
    const folder = createEmptyFolder();
    expect(await folder.withEnv({ CLEO_DATABASE_URL: store }).call('admin.init', { store })).toMatchObject(unreachable);
    const other = createEmptyFolder();
    delete other.env.CLEO_DATABASE_URL;
    mkdirSync(join(other.env.HOME!, '.cleo'), { mode: 0o700 });
    writeFileSync(join(other.env.HOME!, '.cleo', 'config.json'), JSON.stringify({ store: { url: store } }));
    expect(await other.call('admin.init', { store })).toMatchObject(unreachable);
    const local = createEmptyFolder();
    delete local.env.CLEO_DATABASE_URL;
    expect(await local.call('admin.init', { store: 'postgres://127.0.0.1:1/none' })).toMatchObject(unreachable);
  });
});

if (isPostgres)
  describe('with PostgreSQL', () => {
    const createLocal = (): TestFolder => {
      const folder = createEmptyFolder();
      delete folder.env.CLEO_DATABASE_URL;
      return folder;
    };

    test('concurrent calls create the store once', async () => {
      const folder = createEmptyFolder();
      const answers = await Promise.all(Array.from({ length: 6 }, () => folder.call('admin.init')));
      expect(answers.map((answer) => answer.project?.created).sort()).toEqual([false, false, false, false, false, true]);
      expect(answers.map((answer) => answer._meta.exitCode ?? 0).sort()).toEqual([0, 101, 101, 101, 101, 101]);
      expect(readdirSync(join(folder.root, '.cleo')).filter((name) => /tmp|new/.test(name))).toEqual([]);
    });

    test('stores the address in the configuration', async () => {
      const folder = createLocal();
      const store = inject('databaseUrl');
      expect(await folder.call('admin.init', { store })).toMatchObject({ project: { store: 'postgres', created: true } });
      expect(readConfig(folder).store).toEqual({ engine: 'postgres', url: store });
      expect(existsSync(join(folder.root, '.cleo', 'cleo.db'))).toBe(false);
      expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ task: { id: 'T001' } });
      expect(await folder.call('admin.init', { store })).toMatchObject({ _meta: { exitCode: 101 } });
      expect(await folder.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 } });
    });

    test('rejects another address for an existing project', async () => {
      const folder = createLocal();
      await folder.call('admin.init');
      expect(await folder.call('admin.init', { store: inject('databaseUrl') })).toMatchObject({
        error: { code: 'E_VALIDATION_STORE', exitCode: 6 },
      });
      expect(readConfig(folder).store).toBeUndefined();
      const other = createEmptyFolder();
      await other.call('admin.init');
      expect(await other.call('admin.init', { store: 'postgres://elsewhere.example/work' })).toMatchObject({ error: { exitCode: 6 } });
    });

    test('records the engine, so that a clone without the address does not become a project of its own', async () => {
      const folder = createLocal();
      const withAddress = folder.withEnv({ CLEO_DATABASE_URL: inject('databaseUrl') });
      expect(await withAddress.call('admin.init')).toMatchObject({ project: { created: true, store: 'postgres' } });
      expect(await folder.call('admin.config.get', { key: 'store.engine' })).toMatchObject({ value: 'postgres' });
      const missing = { error: { code: 'E_CONFIG_ERROR', exitCode: 8, message: expect.stringContaining('CLEO_DATABASE_URL') } };
      for (const operation of ['admin.init', 'tasks.list']) expect(await folder.call(operation)).toMatchObject(missing);
      expect(existsSync(join(folder.root, '.cleo', 'cleo.db'))).toBe(false);
    });

    test('exits with 3 for an unreachable server, and works on a later attempt', async () => {
      const folder = createLocal();
      expect(await folder.call('admin.init', { store: 'postgres://127.0.0.1:1/none' })).toMatchObject({
        error: { code: 'E_STORE_UNREACHABLE', exitCode: 3 },
      });
      expect(await folder.call('admin.init', { store: inject('databaseUrl') })).toMatchObject({ project: { created: true } });
    });
  });

if (!isPostgres)
  describe('with SQLite', () => {
    test('creates a lost database again only if there is no backup', async () => {
      const folder = createEmptyFolder();
      await folder.call('admin.init');
      await folder.call('tasks.add', { title: 'First' });
      const { backup } = await folder.call('admin.backup.create');
      for (const end of ['', '-wal', '-shm']) rmSync(join(folder.root, '.cleo', `cleo.db${end}`), { force: true });
      const refused = await folder.call('admin.init');
      expect(refused).toMatchObject({
        error: { code: 'E_STORE_DAMAGED', exitCode: 3, fix: `Ask a person to run: cleo backup restore ${backup.id}` },
      });
      expect(existsSync(join(folder.root, '.cleo', 'cleo.db'))).toBe(false);
      rmSync(join(folder.root, '.cleo', 'backups'), { recursive: true });
      expect(await folder.call('admin.init')).toMatchObject({ project: { created: true } });
      expect(await folder.call('tasks.add', { title: 'Again' })).toMatchObject({ task: { id: 'T001' } });
    });

    test('rejects an empty or damaged database', async () => {
      const folder = createEmptyFolder();
      await folder.call('admin.init');
      for (const text of ['', 'no database at all, but long enough to be read as one'.repeat(20)]) {
        for (const end of ['-wal', '-shm']) rmSync(join(folder.root, '.cleo', `cleo.db${end}`), { force: true });
        writeFileSync(join(folder.root, '.cleo', 'cleo.db'), text);
        expect(await folder.call('admin.init')).toMatchObject({ error: { code: 'E_STORE_DAMAGED', exitCode: 3 } });
        expect(readFileSync(join(folder.root, '.cleo', 'cleo.db'), 'utf8')).toBe(text);
      }
    });

    test('ignores a write-ahead log of another database', async () => {
      const folder = createEmptyFolder();
      await folder.call('admin.init');
      const log = join(folder.root, '.cleo', 'cleo.db-wal');
      const old = createEmptyFolder();
      await old.call('admin.init');
      // The log of a database that is still open is not empty.
      await old.cli(['add', 'From another store']);
      writeFileSync(log, readFileSync(join(old.root, '.cleo', 'cleo.db-wal')));
      rmSync(join(folder.root, '.cleo', 'cleo.db'));
      expect(await folder.call('admin.init')).toMatchObject({ project: { created: true } });
      expect(await folder.call('tasks.list')).toMatchObject({ _meta: { exitCode: 100 }, tasks: [] });
      expect(readdirSync(join(folder.root, '.cleo')).some((name) => /^cleo\.db\.stray-\d+-wal$/.test(name))).toBe(true);
    });
  });

function git({ root }: TestFolder, ...args: string[]): string {
  const identity = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', ...identity },
  });
}

describe('agent clients', () => {
  const getTemplate = ({ env }: TestFolder): string => join(env.HOME!, '.cleo', 'templates', 'CLEO-INJECTION.md');

  test('writes the protocol text to the folder of the user and updates it', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    const { text } = await folder.call('admin.inject', { tier: 'orchestrator' });
    expect(readFileSync(getTemplate(folder), 'utf8')).toBe(text);
    writeFileSync(getTemplate(folder), 'old');
    expect(await folder.call('admin.upgrade', {}, asPerson)).toMatchObject({ _meta: { exitCode: 102 } });
    expect(readFileSync(getTemplate(folder), 'utf8')).toBe(text);
  });

  test('warns if the protocol text cannot be written', async () => {
    const folder = createEmptyFolder();
    writeFileSync(join(folder.env.HOME!, '.cleo'), 'in the way');
    const created = await folder.call('admin.init');
    expect(created).toMatchObject({ success: true, project: { created: true } });
    expect(created._meta.warnings).toEqual([expect.stringMatching(/^The protocol text was not written: /)]);
  });

  test('suggests found clients and sets them up only on request', async () => {
    const folder = createEmptyFolder();
    expect(await folder.call('admin.init')).toMatchObject({ offers: ['cleo setup'] });
    mkdirSync(join(folder.env.HOME!, '.codex'));
    mkdirSync(join(folder.root, '.cursor'));
    expect(await folder.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 }, offers: ['cleo setup codex', 'cleo setup cursor'] });
    expect(readdirSync(join(folder.root, '.cursor'))).toEqual([]);
    const done = await folder.call('admin.init', { setup: ['all'] });
    expect(done).toMatchObject({ success: true, project: { created: false } });
    expect(done.files.map(({ file }: { file: string }) => file)).toEqual([
      '.codex/config.toml',
      '.codex/hooks.json',
      'AGENTS.md',
      '.cursor/mcp.json',
      '.cursor/agents/cleo-subagent.md',
      '.cursor/agents/cleo-validator.md',
    ]);
    expect(done._meta.exitCode).toBeUndefined();
    expect(await folder.call('admin.init', { setup: ['codex'] })).toMatchObject({ _meta: { exitCode: 101 }, files: [] });
    expect((await folder.call('admin.init')).offers).toBeUndefined();
  });
});

test('offers a person at a terminal to configure the tests that it finds, and nothing to an agent', async () => {
  const configure = "cleo config set verification.tools.test 'npm test'";
  const isFound = { scripts: { test: 'vitest run' }, devDependencies: { vitest: '4' } };
  for (const [options, isOffered] of [
    [{ isAtTerminal: true as const }, true],
    [{}, false],
    [{ isAtTerminal: true as const, config: { verification: { tools: { unit: 'make test' } } } }, false],
  ] as const) {
    const app = await openApp(options);
    writeFileSync(join(app.root, 'package.json'), JSON.stringify(isFound));
    expect((await app.call('admin.init')).offers.includes(configure)).toBe(isOffered);
  }
});
