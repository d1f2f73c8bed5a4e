import { expect, test } from 'vitest';
import { type FileConflict, fileConflicts } from './file-conflicts.ts';

const cases: [what: string, waves: string[][], files: string[], expected: FileConflict[]][] = [
  ['none without files', [['T001', 'T002']], [], []],
  ['two of one wave', [['T002', 'T001']], ['a.ts T001', 'a.ts T002'], [{ wave: 1, file: 'a.ts', tasks: ['T002', 'T001'] }]],
  ['not of two waves', [['T001'], ['T002']], ['a.ts T001', 'a.ts T002'], []],
  ['not of what is in no wave', [['T001']], ['a.ts T001', 'a.ts T009'], []],
  [
    'wave by wave, by the name of the file',
    [['T001'], ['T002', 'T003', 'T004']],
    ['b.ts T002', 'b.ts T003', 'a.ts T004', 'a.ts T003', 'c.ts T002'],
    [
      { wave: 2, file: 'a.ts', tasks: ['T003', 'T004'] },
      { wave: 2, file: 'b.ts', tasks: ['T002', 'T003'] },
    ],
  ],
];
test.each(cases)('%s', (_, waves, files, expected) => {
  const listed = files.map((line) => ({ path: line.split(' ')[0]!, taskId: line.split(' ')[1]! }));
  expect(fileConflicts(waves, listed)).toEqual(expected);
});
