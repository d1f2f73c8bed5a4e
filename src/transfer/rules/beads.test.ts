import { expect, test } from 'vitest';
import { readSample } from '../../../test/imports/sample.ts';
import type { ForeignTask } from '../model/foreign.ts';
import { readBeads } from './beads.ts';
import { detectTool, sourceFilePatterns } from './detect-tool.ts';
import { readTaskmaster } from './taskmaster.ts';

const summarize = (tasks: ForeignTask[]) =>
  tasks.map(({ id, status, priority, type, parent, depends, related, labels }) =>
    [
      id,
      status,
      priority,
      type ?? '-',
      parent ?? '-',
      depends.join('+') || '-',
      (related ?? []).join('+') || '-',
      labels.join('+') || '-',
    ].join(' '),
  );

test('beads: reads a sample file', () => {
  const { tasks, losses } = readBeads(readSample('beads'));
  expect(summarize(tasks)).toEqual([
    'bd-3f0a pending high epic - - - import',
    'bd-3f0a.1 active critical - bd-3f0a - - feature',
    'bd-3f0a.2 pending medium - bd-3f0a bd-3f0a.1 - import+states',
    'bd-3f0a.2.1 done low - bd-3f0a.2 - - chore',
    'bd-77c1 blocked medium - - bd-90aa bd-3f0a.1 bug',
    'bd-90aa blocked low - - - - -',
  ]);
  expect(tasks[1]).toMatchObject({
    createdAt: '2026-03-02T08:16:10.000Z',
    createdBy: 'ada',
    description: 'A file of a gigabyte must not be in memory twice.\n\nFrom beads:\n- estimated_minutes: 90',
    assignee: 'grace',
    acceptance: [
      { text: 'a torn last line is refused', met: true },
      { text: 'the line and the column are named', met: false },
    ],
    notes: [{ at: '2026-03-05T07:29:58.000Z', by: 'grace', text: 'The reader keeps the offset of each line.' }],
  });
  expect(tasks[3]).toMatchObject({ completedAt: '2026-03-03T16:45:12.500Z', notes: [{ text: 'Closed: It is a note, not work.' }] });
  expect(tasks[5]).toMatchObject({ blockedBy: 'deferred until 2026-06-01T00:00:00.000Z in beads' });
  expect(losses.map(({ id, field }) => `${id} ${field}`)).toEqual([
    'bd-3f0a.1 estimated_minutes',
    'bd-77c1 external_ref',
    'bd-77c1 dependencies',
    'bd-90aa defer_until',
    'bd-90aa status',
    'bd-90aa priority',
    '* task',
  ]);
});

const beads = (more: object): ReturnType<typeof readBeads> =>
  readBeads([{ name: 'issues.jsonl', text: JSON.stringify({ id: 'a', title: 'x', status: 'open', ...more }) }]);

test.each([
  ['a missing priority means critical', {}, { priority: 'critical' }, []],
  ['a priority beyond the scale', { priority: 9 }, { priority: 'low' }, ['priority']],
  ['a priority as a word', { priority: 'P1' }, { priority: 'high' }, []],
  ['an unknown priority', { priority: 'x' }, { priority: 'medium' }, ['priority']],
  [
    'an unknown status with a time of closing',
    { status: 'mystery', priority: 1, closed_at: '2026-01-01T00:00:00Z' },
    { status: 'done' },
    ['status'],
  ],
  [
    'a reason for closing',
    { status: 'closed', priority: 1, close_reason: 'Duplicate of bd-2' },
    { status: 'done', resolution: 'duplicate' },
    [],
  ],
  ['a sentence as reason', { status: 'closed', priority: 1, close_reason: 'Invalid input is refused now' }, { status: 'done' }, []],
  [
    'assignee and due date',
    { priority: 1, assignee: 'Zoë Ångström', due_at: '2026-05-01T00:00:00+02:00' },
    { assignee: 'Zoë Ångström', due: '2026-05-01' },
    [],
  ],
  [
    'parents in another order',
    {
      priority: 1,
      dependencies: [
        { depends_on_id: 'c', type: 'parent-child' },
        { depends_on_id: 'b', type: 'parent-child' },
      ],
    },
    { parent: 'b', related: ['c'] },
    ['parent'],
  ],
  ['an unknown status', { status: 'mystery', priority: 1 }, { status: 'pending' }, ['status']],
  ['a status of another tool', { status: 'in_review', priority: 1 }, { status: 'active' }, []],
  ['a waits-for link', { priority: 1, dependencies: [{ issue_id: 'a', depends_on_id: 'b', type: 'waits-for' }] }, { depends: ['b'] }, []],
  [
    'two parents',
    {
      priority: 1,
      dependencies: [
        { issue_id: 'a', depends_on_id: 'b', type: 'parent-child' },
        { issue_id: 'a', depends_on_id: 'c', type: 'parent-child' },
      ],
    },
    { parent: 'b', related: ['c'] },
    ['parent'],
  ],
  [
    'a dependency of another issue',
    { priority: 1, dependencies: [{ issue_id: 'z', depends_on_id: 'b' }] },
    { depends: [] },
    ['dependencies'],
  ],
  ['ignores derived fields', { priority: 1, dependency_count: 3, content_hash: 'abc', owner: 'ada' }, { createdBy: 'ada' }, []],
])('beads: %s', (_, given, task, lost) => {
  const { tasks, losses } = beads(given);
  expect(tasks[0]).toMatchObject(task);
  expect(losses.map(({ field }) => field)).toEqual(lost);
});

