import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asNobody, temporary } from '../../test/temporary.ts';
import { files } from './files.ts';

describe('a path inside the project', () => {
  test.each(['out.jsonl', 'a/b/c.md', './out', 'a/../out', 'not-yet/there/out', '.cleorc', 'a/.gitignore'])('%s is', (path) => {
    const root = temporary();
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    expect(files.inside(root, path)).toBe(join(root, path));
    expect(files.inside(root, join(root, path))).toBe(join(root, path));
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
    ['a', 'not a plain file'],
    ['link-out/x', 'outside'],
    ['link-git/config', 'inside .git'],
    ['link-file', 'is a link'],
    ['dangling', 'is a link'],
    ['dangling/x', 'leads nowhere'],
    ['circle/x', 'leads nowhere'],
    [`a${sep}..${sep}link-out${sep}deep${sep}x`, 'outside'],
  ])('%j is not: %s', (path, problem) => {
    const top = temporary();
    const root = join(top, 'project');
    for (const folder of ['a', '.git', '.cleo']) mkdirSync(join(root, folder), { recursive: true });
    mkdirSync(join(top, 'elsewhere', 'deep'), { recursive: true });
    writeFileSync(join(top, 'elsewhere', 'file'), '');
    symlinkSync(join(top, 'elsewhere'), join(root, 'link-out'));
    symlinkSync(join(root, '.git'), join(root, 'link-git'));
    symlinkSync(join(top, 'elsewhere', 'file'), join(root, 'link-file'));
    symlinkSync(join(top, 'nowhere'), join(root, 'dangling'));
    symlinkSync(join(root, 'circle'), join(root, 'circle'));
    expect(() => files.inside(root, path)).toThrow(expect.objectContaining({ exitCode: 3, message: expect.stringContaining(problem) }));
  });

  test('a link to a folder of the project is inside, where it leads', () => {
    const root = temporary();
    mkdirSync(join(root, 'a'));
    symlinkSync(join(root, 'a'), join(root, 'link'));
    expect(files.inside(root, 'link/out')).toBe(join(root, 'link', 'out'));
  });

  test('the project itself may be reached through a link', () => {
    const top = temporary();
    mkdirSync(join(top, 'project'));
    symlinkSync(join(top, 'project'), join(top, 'link'));
    expect(files.inside(join(top, 'link'), 'out')).toBe(join(top, 'link', 'out'));
  });
});

describe('writing', () => {
  test('is whole, keeps the mode of what was there, and leaves nothing beside', () => {
    const path = join(temporary(), 'x.json');
    files.writeWhole(path, 'one');
    chmodSync(path, 0o600);
    files.writeWhole(path, 'zwei ✓');
    expect(readFileSync(path, 'utf8')).toBe('zwei ✓');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['x.json']);
  });

  test('a new file is not written over', () => {
    const path = join(temporary(), 'x');
    expect([files.writeNew(path, 'first'), files.writeNew(path, 'second')]).toEqual([true, false]);
    expect(readFileSync(path, 'utf8')).toBe('first');
    expect(readdirSync(join(path, '..'))).toEqual(['x']);
  });

  test('what cannot be written is 3, and says why', () => {
    const folder = temporary();
    mkdirSync(join(folder, 'closed'));
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'closed'), 0o555);
    const refused = (problem: string) =>
      expect.objectContaining({ code: 'E_FILE_ERROR', exitCode: 3, message: expect.stringContaining(problem) });
    expect(() => asNobody(() => files.writeWhole(join(folder, 'closed', 'x'), 'text'))).toThrow(refused('permission denied'));
    expect(() => asNobody(() => files.makeFolder(join(folder, 'closed', 'x')))).toThrow(refused('permission denied'));
    expect(() => files.writeWhole(join(folder, 'no', 'such', 'folder'), 'text')).toThrow(refused('does not exist'));
    expect(() => files.writeWhole(join(folder, 'x'.repeat(300)), 'text')).toThrow(refused('too long'));
    expect(() => files.readText(join(folder, 'closed'))).toThrow(refused('is a folder'));
    writeFileSync(join(folder, 'file'), '');
    expect(() => files.makeFolder(join(folder, 'file', 'x'))).toThrow(refused('not a folder'));
    expect(() => files.makeFolder(join(folder, 'file'))).toThrow(refused('in the way'));
    expect(readdirSync(join(folder, 'closed'))).toEqual([]);
  });
});

