import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporary } from '../../test/temporary.ts';
import { findProject, newProject } from './project.ts';

const folder = (...path: string[]): string => {
  mkdirSync(join(...path), { recursive: true });
  return join(...path);
};
const at = (root: string) => ({ root, folder: join(root, '.cleo') });

function git(cwd: string, ...args: string[]): void {
  const identity = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'a@b.example',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'a@b.example',
  };
  execFileSync('git', args, { cwd, stdio: 'pipe', env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', ...identity } });
}

/** A repository with a commit and a linked worktree beside it. */
function repository(): { top: string; main: string; linked: string; home: string } {
  const top = temporary();
  const main = folder(top, 'main');
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', join(top, 'linked'));
  return { top, main, linked: join(top, 'linked'), home: join(top, 'home', '.cleo') };
}

describe('the project of a folder', () => {
  test('is the nearest above it', () => {
    const top = temporary();
    const home = join(top, 'home');
    const deep = folder(top, 'a', 'b', 'c');
    expect(findProject(deep, undefined, home)).toBeUndefined();
    folder(top, '.cleo');
    expect(findProject(deep, undefined, home)).toEqual(at(top));
    folder(top, 'a', 'b', '.cleo');
    expect(findProject(deep, undefined, home)).toEqual(at(join(top, 'a', 'b')));
  });

  test('is where CLEO_ROOT says, seen from the folder, and nowhere else', () => {
    const top = temporary();
    const home = join(top, 'home');
    folder(top, '.cleo');
    folder(top, 'a', '.cleo');
    expect(findProject(folder(top, 'a'), top, home)).toEqual(at(top));
    expect(findProject(top, 'a', home)).toEqual(at(join(top, 'a')));
    expect(findProject(top, join(top, 'b'), home)).toBeUndefined();
  });

  test("is never the user's own folder, under whichever name it is reached", () => {
    const top = temporary();
    const home = folder(top, '.cleo');
    symlinkSync(top, join(top, 'link'));
    for (const from of [top, folder(top, 'a'), join(top, 'link')]) expect(findProject(from, undefined, home)).toBeUndefined();
    expect(findProject(top, undefined, join(top, 'link', '.cleo'))).toBeUndefined();
    expect(findProject(top, top, home)).toBeUndefined();
  });

  test('is not a file by that name', () => {
    const top = temporary();
    writeFileSync(join(top, '.cleo'), '');
    expect(findProject(top, undefined, join(top, 'home'))).toBeUndefined();
  });
});

describe('a linked worktree', () => {
  test('has the project of the main one, from any folder in it', () => {
    const { main, linked, home } = repository();
    expect(findProject(linked, undefined, home)).toBeUndefined();
    folder(main, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(at(main));
    expect(findProject(folder(linked, 'src', 'deep'), undefined, home)).toEqual(at(main));
  });

  test('has it also where a .cleo was checked out, unless that has a database', () => {
    const { main, linked, home } = repository();
    folder(main, '.cleo');
    writeFileSync(join(folder(linked, '.cleo'), 'config.json'), '{}');
    expect(findProject(linked, undefined, home)).toEqual(at(main));
    writeFileSync(join(linked, '.cleo', 'cleo.db'), '');
    expect(findProject(linked, undefined, home)).toEqual(at(linked));
  });

  test('has its own where the main one has none', () => {
    const { linked, home } = repository();
    folder(linked, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(at(linked));
  });

  test('prefers the main one to a project above both', () => {
    const { top, main, linked, home } = repository();
    folder(top, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(at(top));
    folder(main, '.cleo');
    expect(findProject(linked, undefined, home)).toEqual(at(main));
  });

  test('of a bare repository stands alone', () => {
    const top = temporary();
    const { main } = repository();
    const bare = join(top, 'shared.git');
    git(top, 'clone', '-q', '--bare', main, bare);
    git(bare, 'worktree', 'add', '-q', join(top, 'tree'), '-b', 'other');
    folder(top, '.cleo');
    expect(newProject(join(top, 'tree'), undefined, join(top, 'home'))).toEqual(at(join(top, 'tree')));
    expect(findProject(join(top, 'tree'), undefined, join(top, 'home'))).toEqual(at(top));
  });

  test('that is torn, or points nowhere, is an ordinary folder', () => {
    const top = temporary();
    for (const text of ['', 'gitdir: /nowhere/at/all', 'something else']) {
      rmSync(join(top, '.git'), { force: true });
      writeFileSync(join(top, '.git'), text);
      expect(newProject(top, undefined, join(top, 'home'))).toEqual(at(top));
    }
  });
});

describe('a new project', () => {
  test('is made in the folder itself', () => {
    const top = temporary();
    expect(newProject(top, undefined, join(top, 'home'))).toEqual(at(top));
    expect(newProject(top, 'sub', join(top, 'home'))).toEqual(at(join(top, 'sub')));
  });

  test('is the one there is, if the folder is inside it; a repository of its own is not', () => {
    const top = temporary();
    const home = join(top, 'home');
    folder(top, '.cleo');
    const deep = folder(top, 'a', 'b');
    expect(newProject(deep, undefined, home)).toEqual(at(top));
    folder(top, 'a', '.git');
    expect(newProject(deep, undefined, home)).toEqual(at(deep));
    expect(newProject(deep, deep, home)).toEqual(at(deep));
  });

  test('of a linked worktree is made in the main one', () => {
    const { main, linked, home } = repository();
    expect(newProject(linked, undefined, home)).toEqual(at(main));
    expect(newProject(folder(linked, 'src'), undefined, home)).toEqual(at(main));
    folder(main, '.cleo');
    folder(linked, '.cleo');
    expect(newProject(linked, undefined, home)).toEqual(at(main));
  });
});
