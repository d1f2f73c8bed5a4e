import { expect, test } from 'vitest';
import { readSample } from '../../../test/imports/sample.ts';
import { readBacklog } from './backlog.ts';
import { sourceFilePatterns } from './detect-tool.ts';

const file = (front: string, body = '', name = 'tasks/task-1 - x.md') => ({
  name,
  text: `---\nid: TASK-1\ntitle: Read\n${front}---\n${body}`,
});
const one = (front: string, body = '', name?: string) => readBacklog([file(front, body, name)]).tasks[0]!;

test('reads a folder of Backlog.md', () => {
  const { source, tasks, losses } = readBacklog(readSample('backlog'));
  expect(source).toBe('backlog');
  expect(tasks.map(({ id, title, status, priority, parent, depends }) => [id, title, status, priority, parent, depends])).toEqual([
    ['TASK-1', 'Read the configuration file', 'active', 'high', undefined, []],
    ['TASK-2', 'Parse the table of routes', 'pending', 'medium', undefined, ['TASK-1']],
    ['TASK-2.1', 'Accept wildcards in a route', 'pending', 'low', 'TASK-2', []],
    ['TASK-2.1.1', 'A wildcard at the end', 'pending', undefined, 'TASK-2.1', []],
    ['TASK-2.2', 'Refuse two equal routes', 'pending', undefined, 'TASK-2', []],
    ['TASK-3', 'Write: the "first" release notes # not a comment', 'pending', undefined, undefined, ['TASK-1', 'TASK-2']],
    ['TASK-4', 'Choose a logger', 'active', undefined, undefined, []],
    ['TASK-6', 'Remove the old flags', 'done', undefined, undefined, []],
    ['TASK-5', 'Try a second parser', 'done', undefined, undefined, []],
    ['TASK-7', 'Draw the sign', 'done', undefined, undefined, []],
  ]);
  const at = (id: string) => tasks.find((task) => task.id === id);
  expect(at('TASK-1')).toEqual({
    id: 'TASK-1',
    title: 'Read the configuration file',
    description: 'The service starts without any settings.\n\nIt should read `service.toml` first.',
    assignee: 'mira',
    status: 'active',
    priority: 'high',
    depends: [],
    labels: ['config', 'core', 'type:feature'],
    files: [],
    acceptance: [
      { text: 'A missing file is named in the message', met: true },
      { text: 'An unknown key is refused', met: false },
    ],
    notes: [
      { text: 'Implementation Notes:\n\nThe reader is in place.' },
      { at: '2026-11-15T17:02:00.000Z', by: 'mira', text: 'Is TOML settled?' },
      { at: '2026-11-15T17:02:00.000Z', by: 'jon', text: 'Yes.\n\nSince Monday.' },
    ],
    createdAt: '2026-11-15T17:02:00.000Z',
    updatedAt: '2026-11-15T17:02:00.000Z',
  });
  expect(at('TASK-2')).toMatchObject({ labels: ['routing-table', 'milestone:first-release'], files: ['src/routes.ts'] });
  expect(at('TASK-2.1')?.acceptance.map(({ text }) => text)).toEqual(['A star matches one part', 'Documented']);
  expect(at('TASK-4')?.description).toBe('## Implementation Plan\n\n1. Compare two\n2. Decide');
  expect(at('TASK-5')).toMatchObject({ isArchived: true, resolution: 'cancelled', labels: [] });
  expect(at('TASK-7')).toMatchObject({ isArchived: true, labels: [] });
  expect(losses.map(({ id, field }) => `${id} ${field}`)).toEqual([
    'DRAFT-1 status',
    'TASK-2 references',
    'TASK-2 documentation',
    'TASK-5 status',
    '* ordinal',
  ]);
});

test.each([
  ['To Do', 'pending'],
  ['to do', 'pending'],
  ['In Progress', 'active'],
  ['Done', 'done'],
  ['Blocked', 'blocked'],
  ['Polishing', 'active'],
  ['Shipping dock', 'done'],
  ['Never heard of', 'pending'],
])('reads status %s as %s', (status, expected) => {
  const config = { name: 'config.yml', text: 'statuses: ["To Do", "In Progress", "Polishing", "Shipping dock"]\n' };
  const block = { name: 'backlog.config.yml', text: 'statuses:\n  - To Do\n  - "In Progress"\n  - Polishing\n  - Shipping dock\n' };
  for (const settings of [config, block])
    expect(readBacklog([settings, file(`status: ${status}\n`)]).tasks[0]?.status, settings.name).toBe(expected);
});

