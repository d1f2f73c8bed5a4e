import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addWorktree, createRepository } from '../../test/repository.ts';
import { createTempFolder } from '../../test/temp-folder.ts';
import { createGit } from './git.ts';
import { findFileInTree, findWorkingTree } from './tree.ts';

test('resolves commits and tags, and rejects other expressions', async () => {
  const repo = createRepository(createTempFolder());
  const git = createGit(repo.env);
  const sha = repo.commit({ 'a.txt': 'a' });
  repo.git('tag', '--annotate', '--message', 'One', 'v1.0.0');
  expect(await git.resolveCommit(repo.folder, sha.slice(0, 8))).toBe(sha);
  expect(await git.resolveCommit(repo.folder, 'HEAD')).toBe(sha);
  expect(await git.resolveTag(repo.folder, 'v1.0.0')).toBe(sha);
  expect(await git.getBranch(repo.folder)).toBe('main');
  expect(await git.resolveTree(repo.folder, sha)).toMatch(/^[0-9a-f]{40}$/);
  for (const name of ['0'.repeat(40), '--help', 'HEAD~1', 'HEAD..HEAD', '-x', '', 'a b', '../x', '@{u}', 'main^{tree}'])
    expect(await git.resolveCommit(repo.folder, name)).toBeUndefined();
  expect(await git.resolveTag(repo.folder, 'v2.0.0')).toBeUndefined();
});

test('a commit of another branch exists but is not checked out', async () => {
  const repo = createRepository(join(createTempFolder(), 'main'));
  const git = createGit(repo.env);
  const first = repo.commit({ 'a.txt': 'a' });
  const other = addWorktree(repo, join(repo.folder, '..', 'other'), 'feature');
  const second = other.commit({ 'b.txt': 'b' });
  expect(await git.resolveCommit(repo.folder, second)).toBe(second);
  expect([await git.isCheckedOut(repo.folder, second), await git.isCheckedOut(other.folder, second)]).toEqual([false, true]);
  expect(await git.isCheckedOut(repo.folder, first)).toBe(true);
});

test('lists changed and untracked files with any name', async () => {
  const repo = createRepository(createTempFolder());
  const git = createGit(repo.env);
  repo.commit({ 'a.txt': 'a', 'b.txt': 'b' });
  expect(await git.listChanges(repo.folder)).toEqual([]);
  writeFileSync(join(repo.folder, 'a.txt'), 'changed');
  writeFileSync(join(repo.folder, 'with space "and quotes".txt'), 'new');
  expect(await git.listChanges(repo.folder)).toEqual([
    { state: ' M', path: 'a.txt' },
    { state: '??', path: 'with space "and quotes".txt' },
  ]);
});

test('commit, tag and push use only the given files and refs', async () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.git('init', '--quiet', '--bare', join(base, 'remote.git'));
  repo.git('remote', 'add', 'origin', join(base, 'remote.git'));
  const git = createGit(repo.env);
  repo.commit({ 'a.txt': 'a' });
  writeFileSync(join(repo.folder, '--option'), 'x');
  writeFileSync(join(repo.folder, 'other.txt'), 'not yet');
  const sha = await git.commitFiles(repo.folder, 'Release\n\n$(touch x) `touch x`', ['--option']);
  expect(repo.git('show', '--name-only', '--format=%s', sha)).toBe('Release\n\n--option');
  await git.createTag(repo.folder, 'v1.0.0', sha, 'One');
  await git.push(repo.folder, (await git.getRemote(repo.folder)) ?? '', ['main', 'v1.0.0']);
  expect(repo.git('ls-remote', '--tags', 'origin', 'v1.0.0')).toContain('refs/tags/v1.0.0');
  expect(existsSync(join(repo.folder, 'x'))).toBe(false);
  for (const name of ['v1.0.0; rm -rf', '--upload-pack=x', '-d', 'a..b', ''])
    await expect(git.createTag(repo.folder, name, sha, 'No')).rejects.toMatchObject({ exitCode: 6 });
  await expect(git.push(repo.folder, '--upload-pack=x', ['main'])).rejects.toMatchObject({ exitCode: 6 });
  await expect(git.push(repo.folder, 'nowhere', ['main'])).rejects.toMatchObject({ exitCode: 5 });
});

