import { expect, test } from 'vitest';
import { type Candidate, fileConflicts, spawnFindings } from './spawn-preflight.ts';

const task = { id: 'T002', type: 'task', title: 'Parse', status: 'pending', files: [] } as const;
const sound: Candidate = {
  task: { ...task, files: ['a', 'b', 'c'] },
  epicId: 'T001',
  role: 'worker',
  openDepends: [],
  skill: 'ct-task-executor',
  unresolved: [],
};

test('what is sound has no findings', () => {
  expect(spawnFindings(sound)).toEqual([]);
});

test.each<[string, Partial<Candidate>, string, string]>([
  ['done', { task: { ...task, status: 'done', files: [] } }, 'DONE', 'cleo orchestrate ready T001'],
  ['blocked', { task: { ...task, status: 'blocked', blockedBy: 'the key', files: [] } }, 'BLOCKED', 'cleo orchestrate ready T001'],
  ['open depends', { openDepends: ['T003', 'T004'] }, 'DEPENDS_OPEN', 'cleo orchestrate ready T001'],
  ['held by another', { holder: 'ada' }, 'CLAIMED', 'cleo orchestrate ready T001'],
  [
    'more than three files',
    { task: { ...task, files: ['a b', 'c', 'd', 'e'] } },
    'ORC-006',
    "cleo update T002 --files 'a b,c,d' --notes 'For other tasks (ORC-006): e'",
  ],
  ['an unknown token', { unresolved: ['NO_SUCH', '@x.md'] }, 'TOKENS_UNRESOLVED', 'cleo skill validate'],
  [
    'one in another skill',
    { unresolved: ['X'], skill: 'mine' },
    'TOKENS_UNRESOLVED',
    'cleo orchestrate spawn T002 --skill ct-task-executor',
  ],
])('%s', (_, change, code, fix) => {
  expect(spawnFindings({ ...sound, ...change })).toEqual([{ code, message: expect.any(String), fix }]);
});

test('work that is part of no epic', () => {
  const { epicId: _, ...orphan } = sound;
  expect(spawnFindings(orphan)).toMatchObject([{ code: 'ORC-007', fix: 'cleo list --type epic' }]);
  expect(spawnFindings({ ...orphan, task: { ...task, type: 'saga', files: [] } })).toMatchObject([
    { code: 'ORC-007', fix: 'cleo orchestrate ready T002' },
  ]);
});

test('every finding is told, not only the first', () => {
  const all = spawnFindings({
    ...sound,
    task: { ...task, status: 'done', files: ['a', 'b', 'c', 'd'] },
    openDepends: ['T003'],
    holder: 'ada',
    unresolved: ['X'],
  });
  expect(all.map(({ code }) => code)).toEqual(['DONE', 'DEPENDS_OPEN', 'CLAIMED', 'ORC-006', 'TOKENS_UNRESOLVED']);
  expect(all.at(-1)?.message).toContain('{{X}}');
});

test('a validator may judge what the worker still holds, however many files it has', () => {
  expect(spawnFindings({ ...sound, role: 'validator', holder: 'ada', task: { ...task, files: ['a', 'b', 'c', 'd'] } })).toEqual([]);
});

test.each<[string, [string, string[]][], [string, string[]][], string[]]>([
  [
    'none',
    [
      ['T1', ['a']],
      ['T2', ['b']],
      ['T3', []],
    ],
    [],
    [],
  ],
  [
    'two on one file',
    [
      ['T1', ['a']],
      ['T2', ['./a']],
    ],
    [['a', ['T1', 'T2']]],
    ['T2'],
  ],
  [
    'who is held back holds nobody back',
    [
      ['T1', ['a']],
      ['T2', ['a', 'b']],
      ['T3', ['b']],
    ],
    [
      ['a', ['T1', 'T2']],
      ['b', ['T2', 'T3']],
    ],
    ['T2'],
  ],
  ['a file named twice', [['T1', ['a', 'a']]], [], []],
])('conflicts: %s', (_, tasks, conflicts, held) => {
  expect(fileConflicts(tasks.map(([id, files]) => ({ id, files })))).toEqual({
    conflicts: conflicts.map(([file, ids]) => ({ file, tasks: ids })),
    held: new Set(held),
  });
});