test('beads: skips records that are not issues and ignores copies', () => {
  const text = '{"_type":"memory","key":"k","value":"v"}\n{"_type":"issue","id":"a","title":"x","status":"open","priority":2}';
  expect(readBeads([{ name: 'export.jsonl', text }])).toMatchObject({
    tasks: [{ id: 'a' }],
    losses: [],
    memories: [{ key: 'k', text: 'v' }],
  });
  expect(
    ['issues.jsonl', '.beads/issues.jsonl', 'beads.jsonl', 'backup/issues.jsonl', 'deletions.jsonl'].map((name) =>
      sourceFilePatterns.beads.test(name),
    ),
  ).toEqual([true, true, true, true, true]);
});

const line = (more: object): string => JSON.stringify({ id: 'a', title: 'x', status: 'open', priority: 2, ...more });

test.each([
  ['agent', { issue_type: 'agent' }],
  ['message', { issue_type: 'message' }],
  ['gate', { issue_type: 'gate' }],
  ['pinned', { pinned: true }],
  ['pinned', { status: 'pinned' }],
  ['ephemeral', { ephemeral: true }],
  ['template', { is_template: true }],
  ['deleted', { status: 'tombstone' }],
])('beads: leaves out and counts what is not work: %s %j', (kind, more) => {
  const { tasks, losses } = readBeads([
    { name: 'issues.jsonl', text: `${line({ id: 'b' })}\n${line(more)}\n${line({ id: 'c', ...more })}` },
  ]);
  expect(tasks.map(({ id }) => id)).toEqual(['b']);
  expect(losses).toEqual([{ id: '*', field: 'task', why: expect.stringMatching(`^2 left out: ${kind}`) }]);
});

test('beads: skips and reports each record that cannot be read, and reads the rest', () => {
  const text = [
    line({ id: 'a' }),
    '<<<<<<< HEAD',
    line({ id: 'b' }).slice(0, 20),
    line({ id: '' }),
    '7',
    line({ id: 'c', title: undefined }),
  ].join('\n');
  const { tasks, losses } = readBeads([{ name: 'issues.jsonl', text }]);
  expect(tasks.map(({ id }) => id)).toEqual(['a', 'c']);
  expect(losses.map(({ id, isProblem }) => [id, isProblem])).toEqual([2, 3, 4, 5].map((n) => [`issues.jsonl entry ${n}`, true]));
});

test('beads: of two versions of an issue the later one wins', () => {
  const versions = [line({ title: 'new', updated_at: '2026-02-01T00:00:00Z' }), line({ title: 'old', updated_at: '2026-01-01T00:00:00Z' })];
  for (const text of [versions.join('\n'), versions.toReversed().join('\n')]) {
    const { tasks, losses } = readBeads([{ name: 'issues.jsonl', text }]);
    expect(tasks).toMatchObject([{ id: 'a', title: 'new' }]);
    expect(losses).toMatchObject([{ id: 'a', field: 'id', isProblem: true }]);
  }
});

