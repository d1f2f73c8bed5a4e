import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CleoError } from '#core/errors/error.ts';
import type { ForeignData, SourceFile } from '../model/foreign.ts';
import { readBacklog } from './backlog.ts';
import { readBeads } from './beads.ts';
import { readGithub } from './github.ts';
import { readTaskmaster } from './taskmaster.ts';
import { readTaskwarrior } from './taskwarrior.ts';
import { readTodoTxt } from './todo-txt.ts';

const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
const words = [
  'constructor',
  '__proto__',
  'toString',
  '',
  ' ',
  '\0',
  '\ud800',
  '../../x',
  '-->',
  '---',
  '$(x)',
  '#1',
  'T001',
  '2026-02-30',
  'x'.repeat(5000),
];
const odd = fc.oneof(
  fc.constantFrom<unknown>(...words, null, 0, -1, [], {}, [null], [[]], { nodes: 1 }, { number: {} }),
  fc.string(),
  fc.jsonValue(),
);
const fields = (names: string, fixed: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .array(
      fc.record({ ...Object.fromEntries(names.split(' ').map((name) => [name, odd])), ...fixed }, { requiredKeys: Object.keys(fixed) }),
      { maxLength: 4 },
    )
    .map((entries) => JSON.stringify(entries));
const some = fc.constantFrom(...words.filter((word) => word.trim()), 'a', 'b', 'c', 'd', 'e');

const tools: [string, (files: SourceFile[]) => ForeignData, string, fc.Arbitrary<string>][] = [
  [
    'taskwarrior',
    readTaskwarrior,
    'export.json',
    fields('priority project tags depends annotations wait start end modified due x', {
      uuid: some,
      description: some,
      status: fc.constantFrom('pending', 'completed', 'waiting'),
    }),
  ],
  [
    'github',
    readGithub,
    'issues.json',
    fields('body labels assignees milestone comments url html_url parent subIssues blockedBy blocking stateReason issueType createdAt', {
      number: fc.nat(),
      title: some,
      state: fc.constantFrom('OPEN', 'closed'),
    }),
  ],
  [
    'beads',
    readBeads,
    'issues.jsonl',
    fields('description notes status priority issue_type labels dependencies comments assignee closed_at design acceptance_criteria', {
      id: some,
      title: some,
      created_at: odd,
    }).map((text) => (JSON.parse(text) as unknown[]).map((one) => JSON.stringify(one)).join('\n')),
  ],
  [
    'taskmaster',
    readTaskmaster,
    'tasks.json',
    fields('description status priority dependencies subtasks details testStrategy', { id: fc.nat(), title: some }).map(
      (text) => `{"tasks":${text}}`,
    ),
  ],
  [
    'backlog',
    readBacklog,
    'tasks/a.md',
    fc.record({ status: odd, priority: odd, labels: odd, dependencies: odd, assignee: odd, milestone: odd, created_date: odd }).map(
      (front) =>
        `---\nid: A\ntitle: x\n${Object.entries(front)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
          .join('')}---\n## Comments\n---\n`,
    ),
  ],
  ['todo.txt', readTodoTxt, 'todo.txt', fc.array(fc.oneof(some, fc.string())).map((lines) => lines.join('\n'))],
];

test.each(tools)('%s: reads or rejects any file', (_, read, name, text) => {
  const checkRead = (given: string): void => {
    try {
      for (const task of read([{ name, text: given }]).tasks) {
        expect(['pending', 'active', 'blocked', 'done']).toContain(task.status);
        expect([undefined, 'critical', 'high', 'medium', 'low']).toContain(task.priority);
        for (const value of [task.title, ...task.depends, ...task.labels, task.parent ?? '']) expect(typeof value).toBe('string');
      }
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
    }
  };
  fc.assert(fc.property(text, checkRead), { numRuns: 60 });
  fc.assert(fc.property(fc.string(), checkRead), { numRuns: 20 });
  for (const given of [
    deep,
    `[${deep}]`,
    `[{"uuid":"u","description":"d","status":"pending","number":1,"title":"t","state":"OPEN","id":"a","created_at":"","x":${deep}}]`,
  ])
    checkRead(given);
});
