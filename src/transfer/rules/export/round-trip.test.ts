import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PrioritySchema, type Resolution, toTaskId } from '#core/model/scalars.ts';
import { toUid } from '#core/rules/uid.ts';
import type { Task } from '#tasks/model/task.ts';
import { createMixed } from '../../../../test/secrets.ts';
import type { ForeignTask, SourceFile } from '../../model/foreign.ts';
import { readBacklog } from '../backlog.ts';
import { readBeads } from '../beads.ts';
import type { ImportTool } from '../detect-tool.ts';
import { readGithub } from '../github.ts';
import { readTaskmaster } from '../taskmaster.ts';
import { readTaskwarrior } from '../taskwarrior.ts';
import { readTodoTxt } from '../todo-txt.ts';
import { parseForeignState, parsePriority, toolWords } from '../vocabulary.ts';
import { formatForTool, listExportIds } from './formats.ts';
import { parseUuid, toUuid } from './taskwarrior.ts';

const readers = {
  beads: readBeads,
  taskmaster: readTaskmaster,
  backlog: readBacklog,
  taskwarrior: readTaskwarrior,
  github: readGithub,
  'todo.txt': readTodoTxt,
} satisfies Record<ImportTool, unknown>;
const tools = Object.keys(readers) as ImportTool[];

const hostileTitles = [
  'two\nlines',
  '"double" and \'single\' quotes',
  '- [ ] begins with a dash',
  'a: b # c',
  '# heading',
  '+project @context key:value due:2026-01-01 id:7 words',
  'x done? (A) 2026-01-01 no',
  'x',
  '(A)',
  '2026-01-01',
  '\\+one \\\\@two C:\\temp',
  'Ünïcödé 日本語 🚀 \u200d \u2028 end',
  '[x](y) <b> &amp; | ~~z~~ `c` $a$ %41 %',
  '---',
  '<!-- cleo 00000000000000000000 -->',
  '<!-- SECTION:DESCRIPTION:END -->',
  'null',
  'true',
  '12',
  '@ada',
  "don't",
  'y'.repeat(10_000),
];

const createTask = (number: number, more: Partial<Task> = {}): Task => ({
  id: toTaskId(number),
  type: 'task',
  title: `Task ${number}`,
  status: 'pending',
  priority: 'medium',
  uid: toUid(`2026-01-01T00:00:00.${String(number).padStart(3, '0')}Z`, 'abcdef012345'),
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: 'ada',
  updatedAt: '2026-01-02T10:11:12.345Z',
  revision: 1,
  ...more,
});

const flatten = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();

function exportAndRead(tool: ImportTool, tasks: Task[]): Map<string, ForeignTask> {
  const { content } = formatForTool(tool, tasks);
  const files: SourceFile[] = typeof content === 'string' ? [{ name: '', text: content }] : content;
  return new Map(readers[tool](files).tasks.map((task) => [task.id, task]));
}

const labels = fc.uniqueArray(fc.constantFrom('web', 'a/b', 'type:bug', 'bug', 'v1.2', 'project:web', 'context:home', 'x-y_z'), {
  maxLength: 4,
});
const titles = fc.oneof(fc.constantFrom(...hostileTitles), fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }));
const usableTitle = titles.filter((title) => flatten(title) !== '' && title.isWellFormed());
const names = fc.constantFrom('ada', 'Zoë Müller', 'a:b, c', 'ada/laptop', '@bob');
const notes = fc.array(fc.constantFrom('a note', 'two\nlines\n---\nmore', '## Heading', 'author: x'), { maxLength: 2 });
const criteria = fc.uniqueArray(fc.constantFrom('parses lines', 'is [x] fast', '#1 is first', 'a: b', 'ends with .'), { maxLength: 3 });

