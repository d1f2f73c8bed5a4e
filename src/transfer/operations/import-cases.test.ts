import { expect, test } from 'vitest';
import type { Task } from '#tasks/model/task.ts';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { type ImportCase, importCases, readVersion } from '../../../test/imports/cases.ts';
import { type Choices, createChoices, pickSeed } from '../../../test/random.ts';
import { importTools } from '../rules/detect-tool.ts';

/** A task in terms of its source, so that two imports can be compared. */
type SourceTask = Omit<Task, 'id' | 'uid' | 'revision' | 'aliases' | 'epicId'> & { noteTexts: string[] };

async function readTasks({ call }: TestApp, source: string): Promise<Map<string, SourceTask>> {
  const { tasks } = JSON.parse((await call('tasks.export', { format: 'json' })).content as string) as { tasks: Task[] };
  const names = new Map(
    tasks.flatMap(({ id, aliases = [] }) => aliases.flatMap((alias) => (alias.tool === source ? [[id, alias.id] as const] : []))),
  );
  const toName = (id: string): string => names.get(id) ?? id;
  return new Map(
    tasks.flatMap(({ id, uid: _, revision: __, aliases: ___, epicId: ____, notes = [], ...task }) => {
      const name = names.get(id);
      if (name === undefined) return [];
      const related = task.relations?.map((relation) => ({ ...relation, taskId: toName(relation.taskId), reason: '' }));
      const sorted = {
        ...task,
        ...(task.parentId ? { parentId: toName(task.parentId) } : {}),
        ...(task.depends ? { depends: task.depends.map(toName).sort() } : {}),
        ...(related ? { relations: related.toSorted((a, b) => a.taskId.localeCompare(b.taskId)) } : {}),
        acceptance: task.acceptance?.flatMap((one) => (one.kind === 'text' ? [{ text: one.text, met: one.met }] : [])),
        noteTexts: notes.map(({ by, text }) => `${by} ${text}`).sort(),
      };
      return [[name, sorted as unknown as SourceTask] as const];
    }),
  );
}

const run = async ({ call }: TestApp, one: ImportCase, version: 'first' | 'last', source: string, more: object = {}): Promise<Json> => {
  const answer = await call('tasks.import', { content: readVersion(one, version), from: one.tool, source, limit: 1000, ...more });
  expect(answer).toMatchObject({ success: true });
  return answer;
};

/** The names of the records of a version, and of those that only the first version has. */
const listNames = ({ ids }: Json): string[] => ids.map(({ id }: { id: string }) => id);

const now = '2026-04-01T12:00:00.000Z';
const clock = () => ({ now });

/** Times that the tool does not know are those of the import that first saw the value: they stay. */
const keepOwnTimes = (task: SourceTask, { createdAt, updatedAt, startedAt, completedAt }: Partial<SourceTask>): SourceTask => ({
  ...task,
  ...(createdAt === now ? { createdAt } : {}),
  ...(updatedAt === now ? { updatedAt } : {}),
  ...(startedAt ? { startedAt } : {}),
  ...(completedAt && task.completedAt && completedAt < task.completedAt ? { completedAt } : {}),
});

test.each(importTools)('%s: a second import gives the same as a first import of the last version', async (tool) => {
  const app = await openApp({ clock: clock() });
  for (const one of importCases.filter((each) => each.tool === tool)) {
    const [twice, once] = [`${one.name}-twice`, `${one.name}-once`];
    await run(app, one, 'first', twice);
    await run(app, one, 'last', twice);
    const fresh = await run(app, one, 'last', once);
    const [again, expected] = [await readTasks(app, `${tool}:${twice}`), await readTasks(app, `${tool}:${once}`)];
    for (const name of listNames(fresh)) {
      const { noteTexts, ...task } = again.get(name)!;
      const { noteTexts: notes, ...other } = keepOwnTimes(expected.get(name)!, task);
      expect({ case: one.name, name, ...task }).toEqual({ case: one.name, name, ...other });
      // Notes are never deleted: one of an earlier version stays.
      expect({ case: one.name, name, missing: notes.filter((text) => !noteTexts.includes(text)) }).toMatchObject({ missing: [] });
    }
    expect(await app.call('tasks.import', { content: readVersion(one, 'last'), from: tool, source: twice })).toMatchObject({
      imported: 0,
      updated: 0,
      _meta: { exitCode: 102 },
    });
  }
  const { findings } = await app.call('admin.doctor');
  expect(findings.filter(({ taskId }: { taskId?: string }) => taskId)).toEqual([]);
});

