import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CleoError } from '#core/errors/error.ts';
import { repositoryIn, worktreeOf } from '../../test/repository.ts';
import { asNobody, temporary } from '../../test/temporary.ts';
import { readDocument } from './document.ts';
import { workingTree } from './tree.ts';

function reader(root: string, stands = root) {
  const project = { root, folder: join(root, '.cleo') };
  const tree = workingTree(stands, project);
  return (path: string) =>
    readDocument({ project, tree, stands, path, fix: (right) => (right ? `cleo docs add T1 ${right}` : 'cleo help docs add') });
}

function refusal(read: () => unknown): { exit: number; message: string; fix: string } {
  try {
    read();
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return { exit: error.exitCode, message: error.message, fix: error.fix };
  }
  throw new Error('was read');
}

/** A project with everything in it that is no document, and a secret beside it. */
async function arranged(): Promise<string> {
  const top = temporary();
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

test('what is no document of the project is refused with 3, and nothing waits', async () => {
  const read = reader(await arranged());
  const table: [string, string][] = [
    ['/etc/passwd', 'absolute'],
    ['../secret', 'upwards'],
    ['docs/../docs/a.md', 'upwards'],
    ['docs/out', 'out of the project'],
    ['above/secret', 'out of the project'],
    ['device', 'out of the project'],
    ['to-git', 'keep for themselves'],
    ['.git/config', 'keep for themselves'],
    ['.cleo/config.json', 'keep for themselves'],
    ['dangling', 'leads nowhere'],
    ['circle', 'leads nowhere'],
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
    expect([path, refusal(() => read(path))]).toMatchObject([path, { exit: 3, message: expect.stringContaining(problem) }]);
  expect(refusal(() => read('docs/none.md'))).toMatchObject({ exit: 4, message: 'There is no file docs/none.md' });
});

test('a path that only has the wrong form is told the right one', async () => {
  const root = await arranged();
  expect(refusal(() => reader(root)(join(root, 'docs', 'a.md'))).fix).toBe('cleo docs add T1 docs/a.md');
  expect(refusal(() => reader(root, join(root, 'docs'))('../docs/a.md')).fix).toBe('cleo docs add T1 docs/a.md');
  expect(refusal(() => reader(root)('/etc/passwd')).fix).toBe('cleo help docs add');
});

test('a file nobody may read is refused with 3', () => {
  const root = temporary();
  chmodSync(root, 0o755);
  writeFileSync(join(root, 'a.md'), 'a');
  chmodSync(join(root, 'a.md'), 0);
  expect(asNobody(() => refusal(() => reader(root)('a.md')))).toMatchObject({ exit: 3, message: 'a.md: permission denied' });
});

test('a file is read to the byte, by a link that stays inside too, and by its path from a folder below', async () => {
  const root = await arranged();
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0, 0xff]);
  writeFileSync(join(root, 'docs', 'b.bin'), bytes);
  linkSync(join(root, 'docs', 'b.bin'), join(root, 'twice'));
  expect(reader(root)('docs/b.bin')).toEqual({ name: 'docs/b.bin', bytes });
  expect(reader(root)('./twice').name).toBe('twice');
  expect(reader(root)('docs/within').name).toBe('docs/a.md');
  expect(reader(root)('.cleo/research/r.md').bytes.toString()).toBe('.cleo/research/r.md');
  const below = reader(root, join(root, 'docs'));
  expect(below('a.md').name).toBe('docs/a.md');
  expect(below('docs/a.md').name).toBe('docs/a.md');
});

test('in a linked worktree its own files are read, elsewhere only those of the project', () => {
  const root = join(temporary(), 'main');
  const main = repositoryIn(root);
  main.commit({ 'docs/a.md': 'main' });
  const linked = worktreeOf(main, join(temporary(), 'linked'), 'other');
  writeFileSync(join(linked.folder, 'docs', 'a.md'), 'linked');
  writeFileSync(join(linked.folder, 'docs', 'new.md'), 'new');
  expect(reader(root, join(linked.folder, 'docs'))('new.md')).toMatchObject({ name: 'docs/new.md' });
  expect(reader(root, linked.folder)('docs/a.md').bytes.toString()).toBe('linked');
  expect(refusal(() => reader(root)('docs/new.md')).exit).toBe(4);
  const stranger = repositoryIn(join(temporary(), 'stranger'));
  stranger.commit({ 'own.md': 'x' });
  expect(refusal(() => reader(root, stranger.folder)('own.md')).exit).toBe(4);
  expect(reader(root, stranger.folder)('docs/a.md').bytes.toString()).toBe('main');
});

test('a file or a folder that becomes a link while it is opened leaks nothing', async () => {
  const top = temporary();
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
  const read = reader(root);
  const seen = new Set<string>();
  for (const end = performance.now() + 1000; performance.now() < end; ) {
    try {
      seen.add(read('real/a.md').bytes.toString());
    } catch (error) {
      expect([3, 4]).toContain((error as CleoError).exitCode);
    }
  }
  seen.delete('');
  expect([...seen]).toEqual(['public']);
});
