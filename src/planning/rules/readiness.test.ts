import { expect, test } from 'vitest';
import type { Claim } from '#core/model/audit.ts';
import type { Status } from '#core/model/scalars.ts';
import type { PlanWork } from '#tasks/model/open-work.ts';
import { computeReadiness, filterReadiness } from './readiness.ts';
import { computeWaves } from './waves.ts';

/** `T002 in T001 depends T003 blocked`; the parents are epics. */
function work(...lines: string[]): PlanWork {
  const plan: PlanWork = { tasks: [], ancestors: [], depends: [] };
  for (const line of lines) {
    const [id = '', ...words] = line.split(' ');
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    const status: Status = words.includes('blocked') ? 'blocked' : 'pending';
    plan.tasks.push({
      id,
      title: id,
      type: words.includes('epic') ? 'epic' : 'task',
      status,
      priority: 'medium',
      parentId: after('in'),
    });
    for (const dependsOn of after('depends')?.split(',') ?? []) plan.depends.push({ taskId: id, dependsOn });
  }
  return plan;
}
const claim = (taskId: string): Claim => ({ taskId, agent: 'ada', claimedAt: '', focusedAt: '', renewedAt: '' });
const plan = work(
  'T001 epic',
  'T002 in T001',
  'T003 in T001 depends T002',
  'T004 epic depends T003',
  'T005 in T004 depends T002',
  'T006 blocked',
  'T007 depends T006',
);

test('sorts tasks into ready, running, waiting and blocked', () => {
  expect(computeReadiness(computeWaves(plan), [])).toEqual({
    ready: ['T002'],
    running: [],
    waiting: ['T003', 'T005'],
    blocked: [
      { id: 'T006', reasons: [{ kind: 'stated' }] },
      { id: 'T007', reasons: [{ kind: 'waits', on: 'T006' }] },
    ],
  });
});

test.each([
  ['in the first wave', 'T002', ['T003', 'T005'], ['T006', 'T007']],
  ['in a later wave', 'T005', ['T003'], ['T006', 'T007']],
  ['blocked', 'T007', ['T003', 'T005'], ['T006']],
])('a claimed task is running, also %s', (_, held, waiting, blocked) => {
  const found = computeReadiness(computeWaves(plan), [claim(held), claim('T099')]);
  expect(found).toMatchObject({ ready: held === 'T002' ? [] : ['T002'], running: [{ taskId: held }] });
  expect(found.waiting).toEqual(waiting);
  expect(found.blocked.map(({ id }) => id)).toEqual(blocked);
});

test.each([
  ['T001', ['T002'], ['T003']],
  ['T004', [], ['T005']],
  ['T005', [], ['T005']],
  ['T099', [], []],
])('keeps only the tasks inside %s', (root, ready, waiting) => {
  const found = filterReadiness(computeReadiness(computeWaves(plan), []), plan, root);
  expect([found.ready, found.waiting, found.blocked]).toEqual([ready, waiting, []]);
});