/** Changes random fields of random tasks, and returns what each task must have after the next import. */
async function changeTasks({ call }: TestApp, tasks: { id: string; taskId: string }[], choices: Choices): Promise<Map<string, Json>> {
  const changed = new Map<string, Json>();
  const values: Json = {
    title: 'Changed here',
    description: 'Written here',
    priority: 'critical',
    assignee: 'ada',
    due: '2030-01-31',
  };
  for (const { id, taskId } of tasks) {
    if (choices.chance(0.4)) continue;
    const { task } = await call('tasks.show', { taskId });
    // A value that exists already is not a change.
    const fields: Json = Object.fromEntries(
      Object.entries(values).filter(([field, value]) => choices.chance(0.4) && task[field] !== value),
    );
    const isArchived = task.status === 'done' && !task.archivedAt && choices.chance(0.7);
    if (Object.keys(fields).length > 0)
      expect(await call('tasks.update', { taskId, ...fields, addLabels: ['mine'] })).toMatchObject({ success: true });
    const archived = isArchived ? await call('tasks.archive', { taskId }) : undefined;
    if (Object.keys(fields).length > 0 || archived?.success)
      changed.set(id, {
        ...fields,
        hasLabel: Object.keys(fields).length > 0,
        ...(archived?.success ? { archivedAt: expect.any(String) } : {}),
      });
  }
  return changed;
}

test.each(importTools)('%s: what was changed here stays, and everything else is as in a first import', async (tool) => {
  const choices = createChoices(pickSeed(false));
  const app = await openApp({ clock: clock() });
  for (const one of importCases.filter((each) => each.tool === tool)) {
    const [twice, once] = [`${one.name}-twice`, `${one.name}-once`];
    const first = await run(app, one, 'first', twice);
    const changed = await changeTasks(app, first.ids, choices);
    await run(app, one, 'last', twice, { onConflict: 'ours' });
    const fresh = await run(app, one, 'last', once);
    const [again, expected] = [await readTasks(app, `${tool}:${twice}`), await readTasks(app, `${tool}:${once}`)];
    for (const name of listNames(fresh)) {
      const { noteTexts: _, updatedAt: __, ...task } = again.get(name)!;
      const { noteTexts: ___, updatedAt: ____, ...other } = keepOwnTimes(expected.get(name)!, task);
      const { hasLabel, ...own } = changed.get(name) ?? {};
      // The archive and the status are one value.
      const isArchived = own.archivedAt !== undefined;
      const { status, resolution, completedAt, startedAt, blockedBy, archivedAt, ...rest } = task;
      expect({ case: one.name, name, ...(isArchived ? { ...rest, archivedAt } : task) }).toEqual(
        expect.objectContaining({
          case: one.name,
          name,
          ...(isArchived ? withoutStatus(other) : other),
          ...own,
          ...(hasLabel ? { labels: expect.arrayContaining([...(other.labels ?? []), 'mine']) } : {}),
        }),
      );
    }
  }
});

const withoutStatus = ({
  status: _,
  resolution: __,
  completedAt: ___,
  startedAt: ____,
  blockedBy: _____,
  archivedAt: ______,
  ...rest
}: Json) => rest;

test('a task that was archived here stays in the archive until its status changes in the source', async () => {
  const app = await openApp();
  const issue = (more: object): string =>
    JSON.stringify({
      id: 'a',
      title: 'A',
      status: 'closed',
      closed_at: '2026-01-02T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
      ...more,
    });
  const run = (content: string, more = {}) => app.call('tasks.import', { content, from: 'beads', ...more });
  const show = async () => (await app.call('tasks.show', { taskId: 'T001' })).task;
  await run(issue({}));
  await app.call('tasks.archive', { taskId: 'T001' });
  const { archivedAt } = await show();
  expect(archivedAt).toEqual(expect.any(String));
  await run(issue({ title: 'B', updated_at: '2026-02-01T00:00:00Z' }));
  expect(await show()).toMatchObject({ title: 'B', status: 'done', archivedAt });
  const reopened = issue({ title: 'B', status: 'open', closed_at: undefined, updated_at: '2026-02-02T00:00:00Z' });
  expect(await run(reopened, { onConflict: 'ours' })).toMatchObject({ conflicts: [{ id: 'a', field: 'status', kept: 'ours' }] });
  expect(await show()).toMatchObject({ status: 'done', archivedAt });
  const later = issue({ title: 'B', status: 'in_progress', closed_at: undefined, updated_at: '2030-02-03T00:00:00Z' });
  expect(await run(later)).toMatchObject({ conflicts: [{ id: 'a', field: 'status', kept: 'theirs' }] });
  expect(await show()).toMatchObject({ status: 'active' });
  expect((await show()).archivedAt).toBeUndefined();
});