test.each([
  ['assignee: @mira\n', { assignee: 'mira' }],
  ['assignee:\n  - @mira\n  - @jon\n', { assignee: 'mira', description: 'From Backlog.md:\n- assignee: jon' }],
  ['status: Cancelled\ndue_date: 2026-02-01\n', { status: 'done', resolution: 'cancelled', due: '2026-02-01' }],
  ['parent_task_id: task-9\ndependencies: [task-2, TASK-3]\n', { parent: 'TASK-9', depends: ['TASK-2', 'TASK-3'] }],
  ["created_date: '2025-06-08'\n", { createdAt: '2025-06-08T00:00:00.000Z' }],
  ['priority: Critical\n', { priority: 'critical' }],
  ['labels: []\nreporter: jon\n', { labels: [], createdBy: 'jon' }],
])('reads front matter %j', (front, expected) => {
  expect(one(front)).toMatchObject(expected);
});

test('keeps unknown headings and those in code blocks or sections in the description', () => {
  const body = [
    '## Description',
    '<!-- SECTION:DESCRIPTION:BEGIN -->',
    'Why.',
    '## Acceptance Criteria',
    '- [ ] no criterion',
    '<!-- SECTION:DESCRIPTION:END -->',
    '```',
    '## Comments',
    '```',
    '## Risks',
    'Some.',
    '## Acceptance Criteria',
    'As agreed:',
    '- [ ] without a number',
    '* [X] #2 with one',
  ].join('\r\n');
  expect(one('status: To Do\r\n', body)).toMatchObject({
    description:
      'Why.\n## Acceptance Criteria\n- [ ] no criterion\n```\n## Comments\n```\n\n## Risks\n\nSome.\n\n## Acceptance Criteria\n\nAs agreed:',
    acceptance: [
      { text: 'without a number', met: false },
      { text: 'with one', met: true },
    ],
  });
});

test.each([
  ['no front matter', '# Read\n', /does not begin with front matter/],
  ['front matter that does not end', '---\nid: TASK-1\ntitle: Re', /./],
  ['broken YAML', '---\nid: TASK-1\ntitle: "Re\n---\n', /line \d/],
  ['nothing', '', /./],
  ['too many aliases', '---\na: &a [x, x]\nb: [*a, *a]\nid: T\ntitle: x\n---\n', /refers to itself/],
])('skips and reports a file with %s', (_, text, problem) => {
  const { tasks, losses } = readBacklog([file(''), { name: 'tasks/task-2 - a.md', text }]);
  expect(tasks.map(({ id }) => id)).toEqual(['TASK-1']);
  expect(losses[0]).toMatchObject({ id: 'tasks/task-2 - a.md', field: 'file', why: expect.stringMatching(problem), isProblem: true });
  expect(() => readBacklog([{ name: 'tasks/task-2 - a.md', text }])).toThrow(problem);
});

test('reads nested task files, and no other file of the folder', () => {
  const { tasks, losses } = readBacklog([
    file('', '', 'tasks/web/task-1 - x.md'),
    { name: 'tasks/README.md', text: '# Tasks' },
    { name: 'tasks/task-4 - y.md', text: '---\ntitle: No id\n---\n' },
  ]);
  expect(tasks.map(({ id, title }) => [id, title])).toEqual([
    ['TASK-1', 'Read'],
    ['TASK-4', 'No id'],
  ]);
  expect(losses.filter(({ isProblem }) => isProblem).map(({ id }) => id)).toEqual(['tasks/README.md']);
});

test('the same id in an archive is another task, unless it has the same title', () => {
  const other = { name: 'archive/tasks/task-1 - y.md', text: '---\nid: TASK-1\ntitle: Write\nstatus: Done\n---\n' };
  for (const files of [
    [other, file('')],
    [file(''), other],
  ])
    expect(readBacklog(files).tasks.map(({ id }) => id)).toEqual(['TASK-1', 'TASK-1@archive']);
  const copy = file('status: Done\n', '', 'archive/tasks/task-1 - x.md');
  expect(readBacklog([copy, file('status: To Do\n')]).tasks).toMatchObject([{ id: 'TASK-1', status: 'pending' }]);
});

test('accepts the files of Backlog.md only', () => {
  const names = [
    'config.yml',
    'backlog/config.yml',
    'tasks/task-1 - a.md',
    'backlog/completed/task-2 - b.md',
    'archive/tasks/task-3.md',
    'drafts/draft-1.md',
    'milestones/m-0 - x.md',
  ];
  expect(
    [...names, 'docs/doc-1.md', 'decisions/decision-1.md', 'README.md', 'tasks/notes.txt'].filter((name) =>
      sourceFilePatterns.backlog.test(name),
    ),
  ).toEqual(names);
});
