import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryIn, worktreeOf } from '../../test/repository.ts';
import { temporary } from '../../test/temporary.ts';
import { gitOf } from './git.ts';
import { fileIn, workingTree } from './tree.ts';

test('commits and tags are found by what they are, and nothing else is', async () => {
  const repo = repositoryIn(temporary());
  const git = gitOf(repo.env);
  const sha = repo.commit({ 'a.txt': 'a' });
  repo.git('tag', '--annotate', '--message', 'One', 'v1.0.0');
  expect(await git.commit(repo.folder, sha.slice(0, 8))).toBe(sha);
  expect(await git.commit(repo.folder, 'HEAD')).toBe(sha);
  expect(await git.tag(repo.folder, 'v1.0.0')).toBe(sha);
  expect(await git.branch(repo.folder)).toBe('main');
  expect(await git.treeOf(repo.folder, sha)).toMatch(/^[0-9a-f]{40}$/);
  for (const name of ['0'.repeat(40), '--help', 'HEAD~1', 'HEAD..HEAD', '-x', '', 'a b', '../x', '@{u}', 'main^{tree}'])
    expect(await git.commit(repo.folder, name)).toBeUndefined();
  expect(await git.tag(repo.folder, 'v2.0.0')).toBeUndefined();
});

test('a commit of another branch is there, but not checked out', async () => {
  const repo = repositoryIn(join(temporary(), 'main'));
  const git = gitOf(repo.env);
  const first = repo.commit({ 'a.txt': 'a' });
  const other = worktreeOf(repo, join(repo.folder, '..', 'other'), 'feature');
  const second = other.commit({ 'b.txt': 'b' });
  expect(await git.commit(repo.folder, second)).toBe(second);
  expect([await git.isCheckedOut(repo.folder, second), await git.isCheckedOut(other.folder, second)]).toEqual([false, true]);
  expect(await git.isCheckedOut(repo.folder, first)).toBe(true);
});

test('what is not as it was committed, whatever its name', async () => {
  const repo = repositoryIn(temporary());
  const git = gitOf(repo.env);
  repo.commit({ 'a.txt': 'a', 'b.txt': 'b' });
  expect(await git.status(repo.folder)).toEqual([]);
  writeFileSync(join(repo.folder, 'a.txt'), 'changed');
  writeFileSync(join(repo.folder, 'with space "and quotes".txt'), 'new');
  expect(await git.status(repo.folder)).toEqual([
    { state: ' M', path: 'a.txt' },
    { state: '??', path: 'with space "and quotes".txt' },
  ]);
});

test('commit, tag and push take what they are told and no more', async () => {
  const base = temporary();
  const repo = repositoryIn(join(base, 'main'));
  repo.git('init', '--quiet', '--bare', join(base, 'remote.git'));
  repo.git('remote', 'add', 'origin', join(base, 'remote.git'));
  const git = gitOf(repo.env);
  repo.commit({ 'a.txt': 'a' });
  writeFileSync(join(repo.folder, '--option'), 'x');
  writeFileSync(join(repo.folder, 'other.txt'), 'not yet');
  const sha = await git.save(repo.folder, 'Release\n\n$(touch x) `touch x`', ['--option']);
  expect(repo.git('show', '--name-only', '--format=%s', sha)).toBe('Release\n\n--option');
  await git.addTag(repo.folder, 'v1.0.0', sha, 'One');
  await git.push(repo.folder, (await git.remote(repo.folder)) ?? '', ['main', 'v1.0.0']);
  expect(repo.git('ls-remote', '--tags', 'origin', 'v1.0.0')).toContain('refs/tags/v1.0.0');
  expect(existsSync(join(repo.folder, 'x'))).toBe(false);
  for (const name of ['v1.0.0; rm -rf', '--upload-pack=x', '-d', 'a..b', ''])
    await expect(git.addTag(repo.folder, name, sha, 'No')).rejects.toMatchObject({ exitCode: 6 });
  await expect(git.push(repo.folder, '--upload-pack=x', ['main'])).rejects.toMatchObject({ exitCode: 6 });
  await expect(git.push(repo.folder, 'nowhere', ['main'])).rejects.toMatchObject({ exitCode: 5 });
});

test('whom git does not know is told how to introduce themselves, and then it commits', async () => {
  const repo = repositoryIn(temporary());
  const { PATH = '', GIT_CONFIG_GLOBAL = '', GIT_CONFIG_NOSYSTEM = '' } = repo.env;
  const git = gitOf({ PATH, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM });
  repo.git('config', 'user.useConfigOnly', 'true');
  writeFileSync(join(repo.folder, 'a.txt'), 'a');
  const refusal = await git.save(repo.folder, 'One', ['a.txt']).catch((error: unknown) => error as { fix: string; exitCode: number });
  expect(refusal).toMatchObject({ exitCode: 5, fix: expect.stringContaining('git config user.name') });
  execFileSync('bash', ['-c', (refusal as { fix: string }).fix], { cwd: repo.folder });
  await git.save(repo.folder, 'One', ['a.txt']);
  expect(await git.status(repo.folder)).toEqual([]);
});

test('without git it is exit 5', async () => {
  await expect(gitOf({ PATH: '/nonexistent' }).commit(temporary(), 'HEAD')).rejects.toMatchObject({ exitCode: 5 });
});

const at = (root: string) => ({ root, folder: join(root, '.cleo') });

test('the working tree is the one that the caller stands in', () => {
  const base = temporary();
  const repo = repositoryIn(join(base, 'main'));
  repo.commit({ 'app/a.txt': 'a' });
  const other = worktreeOf(repo, join(base, 'other'), 'feature');
  const clone = repositoryIn(join(base, 'clone'));
  const app = at(join(repo.folder, 'app'));
  expect(workingTree(join(repo.folder, 'app'), app)).toEqual({ top: repo.folder, folder: join(repo.folder, 'app') });
  expect(workingTree(other.folder, app)).toEqual({ top: other.folder, folder: join(other.folder, 'app') });
  expect(workingTree(clone.folder, app)).toEqual({ top: clone.folder, folder: clone.folder });
  expect(workingTree(base, app)).toEqual({ top: app.root, folder: app.root });
});

test('a file counts only inside of that tree, links followed', () => {
  const base = temporary();
  const repo = repositoryIn(join(base, 'main'));
  repo.commit({ 'src/a.txt': 'a' });
  const other = worktreeOf(repo, join(base, 'other'), 'feature');
  writeFileSync(join(repo.folder, 'only-main.txt'), 'x');
  symlinkSync(join(repo.folder, 'only-main.txt'), join(other.folder, 'link.txt'));
  mkdirSync(join(repo.folder, '.cleo', 'research', 'T001'), { recursive: true });
  writeFileSync(join(repo.folder, '.cleo', 'research', 'T001', 'out.md'), 'x');
  const project = at(repo.folder);
  const tree = workingTree(other.folder, project);
  const name = (path: string, stands = other.folder): string | undefined => fileIn(tree, stands, project, path)?.name;
  expect(name('src/a.txt')).toBe('src/a.txt');
  expect(name('a.txt', join(other.folder, 'src'))).toBe('src/a.txt');
  expect(name('src/a.txt', join(other.folder, 'src'))).toBe('src/a.txt');
  for (const path of [
    'only-main.txt',
    '../main/only-main.txt',
    join(repo.folder, 'only-main.txt'),
    'link.txt',
    'src',
    '.git',
    '../main/.git/HEAD',
  ])
    expect(name(path)).toBeUndefined();
  expect(name('.cleo/research/T001/out.md')).toBe('.cleo/research/T001/out.md');
});
