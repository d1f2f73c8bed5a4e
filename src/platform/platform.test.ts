import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '#core/model/config.ts';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createConfigFiles, createPlatform, findProject, locateNewProject } from './platform.ts';

test('finds the login name without a variable of the environment', () => {
  expect(createPlatform({ HOME: '/nonexistent' }, '/', '0').getLogin()).toBe(userInfo().username);
});

test('prefers the variables of the environment', () => {
  expect(createPlatform({ HOME: '/nonexistent', USER: 'sam' }, '/', '0').getLogin()).toBe('sam');
});

const createFolder = (...path: string[]): string => {
  mkdirSync(join(...path), { recursive: true });
  return join(...path);
};
const toProject = (root: string) => ({ root, folder: join(root, '.cleo') });

function git(cwd: string, ...args: string[]): void {
  const identity = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'a@b.example',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'a@b.example',
  };
  execFileSync('git', args, { cwd, stdio: 'pipe', env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', ...identity } });
}

/** Creates a repository with a commit and a linked worktree next to it. */
function createRepository(): { top: string; main: string; linked: string; home: string } {
  const top = createTempFolder();
  const main = createFolder(top, 'main');
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', join(top, 'linked'));
  return { top, main, linked: join(top, 'linked'), home: join(top, 'home', '.cleo') };
}

describe('findProject', () => {
  test('returns the nearest parent with .cleo', () => {
    const top = createTempFolder();
    const home = join(top, 'home');
    const deep = createFolder(top, 'a', 'b', 'c');
    expect(findProject(deep, undefined, home)).toBeUndefined();
    createFolder(top, '.cleo');
    expect(findProject(deep, undefined, home)).toEqual(toProject(top));
    createFolder(top, 'a', 'b', '.cleo');
    expect(findProject(deep, undefined, home)).toEqual(toProject(join(top, 'a', 'b')));
  });

  test('uses only CLEO_ROOT if it is set, relative to the folder', () => {
    const top = createTempFolder();
    const home = join(top, 'home');
    createFolder(top, '.cleo');
    createFolder(top, 'a', '.cleo');
    expect(findProject(createFolder(top, 'a'), top, home)).toEqual(toProject(top));
    expect(findProject(top, 'a', home)).toEqual(toProject(join(top, 'a')));
    expect(findProject(top, join(top, 'b'), home)).toBeUndefined();
  });

  test("never returns the user's cleo folder, also through a link", () => {
    const top = createTempFolder();
    const home = createFolder(top, '.cleo');
    symlinkSync(top, join(top, 'link'));
    for (const from of [top, createFolder(top, 'a'), join(top, 'link')]) expect(findProject(from, undefined, home)).toBeUndefined();
    expect(findProject(top, undefined, join(top, 'link', '.cleo'))).toBeUndefined();
    expect(findProject(top, top, home)).toBeUndefined();
  });

  test('ignores a file called .cleo', () => {
    const top = createTempFolder();
    writeFileSync(join(top, '.cleo'), '');
    expect(findProject(top, undefined, join(top, 'home'))).toBeUndefined();
  });
});

describe('a linked worktree', () => {
  test('uses the project of the main worktree in all its folders', () => {
    const { main, linked, home } = createRepository();
    expect(findProject(linked, undefined, home)).toBeUndefined();
    createFolder(main, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(toProject(main));
    expect(findProject(createFolder(linked, 'src', 'deep'), undefined, home)).toEqual(toProject(main));
  });

  test('ignores a checked-out .cleo without a database', () => {
    const { main, linked, home } = createRepository();
    createFolder(main, '.cleo');
    writeFileSync(join(createFolder(linked, '.cleo'), 'config.json'), '{}');
    expect(findProject(linked, undefined, home)).toEqual(toProject(main));
    writeFileSync(join(linked, '.cleo', 'cleo.db'), '');
    expect(findProject(linked, undefined, home)).toEqual(toProject(linked));
  });

  test('uses its own project if the main worktree has none', () => {
    const { linked, home } = createRepository();
    createFolder(linked, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(toProject(linked));
  });

  test('prefers the main worktree to a project in a parent folder', () => {
    const { top, main, linked, home } = createRepository();
    createFolder(top, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(toProject(top));
    createFolder(main, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(toProject(main));
  });

  test('of a bare repository has no main worktree', () => {
    const top = createTempFolder();
    const { main } = createRepository();
    const bare = join(top, 'shared.git');
    git(top, 'clone', '-q', '--bare', main, bare);
    git(bare, 'worktree', 'add', '-q', join(top, 'tree'), '-b', 'other');
    createFolder(top, '.cleo');
    expect(locateNewProject(join(top, 'tree'), undefined, join(top, 'home'))).toEqual(toProject(join(top, 'tree')));
    expect(findProject(join(top, 'tree'), undefined, join(top, 'home'))).toEqual(toProject(top));
  });

  test('with a .git file that names the repository of somebody else is an ordinary folder', () => {
    const { top, main, home } = createRepository();
    createFolder(main, '.cleo');
    const folder = createFolder(top, 'unpacked');
    const gitdir = createFolder(folder, 'gitdir');
    writeFileSync(join(gitdir, 'commondir'), join(main, '.git'));
    writeFileSync(join(folder, '.git'), `gitdir: ${gitdir}`);
    expect(findProject(folder, undefined, home)).toBeUndefined();
    expect(locateNewProject(folder, undefined, home)).toEqual(toProject(folder));
  });

  test('with an invalid .git file is an ordinary folder', () => {
    const top = createTempFolder();
    for (const text of ['', 'gitdir: /nowhere/at/all', 'something else']) {
      rmSync(join(top, '.git'), { force: true });
      writeFileSync(join(top, '.git'), text);
      expect(locateNewProject(top, undefined, join(top, 'home'))).toEqual(toProject(top));
    }
  });
});

describe('locateNewProject', () => {
  test('returns the folder itself', () => {
    const top = createTempFolder();
    expect(locateNewProject(top, undefined, join(top, 'home'))).toEqual(toProject(top));
    expect(locateNewProject(top, 'sub', join(top, 'home'))).toEqual(toProject(join(top, 'sub')));
  });

  test('returns the enclosing project, but not from inside another repository', () => {
    const top = createTempFolder();
    const home = join(top, 'home');
    createFolder(top, '.cleo');
    const deep = createFolder(top, 'a', 'b');
    expect(locateNewProject(deep, undefined, home)).toEqual(toProject(top));
    createFolder(top, 'a', '.git');
    expect(locateNewProject(deep, undefined, home)).toEqual(toProject(deep));
    expect(locateNewProject(deep, deep, home)).toEqual(toProject(deep));
  });

  test('returns the main worktree for a linked one', () => {
    const { main, linked, home } = createRepository();
    expect(locateNewProject(linked, undefined, home)).toEqual(toProject(main));
    expect(locateNewProject(createFolder(linked, 'src'), undefined, home)).toEqual(toProject(main));
    createFolder(main, '.cleo');
    createFolder(linked, '.cleo');
    expect(locateNewProject(linked, undefined, home)).toEqual(toProject(main));
  });
});

function createWorld(files: { project?: string; user?: string }) {
  const root = createTempFolder();
  const project = { root, folder: join(root, '.cleo') };
  const home = join(root, 'home');
  for (const folder of [project.folder, home]) mkdirSync(folder);
  if (files.project !== undefined) writeFileSync(join(project.folder, 'config.json'), files.project);
  if (files.user !== undefined) writeFileSync(join(home, 'config.json'), files.user);
  return { project, config: createConfigFiles(home), path: join(project.folder, 'config.json') };
}

test('uses defaults without files; the project overrides the user', () => {
  const nothing = createWorld({});
  expect(nothing.config.load(nothing.project)).toEqual(defaultConfig);
  const { config, project } = createWorld({
    user: '{"backup":{"keep":3},"claims":{"ttlMinutes":9}}',
    project: '\ufeff{"backup":{"keep":4}}',
  });
  expect(config.load(project)).toEqual({ ...defaultConfig, 'backup.keep': 4, 'claims.ttlMinutes': 9 });
  expect(config.load(undefined)).toMatchObject({ 'backup.keep': 3 });
});

test("takes what counts as proof from the user's file for nothing but the tools of a client of a server", () => {
  const verification = { required: true, tools: { test: ['npm', 'test'] }, timeoutSeconds: 5 };
  const user = JSON.stringify({ verification });
  const load = (project: string) => {
    const world = createWorld({ user, project });
    return world.config.load(world.project);
  };
  expect(load('{}')).toEqual({ ...defaultConfig, 'verification.timeoutSeconds': 5 });
  const server = { 'server.url': 'https://cleo.example.com', 'verification.tools.test': ['npm', 'test'] };
  expect(load('{"server":{"url":"https://cleo.example.com"}}')).toEqual({ ...defaultConfig, ...server, 'verification.timeoutSeconds': 5 });
});

describe('an invalid file fails with exit code 8 and suggests a fix', () => {
  test.each([
    { project: '{"nope":1}', fix: 'cleo config unset nope' },
    { project: '{"store":{"durability":"fast"}}', fix: 'cleo config unset store.durability' },
    { project: '{"a b":1}', fix: 'cleo doctor --fix' },
    { project: '[]', fix: 'cleo doctor --fix' },
    { project: '{', fix: 'cleo doctor --fix' },
    { project: '', fix: 'cleo doctor --fix' },
    { user: '{"nope":1}', fix: 'cleo config unset nope --user' },
  ])('$project $user', ({ fix, ...files }) => {
    const { config, project } = createWorld(files);
    expect(() => config.load(project)).toThrow(expect.objectContaining({ code: 'E_CONFIG_ERROR', exitCode: 8, fix }));
  });
});

test.each<{ why: string; before: string; key: string; value: number | undefined; after: object }>([
  { why: 'a first key', before: '{}', key: 'backup.keep', value: 3, after: { backup: { keep: 3 } } },
  { why: 'next to other keys', before: '{"backup":{"keep":1},"x":1}', key: 'backup.keep', value: 3, after: { backup: { keep: 3 }, x: 1 } },
  { why: 'in place of a value that is not a group', before: '{"backup":5}', key: 'backup.keep', value: 3, after: { backup: { keep: 3 } } },
  {
    why: 'removes a key and its empty group',
    before: '{"backup":{"keep":1},"x":1}',
    key: 'backup.keep',
    value: undefined,
    after: { x: 1 },
  },
  {
    why: 'removes one of two keys',
    before: '{"store":{"url":"","durability":"full"}}',
    key: 'store.url',
    value: undefined,
    after: { store: { durability: 'full' } },
  },
  { why: 'a name that contains a dot', before: '{"a.b":1,"a":{"b":2,"c":3}}', key: 'a.b', value: undefined, after: { a: { b: 2, c: 3 } } },
  { why: 'a dotted name inside a group', before: '{"a":{"b.c":1}}', key: 'a.b.c', value: undefined, after: {} },
  {
    why: 'a property of the prototype',
    before: '{"__proto__":{"x":1},"constructor":1}',
    key: '__proto__',
    value: undefined,
    after: { constructor: 1 },
  },
  { why: 'a missing key', before: '{"x":1}', key: 'backup.keep', value: undefined, after: { x: 1 } },
])('setting: $why', async ({ before, key, value, after }) => {
  const { config, path } = createWorld({ project: before });
  await config.set(path, key, value);
  expect(JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))).toBe(JSON.stringify(after));
});
