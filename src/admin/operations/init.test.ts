import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { formatConfigSchema } from '#core/model/config-schema.ts';
import { createEmptyFolder, readProjectKey, type TestFolder } from '../../../test/folder.ts';

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
const configOf = ({ root }: TestFolder) => JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8'));
const contents = (root: string): Record<string, string> =>
  Object.fromEntries(
    ['config.json', '.gitignore', 'config.schema.json'].map((name) => [name, readFileSync(join(root, '.cleo', name), 'utf8')]),
  );

test('a folder becomes a project, and the next command works', async () => {
  const folder = createEmptyFolder();
  expect(await folder.call('admin.init')).toMatchObject({
    success: true,
    project: { root: folder.root, store: isPostgres ? 'postgres' : 'sqlite', created: true },
  });
  expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ task: { id: 'T001' } });
  expect(readdirSync(folder.root)).toEqual(['.cleo']);
});

test('the configuration names the project after its folder, and its schema is beside it', async () => {
  const folder = createEmptyFolder().createSubfolder('My  Shop (v2)');
  await folder.call('admin.init');
  expect(configOf(folder)).toEqual({
    $schema: './config.schema.json',
    project: { key: expect.stringMatching(/^my_shop_v2_[0-9a-f]{8}$/) },
  });
  expect(contents(folder.root)['config.schema.json']).toBe(formatConfigSchema());
});

test('a name of other letters still gives a key', async () => {
  const folder = createEmptyFolder().createSubfolder('计划');
  expect(await folder.call('admin.init')).toMatchObject({ success: true });
  expect(readProjectKey(folder.root)).toMatch(/^project_[0-9a-f]{8}$/);
});

