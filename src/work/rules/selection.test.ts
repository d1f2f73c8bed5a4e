import { expect, test } from 'vitest';
import { attentionLabel, findFullLimit, findObstacle, groupObstacles, type SelectionLimits, type WorkTask } from './selection.ts';

const limits: SelectionLimits = {
  profile: 'claude',
  concurrency: 0,
  maxParallel: 0,
  labels: new Map(),
  capabilities: [],
  isRetry: false,
};
const createTask = (id: string, more: Partial<WorkTask> = {}): WorkTask => ({ id, labels: [], files: [], depends: [], ...more });
const createRunning = (...profiles: string[]) => profiles.map((profile, i) => ({ id: `T9${i}`, labels: ['database'], profile }));

test.each<[string, Partial<SelectionLimits>, string[], string | undefined]>([
  ['no limit', {}, ['claude', 'claude'], undefined],
  ['room below maxParallel', { maxParallel: 2 }, ['claude'], undefined],
  ['maxParallel, over all profiles', { maxParallel: 2 }, ['claude', 'codex'], 'work.maxParallel is 2'],
  ['room below the limit of the profile', { concurrency: 1 }, ['codex', 'codex'], undefined],
  ['the limit of the profile', { concurrency: 1 }, ['codex', 'claude'], 'profiles.claude.concurrency is 1'],
])('finds the limit that leaves no room: %s', (_, more, running, expected) => {
  expect(findFullLimit({ ...limits, ...more }, createRunning(...running))).toBe(expected);
});

test.each<[string, Partial<WorkTask>, Partial<SelectionLimits>, string | undefined]>([
  ['nothing', {}, {}, undefined],
  ['the label of a task that was given up', { labels: [attentionLabel] }, {}, 'it has the label needs-attention; --retry ignores it'],
  ['nothing in a retry', { labels: [attentionLabel] }, { isRetry: true }, undefined],
  ['a capability', { requires: ['gpu', 'linux'] }, { capabilities: ['linux'] }, 'it requires gpu'],
  ['the limit of a label', { labels: ['web', 'database'] }, { labels: new Map([['database', 2]]) }, 'work.labels.database is 2'],
  ['nothing below the limit of a label', { labels: ['database'] }, { labels: new Map([['database', 3]]) }, undefined],
  ['nothing for a label with limit 0', { labels: ['database'] }, { labels: new Map([['database', 0]]) }, undefined],
])('finds what keeps a task from being started: %s', (_, task, more, expected) => {
  expect(findObstacle(createTask('T001', task), { ...limits, ...more }, createRunning('claude', 'codex'), [])).toBe(expected);
});

test('a task waits for unmerged work that it depends on or that changes its files', () => {
  const unmerged = [createTask('T002', { files: ['src/a.ts'] })];
  const find = (task: Partial<WorkTask>) => findObstacle(createTask('T001', task), limits, [], unmerged);
  expect(find({ depends: ['T002'] })).toBe('the work on T002 is not in the base branch yet');
  expect(find({ files: ['./src/a.ts'] })).toMatch(/^\S*src\/a\.ts is changed by T002, whose work is not in the base branch yet$/);
  expect(find({ files: ['src/b.ts'], depends: ['T003'] })).toBeUndefined();
});

test('groups tasks by the reason, in the order of the first of each', () => {
  const list = ['a', 'b', 'a'].map((reason, i) => ({ taskId: `T00${i + 1}`, reason }));
  expect(groupObstacles(list)).toEqual([
    { reason: 'a', tasks: ['T001', 'T003'] },
    { reason: 'b', tasks: ['T002'] },
  ]);
});
