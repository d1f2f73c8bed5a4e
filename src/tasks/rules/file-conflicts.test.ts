import { expect, test } from 'vitest';
import { type FileConflict, findFileConflicts, findSharedFiles, groupFilesByTask, listConflictingTasks } from './file-conflicts.ts';

test.each<[what: string, tasks: Record<string, string[]>, conflicts: FileConflict[], deferred: string[]]>([
  ['different files', { T001: ['a.ts'], T002: ['b.ts'], T003: [] }, [], []],
  ['one file', { T002: ['a.ts'], T001: ['a.ts'] }, [{ file: 'a.ts', tasks: ['T002', 'T001'] }], ['T001']],
  ['a file that one task names twice', { T001: ['a.ts', './a.ts'] }, [], []],
  ['a leading ./', { T001: ['./src/a.ts'], T002: ['src/a.ts'] }, [{ file: 'src/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['a repeated slash', { T001: ['src//a.ts'], T002: ['src/a.ts'] }, [{ file: 'src/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['backslashes', { T001: ['src\\a.ts'], T002: ['.\\src\\a.ts'] }, [{ file: 'src/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['parent folders', { T001: ['src/b/../a.ts'], T002: ['src/./a.ts'] }, [{ file: 'src/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['files above the project', { T001: ['../a.ts'], T002: ['x/../../a.ts'] }, [{ file: '../a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['an absolute and a relative path', { T001: ['/a.ts'], T002: ['a.ts'] }, [], []],
  ['names that differ in case', { T001: ['A.ts'], T002: ['a.ts'] }, [], []],
  ['a trailing slash', { T001: ['src/'], T002: ['src'] }, [{ file: 'src', tasks: ['T001', 'T002'] }], ['T002']],
  ['a file in a folder', { T001: ['src/'], T002: ['./src/a.ts'] }, [{ file: 'src/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['a folder after its file', { T001: ['src/a/b.ts'], T002: ['src'] }, [{ file: 'src/a/b.ts', tasks: ['T001', 'T002'] }], ['T002']],
  [
    'two files in the folder of a third task',
    { T001: ['src/a.ts'], T002: ['src/b.ts'], T003: ['src'] },
    [
      { file: 'src/a.ts', tasks: ['T001', 'T003'] },
      { file: 'src/b.ts', tasks: ['T002', 'T003'] },
    ],
    ['T003'],
  ],
  ['the project folder', { T001: ['.'], T002: ['a.ts'] }, [{ file: 'a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['the project folder and a file outside', { T001: ['.'], T002: ['../a.ts'], T003: ['/a.ts'] }, [], []],
  ['a file whose name begins like a folder', { T001: ['src/a'], T002: ['src/ab.ts'] }, [], []],
  ['a glob and a file', { T001: ['src/*.ts'], T002: ['src/a.ts'] }, [{ file: 'src/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['a glob and a file it does not match', { T001: ['src/*.ts'], T002: ['src/a.md', 'src/b/c.ts'] }, [], []],
  ['a glob in a folder', { T001: ['src'], T002: ['src/**/*.ts'] }, [{ file: 'src/**/*.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['globs that may share a file', { T001: ['src/*.ts'], T002: ['src/a*'] }, [{ file: 'src/*.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['globs that share no file', { T001: ['src/*.ts'], T002: ['src/*.md', 'lib/**'] }, [], []],
  ['** and a deep file', { T001: ['**/a.ts'], T002: ['src/x/a.ts'] }, [{ file: 'src/x/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['braces', { T001: ['{src,lib}/a.ts'], T002: ['lib/a.ts'] }, [{ file: 'lib/a.ts', tasks: ['T001', 'T002'] }], ['T002']],
  ['a folder and a file of one task', { T001: ['src', 'src/a.ts'] }, [], []],
  [
    'a deferred task, which does not defer others',
    { T001: ['a.ts'], T002: ['b.ts', 'a.ts'], T003: ['b.ts'] },
    [
      { file: 'a.ts', tasks: ['T001', 'T002'] },
      { file: 'b.ts', tasks: ['T002', 'T003'] },
    ],
    ['T002'],
  ],
])('file conflicts of %s', (_, tasks, conflicts, deferred) => {
  expect(findFileConflicts(Object.keys(tasks), new Map(Object.entries(tasks)))).toEqual({ conflicts, deferred: new Set(deferred) });
});

test('compares only the given tasks', () => {
  const files = groupFilesByTask([
    { path: 'a.ts', taskId: 'T001' },
    { path: 'a.ts', taskId: 'T002' },
    { path: 'b.ts', taskId: 'T001' },
  ]);
  expect(files.get('T001')).toEqual(['a.ts', 'b.ts']);
  expect(findFileConflicts(['T001'], files).conflicts).toEqual([]);
});

test('finds the first file that a task shares with busy tasks', () => {
  const files = new Map([
    ['T001', ['a.ts', './src/b.ts']],
    ['T002', ['c.ts']],
    ['T003', ['src']],
    ['T004', ['src/b.ts']],
  ]);
  const busy = new Map([['T004', ['src/b.ts']]]);
  expect([...findSharedFiles(files, busy)]).toEqual([
    ['T001', { file: 'src/b.ts', taskId: 'T004' }],
    ['T003', { file: 'src/b.ts', taskId: 'T004' }],
  ]);
});

test('lists at most ten conflicting tasks', () => {
  const tasks = Array.from({ length: 2000 }, (_, i) => `T${1000 + i}`);
  const byTask = listConflictingTasks([
    { file: 'a.ts', tasks },
    { file: 'b.ts', tasks: ['T1000', 'T9000'] },
  ]);
  expect(byTask.get('T1000')).toEqual(tasks.slice(1, 11));
  expect(byTask.get('T1005')).toEqual([...tasks.slice(0, 5), ...tasks.slice(6, 11)]);
  expect(byTask.get('T9000')).toEqual(['T1000']);
});

test('compares ten thousand tasks in a folder of their own, and in one folder, without comparing all pairs', () => {
  const tasks = Array.from({ length: 10_000 }, (_, i) => `T${10_000 + i}`);
  const files = new Map(tasks.map((id, i) => [id, [`src/${i % 100}/${id}.ts`, 'src/shared.ts', ...(i === 0 ? ['src/**/*.ts'] : [])]]));
  const began = performance.now();
  expect(findFileConflicts(tasks, files).deferred.size).toBe(9_999);
  expect(performance.now() - began).toBeLessThan(5000);
});
