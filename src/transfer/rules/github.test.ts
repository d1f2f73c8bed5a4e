import { expect, test } from 'vitest';
import { readSample } from '../../../test/imports/sample.ts';
import { sourceFilePatterns } from './detect-tool.ts';
import { parseLabels, readGithub } from './github.ts';

const issue = (more: object) => ({ number: 1, title: 'Read', state: 'OPEN', url: 'https://github.com/o/r/issues/1', ...more });
const read = (...issues: object[]) => readGithub([{ name: 'issues.json', text: JSON.stringify(issues) }]);
const one = (more: object) => read(issue(more)).tasks[0]!;

test('reads issues of gh and of the REST API', () => {
  const { source, tasks, losses } = readGithub(readSample('github'));
  expect(source).toBe('github');
  const short = (id?: string): string | undefined => id?.replace('example/service', '');
  expect(
    tasks.map(({ id, title, status, priority, parent, depends }) => [short(id), title, status, priority, short(parent), depends]),
  ).toEqual([
    ['#1', 'First release', 'pending', 'high', undefined, []],
    ['#2', 'Parse the table of routes', 'active', 'low', '#1', ['example/service#3', 'example/service#4', 'example/other#9']],
    ['#3', 'Read the configuration file', 'done', undefined, '#1', []],
    ['#4', 'Try a second parser', 'done', undefined, undefined, []],
    ['#5', 'Accept wildcards in a route', 'blocked', undefined, '#2', []],
  ]);
  expect(tasks[0]).toMatchObject({ type: 'epic', labels: ['milestone:first-release'], acceptance: [{ text: 'Announced', met: false }] });
  expect(tasks[1]).toMatchObject({
    description: expect.stringMatching(/^Routes are read from a table\.\n\nDepends on #4[\s\S]*- \[ \] not a criterion[\s\S]*issues\/2$/),
    labels: ['good-first-issue'],
    assignee: 'mira',
    acceptance: [
      { text: 'A star matches one part', met: true },
      { text: 'Two equal routes are refused', met: false },
    ],
    notes: [{ at: '2026-09-05T10:00:00.000Z', by: 'jon', text: 'The table is **final**.' }],
  });
  expect(tasks[3]).toMatchObject({ labels: ['wontfix'], resolution: 'wontfix', completedAt: '2026-09-21T12:00:00.000Z' });
  expect(tasks[4]).toMatchObject({ createdBy: 'mira' });
  expect(losses.map(({ id, field }) => `${short(id)} ${field}`)).toEqual(['#6 pull_request', '#5 comments', '#5 depends']);
});

test.each([
  [['priority:high'], { priority: 'high', labels: [] }],
  [['Priority: Urgent'], { priority: 'critical', labels: [] }],
  [['P0'], { priority: 'critical', labels: [] }],
  [['prio/3'], { priority: 'low', labels: [] }],
  [['high priority'], { priority: 'high', labels: [] }],
  [['P2', 'P1'], { priority: 'high', labels: [] }],
  [['high'], { labels: ['high'] }],
  [['status: in progress'], { status: 'active', labels: [] }],
  [['blocked', 'wip'], { status: 'blocked', labels: [] }],
  [['type:epic'], { type: 'epic', labels: [] }],
  [['type: bug', 'Area/UI'], { labels: ['type:bug', 'area/ui'] }],
])('reads labels %j', (labels, expected) => {
  expect(one({ labels: labels.map((name) => ({ name })) })).toMatchObject(expected);
  expect(one({ labels })).toMatchObject(expected);
});

test.each([
  ['Blocked by #2', ['o/r#2']],
  ['It **depends on** nothing', []],
  ['depends on: #2, #3 and #4.', ['o/r#2', 'o/r#3', 'o/r#4']],
  ['Depends on a/b#7 and https://github.com/c/d/issues/8', ['a/b#7', 'c/d#8']],
  ['`x`\n```\nblocked by #2\n```', []],
  ['blocked by #1', []],
  ['see #2', []],
])('finds the dependencies of %j: %j', (body, depends) => {
  expect(one({ body })).toMatchObject({ depends });
});

test.each([
  [issue({ parent: { number: 9, url: 'https://github.com/o/r/issues/9' } }), 'o/r#9'],
  [issue({ parent_issue_url: 'https://api.github.com/repos/o/r/issues/9' }), 'o/r#9'],
  [issue({ body: 'Why.\n\nPart of #9' }), 'o/r#9'],
  [issue({ body: 'It is part of #9 in a way' }), undefined],
  [issue({ parent: { number: 8, url: 'https://github.com/o/r/issues/8' }, body: 'Parent: #9' }), 'o/r#8'],
])('finds the parent of %j: %s', (given, parent) => {
  expect(read(given).tasks[0]?.parent).toBe(parent);
});

test('reads links from either end', () => {
  const [first, second] = read(
    issue({ subIssues: { nodes: [{ number: 2 }], totalCount: 1 }, blocking: { nodes: [{ number: 2 }], totalCount: 3 } }),
    issue({ number: 2, url: 'https://github.com/o/r/issues/2' }),
  ).tasks;
  expect(first).toMatchObject({ depends: [] });
  expect(second).toMatchObject({ parent: 'o/r#1', depends: ['o/r#1'] });
});

test('separates issues of two repositories', () => {
  const ids = read(issue({}), issue({ url: 'https://github.com/o/other/issues/1' })).tasks.map(({ id }) => id);
  expect(ids).toEqual(['o/r#1', 'o/other#1']);
});

test('reads paginated output, JSON Lines and search results', () => {
  const two = issue({ number: 2, url: '' });
  for (const text of [JSON.stringify([[issue({})], [two]]), `${JSON.stringify(issue({}))}\n${JSON.stringify(two)}\n`])
    expect(readGithub([{ name: 'x.json', text }]).tasks.map(({ id }) => id)).toEqual(['o/r#1', '#2']);
  expect(readGithub([{ name: 'x.json', text: JSON.stringify({ total_count: 1, items: [issue({})] }) }]).tasks).toHaveLength(1);
  expect(readGithub([{ name: 'x.json', text: '[]' }]).tasks).toEqual([]);
});

test('parses a hostile body in linear time', () => {
  const body = `${'blocked by '.repeat(5000)}${'a'.repeat(50_000)}${'\n'.repeat(50_000)}${'parent '.repeat(5000)}${'a/'.repeat(30_000)}#`;
  const began = performance.now();
  expect(one({ body, url: `https://${'a'.repeat(50_000)}` }).depends).toEqual([]);
  expect(performance.now() - began).toBeLessThan(2000);
});

test.each([
  ['an empty file', ' \n', /empty/],
  ['a torn list', '[{"number":1,"title":"x","st', /line 1, column \d+: it is not valid JSON/],
])('rejects %s', (_, text, problem) => {
  expect(() => readGithub([{ name: 'issues.json', text }])).toThrow(problem);
});

test.each([
  ['another tool', [{ uuid: 'a', description: 'x', status: 'pending' }], []],
  ['one issue twice', [issue({}), issue({ title: 'Write' })], ['o/r#1', 'o/r#1~2']],
  ['two versions', [issue({ updatedAt: '2026-01-02' }), issue({ title: 'Write', updatedAt: '2026-01-01' })], ['o/r#1']],
])('reads the rest of %s and reports it', (_, issues, ids) => {
  const { tasks, losses } = read(...issues);
  expect(tasks.map(({ id }) => id)).toEqual(ids);
  expect(losses.filter(({ isProblem }) => isProblem)).toHaveLength(1);
});

test.each([
  [{ state: undefined }, { status: 'pending' }],
  [{ state: undefined, closedAt: '2026-01-01T00:00:00Z' }, { status: 'done' }],
  [
    { state: 'closed', stateReason: 'NOT_PLANNED' },
    { status: 'done', resolution: 'wontfix' },
  ],
  [
    { state: 'closed', state_reason: 'duplicate' },
    { status: 'done', resolution: 'duplicate' },
  ],
  [
    { state: 'closed', labels: ['wontfix'] },
    { status: 'done', resolution: 'wontfix' },
  ],
  [{ number: '7', url: '' }, { id: '#7' }],
])('reads the state of %j as %j', (more, expected) => {
  expect(one(more)).toMatchObject(expected);
});

test('accepts files of issues only', () => {
  expect(
    ['issues.json', 'a/open-issues-2.jsonl', 'issues.csv', 'issues/package.json'].filter((name) => sourceFilePatterns.github.test(name)),
  ).toEqual(['issues.json', 'a/open-issues-2.jsonl']);
});

test('reads links and counts that are objects without a value', () => {
  const odd = JSON.parse('{"toString":1,"valueOf":2}');
  const content = JSON.stringify([
    {
      number: 1,
      title: 'Odd',
      state: 'OPEN',
      parent: { number: odd },
      blockedBy: { nodes: [{ number: odd }], totalCount: odd },
      issue_dependencies_summary: { blocked_by: odd },
    },
  ]);
  expect(readGithub([{ name: 'issues.json', text: content }]).tasks).toMatchObject([{ id: '#1', title: 'Odd' }]);
});

test.each([
  ['size:small', { size: 'small', labels: [] }],
  ['size:XS', { labels: ['size:XS'] }],
  ['phase:Core 2', { phase: 'Core 2', labels: [] }],
  ['phases', { labels: ['phases'] }],
])('the label %s sets a field or stays a label', (label, expected) => {
  const { size, phase, labels } = parseLabels([label]);
  expect({ size, phase, labels }).toEqual(expected);
});
