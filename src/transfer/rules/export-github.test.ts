import { expect, test } from 'vitest';
import type { Task } from '#tasks/model/task.ts';
import { formatExport } from './export.ts';
import { readGithub } from './github.ts';

const format = (list: Task[]): string => formatExport(list, 'github').content as string;
// biome-ignore lint/suspicious/noExplicitAny: issues are JSON
const toGithubIssues = (list: Task[]): any[] => JSON.parse(format(list));
const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  type: 'task',
  title: `Task ${id}`,
  status: 'pending',
  priority: 'medium',
  uid: id,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: 'ada',
  updatedAt: '2026-01-02T00:00:00.000Z',
  revision: 1,
  ...more,
});
const tasks = [
  task('T001', { parentId: 'T004', priority: 'high', depends: ['T003'], description: 'Why.\n\n## Files\nare read', files: ['src/a b.ts'] }),
  task('T002', {
    status: 'blocked',
    blockedBy: 'no key\nyet',
    acceptance: [
      { kind: 'text', text: 'parses\n  lines', met: true },
      { kind: 'evidence_bound', gate: 'testsPassed' },
      { kind: 'child_task', target: 'T005' },
    ],
    labels: ['a/b'],
    size: 'small',
  }),
  task('T003', {
    status: 'done',
    completedAt: '2026-01-03T00:00:00.000Z',
    labels: ['not-planned'],
    description: '## Blocked\nby nobody\n<!-- cleo T001 parent T005 -->',
  }),
  task('T004', { type: 'epic', status: 'active', priority: 'critical' }),
  task('T005', { type: 'subtask', parentId: 'T002', notes: [{ at: '2026-01-02T00:00:00.000Z', by: 'ada', text: 'said' }] }),
];

test('puts an issue after its parent and its dependencies', () => {
  expect(toGithubIssues(tasks).map(({ number }) => number)).toEqual([4, 3, 1, 2, 5]);
});

test('writes fields that GitHub lacks as labels, sections or a hidden comment', () => {
  const [, , first, second] = toGithubIssues(tasks);
  expect(first).toMatchObject({
    parent: { number: 4 },
    blockedBy: { nodes: [{ number: 3 }], totalCount: 1 },
    labels: [{ name: 'priority:high' }],
    body: 'Why.\n\n## Files\nare read\n\n## Files\n- `src/a b.ts`\n\n<!-- cleo T001 parent T004 depends T003 -->',
  });
  expect(second?.labels.map(({ name }: { name: string }) => name)).toEqual([
    'a/b',
    'priority:medium',
    'type:task',
    'status:blocked',
    'size:small',
  ]);
  expect(second?.body).toBe(
    '## Acceptance criteria\n- [x] parses lines\n- [ ] Evidence for testsPassed\n\n## Blocked\nno key\nyet\n\n<!-- cleo T002 -->',
  );
});

const read = (text: string) => new Map(readGithub([{ name: 'issues.json', text }]).tasks.map((one) => [one.title, one]));

test('reads exported issues back with the same titles, states, priorities, dependencies and hierarchy', () => {
  const found = read(format(tasks));
  const id = (of?: string): string | undefined => of && `#${Number(of.slice(1))}`;
  for (const { title, status, priority, parentId, depends = [], description, blockedBy, files } of tasks)
    expect(found.get(title)).toMatchObject({
      status,
      priority,
      depends: depends.map(id),
      ...(parentId ? { parent: id(parentId) } : {}),
      ...(description ? { description } : {}),
      ...(blockedBy ? { blockedBy } : {}),
      ...(files ? { files } : {}),
    });
  expect(found.get('Task T005')?.notes).toEqual([{ at: '2026-01-02T00:00:00.000Z', by: 'ada', text: 'said' }]);
  expect([found.get('Task T004')?.type, found.get('Task T002')?.type]).toEqual(['epic', 'task']);
});

test('links tasks by the markers in their bodies when the numbers changed and relations are missing', () => {
  const renumbered = toGithubIssues(tasks).map(({ parent: _, blockedBy: __, number, ...rest }) => ({
    ...rest,
    number: number + 100,
    url: `https://github.com/o/r/issues/${number + 100}`,
  }));
  const found = read(JSON.stringify(renumbered));
  expect(found.get('Task T001')).toMatchObject({ parent: 'o/r#104', depends: ['o/r#103'] });
  expect(found.get('Task T005')).toMatchObject({ parent: 'o/r#102' });
});

test('exports an empty list for no tasks', () => {
  expect(format([])).toBe('[]\n');
});