test('git sees what can be shared and nothing else, without a word in the .gitignore of the user', async () => {
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

test('a new .cleo is small', async () => {
  const folder = createEmptyFolder();
  await folder.call('admin.init');
  const size = readdirSync(join(folder.root, '.cleo')).reduce((sum, name) => sum + statSync(join(folder.root, '.cleo', name)).size, 0);
  expect(size).toBeLessThanOrEqual(640 * 1024);
});

describe('what is there already', () => {
  test('is left alone, with 101', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    await folder.call('tasks.add', { title: 'First' });
    const before = contents(folder.root);
    expect(await folder.call('admin.init')).toMatchObject({
      success: true,
      _meta: { exitCode: 101 },
      project: { root: folder.root, created: false },
    });
    expect(contents(folder.root)).toEqual(before);
    expect(await folder.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { title: 'First' } });
  });

  test('is found from a folder inside: a second store would split the work', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    const inside = folder.createSubfolder('src/deep');
    expect(await inside.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 }, project: { root: folder.root } });
    expect(existsSync(join(inside.root, '.cleo'))).toBe(false);
  });

  test('does not hold for a repository inside, or where CLEO_ROOT says otherwise', async () => {
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

test('linked worktrees share the store of the main one, whichever of them makes it', async () => {
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

test('a worktree that has checked out .cleo/config.json still uses the store of the main one', async () => {
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

test('a clone keeps the key and the settings that were committed', async () => {
  const folder = createEmptyFolder();
  mkdirSync(join(folder.root, '.cleo'));
  const key = `clone_${Math.random().toString(16).slice(2, 10)}`;
  writeFileSync(join(folder.root, '.cleo', 'config.json'), JSON.stringify({ project: { key }, hierarchy: { maxSiblings: 3 } }));
  expect(await folder.call('admin.init')).toMatchObject({ project: { created: true } });
  expect(configOf(folder)).toEqual({ project: { key }, hierarchy: { maxSiblings: 3 } });
  expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ success: true });
});

test("the user's own folder is no project", async () => {
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

test('something else by the name .cleo is in the way', async () => {
  const folder = createEmptyFolder();
  writeFileSync(join(folder.root, '.cleo'), 'a file');
  expect(await folder.call('admin.init')).toMatchObject({ error: { code: 'E_FILE_ERROR', exitCode: 3 } });
  expect(readFileSync(join(folder.root, '.cleo'), 'utf8')).toBe('a file');
});

test('a broken configuration is 8, and stays as it is', async () => {
  const folder = createEmptyFolder();
  mkdirSync(join(folder.root, '.cleo'));
  writeFileSync(join(folder.root, '.cleo', 'config.json'), '{"nope": 1}');
  expect(await folder.call('admin.init')).toMatchObject({ error: { exitCode: 8, fix: 'cleo config unset nope' } });
  expect(readdirSync(join(folder.root, '.cleo'))).toEqual(['config.json']);
});

describe('an address', () => {
  test('with a password is refused, and the password is not repeated', async () => {
    const folder = createEmptyFolder();
    const answer = await folder.call('admin.init', { store: 'postgres://ada:hunter2hunter2@db.example/work' });
    expect(answer).toMatchObject({
      error: { code: 'E_VALIDATION_STORE', exitCode: 6, fix: 'cleo init --store postgres://ada@db.example/work' },
    });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(existsSync(join(folder.root, '.cleo'))).toBe(false);
  });

  test('that is none is refused', async () => {
    expect(await createEmptyFolder().call('admin.init', { store: 'mysql://db/work' })).toMatchObject({
      error: { code: 'E_VALIDATION_STORE', exitCode: 6 },
    });
  });
});

if (isPostgres)
  describe('on a server', () => {
    const local = (): TestFolder => {
      const folder = createEmptyFolder();
      delete folder.env.CLEO_DATABASE_URL;
      return folder;
    };

    test('of many at once one makes the store; the others find it, under one key', async () => {
      const folder = createEmptyFolder();
      const answers = await Promise.all(Array.from({ length: 6 }, () => folder.call('admin.init')));
      expect(answers.map((answer) => answer.project?.created).sort()).toEqual([false, false, false, false, false, true]);
      expect(answers.map((answer) => answer._meta.exitCode ?? 0).sort()).toEqual([0, 101, 101, 101, 101, 101]);
      expect(readdirSync(join(folder.root, '.cleo')).filter((name) => /tmp|new/.test(name))).toEqual([]);
    });

    test('the address is written down, and the project works by it alone', async () => {
      const folder = local();
      const store = inject('databaseUrl');
      expect(await folder.call('admin.init', { store })).toMatchObject({ project: { store: 'postgres', created: true } });
      expect(configOf(folder).store).toEqual({ url: store });
      expect(existsSync(join(folder.root, '.cleo', 'cleo.db'))).toBe(false);
      expect(await folder.call('tasks.add', { title: 'First' })).toMatchObject({ task: { id: 'T001' } });
      expect(await folder.call('admin.init', { store })).toMatchObject({ _meta: { exitCode: 101 } });
      expect(await folder.call('admin.init')).toMatchObject({ _meta: { exitCode: 101 } });
    });

    test('a project that has a store does not change it by being given another address', async () => {
      const folder = local();
      await folder.call('admin.init');
      expect(await folder.call('admin.init', { store: inject('databaseUrl') })).toMatchObject({
        error: { code: 'E_VALIDATION_STORE', exitCode: 6 },
      });
      expect(configOf(folder).store).toBeUndefined();
      const other = createEmptyFolder();
      await other.call('admin.init');
      expect(await other.call('admin.init', { store: 'postgres://elsewhere.example/work' })).toMatchObject({ error: { exitCode: 6 } });
    });

    test('a server that is not there is 3, and a later try finds nothing in its way', async () => {
      const folder = local();
      expect(await folder.call('admin.init', { store: 'postgres://127.0.0.1:1/none' })).toMatchObject({
        error: { code: 'E_STORE_UNREACHABLE', exitCode: 3 },
      });
      expect(await folder.call('admin.init', { store: inject('databaseUrl') })).toMatchObject({ project: { created: true } });
    });
  });

if (!isPostgres)
  describe('in a file', () => {
    test('a lost database is made anew only where there is no backup of it', async () => {
      const folder = createEmptyFolder();
      await folder.call('admin.init');
      await folder.call('tasks.add', { title: 'First' });
      const { backup } = await folder.call('admin.backup.create');
      for (const end of ['', '-wal', '-shm']) rmSync(join(folder.root, '.cleo', `cleo.db${end}`), { force: true });
      const refused = await folder.call('admin.init');
      expect(refused).toMatchObject({ error: { code: 'E_STORE_DAMAGED', exitCode: 3, fix: `cleo backup restore ${backup.id}` } });
      expect(existsSync(join(folder.root, '.cleo', 'cleo.db'))).toBe(false);
      rmSync(join(folder.root, '.cleo', 'backups'), { recursive: true });
      expect(await folder.call('admin.init')).toMatchObject({ project: { created: true } });
      expect(await folder.call('tasks.add', { title: 'Again' })).toMatchObject({ task: { id: 'T001' } });
    });

    test('an empty or damaged database is not taken for a fresh start', async () => {
      const folder = createEmptyFolder();
      await folder.call('admin.init');
      for (const text of ['', 'no database at all, but long enough to be read as one'.repeat(20)]) {
        for (const end of ['-wal', '-shm']) rmSync(join(folder.root, '.cleo', `cleo.db${end}`), { force: true });
        writeFileSync(join(folder.root, '.cleo', 'cleo.db'), text);
        expect(await folder.call('admin.init')).toMatchObject({ error: { code: 'E_STORE_DAMAGED', exitCode: 3 } });
        expect(readFileSync(join(folder.root, '.cleo', 'cleo.db'), 'utf8')).toBe(text);
      }
    });

    test('a log that lost its database is not read as that of the new one', async () => {
      const folder = createEmptyFolder();
      await folder.call('admin.init');
      const log = join(folder.root, '.cleo', 'cleo.db-wal');
      const old = createEmptyFolder();
      await old.call('admin.init');
      // The log of a database that is still open somewhere, and therefore not emptied.
      await old.cli(['add', 'From another life']);
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

describe('agents', () => {
  const template = ({ env }: TestFolder): string => join(env.HOME!, '.cleo', 'templates', 'CLEO-INJECTION.md');

  test('the whole protocol text is kept in the folder of the user, and brought up to date', async () => {
    const folder = createEmptyFolder();
    await folder.call('admin.init');
    const { text } = await folder.call('admin.inject', { tier: 'orchestrator' });
    expect(readFileSync(template(folder), 'utf8')).toBe(text);
    writeFileSync(template(folder), 'old');
    expect(await folder.call('admin.upgrade')).toMatchObject({ _meta: { exitCode: 102 } });
    expect(readFileSync(template(folder), 'utf8')).toBe(text);
  });

  test('that it cannot be written is a warning', async () => {
    const folder = createEmptyFolder();
    writeFileSync(join(folder.env.HOME!, '.cleo'), 'in the way');
    const made = await folder.call('admin.init');
    expect(made).toMatchObject({ success: true, project: { created: true } });
    expect(made._meta.warnings).toEqual([expect.stringMatching(/^The protocol text was not written: /)]);
  });

  test('clients that are found are offered, and set up only when asked for', async () => {
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
