import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRepository, type Repository } from '../../test/repository.ts';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createGit } from './git.ts';

const files = { '.gitignore': 'ignored/\n', 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'src/d.txt': 'd\n' };

async function openWorktrees(more: Record<string, string> = {}) {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.commit({ ...files, ...more });
  const git = await createGit(repo.env).loadWorktrees();
  const [one, two, pool] = ['one', 'two', 'pool'].map((name) => join(base, name)) as [string, string, string];
  return { repo, git, one, two, pool };
}

const inFolder = ({ git }: Repository, folder: string, ...words: string[]): string => git('-C', folder, ...words);
const getInode = (folder: string, path: string): number => statSync(join(folder, path)).ino;

test('a worktree with the files of an earlier one writes only those that differ, and has no trace of its agent', async () => {
  const { repo, git, one, two, pool } = await openWorktrees();
  await git.addWorktree(repo.folder, one, { branch: 'one', start: 'main' }, pool);
  const inodes = ['a.txt', 'src/d.txt'].map((path) => getInode(one, path));
  // Everything that hides a change from git, or survives a plain checkout.
  const run = (...words: string[]) => inFolder(repo, one, ...words);
  run('update-index', '--assume-unchanged', 'b.txt');
  writeFileSync(join(one, 'b.txt'), 'hidden\n');
  run('update-index', '--skip-worktree', 'c.txt');
  writeFileSync(join(one, 'c.txt'), 'hidden as well\n');
  mkdirSync(join(one, 'ignored', 'modules'), { recursive: true });
  writeFileSync(join(one, 'ignored', 'modules', 'x.js'), 'poison');
  mkdirSync(join(one, 'empty'));
  createRepository(join(one, 'nested')).commit({ 'n.txt': 'n' });
  symlinkSync(repo.folder, join(one, 'link'));
  run('config', 'extensions.worktreeConfig', 'true');
  run('config', '--worktree', 'user.name', 'Mallory');
  writeFileSync(join(one, 'work.txt'), 'work\n');
  run('add', 'work.txt');
  run('commit', '--quiet', '-m', 'Work');
  await git.removeWorktree(repo.folder, one, pool);
  expect([existsSync(one), readdirSync(pool).length]).toEqual([false, 1]);
  expect((await git.listWorktrees(repo.folder)).map(({ branch }) => branch)).toEqual(['main']);

  await git.addWorktree(repo.folder, two, { branch: 'two', start: 'main' }, pool);
  expect(readdirSync(pool)).toEqual([]);
  expect(readdirSync(two).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'b.txt', 'c.txt', 'src']);
  for (const [path, text] of Object.entries(files)) expect(readFileSync(join(two, path), 'utf8')).toBe(text);
  expect(['a.txt', 'src/d.txt'].map((path) => getInode(two, path))).toEqual(inodes);
  expect(inFolder(repo, two, 'status', '--porcelain', '--ignored')).toBe('');
  expect(
    inFolder(repo, two, 'ls-files', '-v')
      .replaceAll(/^H .*$/gm, '')
      .trim(),
  ).toBe('');
  expect(inFolder(repo, two, 'config', '--default', 'none', '--get', 'user.name')).toBe('none');
  expect(inFolder(repo, two, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('two');
});

test('a file that git changes on its way to the repository is written again', async () => {
  const { repo, git, one, two, pool } = await openWorktrees({ '.gitattributes': '*.nb filter=strip\n', 'x.nb': 'code\n' });
  repo.git('config', 'filter.strip.clean', 'grep -v output || true');
  await git.addWorktree(repo.folder, one, { branch: 'one', start: 'main' }, pool);
  writeFileSync(join(one, 'x.nb'), 'code\noutput of an agent\n');
  await git.removeWorktree(repo.folder, one, pool);
  await git.addWorktree(repo.folder, two, { commit: 'main' }, pool);
  expect(readFileSync(join(two, 'x.nb'), 'utf8')).toBe('code\n');
});

test('a worktree with submodules leaves no files', async () => {
  const { repo, git, one, pool } = await openWorktrees();
  await git.addWorktree(repo.folder, one, { branch: 'one', start: 'main' });
  writeFileSync(join(one, '.gitmodules'), '');
  await git.removeWorktree(repo.folder, one, pool);
  expect([existsSync(one), existsSync(pool)]).toEqual([false, false]);
});

test('files that cannot be used again are written anew', async () => {
  const { repo, git, one, two, pool } = await openWorktrees();
  await git.addWorktree(repo.folder, one, { commit: 'main' });
  await git.removeWorktree(repo.folder, one, pool);
  const [spare = ''] = readdirSync(pool);
  // The git folder of the new worktree has no place in it.
  mkdirSync(join(pool, spare, '.git', 'x'), { recursive: true });
  writeFileSync(join(pool, spare, 'left.txt'), 'x');
  await git.addWorktree(repo.folder, two, { branch: 'two', start: 'main' }, pool);
  expect(inFolder(repo, two, 'status', '--porcelain', '--ignored')).toBe('');
  expect(readdirSync(two).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'b.txt', 'c.txt', 'src']);
});

test('two processes never take the same spare', async () => {
  const { repo, git, one, two, pool } = await openWorktrees();
  await git.addWorktree(repo.folder, one, { commit: 'main' });
  await git.removeWorktree(repo.folder, one, pool);
  await Promise.all([
    git.addWorktree(repo.folder, one, { commit: 'main' }, pool),
    git.addWorktree(repo.folder, two, { commit: 'main' }, pool),
  ]);
  for (const folder of [one, two]) expect(inFolder(repo, folder, 'status', '--porcelain', '--ignored')).toBe('');
  git.removePool(pool);
  expect(existsSync(pool)).toBe(false);
});
