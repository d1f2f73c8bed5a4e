import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createTempFolder, runAsNobody } from '../../test/temp-folder.ts';
import { createFileCache, files } from './files.ts';
import { readBootId, readProcessNamespace, readStartTime } from './processes.ts';

describe('resolveInside', () => {
  test.each(['out.jsonl', 'a/b/c.md', './out', 'a/../out', 'not-yet/there/out', '.cleorc', 'a/.gitignore'])('accepts %s', (path) => {
    const root = createTempFolder();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    expect(files.resolveInside(root, path, 'cleo help')).toBe(join(root, path));
    expect(files.resolveInside(root, join(root, path), 'cleo help')).toBe(join(root, path));
  });

  test.each([
    ['..', 'outside'],
    ['../out', 'outside'],
    ['a/../../out', 'outside'],
    ['/etc/passwd', 'outside'],
    ['.', 'outside'],
    ['', 'outside'],
    ['.cleo/config.json', 'inside .cleo'],
    ['.git/hooks/post-commit', 'inside .git'],
    ['.GIT/config', 'inside .git'],
    ['vendor/lib/.git/config', 'inside .git'],
    ['a', 'not a regular file'],
    ['link-out/x', 'outside'],
    ['link-git/config', 'inside .git'],
    ['link-file', 'is a link'],
    ['dangling', 'is a link'],
    ['dangling/x', 'broken link'],
    ['circle/x', 'broken link'],
    [`a${sep}..${sep}link-out${sep}deep${sep}x`, 'outside'],
  ])('rejects %j: %s', (path, problem) => {
    const top = createTempFolder();
    const root = join(top, 'project');
    for (const folder of ['a', '.git', '.cleo']) mkdirSync(join(root, folder), { recursive: true });
    mkdirSync(join(top, 'elsewhere', 'deep'), { recursive: true });
    writeFileSync(join(top, 'elsewhere', 'file'), '');
    symlinkSync(join(top, 'elsewhere'), join(root, 'link-out'));
    symlinkSync(join(root, '.git'), join(root, 'link-git'));
    symlinkSync(join(top, 'elsewhere', 'file'), join(root, 'link-file'));
    symlinkSync(join(top, 'nowhere'), join(root, 'dangling'));
    symlinkSync(join(root, 'circle'), join(root, 'circle'));
    expect(() => files.resolveInside(root, path, 'cleo help')).toThrow(
      expect.objectContaining({ exitCode: 3, message: expect.stringContaining(problem) }),
    );
  });

  test('accepts a link to a folder of the project', () => {
    const root = createTempFolder();
    mkdirSync(join(root, 'a'));
    symlinkSync(join(root, 'a'), join(root, 'link'));
    expect(files.resolveInside(root, 'link/out', 'cleo help')).toBe(join(root, 'link', 'out'));
  });

  test('accepts a project that is reached through a link', () => {
    const top = createTempFolder();
    mkdirSync(join(top, 'project'));
    symlinkSync(join(top, 'project'), join(top, 'link'));
    expect(files.resolveInside(join(top, 'link'), 'out', 'cleo help')).toBe(join(top, 'link', 'out'));
  });
});

describe('writing', () => {
  test('is atomic, keeps the mode of the file, and leaves no temporary file', () => {
    const path = join(createTempFolder(), 'x.json');
    files.writeAtomic(path, 'one');
    chmodSync(path, 0o600);
    files.writeAtomic(path, 'zwei ✓');
    expect(readFileSync(path, 'utf8')).toBe('zwei ✓');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['x.json']);
  });

  test('writeNew does not overwrite a file', () => {
    const path = join(createTempFolder(), 'x');
    expect([files.writeNew(path, 'first'), files.writeNew(path, 'second')]).toEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(join(path, '..'))).toEqual(['x']);
  });

  test('fails with exit code 3 and the reason if the file cannot be written', () => {
    const folder = createTempFolder();
    mkdirSync(join(folder, 'closed'));
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'closed'), 0o555);
    const matchError = (problem: string) =>
      expect.objectContaining({ code: 'E_FILE_ERROR', exitCode: 3, message: expect.stringContaining(problem) });
    expect(() => runAsNobody(() => files.writeAtomic(join(folder, 'closed', 'x'), 'text'))).toThrow(matchError('permission denied'));
    expect(() => runAsNobody(() => files.createFolder(join(folder, 'closed', 'x')))).toThrow(matchError('permission denied'));
    expect(() => files.writeAtomic(join(folder, 'no', 'such', 'folder'), 'text')).toThrow(matchError('does not exist'));
    expect(() => files.writeAtomic(join(folder, 'x'.repeat(300)), 'text')).toThrow(matchError('too long'));
    expect(() => files.readText(join(folder, 'closed'))).toThrow(matchError('is a folder'));
    writeFileSync(join(folder, 'file'), '');
    expect(() => files.createFolder(join(folder, 'file', 'x'))).toThrow(matchError('not a folder'));
    expect(() => files.createFolder(join(folder, 'file'))).toThrow(matchError('already exists'));
    expect(readdirSync(join(folder, 'closed'))).toEqual([]);
  });
});