test('beads: reads the file that metadata.json names, and a backup with its tables', () => {
  const named = [
    { name: 'metadata.json', text: '{"database":"beads.db","jsonl_export":"work.jsonl"}' },
    { name: 'work.jsonl', text: line({ id: 'w' }) },
    { name: 'issues.jsonl', text: line({ id: 'i' }) },
  ];
  expect(readBeads(named).tasks.map(({ id }) => id)).toEqual(['w']);
  const backup = [
    { name: 'backup/issues.jsonl', text: `${line({ id: 'p' })}\n${line({ id: 'q' })}` },
    { name: 'backup/dependencies.jsonl', text: '{"issue_id":"q","depends_on_id":"p","type":"blocks"}' },
    { name: 'backup/labels.jsonl', text: '{"issue_id":"q","label":"ui"}' },
    { name: 'backup/comments.jsonl', text: '{"issue_id":"q","author":"ada","text":"seen","created_at":"2026-01-01T00:00:00Z"}' },
    { name: 'backup/config.jsonl', text: '{"key":"kv.memory.port","value":"5432"}' },
  ];
  expect(readBeads(backup)).toMatchObject({
    tasks: [{ id: 'p' }, { id: 'q', depends: ['p'], labels: ['ui'], notes: [{ by: 'ada', text: 'seen' }] }],
    memories: [{ key: 'port', text: '5432' }],
  });
  expect(() => readBeads([{ name: 'metadata.json', text: '{}' }])).toThrow('bd export -o');
});

test('taskmaster: two tasks with one number get ids of their own', () => {
  const text = JSON.stringify({ master: { tasks: [{ id: 1, title: 'x' }, { id: 1, title: 'y' }, { title: 'no id' }, { id: 2 }] } });
  const { tasks, losses } = readTaskmaster([{ name: 'tasks.json', text }]);
  expect(tasks.map(({ id, title }) => [id, title])).toEqual([
    ['1', 'x'],
    ['1~2', 'y'],
    ['2', ''],
  ]);
  expect(losses.filter(({ isProblem }) => isProblem)).toHaveLength(2);
});

test('taskmaster: reads all tags of a sample file', () => {
  const { tasks, losses } = readTaskmaster(readSample('taskmaster'));
  expect(summarize(tasks)).toEqual([
    '1 done high - - - - -',
    '2 active medium - - 1 - -',
    '2.1 done medium - 2 - - -',
    '2.2 pending medium - 2 2.1 - -',
    '3 pending low - - 1+2 - -',
    '3.1 pending low - 3 2.2 - -',
    '4 pending high - - 3 - -',
    '5 blocked low - - - - deferred',
    '6 blocked low - - - - -',
    '7 active medium - - - - review',
    '8 done medium - - - - -',
    'docs:1 pending medium - - - - docs',
    'docs:2 pending low - - docs:1 - docs',
  ]);
  expect(tasks[0]).toMatchObject({
    description: 'Read settings from the project folder\n\n## Details\n\nStart with the defaults, then lay the file over them.',
    updatedAt: '2026-11-15T17:10:41.989Z',
  });
  expect(losses).toEqual([]);
});

test('taskmaster: reads the first format, numbers of siblings and unknown values', () => {
  const text = JSON.stringify({
    tasks: [
      {
        id: 1,
        title: 'x',
        status: 'paused',
        priority: 'someday',
        testStrategy: 'Run it twice',
        owner: 'ada',
        subtasks: [
          { id: 1, title: 'y' },
          { id: 2, title: 'z', dependencies: [1, 3] },
        ],
      },
      { id: 3, title: 'w', status: 'done', testStrategy: 'Look at it' },
    ],
  });
  const { tasks, losses } = readTaskmaster([{ name: 'tasks.json', text }]);
  expect(summarize(tasks)).toEqual([
    '1 blocked medium - - - - paused',
    '1.1 pending medium - 1 - - -',
    '1.2 pending medium - 1 1.1+3 - -',
    '3 done medium - - - - -',
  ]);
  expect(tasks.map(({ acceptance }) => acceptance)).toEqual([
    [{ text: 'Run it twice', met: false }],
    [],
    [],
    [{ text: 'Look at it', met: true }],
  ]);
  expect(losses.map(({ id, field }) => `${id} ${field}`)).toEqual(['1 owner', '1 priority', '1.1 priority', '1.2 priority']);
});

test.each([
  ['an export as JSON Lines', '{"id":"T001","type":"task","title":"x","createdBy":"a","revision":1}', undefined],
  ['an export as JSON', '{"tasks":[{"id":"T001","title":"x","createdBy":"a","revision":1}]}', undefined],
  ['the first format of taskmaster', '{"tasks":[{"id":1,"title":"x"}]}', 'taskmaster'],
  ['a search result of GitHub', '{"items":[{"number":1,"title":"x","state":"open"}]}', 'github'],
  ['an empty file', '', undefined],
  ['plain text', 'hello', undefined],
])('detects the tool of %s', (_, text, tool) => {
  expect(detectTool([{ name: 'x', text }])).toBe(tool);
});