/** Random tasks that obey the rules: a parent has the tier above, dependencies point backwards, nothing open is inside something done. */
const worlds = fc
  .array(
    fc.record({
      title: usableTitle,
      status: fc.constantFrom('pending', 'active', 'blocked', 'done'),
      resolution: fc.constantFrom<Resolution>('done', 'cancelled', 'wontfix', 'duplicate'),
      priority: fc.constantFrom(...PrioritySchema.options),
      labels,
      assignee: fc.option(names),
      due: fc.option(fc.constant('2026-02-28')),
      isEpic: fc.boolean(),
      parent: fc.nat(),
      depends: fc.array(fc.nat(), { maxLength: 2 }),
      notes,
      criteria,
      met: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) => {
    const tasks: Task[] = [];
    for (const [i, row] of rows.entries()) {
      const above = tasks[row.parent % (i + 1)];
      const parent = above && !row.isEpic && above.type !== 'subtask' && above.status !== 'done' ? above : undefined;
      const epicId = parent?.type === 'epic' ? parent.id : parent?.epicId;
      const depends = [...new Set(row.depends.map((n) => n % (i + 1)).filter((n) => n < i))].map((n) => toTaskId(n + 1));
      tasks.push(
        createTask(i + 1, {
          type: row.isEpic ? 'epic' : !parent || parent.type === 'epic' ? 'task' : 'subtask',
          title: row.title,
          status: row.status,
          priority: row.priority,
          ...(row.status === 'done' ? { resolution: row.resolution, completedAt: '2026-01-02T09:00:00.000Z' } : {}),
          ...(row.status === 'active' ? { startedAt: '2026-01-02T08:00:00.000Z' } : {}),
          ...(row.status === 'blocked' ? { blockedBy: 'waits for a key' } : {}),
          ...(row.labels.length ? { labels: row.labels } : {}),
          ...(row.assignee ? { assignee: row.assignee } : {}),
          ...(row.due ? { due: row.due } : {}),
          ...(parent ? { parentId: parent.id } : {}),
          ...(parent && epicId ? { epicId } : {}),
          ...(depends.length ? { depends: depends.filter((id) => id !== parent?.id) } : {}),
          ...(row.notes.length ? { notes: row.notes.map((text) => ({ at: '2026-01-02T10:00:00.123Z', by: 'bob', text })) } : {}),
          ...(row.criteria.length
            ? { acceptance: row.criteria.map((text) => ({ kind: 'text' as const, text, ...(row.met ? { met: true as const } : {}) })) }
            : {}),
        }),
      );
    }
    return tasks;
  });

describe.each(tools)('%s', (tool) => {
  test('reads back what it wrote', () => {
    fc.assert(
      fc.property(worlds, (tasks) => {
        const ids = listExportIds(tool, tasks);
        const read = exportAndRead(tool, tasks);
        expect([...read.keys()].sort()).toEqual([...ids.values()].sort());
        const lastTime = tool === 'todo.txt' ? undefined : '2026-01-02T10:11:12';
        for (const task of tasks) {
          const found = read.get(ids.get(task.id)!)!;
          expect({
            title: flatten(found.title),
            status: found.status,
            resolution: found.resolution ?? (found.status === 'done' ? 'done' : undefined),
            priority: found.priority,
            parent: found.parent,
            depends: found.depends.toSorted(),
            labels: found.labels.toSorted(),
            assignee: found.assignee,
            due: found.due,
            acceptance: found.acceptance,
            updatedAt: found.updatedAt?.slice(0, 19),
            uid: found.uid,
          }).toEqual({
            title: flatten(task.title),
            status: task.status,
            resolution: task.resolution,
            priority: task.priority,
            parent: task.parentId && ids.get(task.parentId),
            depends: (task.depends ?? []).map((id) => ids.get(id)!).sort(),
            labels: (task.labels ?? []).toSorted(),
            assignee: task.assignee,
            due: task.due,
            acceptance:
              tool === 'todo.txt'
                ? []
                : (task.acceptance ?? []).map((one) => ({ text: 'text' in one ? one.text : '', met: one.met === true })),
            updatedAt: lastTime,
            uid: task.uid,
          });
        }
      }),
      { numRuns: 25 },
    );
  });

  test.each(hostileTitles.map((title) => [title.slice(0, 40), title]))('title %j', (_, title) => {
    const [found] = exportAndRead(tool, [createTask(1, { title })]).values();
    expect(flatten(found!.title)).toBe(flatten(title));
  });

  test('writes ids of the tool again', () => {
    const alias = {
      beads: 'bd-a1',
      taskmaster: '7',
      backlog: 'TASK-9',
      taskwarrior: 'a360fc44-315c-4366-b70c-ea7e7520b749',
      github: 'o/r#12',
      'todo.txt': 'id:4',
    }[tool];
    const read = exportAndRead(tool, [
      createTask(1, { aliases: [{ tool, id: alias }] }),
      createTask(2, { depends: ['T001'], aliases: [{ tool: 'other', id: 'x' }] }),
    ]);
    expect(read.get(alias)).toMatchObject({ title: 'Task 1' });
    expect([...read.values()].find(({ title }) => title === 'Task 2')?.depends).toEqual([alias]);
  });

  test('replaces secrets and counts them', () => {
    const secret = `ghp_${createMixed(36)}`;
    const { content, losses } = formatForTool(tool, [createTask(1, { title: `use ${secret}`, description: secret })]);
    expect(JSON.stringify(content)).not.toContain(secret);
    expect(losses).toContainEqual({ field: 'title (secret)', count: 1, examples: ['T001'] });
  });

  test('counts what the tool does not have', () => {
    const { losses } = formatForTool(tool, [createTask(1, { requires: ['gpu'] }), createTask(2, { requires: ['gpu'] }), createTask(3)]);
    expect(losses).toContainEqual({ field: 'requires', count: 2, examples: ['T001', 'T002'] });
  });
});

describe('words', () => {
  test.each(Object.entries(toolWords))('of %s are read as they were meant', (_, { statuses, resolutions, priorities }) => {
    for (const [status, word] of Object.entries(statuses)) expect(parseForeignState(word)).toEqual({ status });
    for (const [resolution, word] of Object.entries(resolutions))
      if (word !== 'cancelled') expect(parseForeignState(word)).toEqual({ status: 'done', resolution });
    for (const [priority, word] of Object.entries(priorities)) if (word !== 'H') expect(parsePriority(word)).toBe(priority);
  });
});

test('a uid is a UUID and back', () => {
  fc.assert(
    fc.property(fc.nat({ max: 4_000_000_000 }), fc.integer({ min: 0, max: 2 ** 48 - 1 }), (seconds, random) => {
      const uid = toUid(new Date(seconds * 1000).toISOString(), random.toString(16));
      expect(toUuid(uid)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(parseUuid(toUuid(uid))).toBe(uid);
    }),
  );
});