test('suggests how to configure a missing author, and commits afterwards', async () => {
  const repo = createRepository(createTempFolder());
  const { PATH = '', GIT_CONFIG_GLOBAL = '', GIT_CONFIG_NOSYSTEM = '' } = repo.env;
  const git = createGit({ PATH, GIT_CONFIG_GLOBAL, GIT_CONFIG_NOSYSTEM });
  repo.git('config', 'user.useConfigOnly', 'true');
  writeFileSync(join(repo.folder, 'a.txt'), 'a');
  const error = await git.commitFiles(repo.folder, 'One', ['a.txt']).catch((error: unknown) => error as { fix: string; exitCode: number });
  expect(error).toMatchObject({ exitCode: 5, fix: expect.stringContaining('git config user.name') });
  execFileSync('bash', ['-c', (error as { fix: string }).fix], { cwd: repo.folder });
  await git.commitFiles(repo.folder, 'One', ['a.txt']);
  expect(await git.listChanges(repo.folder)).toEqual([]);
});

test('fails with exit code 5 without git', async () => {
  await expect(createGit({ PATH: '/nonexistent' }).resolveCommit(createTempFolder(), 'HEAD')).rejects.toMatchObject({ exitCode: 5 });
});

const toProject = (root: string) => ({ root, folder: join(root, '.cleo') });

test('the working tree is the checkout of the caller’s folder', () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.commit({ 'app/a.txt': 'a' });
  const other = addWorktree(repo, join(base, 'other'), 'feature');
  const clone = createRepository(join(base, 'clone'));
  const app = toProject(join(repo.folder, 'app'));
  expect(findWorkingTree(join(repo.folder, 'app'), app)).toEqual({ top: repo.folder, folder: join(repo.folder, 'app') });
  expect(findWorkingTree(other.folder, app)).toEqual({ top: other.folder, folder: join(other.folder, 'app') });
  expect(findWorkingTree(clone.folder, app)).toEqual({ top: clone.folder, folder: clone.folder });
  expect(findWorkingTree(base, app)).toEqual({ top: app.root, folder: app.root });
});

test('finds files only inside the checkout, with links followed', () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.commit({ 'src/a.txt': 'a' });
  const other = addWorktree(repo, join(base, 'other'), 'feature');
  writeFileSync(join(repo.folder, 'only-main.txt'), 'x');
  symlinkSync(join(repo.folder, 'only-main.txt'), join(other.folder, 'link.txt'));
  mkdirSync(join(repo.folder, '.cleo', 'research', 'T001'), { recursive: true });
  writeFileSync(join(repo.folder, '.cleo', 'research', 'T001', 'out.md'), 'x');
  const project = toProject(repo.folder);
  const tree = findWorkingTree(other.folder, project);
  const findName = (path: string, from = other.folder): string | undefined => findFileInTree(tree, from, project, path)?.name;
  expect(findName('src/a.txt')).toBe('src/a.txt');
  expect(findName('a.txt', join(other.folder, 'src'))).toBe('src/a.txt');
  expect(findName('src/a.txt', join(other.folder, 'src'))).toBe('src/a.txt');
  for (const path of [
    'only-main.txt',
    '../main/only-main.txt',
    join(repo.folder, 'only-main.txt'),
    'link.txt',
    'src',
    '.git',
    '../main/.git/HEAD',
  ])
    expect(findName(path)).toBeUndefined();
  expect(findName('.cleo/research/T001/out.md')).toBe('.cleo/research/T001/out.md');
});

