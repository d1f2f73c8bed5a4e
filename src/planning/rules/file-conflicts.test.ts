import { expect, test } from 'vitest';
import { type FileConflict, findFileConflicts, groupFilesByTask } from './file-conflicts.ts';

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
