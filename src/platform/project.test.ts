import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTempFolder } from '../../test/temp-folder.ts';
import { findProject, locateNewProject } from './project.ts';

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