test('nothing that the configuration of a repository names is run', async () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.git('init', '--quiet', '--bare', join(base, 'remote.git'));
  repo.git('remote', 'add', 'origin', join(base, 'remote.git'));
  const commit = repo.commit({ 'a.txt': 'a', '.gitattributes': '* filter=evil diff=evil\n' });
  repo.git('push', '--quiet', 'origin', 'main');
  const ran = join(base, 'ran');
  const evil = `touch ${ran}`;
  const hooks = join(base, 'hooks');
  mkdirSync(hooks);
  for (const name of ['reference-transaction', 'post-index-change', 'pre-push', 'pre-commit'])
    writeFileSync(join(hooks, name), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
  for (const [key, value] of Object.entries({
    'core.fsmonitor': evil,
    'core.hooksPath': hooks,
    'core.pager': evil,
    'core.sshCommand': evil,
    'core.askPass': evil,
    'diff.external': evil,
    'diff.evil.command': evil,
    'diff.evil.textconv': evil,
    'filter.evil.clean': `${evil}; cat`,
    'filter.evil.required': 'true',
    'remote.origin.uploadpack': `${evil}; git-upload-pack`,
  }))
    repo.git('config', key, value);
  const git = createGit(repo.env);
  const later = new Date(Date.now() + 5000);
  utimesSync(join(repo.folder, 'a.txt'), later, later);
  await git.getRemote(repo.folder);
  expect(await git.listChanges(repo.folder)).toEqual([]);
  expect(await git.listUnchanged(repo.folder, commit, ['a.txt'])).toEqual(['a.txt']);
  expect(await git.isEmptyCommit(repo.folder, commit)).toBe(false);
  expect(await git.isIgnored(repo.folder, 'a.txt')).toBe(false);
  await git.addNoteLines(repo.folder, 'refs/notes/cleo', commit, ['head']);
  expect(await git.readRemoteNotes(repo.folder, 'origin', 'refs/notes/cleo')).toBeUndefined();
  repo.git('config', 'remote.origin.url', 'ssh://example.invalid/x.git');
  await expect(git.readRemoteNotes(repo.folder, 'origin', 'refs/notes/cleo')).rejects.toThrow();
  repo.git('config', 'remote.origin.url', `ext::sh -c '${evil}'`);
  repo.git('config', 'protocol.ext.allow', 'always');
  await expect(git.readRemoteNotes(repo.folder, 'origin', 'refs/notes/cleo')).rejects.toThrow();
  expect(existsSync(ran)).toBe(false);
});

test('no filter of a repository is run, whatever its name and value, and none of a submodule', async () => {
  const base = createTempFolder();
  const ran = join(base, 'ran');
  const later = new Date(Date.now() + 5000);
  const program = `touch ${ran}; cat`;
  const open = (name: string, attributes: string, section: string) => {
    const repo = createRepository(join(base, name));
    repo.commit({ 'a.txt': 'a', '.gitattributes': attributes });
    appendFileSync(join(repo.folder, '.git', 'config'), section);
    utimesSync(join(repo.folder, 'a.txt'), later, later);
    return repo;
  };
  const git = (repo: { env: Record<string, string> }) => createGit(repo.env);
  const readAll = async (repo: ReturnType<typeof open>): Promise<unknown[]> => [
    await git(repo).listChanges(repo.folder),
    await git(repo).getState(repo.folder),
  ];
  const lines = open('lines', '* filter=lfs', `[filter "lfs"]\n clean = "git-lfs clean -- %f\\n${program}"\n`);
  expect(await readAll(lines)).toMatchObject([[], { dirtyFiles: 0 }]);
  const upper = open('upper', '* filter=x', `[FILTER "x"]\n CLEAN = "${program}"\n`);
  expect(await readAll(upper)).toMatchObject([[], { dirtyFiles: 0 }]);
  const included = open('included', '* filter=x', '[include]\n path = more\n');
  writeFileSync(join(included.folder, '.git', 'more'), `[filter "x"]\n clean = "${program}"\n`);
  expect(await readAll(included)).toMatchObject([[], { dirtyFiles: 0 }]);
  const equals = open('equals', '* filter=a=b', `[filter "a=b"]\n clean = "${program}"\n`);
  await expect(git(equals).listChanges(equals.folder)).rejects.toThrow('cannot be switched off');
  await expect(git(equals).getState(equals.folder)).rejects.toThrow('cannot be switched off');
  const outer = open('outer', '* text', '');
  const inner = createRepository(join(outer.folder, 'inner'));
  const commit = inner.commit({ 'b.txt': 'b', '.gitattributes': '* filter=x' });
  outer.git('update-index', '--add', '--cacheinfo', `160000,${commit},inner`);
  outer.git('commit', '--quiet', '-m', 'Add a submodule');
  appendFileSync(join(inner.folder, '.git', 'config'), `[filter "x"]\n clean = "${program}"\n`);
  utimesSync(join(inner.folder, 'b.txt'), later, later);
  expect(await readAll(outer)).toMatchObject([[], { dirtyFiles: 0 }]);
  expect(existsSync(ran)).toBe(false);
});