describe('appendLine', () => {
  test('creates the file and its folder, and appends to the end', () => {
    const path = join(createTempFolder(), 'metrics', 'GRADES.jsonl');
    files.appendLine(path, '{"n":1}');
    files.appendLine(path, '{"n":"é\u{1f600}"}');
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":"é\u{1f600}"}\n');
  });

  test('starts a new line after an incomplete one', () => {
    const path = join(createTempFolder(), 'GRADES.jsonl');
    writeFileSync(path, '{"n":1}\n{"n":');
    files.appendLine(path, '{"n":2}');
    files.appendLine(path, '{"n":3}');
    expect(readFileSync(path, 'utf8').split('\n')).toEqual(['{"n":1}', '{"n":', '{"n":2}', '{"n":3}', '']);
  });

  test('fails if the file cannot be written', () => {
    const folder = createTempFolder();
    const path = join(folder, 'GRADES.jsonl');
    writeFileSync(path, '');
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    expect(() => runAsNobody(() => files.appendLine(path, '{}'))).toThrow('permission denied');
    expect(() => files.appendLine(join(path, 'x.jsonl'), '{}')).toThrow('already exists');
  });
});

test('a link below an entry of .cleo is rejected, because a clone can bring it', () => {
  const [root, other] = [createTempFolder(), createTempFolder()];
  mkdirSync(join(root, '.cleo', 'metrics'), { recursive: true });
  writeFileSync(join(other, 'profile'), 'mine\n');
  symlinkSync(join(other, 'profile'), join(root, '.cleo', 'metrics', 'GRADES.jsonl'));
  symlinkSync(other, join(root, '.cleo', 'metrics', 'more'));
  for (const name of ['GRADES.jsonl', 'more/GRADES.jsonl']) {
    const path = join(root, '.cleo', 'metrics', name);
    for (const write of [files.appendLine, files.writeAtomic, files.writeNew])
      expect(() => write(path, 'line')).toThrow(
        expect.objectContaining({ row: 'E_FILE_ERROR', message: expect.stringMatching(/leads through a link$/) }),
      );
  }
  expect(() => files.createFolder(join(root, '.cleo', 'metrics', 'more', 'x'))).toThrow('leads through a link');
  expect(readFileSync(join(other, 'profile'), 'utf8')).toBe('mine\n');
  expect(readdirSync(other)).toEqual(['profile']);
});

test('finds the files below a folder by their ending', () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, 'a', 'b.jsonl'), { recursive: true });
  for (const name of ['x.jsonl', join('a', 'y.jsonl'), join('a', 'z.json')]) writeFileSync(join(folder, name), '');
  expect(files.find(folder, '.jsonl')).toEqual([join(folder, 'a', 'y.jsonl'), join(folder, 'x.jsonl')]);
  expect(files.find(join(folder, 'none'), '.jsonl')).toEqual([]);
});

