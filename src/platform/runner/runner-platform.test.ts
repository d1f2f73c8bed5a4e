import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '#runs/rules/attribute-changes.ts';
import { createRepository } from '../../../test/repository.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';
import { createGit } from '../git.ts';
import { listChangedFiles, scanTree } from './runner-platform.ts';

const noGit = async (): Promise<undefined> => undefined;

test('finds created, changed and deleted files and ignores tool folders', async () => {
  const root = createTempFolder();
  const put = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const path of ['a.md', 'b.md', 'deep/er/c.md', '.git/x', 'node_modules/m/i.js', '.cleo/runs/r']) put(path, 'one');
  symlinkSync('/', join(root, 'loop'));
  const before = await scanTree(root, noGit);
  expect([...before.files.keys()].sort()).toEqual(['a.md', 'b.md', 'deep/er/c.md', 'loop']);
  put('a.md', 'other');
  put('.cleo/runs/r', 'other');
  put('deep/d.md', 'new');
  rmSync(join(root, 'b.md'));
  expect(diffSnapshots(before, await scanTree(root, noGit))).toEqual([
    { path: 'a.md', change: 'changed' },
    { path: 'b.md', change: 'deleted' },
    { path: 'deep/d.md', change: 'created' },
  ]);
});

test('watches the files of tool folders that decide what runs later', async () => {
  const root = createTempFolder();
  const put = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const path of [
    '.git/config',
    '.git/index',
    '.git/hooks/pre-commit.sample',
    '.cleo/config.json',
    '.cleo/cleo.db',
    '.cleo/skills/s/run.sh',
  ])
    put(path, 'one');
  const snapshots = [await scanTree(root, noGit)];
  for (const path of [
    '.git/config',
    '.git/index',
    '.git/hooks/post-commit',
    '.cleo/config.json',
    '.cleo/cleo.db',
    '.cleo/skills/t/SKILL.md',
  ])
    put(path, 'other');
  rmSync(join(root, '.cleo/skills/s'), { recursive: true });
  snapshots.push(await scanTree(root, noGit));
  expect(diffSnapshots(snapshots[0]!, snapshots[1]!).sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: '.cleo/config.json', change: 'changed' },
    { path: '.cleo/skills/s/run.sh', change: 'deleted' },
    { path: '.cleo/skills/t/SKILL.md', change: 'created' },
    { path: '.git/config', change: 'changed' },
    { path: '.git/hooks/post-commit', change: 'created' },
  ]);
});

test('counts a file rewritten with the same text as changed', async () => {
  const root = createTempFolder();
  writeFileSync(join(root, 'a'), 'same');
  const before = await scanTree(root, noGit);
  await new Promise((resolve) => setTimeout(resolve, 15));
  writeFileSync(join(root, 'a'), 'same');
  expect(diffSnapshots(before, await scanTree(root, noGit))).toEqual([{ path: 'a', change: 'changed' }]);
});

test('asks git if the tree has too many files', async () => {
  const root = createTempFolder();
  const maxFiles = 300;
  for (let folder = 0; folder < 3; folder += 1) {
    mkdirSync(join(root, String(folder)));
    for (let file = 0; file < 100; file += 1) writeFileSync(join(root, String(folder), String(file)), '');
  }
  expect(await scanTree(root, noGit, maxFiles)).toMatchObject({ isCoarse: false, files: { size: maxFiles } });
  writeFileSync(join(root, '2', 'last'), '');
  const before = await scanTree(root, async () => ['1/1'], maxFiles);
  expect(before).toMatchObject({ isCoarse: true, files: new Map([['1/1', { size: 0 }]]) });
  writeFileSync(join(root, '2', 'new'), 'x');
  const after = await scanTree(root, async () => ['1/1', '2/new', '.cleo/config.json', 'a/node_modules/x'], maxFiles);
  expect(diffSnapshots(before, after)).toEqual([{ path: '2/new', change: 'changed' }]);
  expect(await scanTree(root, noGit, maxFiles)).toMatchObject({ isCoarse: true, isUnknown: true });
});

test('lists changed files below the folder with paths relative to it', async () => {
  const repo = createRepository(createTempFolder());
  repo.commit({ 'a.txt': 'a', 'project/b.txt': 'b' });
  const git = createGit(repo.env);
  for (const name of ['a.txt', 'project/b.txt', 'project/new.txt']) writeFileSync(join(repo.folder, name), 'changed');
  expect(await listChangedFiles(git, join(repo.folder, 'project'))).toEqual(['b.txt', 'new.txt']);
  expect(await listChangedFiles(git, repo.folder)).toEqual(['a.txt', 'project/b.txt', 'project/new.txt']);
  expect(await listChangedFiles(git, createTempFolder())).toBeUndefined();
});