test('a folder of a clone that git takes for a repository is not used', async () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.commit({ 'a.txt': 'a' });
  const bare = join(repo.folder, 'packed');
  for (const name of ['objects', 'refs']) mkdirSync(join(bare, name), { recursive: true });
  writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
  const ran = join(base, 'ran');
  writeFileSync(
    join(bare, 'config'),
    `[core]\n repositoryformatversion = 0\n bare = false\n worktree = ..\n[filter "x"]\n clean = "touch ${ran}; cat"\n`,
  );
  writeFileSync(join(bare, '.gitattributes'), '* filter=x');
  await expect(createGit(repo.env).listChanges(bare)).rejects.toThrow();
  expect(existsSync(ran)).toBe(false);
});

test('credential helpers of the repository are not run, and those of the user are', async () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  repo.commit({ 'a.txt': 'a' });
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization ?? '');
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  const asked: string[] = [];
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ran = join(base, 'ran');
  repo.git('remote', 'add', 'origin', `${address}/x.git`);
  for (const key of ['credential.helper', `credential.${address}.helper`]) repo.git('config', key, `!touch ${ran}; true`);
  const global = join(base, 'gitconfig');
  const env = { ...repo.env, GIT_CONFIG_GLOBAL: global };
  const helper = '!f() { echo username=ada; echo password=secret; }; f';
  execFileSync('git', ['config', '--file', global, `credential.${address}.helper`, helper]);
  for (const settings of [repo.env, env])
    await expect(createGit(settings).readRemoteNotes(repo.folder, 'origin', 'refs/notes/cleo')).rejects.toThrow();
  await expect(createGit(env).push(repo.folder, 'origin', ['main'])).rejects.toThrow();
  expect(existsSync(ran)).toBe(false);
  expect(asked).toContain(`Basic ${Buffer.from('ada:secret').toString('base64')}`);
});

test('a partial clone and an alternate object store start no program', async () => {
  const base = createTempFolder();
  const repo = createRepository(join(base, 'main'));
  const first = repo.commit({ 'a.txt': 'a' });
  const second = repo.commit({ 'a.txt': 'b' });
  repo.git('init', '--quiet', '--bare', join(base, 'alternate.git'));
  repo.git('init', '--quiet', '--bare', join(base, 'remote.git'));
  repo.git('push', '--quiet', join(base, 'remote.git'), `${second}:refs/notes/cleo`);
  const ran = join(base, 'ran');
  for (const [key, value] of Object.entries({
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'evil',
    'remote.evil.promisor': 'true',
    'remote.evil.url': repo.folder,
    'remote.evil.uploadpack': `touch ${ran}; git-upload-pack`,
    'core.alternateRefsCommand': `touch ${ran}; true`,
    'remote.origin.url': join(base, 'remote.git'),
  }))
    repo.git('config', key, value);
  const tree = repo.git('rev-parse', `${first}^{tree}`);
  rmSync(join(repo.folder, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
  mkdirSync(join(repo.folder, '.git', 'objects', 'info'), { recursive: true });
  writeFileSync(join(repo.folder, '.git', 'objects', 'info', 'alternates'), `${join(base, 'alternate.git', 'objects')}\n`);
  const git = createGit(repo.env);
  expect(await git.isEmptyCommit(repo.folder, second)).toBe(false);
  await git.readRemoteNotes(repo.folder, 'origin', 'refs/notes/cleo').catch(() => {});
  expect(existsSync(ran)).toBe(false);
});
