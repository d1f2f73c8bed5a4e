import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CleoError } from '#core/errors/error.ts';
import { addWorktree, createRepository } from '../../test/repository.ts';
import { createTempFolder, runAsNobody } from '../../test/temp-folder.ts';
import { readDocument } from './document.ts';
import { findWorkingTree } from './tree.ts';

function createReader(root: string, callerFolder = root) {
  const project = { root, folder: join(root, '.cleo') };
  const tree = findWorkingTree(callerFolder, project);
  return (path: string) =>
    readDocument({
      project,
      tree,
      callerFolder,
      path,
      fix: (right) => (right ? `cleo docs add T1 ${right}` : 'cleo help docs add'),
    });
}

function catchError(read: () => unknown): { exit: number; message: string; fix: string } {
  try {
    read();
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { exit: error.exitCode, message: error.message, fix: error.fix };
  }
  throw new Error('was read');
}

/** Creates a project with all kinds of files that are not documents, and a secret next to it. */
async function createFolderWithTraps(): Promise<string> {
  const top = createTempFolder();
  const root = join(top, 'project');
  for (const folder of ['docs', '.git', '.cleo/research', '.cleo/backups']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(top, 'secret'), 'secret');
  for (const name of ['docs/a.md', '.git/config', '.cleo/config.json', '.cleo/research/r.md']) writeFileSync(join(root, name), name);
  symlinkSync('../../secret', join(root, 'docs', 'out'));
  symlinkSync(top, join(root, 'above'));
  symlinkSync('a.md', join(root, 'docs', 'within'));
  symlinkSync('.git/config', join(root, 'to-git'));
  symlinkSync('nowhere', join(root, 'dangling'));
  symlinkSync('circle', join(root, 'circle'));
  symlinkSync('/dev/zero', join(root, 'device'));
  await once(spawn('mkfifo', [join(root, 'fifo')]), 'close');
  symlinkSync('fifo', join(root, 'to-fifo'));
  const server = createServer().listen(join(root, 'socket'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  writeFileSync(join(root, 'long'), '');
  truncateSync(join(root, 'long'), (64 << 20) + 1);
  return root;
}

test('rejects everything but documents of the project with exit code 3, without blocking', async () => {
  const read = createReader(await createFolderWithTraps());
  const table: [string, string][] = [
    ['/etc/passwd', 'absolute'],
    ['../secret', 'contains ..'],
    ['docs/../docs/a.md', 'contains ..'],
    ['docs/out', 'outside the project'],
    ['above/secret', 'outside the project'],
    ['device', 'outside the project'],
    ['to-git', 'internal file'],
    ['.git/config', 'internal file'],
    ['.cleo/config.json', 'internal file'],
    ['dangling', 'broken link'],
    ['circle', 'broken link'],
    ['docs', 'is a folder'],
    ['.', 'is a folder'],
    ['fifo', 'is a pipe'],
    ['to-fifo', 'is a pipe'],
    ['socket', 'is a socket'],
    ['long', 'longer than 64 MiB'],
    ['docs/a.md/b', 'not a folder'],
    ['x'.repeat(300), 'name is too long'],
  ];
  for (const [path, problem] of table)
    expect([path, catchError(() => read(path))]).toMatchObject([path, { exit: 3, message: expect.stringContaining(problem) }]);
  expect(catchError(() => read('docs/none.md'))).toMatchObject({ exit: 3, message: 'docs/none.md: does not exist' });
});

test('suggests the correct path for an absolute path or one with ..', async () => {
  const root = await createFolderWithTraps();
  expect(catchError(() => createReader(root)(join(root, 'docs', 'a.md'))).fix).toBe('cleo docs add T1 docs/a.md');
  expect(catchError(() => createReader(root, join(root, 'docs'))('../docs/a.md')).fix).toBe('cleo docs add T1 docs/a.md');
  expect(catchError(() => createReader(root)('/etc/passwd')).fix).toBe('cleo help docs add');
});

test('an unreadable file fails with exit code 3', () => {
  const root = createTempFolder();
  chmodSync(root, 0o755);
  writeFileSync(join(root, 'a.md'), 'a');
  chmodSync(join(root, 'a.md'), 0);
  expect(runAsNobody(() => catchError(() => createReader(root)('a.md')))).toMatchObject({ exit: 3, message: 'a.md: permission denied' });
});

test('reads the exact bytes, also through a link inside the project and from a subfolder', async () => {
  const root = await createFolderWithTraps();
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0, 0xff]);
  writeFileSync(join(root, 'docs', 'b.bin'), bytes);
  linkSync(join(root, 'docs', 'b.bin'), join(root, 'twice'));
  expect(createReader(root)('docs/b.bin')).toEqual({ name: 'docs/b.bin', bytes });
  expect(createReader(root)('./twice').name).toBe('twice');
  expect(createReader(root)('docs/within').name).toBe('docs/a.md');
  expect(createReader(root)('.cleo/research/r.md').bytes.toString()).toBe('.cleo/research/r.md');
  const below = createReader(root, join(root, 'docs'));
  expect(below('a.md').name).toBe('docs/a.md');
  expect(below('docs/a.md').name).toBe('docs/a.md');
});

test('reads the files of a linked worktree, and elsewhere only those of the project', () => {
  const root = join(createTempFolder(), 'main');
  const main = createRepository(root);
  main.commit({ 'docs/a.md': 'main' });
  const linked = addWorktree(main, join(createTempFolder(), 'linked'), 'other');
  writeFileSync(join(linked.folder, 'docs', 'a.md'), 'linked');
  writeFileSync(join(linked.folder, 'docs', 'new.md'), 'new');
  expect(createReader(root, join(linked.folder, 'docs'))('new.md')).toMatchObject({ name: 'docs/new.md' });
  expect(createReader(root, linked.folder)('docs/a.md').bytes.toString()).toBe('linked');
  expect(catchError(() => createReader(root)('docs/new.md')).exit).toBe(3);
  const stranger = createRepository(join(createTempFolder(), 'stranger'));
  stranger.commit({ 'own.md': 'x' });
  expect(catchError(() => createReader(root, stranger.folder)('own.md')).exit).toBe(3);
  expect(createReader(root, stranger.folder)('docs/a.md').bytes.toString()).toBe('main');
});

test('does not leak a file if a path becomes a link while it is opened', async () => {
  const top = createTempFolder();
  const root = join(top, 'project');
  for (const folder of [join(root, 'real'), join(top, 'outside')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'real', 'a.md'), 'public');
  writeFileSync(join(top, 'outside', 'a.md'), 'secret');
  const script = `const { renameSync: move, symlinkSync: link, unlinkSync: drop, writeFileSync: write } = require('node:fs');
    process.on('SIGTERM', () => process.exit(0));
    console.log('ready');
    for (const end = Date.now() + 20000; Date.now() < end; ) {
      move('real', 'kept'); link('../outside', 'real'); drop('real'); move('kept', 'real');
      drop('real/a.md'); link('../../outside/a.md', 'real/a.md'); drop('real/a.md'); write('real/a.md', 'public');
    }`;
  const swapper = spawn(process.execPath, ['-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  await once(swapper.stdout, 'data');
  const read = createReader(root);
  const seen = new Set<string>();
  const start = performance.now();
  // On a busy machine every read of the first second can meet a link.
  while (performance.now() < start + (seen.has('public') ? 1000 : 15_000)) {
    try {
      seen.add(read('real/a.md').bytes.toString());
    } catch (error) {
      expect([3, 4]).toContain((error as CleoError).exitCode);
    }
  }
  seen.delete('');
  expect([...seen]).toEqual(['public']);
});