test('computes the checksum of files of any length', () => {
  const path = join(createTempFolder(), 'x');
  writeFileSync(path, 'abc');
  expect(files.sha256(path)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  writeFileSync(path, Buffer.alloc(2_500_000, 'a'));
  expect(files.sha256(path)).toBe('38a637965059125eeb67f54c30e7f48a61859a467a800ba09740ba48a924f2b9');
});

describe('withLock', () => {
  test('runs one process at a time and releases the lock after an error', async () => {
    const path = join(createTempFolder(), 'count');
    writeFileSync(path, '0');
    const program = `
      const fs = require('node:fs');
      const [path, lock] = [process.argv[1], process.argv[1] + '.lock'];
      for (let i = 0; i < 50; i++) {
        for (;;) { try { fs.closeSync(fs.openSync(lock, 'wx')); break; } catch {} }
        fs.writeFileSync(path, String(Number(fs.readFileSync(path, 'utf8')) + 1));
        fs.rmSync(lock);
      }`;
    const other = spawn(process.execPath, ['-e', program, path]);
    const ended = once(other, 'exit');
    for (let i = 0; i < 50; i++) await files.withLock(path, () => files.writeAtomic(path, String(Number(files.readText(path)) + 1)));
    await ended;
    expect(readFileSync(path, 'utf8')).toBe('100');
    await expect(
      files.withLock(path, () => {
        throw new Error('on the way');
      }),
    ).rejects.toThrow('on the way');
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  const holder = {
    pid: process.pid,
    began: readStartTime(process.pid),
    boot: readBootId(),
    namespace: readProcessNamespace(),
    nonce: '1-a',
  };
  const dead = { ...holder, pid: 2 ** 22 + 1 };
  const createLocked = (claim: object | string, ageMs = 0): string => {
    const path = join(createTempFolder(), 'x');
    writeFileSync(`${path}.lock`, typeof claim === 'string' ? claim : JSON.stringify(claim));
    const changed = new Date(Date.now() - ageMs);
    utimesSync(`${path}.lock`, changed, changed);
    return path;
  };

  test.each([
    ['of a dead process', dead, 0],
    ['whose pid was assigned again', { ...holder, began: '1' }, 0],
    ['that a living process did not release for more than 10 seconds', holder, 11_000],
    ['of another container that is older than 10 seconds', { ...dead, namespace: '1' }, 11_000],
    ['of another host, or from before the last boot, that is older than 10 seconds', { ...dead, boot: 'another' }, 11_000],
    ['that names no process and is older than 5 seconds', '', 6000],
  ])('takes over a lock %s', async (_, claim, ageMs) => {
    const path = createLocked(claim, ageMs);
    const began = performance.now();
    expect(await files.withLock(path, () => 'done')).toBe('done');
    expect(performance.now() - began).toBeLessThan(1000);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test.each([
    ['of a living process', holder],
    ['of a process in another container', { ...dead, namespace: '1' }],
  ])('waits for a lock %s, then fails with exit code 7', async (_, claim) => {
    const path = createLocked(claim);
    await expect(files.withLock(path, () => 'done')).rejects.toThrow(expect.objectContaining({ code: 'E_LOCK_TIMEOUT', exitCode: 7 }));
    expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toEqual(claim);
  });
});

test('isSameFile follows links', () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, 'a'));
  symlinkSync(join(folder, 'a'), join(folder, 'b'));
  expect(files.isSameFile(join(folder, 'a'), join(folder, 'b'))).toBe(true);
  expect(files.isSameFile(join(folder, 'a'), folder)).toBe(false);
  expect(files.isSameFile(join(folder, 'none'), join(folder, 'none'))).toBe(true);
  expect(files.isSameFile(join(folder, 'none'), folder)).toBe(false);
});

function createCache() {
  const path = join(createTempFolder(), 'settings.json');
  let parsed = 0;
  const read = createFileCache((text) => {
    parsed++;
    return text;
  });
  return { path, read: () => read(path), countParsed: () => parsed };
}

/** Makes the last change of the file old enough to be recognized by its time. */
const settle = (path: string): void => void vi.setSystemTime(statSync(path).ctimeMs + 2000);

test('parses a file once while it does not change', () => {
  const { path, read, countParsed } = createCache();
  writeFileSync(path, 'one');
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    settle(path);
    expect([read(), read(), read()]).toEqual(['one', 'one', 'one']);
    expect(countParsed()).toBe(1);
    writeFileSync(path, 'two');
    expect([read(), countParsed()]).toEqual(['two', 2]);
  } finally {
    vi.useRealTimers();
  }
});

test('reads a change of the same length at once, even if the time of the file is set back', () => {
  const { path, read } = createCache();
  writeFileSync(path, 'one');
  const { atime, mtime } = statSync(path);
  expect(read()).toBe('one');
  for (const text of ['two', 'six', 'ten']) {
    writeFileSync(path, text);
    utimesSync(path, atime, mtime);
    expect(read()).toBe(text);
  }
});

test('reads a file that replaces another, that was removed, and that is new', () => {
  const { path, read } = createCache();
  expect(read()).toBeUndefined();
  writeFileSync(path, 'one');
  expect(read()).toBe('one');
  writeFileSync(`${path}.new`, 'two');
  renameSync(`${path}.new`, path);
  expect(read()).toBe('two');
  rmSync(path);
  expect(read()).toBeUndefined();
});
