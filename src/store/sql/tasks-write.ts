import type { Changes } from '#core/model/audit.ts';
import { seqOf, type TaskId, taskId } from '#core/model/scalars.ts';
import type { StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { Stamp, TaskReads, TaskWrites } from '../port.ts';
import { indexTasks, type SearchText, unindexTask } from './search-write.ts';
import { chunks, type Db, rows, sql } from './sql.ts';

/** Everything that changes a task. Each write is noted in `changes` and, field by field, in history. */
export function taskWrites(db: Db, reads: TaskReads, stamp: Stamp, changes: Changes): TaskWrites {
  const touch = (list: string[], id: TaskId): void => {
    if (!list.includes(id) && !changes.created.includes(id)) list.push(id);
  };
  const record = async (entries: HistoryRow[]): Promise<void> => {
    for (const some of chunks(entries, 100)) {
      await db.run(sql`
        insert into task_history (task_id, at, by_agent, field, old_value, new_value, reason)
        values ${rows(some.map((e) => [e.taskId, stamp.at, stamp.by, e.field, json(e.old), json(e.new), e.reason]))}`);
    }
  };
  const searchText = async (task: TaskRecord): Promise<SearchText> => ({
    id: task.id,
    title: task.title,
    rest: [task.description ?? '', ...task.labels, ...((await reads.notes([task.id])).get(task.id) ?? []).map((note) => note.text)],
  });
  const insertMany: TaskWrites['insertMany'] = async (entries, how = 'created') => {
    const tasks = entries.map((entry) => entry.task);
    await insertRows(db, tasks);
    await insertLists(db, tasks);
    const notes = entries.flatMap(({ task, notes }) => notes.map((note) => [task.id, note.at, note.by, note.text]));
    for (const some of chunks(notes, 200)) await db.run(sql`insert into task_notes (task_id, at, by_agent, content) values ${rows(some)}`);
    await record(tasks.map((task) => ({ taskId: task.id, field: how, new: task.title })));
    await indexTasks(
      db,
      entries.map(({ task, notes }) => ({
        id: task.id,
        title: task.title,
        rest: [task.description ?? '', ...task.labels, ...notes.map((n) => n.text)],
      })),
    );
    changes.created.push(...tasks.map((task) => task.id));
  };

  return {
    nextId: async () => (await nextIds(db, 1))[0]!,
    nextIds: (count) => nextIds(db, count),
    reserveIds: (upTo) => db.run(sql`update counters set value = ${seqOf(upTo)} where name = 'task' and value < ${seqOf(upTo)}`),
    insert: (task, notes = [], how) => insertMany([{ task, notes }], how),
    insertMany,
    async save(before, after, reason) {
      const fields = scalarFields.filter((field) => before[field] !== after[field]);
      const lists = listFields.filter((field) => json(before[field]) !== json(after[field]));
      if (fields.length === 0 && lists.length === 0) return before;
      // A clock that runs behind must not date a change before what it changes.
      const updatedAt = stamp.at > before.updatedAt ? stamp.at : before.updatedAt;
      const saved: TaskRecord = { ...after, updatedAt, revision: before.revision + 1 };
      await db.run(sql`
        update tasks set type = ${saved.type}, title = ${saved.title}, description = ${saved.description}, status = ${saved.status}, priority = ${saved.priority},
          size = ${saved.size}, phase = ${saved.phase}, blocked_by = ${saved.blockedBy}, updated_at = ${saved.updatedAt},
          started_at = ${saved.startedAt}, completed_at = ${saved.completedAt}, archived_at = ${saved.archivedAt}, revision = ${saved.revision}
        where id = ${saved.id}`);
      // Apart: the database judges a parent when it is written, and one that stays is not what changes here.
      if (fields.includes('parentId')) await db.run(sql`update tasks set parent_id = ${saved.parentId} where id = ${saved.id}`);
      for (const field of lists) await db.run(clearList[field](saved.id));
      await insertLists(db, [only(saved, lists)]);
      await record([...fields, ...lists].map((field) => ({ taskId: saved.id, field, old: before[field], new: after[field], reason })));
      if (before.title !== after.title || before.description !== after.description || lists.includes('labels')) {
        await unindexTask(db, saved.id);
        await indexTasks(db, [await searchText(saved)]);
      }
      touch(changes.updated, saved.id);
      return saved;
    },
    async appendNote(task, note) {
      await db.run(sql`insert into task_notes (task_id, at, by_agent, content) values (${task.id}, ${note.at}, ${note.by}, ${note.text})`);
      const updatedAt = stamp.at > task.updatedAt ? stamp.at : task.updatedAt;
      await db.run(sql`update tasks set updated_at = ${updatedAt}, revision = revision + 1 where id = ${task.id}`);
      await record([{ taskId: task.id, field: 'notes', new: note.text }]);
      await unindexTask(db, task.id);
      await indexTasks(db, [await searchText(task)]);
      touch(changes.updated, task.id);
    },
    async remove(id, root, dependents) {
      const task = await reads.get(id);
      if (!task) return;
      const notes = (await reads.notes([id])).get(id) ?? [];
      const relations = (await reads.relations(id)).map((r) =>
        r.direction === 'to'
          ? { from: id, to: r.taskId, type: r.type, reason: r.reason }
          : { from: r.taskId, to: id, type: r.type, reason: r.reason },
      );
      await record([{ taskId: id, field: 'deleted', old: { record: task, notes, relations, dependents }, new: root }]);
      await unindexTask(db, id);
      await db.run(sql`delete from task_dependencies where depends_on = ${id}`);
      await db.run(sql`delete from tasks where id = ${id}`);
      changes.deleted.push(id);
    },
    async relate({ from, to, type, reason }) {
      await db.run(sql`
        insert into task_relations (task_id, related_to, relation_type, reason, created_at, created_by)
        values (${from}, ${to}, ${type}, ${reason}, ${stamp.at}, ${stamp.by})
        on conflict (task_id, related_to, relation_type) do update set reason = excluded.reason`);
      await record([{ taskId: from, field: 'relations', new: { to, type, reason } }]);
      touch(changes.updated, from);
    },
    async unrelate(from, to, type) {
      const gone = type
        ? await db.all(
            sql`delete from task_relations where task_id = ${from} and related_to = ${to} and relation_type = ${type} returning relation_type`,
          )
        : await db.all(sql`delete from task_relations where task_id = ${from} and related_to = ${to} returning relation_type`);
      await record(gone.map((row) => ({ taskId: from, field: 'relations', old: { to, type: row.relation_type } })));
      if (gone.length > 0) touch(changes.updated, from);
      return gone.length;
    },
    async adoptOrphans() {
      const ids = await reads.orphans();
      for (const id of ids) {
        await db.run(
          sql`update tasks set parent_id = null, type = case when type = 'subtask' then 'task' else type end, revision = revision + 1 where id = ${id}`,
        );
        await record([{ taskId: id, field: 'parentId', reason: 'the parent no longer exists' }]);
        touch(changes.updated, id);
      }
      return ids;
    },
  };
}

async function nextIds(db: Db, count: number): Promise<TaskId[]> {
  const [row] = await db.all(sql`update counters set value = value + ${count} where name = 'task' returning value`);
  return Array.from({ length: count }, (_, i) => taskId(Number(row?.value) - count + 1 + i));
}

interface HistoryRow {
  taskId: TaskId;
  field: string;
  old?: unknown;
  new?: unknown;
  reason?: string | undefined;
}

const scalarFields = [
  'type',
  'title',
  'description',
  'status',
  'priority',
  'size',
  'phase',
  'parentId',
  'blockedBy',
  'startedAt',
  'completedAt',
  'archivedAt',
] as const satisfies (keyof TaskRecord)[];
const listFields = ['labels', 'depends', 'files', 'acceptance'] as const satisfies (keyof TaskRecord)[];
type ListField = (typeof listFields)[number];

const clearList: Record<ListField, (id: TaskId) => ReturnType<typeof sql>> = {
  labels: (id) => sql`delete from task_labels where task_id = ${id}`,
  depends: (id) => sql`delete from task_dependencies where task_id = ${id}`,
  files: (id) => sql`delete from task_files where task_id = ${id}`,
  acceptance: (id) => sql`delete from task_acceptance_criteria where task_id = ${id}`,
};

const only = (task: TaskRecord, lists: ListField[]): TaskRecord => ({
  ...task,
  labels: lists.includes('labels') ? task.labels : [],
  depends: lists.includes('depends') ? task.depends : [],
  files: lists.includes('files') ? task.files : [],
  acceptance: lists.includes('acceptance') ? task.acceptance : [],
});

async function insertRows(db: Db, tasks: TaskRecord[]): Promise<void> {
  for (const some of chunks(tasks, 100)) {
    await db.run(sql`
      insert into tasks (seq, id, type, title, description, status, priority, size, phase, parent_id, blocked_by, created_at, created_by, updated_at, started_at, completed_at, archived_at, revision)
      values ${rows(
        some.map((t) => [
          seqOf(t.id),
          t.id,
          t.type,
          t.title,
          t.description,
          t.status,
          t.priority,
          t.size,
          t.phase,
          t.parentId,
          t.blockedBy,
          t.createdAt,
          t.createdBy,
          t.updatedAt,
          t.startedAt,
          t.completedAt,
          t.archivedAt,
          t.revision,
        ]),
      )}`);
  }
}

async function insertLists(db: Db, tasks: TaskRecord[]): Promise<void> {
  for (const some of chunks(
    tasks.flatMap((t) => t.labels.map((label, i) => [t.id, i, label])),
    200,
  ))
    await db.run(sql`insert into task_labels (task_id, position, label) values ${rows(some)}`);
  for (const some of chunks(
    tasks.flatMap((t) => t.files.map((path, i) => [t.id, i, path])),
    200,
  ))
    await db.run(sql`insert into task_files (task_id, position, path) values ${rows(some)}`);
  for (const some of chunks(
    tasks.flatMap((t) => t.depends.map((on, i) => [t.id, i, on])),
    200,
  ))
    await db.run(sql`insert into task_dependencies (task_id, position, depends_on) values ${rows(some)}`);
  for (const some of chunks(
    tasks.flatMap((t) => t.acceptance.map((c, i) => [t.id, i, ...criterionColumns(c)])),
    100,
  ))
    await db.run(sql`insert into task_acceptance_criteria (task_id, position, kind, content, gate, met_at, met_by) values ${rows(some)}`);
}

const criterionColumns = (c: StoredCriterion) => [c.kind, c.text, c.gate, c.metAt, c.metBy];
const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