describe('a line appended', () => {
  test('makes the file and its folder, and stands behind the others', () => {
    const path = join(temporary(), 'metrics', 'GRADES.jsonl');
    files.appendLine(path, '{"n":1}');
    files.appendLine(path, '{"n":"é\u{1f600}"}');
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":"é\u{1f600}"}\n');
  });

  test('begins on a line of its own after one that was cut short', () => {
    const path = join(temporary(), 'GRADES.jsonl');
    writeFileSync(path, '{"n":1}\n{"n":');
    files.appendLine(path, '{"n":2}');
    files.appendLine(path, '{"n":3}');
    expect(readFileSync(path, 'utf8').split('\n')).toEqual(['{"n":1}', '{"n":', '{"n":2}', '{"n":3}', '']);
  });

  test('is a refusal where it cannot be written', () => {
    const folder = temporary();
    const path = join(folder, 'GRADES.jsonl');
    writeFileSync(path, '');
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    expect(() => asNobody(() => files.appendLine(path, '{}'))).toThrow('permission denied');
    expect(() => files.appendLine(join(path, 'x.jsonl'), '{}')).toThrow('in the way');
  });
});

test('files are found below a folder by their ending', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'a', 'b.jsonl'), { recursive: true });
  for (const name of ['x.jsonl', join('a', 'y.jsonl'), join('a', 'z.json')]) writeFileSync(join(folder, name), '');
  expect(files.find(folder, '.jsonl')).toEqual([join(folder, 'a', 'y.jsonl'), join(folder, 'x.jsonl')]);
  expect(files.find(join(folder, 'none'), '.jsonl')).toEqual([]);
});

test('the checksum of a file is that of its bytes, however long', () => {
  const path = join(temporary(), 'x');
  writeFileSync(path, 'abc');
  expect(files.sha256(path)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  writeFileSync(path, Buffer.alloc(2_500_000, 'a'));
  expect(files.sha256(path)).toBe('38a637965059125eeb67f54c30e7f48a61859a467a800ba09740ba48a924f2b9');
});

describe('alone', () => {
  test('one process at a time, whatever the work does', async () => {
    const path = join(temporary(), 'count');
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
    for (let i = 0; i < 50; i++) files.alone(path, () => files.writeWhole(path, String(Number(files.readText(path)) + 1)));
    await ended;
    expect(readFileSync(path, 'utf8')).toBe('100');
    expect(() =>
      files.alone(path, () => {
        throw new Error('on the way');
      }),
    ).toThrow('on the way');
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('a lock that a dead process left is taken over', () => {
    const path = join(temporary(), 'x');
    writeFileSync(`${path}.lock`, '');
    utimesSync(`${path}.lock`, new Date(0), new Date(0));
    expect(files.alone(path, () => 'done')).toBe('done');
  });

  test('one that is held is waited for, and then it is 7', () => {
    const path = join(temporary(), 'x');
    writeFileSync(`${path}.lock`, '');
    expect(() => files.alone(path, () => 'done')).toThrow(expect.objectContaining({ code: 'E_LOCK_TIMEOUT', exitCode: 7 }));
    expect(existsSync(`${path}.lock`)).toBe(true);
  });
});

test('two names of one folder are the same', () => {
  const folder = temporary();
  mkdirSync(join(folder, 'a'));
  symlinkSync(join(folder, 'a'), join(folder, 'b'));
  expect(files.isSame(join(folder, 'a'), join(folder, 'b'))).toBe(true);
  expect(files.isSame(join(folder, 'a'), folder)).toBe(false);
  expect(files.isSame(join(folder, 'none'), join(folder, 'none'))).toBe(true);
  expect(files.isSame(join(folder, 'none'), folder)).toBe(false);
});
