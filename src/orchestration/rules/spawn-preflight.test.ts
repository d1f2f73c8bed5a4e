import { expect, test } from 'vitest';
import { checkSpawn, type SpawnCandidate } from './spawn-preflight.ts';

const task = { id: 'T002', type: 'task', title: 'Parse', status: 'pending', files: [] } as const;
const valid: SpawnCandidate = {
  task: { ...task, files: ['a', 'b', 'c'] },
  epicId: 'T001',
  role: 'worker',
  openDepends: [],
  isTouched: false,
  skill: 'ct-task-executor',
  unresolved: [],
};

test('finds nothing wrong with a valid candidate', () => {
  expect(checkSpawn(valid)).toEqual([]);
});

test.each<[string, Partial<SpawnCandidate>, string, string]>([
  ['done', { task: { ...task, status: 'done', files: [] } }, 'DONE', 'cleo show T002'],
  ['blocked', { task: { ...task, status: 'blocked', blockedBy: 'the key', files: [] } }, 'BLOCKED', 'cleo orchestrate status T001'],
  ['open depends', { openDepends: ['T003', 'T004'] }, 'DEPENDS_OPEN', 'cleo orchestrate status T001'],
  ['held by another', { holder: 'ada' }, 'CLAIMED', 'cleo orchestrate status T001'],
  [
    'more than three files',
    { task: { ...task, files: ['a b', 'c', 'd', 'e'] } },
    'ORC-006',
    "cleo update T002 --files 'a b,c,d' --notes 'For other tasks (ORC-006): e'",
  ],
  ['an unknown token', { unresolved: ['NO_SUCH', '@x.md'] }, 'TOKENS_UNRESOLVED', 'cleo skill validate'],
  [
    'an unknown token in another skill',
    { unresolved: ['X'], skill: 'mine' },
    'TOKENS_UNRESOLVED',
    'cleo orchestrate spawn T002 --skill ct-task-executor',
  ],
])('rejects: %s', (_, change, code, fix) => {
  expect(checkSpawn({ ...valid, ...change })).toEqual([{ code, message: expect.any(String), fix }]);
});

test('rejects work outside an epic', () => {
  const { epicId: _, ...orphan } = valid;
  expect(checkSpawn(orphan)).toMatchObject([{ code: 'ORC-007', fix: 'cleo help orchestrate spawn' }]);
  expect(checkSpawn({ ...orphan, task: { ...task, type: 'saga', files: [] } })).toMatchObject([{ code: 'ORC-007', fix: 'cleo show T002' }]);
});

test('reports every finding, not only the first', () => {
  const all = checkSpawn({
    ...valid,
    task: { ...task, status: 'done', files: ['a', 'b', 'c', 'd'] },
    openDepends: ['T003'],
    holder: 'ada',
    unresolved: ['X'],
  });
  expect(all.map(({ code }) => code)).toEqual(['DONE', 'DEPENDS_OPEN', 'CLAIMED', 'ORC-006', 'TOKENS_UNRESOLVED']);
  expect(all.at(-1)?.message).toContain('{{X}}');
});

test('lets a validator judge a claimed task with any number of files', () => {
  expect(
    checkSpawn({ ...valid, role: 'validator', isTouched: true, holder: 'ada', task: { ...task, files: ['a', 'b', 'c', 'd'] } }),
  ).toEqual([]);
});

test('lets no validator judge a task that was never worked on', () => {
  expect(checkSpawn({ ...valid, role: 'validator' }).map(({ code }) => code)).toEqual(['UNTOUCHED']);
  expect(checkSpawn({ ...valid, isTouched: false })).toEqual([]);
});
