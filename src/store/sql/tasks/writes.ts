import type { Changes } from '#core/model/audit.ts';
import { type TaskId, toTaskId, toTaskNumber } from '#core/model/scalars.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { Stamp } from '../../port/store.ts';
import type { TaskReads, TaskWrites } from '../../port/tasks.ts';
import { type HistoryWriter, toJson } from '../admin/audit-writes.ts';
import { noteUpdate } from '../changes.ts';
import { insertItems, insertValues, listRows } from '../list-rows.ts';
import { createWordTable } from '../search/word-table.ts';
import { indexTasks, isFullPart, joinRest, measureText, type TaskText, unindexTask } from '../search/writes.ts';
import { type Db, type SqlValue, splitChunks, sql } from '../sql.ts';
import type { RankRefresher } from './rank-refresher.ts';

/** Writes of tasks. Each is recorded in `changes` and, field by field, in history. */
export function createTaskWrites(
  db: Db,
  reads: TaskReads,
  stamp: Stamp,
  changes: Changes,
  ranks: RankRefresher,
  history: HistoryWriter,
): TaskWrites {
  const storedWords = createWordTable();
  let pendingTexts: TaskText[] = [];
  let pendingLength = 0;
  const indexPending = async (): Promise<void> => {
    const texts = pendingTexts;
    pendingTexts = [];
    pendingLength = 0;
    if (texts.length > 0) await indexTasks(db, texts, storedWords);
  };
  const reindex = async (task: TaskRecord): Promise<void> => {
    await indexPending();
    await unindexTask(db, task.id);
    await indexTasks(db, [await toTaskText(task)], storedWords);
  };
  const toTaskText = async (task: TaskRecord): Promise<TaskText> => ({
    seq: toTaskNumber(task.id),
    title: task.title,
    rest: joinRest(task.description, task.labels, (await reads.getNotes([task.id])).get(task.id) ?? []),
  });
  // A clock that is behind must not date a change before the previous one.
  const setNextRevision = (id: TaskId, at?: string): Promise<void> =>
    db.run(sql`
      update tasks set updated_at = case when updated_at < ${at ?? stamp.at} then ${at ?? stamp.at} else updated_at end, revision = revision + 1
      where id = ${id}`);
  const insertNotes = (entries: readonly { task: TaskRecord; notes: readonly Note[] }[]): Promise<void> => {
    const values: SqlValue[] = [];
    for (const { task, notes } of entries) for (const note of notes) values.push(task.id, note.at, note.by, note.text);
    return insertValues(db, 'task_notes (task_id, at, by_agent, content)', 4, values, 200);
  };
  const insertMany: TaskWrites['insertMany'] = async (entries, origin = 'created', isIndexedLater = false) => {
    const tasks = entries.map((entry) => entry.task);
    await insertRows(db, tasks);
    await insertLists(db, tasks);
    await insertNotes(entries);
    await history.addCreated(origin, tasks);
    for (const { task, notes } of entries) {
      const text = { seq: toTaskNumber(task.id), title: task.title, rest: joinRest(task.description, task.labels, notes) };
      pendingTexts.push(text);
      pendingLength += measureText(text);
      if (isFullPart(pendingTexts.length, pendingLength)) await indexPending();
    }
    if (!isIndexedLater) await indexPending();
    for (const task of tasks) {
      changes.created.push(task.id);
      ranks.markCreated(task);
    }
  };

  return {
    nextId: async () => (await nextIds(db, 1))[0]!,
    nextIds: (count) => nextIds(db, count),
    reserveIds: (upTo) =>
      db.run(sql`update counters set value = ${toTaskNumber(upTo)} where name = 'task' and value < ${toTaskNumber(upTo)}`),
    insert: (task, notes = [], origin) => insertMany([{ task, notes }], origin),
    insertMany,
    indexPending,
    async save(before, after, reason, at) {
      const fields = scalarFields.filter((field) => before[field] !== after[field]);
      const lists = listFields.filter((field) => toJson(before[field]) !== toJson(after[field]));
      if (fields.length === 0 && lists.length === 0) {
        if (at === undefined || at <= before.updatedAt) return before;
        await db.run(sql`update tasks set updated_at = ${at} where id = ${before.id}`);
        noteUpdate(changes, before.id);
        return { ...before, updatedAt: at };
      }
      // A clock that is behind must not date a change before the previous one.
      const updatedAt = at ?? (stamp.at > before.updatedAt ? stamp.at : before.updatedAt);
      const saved: TaskRecord = { ...after, updatedAt, revision: before.revision + 1 };
      await db.run(sql`
        update tasks set type = ${saved.type}, title = ${saved.title}, description = ${saved.description}, status = ${saved.status}, priority = ${saved.priority},
          size = ${saved.size}, phase = ${saved.phase}, blocked_by = ${saved.blockedBy}, updated_at = ${saved.updatedAt},
          assignee = ${saved.assignee}, due = ${saved.due}, requires = ${toJson(saved.requires)}, resolution = ${saved.resolution}, uid = ${saved.uid},
          started_at = ${saved.startedAt}, completed_at = ${saved.completedAt}, archived_at = ${saved.archivedAt}, revision = ${saved.revision}
        where id = ${saved.id}`);
      // A statement of its own: the database checks the parent whenever it is written, and an unchanged parent may be missing.
      if (fields.includes('parentId')) await db.run(sql`update tasks set parent_id = ${saved.parentId} where id = ${saved.id}`);
      for (const field of lists) {
        const statement = deleteList[field](saved.id);
        if (statement) await db.run(statement);
      }
      await insertLists(db, [pickLists(saved, lists)]);
      await history.add([...fields, ...lists].map((field) => ({ taskId: saved.id, field, old: before[field], new: after[field], reason })));
      if (before.title !== after.title || before.description !== after.description || lists.includes('labels')) await reindex(saved);
      noteUpdate(changes, saved.id);
      ranks.markChange(before, saved);
      return saved;
    },
    async appendNotes(task, notes, at) {
      if (notes.length === 0) return;
      await insertNotes([{ task, notes }]);
      await setNextRevision(task.id, at);
      await history.add(notes.map(({ text }) => ({ taskId: task.id, field: 'notes', new: text })));
      await reindex(task);
      noteUpdate(changes, task.id);
    },
    async relate({ from, to, type, reason, at = stamp.at, by = stamp.by }, origin) {
      const [known] = origin
        ? []
        : await db.all(sql`select reason from task_relations where task_id = ${from} and related_to = ${to} and relation_type = ${type}`);
      await db.run(sql`
        insert into task_relations (task_id, related_to, relation_type, reason, created_at, created_by)
        values (${from}, ${to}, ${type}, ${reason}, ${at}, ${by})
        on conflict (task_id, related_to, relation_type) do update set reason = excluded.reason`);
      const old = known && { to, type, reason: known.reason };
      await history.add([{ taskId: from, field: 'relations', old, new: { to, type, reason } }]);
      if (!origin) await setNextRevision(from);
      noteUpdate(changes, from);
    },
    async unrelate(from, to, type) {
      const isOfType = type ? sql`and relation_type = ${type}` : sql``;
      const removed = await db.all(sql`
        delete from task_relations where task_id = ${from} and related_to = ${to} ${isOfType}
        returning relation_type, reason, created_at, created_by`);
      // Undo restores a relation with its time and author.
      await history.add(
        removed.map(({ relation_type, reason, created_at, created_by }) => ({
          taskId: from,
          field: 'relations',
          old: { to, type: relation_type, reason, at: created_at, by: created_by },
        })),
      );
      if (removed.length > 0) {
        await setNextRevision(from);
        noteUpdate(changes, from);
      }
      return removed.length;
    },
    async detachOrphans() {
      const ids = await reads.findOrphans();
      for (const id of ids) {
        await db.run(
          sql`update tasks set parent_id = null, type = case when type = 'subtask' then 'task' else type end, revision = revision + 1 where id = ${id}`,
        );
        await history.add([{ taskId: id, field: 'parentId', reason: 'the parent no longer exists' }]);
        noteUpdate(changes, id);
      }
      ranks.mark(ids);
      return ids;
    },
  };
}

async function nextIds(db: Db, count: number): Promise<TaskId[]> {
  const [row] = await db.all(sql`update counters set value = value + ${count} where name = 'task' returning value`);
  return Array.from({ length: count }, (_, i) => toTaskId(Number(row?.value) - count + 1 + i));
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
  'assignee',
  'due',
  'resolution',
  'uid',
  'startedAt',
  'completedAt',
  'archivedAt',
] as const satisfies (keyof TaskRecord)[];
const listFields = ['labels', 'depends', 'files', 'acceptance', 'requires', 'aliases'] as const satisfies (keyof TaskRecord)[];
type ListField = (typeof listFields)[number];

/** `requires` is a column. */
const deleteList: Record<ListField, (id: TaskId) => ReturnType<typeof sql> | undefined> = {
  labels: (id) => sql`delete from task_labels where task_id = ${id}`,
  depends: (id) => sql`delete from task_dependencies where task_id = ${id}`,
  files: (id) => sql`delete from task_files where task_id = ${id}`,
  acceptance: (id) => sql`delete from task_acceptance_criteria where task_id = ${id}`,
  requires: () => undefined,
  aliases: (id) => sql`delete from task_aliases where task_id = ${id}`,
};

const pickLists = ({ aliases, ...task }: TaskRecord, lists: ListField[]): TaskRecord => ({
  ...task,
  ...(lists.includes('aliases') && aliases ? { aliases } : {}),
  labels: lists.includes('labels') ? task.labels : [],
  depends: lists.includes('depends') ? task.depends : [],
  files: lists.includes('files') ? task.files : [],
  acceptance: lists.includes('acceptance') ? task.acceptance : [],
});

const taskColumns = [
  'seq',
  'id',
  'type',
  'title',
  'description',
  'status',
  'priority',
  'size',
  'phase',
  'parent_id',
  'blocked_by',
  'created_at',
  'created_by',
  'updated_at',
  'started_at',
  'completed_at',
  'archived_at',
  'revision',
  'assignee',
  'due',
  'requires',
  'resolution',
  'uid',
];

const insertRows = (db: Db, tasks: TaskRecord[]): Promise<void> =>
  insertItems(db, `tasks (${taskColumns.join(', ')})`, { columns: taskColumns.length, maxRows: 100 }, tasks, setTaskValues);

/** Writes the values of a task, in the order of `taskColumns`, into the list of its statement. A list for each task would have to be copied. */
function setTaskValues(values: SqlValue[], at: number, task: TaskRecord): void {
  let i = at;
  values[i++] = toTaskNumber(task.id);
  values[i++] = task.id;
  values[i++] = task.type;
  values[i++] = task.title;
  values[i++] = task.description ?? null;
  values[i++] = task.status;
  values[i++] = task.priority;
  values[i++] = task.size ?? null;
  values[i++] = task.phase ?? null;
  values[i++] = task.parentId ?? null;
  values[i++] = task.blockedBy ?? null;
  values[i++] = task.createdAt;
  values[i++] = task.createdBy;
  values[i++] = task.updatedAt;
  values[i++] = task.startedAt ?? null;
  values[i++] = task.completedAt ?? null;
  values[i++] = task.archivedAt ?? null;
  values[i++] = task.revision;
  values[i++] = task.assignee ?? null;
  values[i++] = task.due ?? null;
  values[i++] = toJson(task.requires) ?? null;
  values[i++] = task.resolution ?? null;
  values[i] = task.uid;
}

async function insertLists(db: Db, tasks: TaskRecord[]): Promise<void> {
  const labels: SqlValue[] = [];
  const files: SqlValue[] = [];
  const depends: SqlValue[] = [];
  const criteria: SqlValue[] = [];
  // An alias belongs to the last task that has it. PostgreSQL rejects a statement with the same key twice.
  const aliases = new Map<string, string[]>();
  for (const t of tasks) {
    for (let i = 0; i < t.labels.length; i++) labels.push(t.id, i, t.labels[i]!);
    for (let i = 0; i < t.files.length; i++) files.push(t.id, i, t.files[i]!);
    for (let i = 0; i < t.depends.length; i++) depends.push(t.id, i, t.depends[i]!);
    for (let i = 0; i < t.acceptance.length; i++) {
      const c = t.acceptance[i]!;
      criteria.push(t.id, i, c.kind, c.text ?? null, c.gate ?? null, c.metAt ?? null, c.metBy ?? null);
    }
    if (t.aliases) for (const { tool, id } of t.aliases) aliases.set(`${tool}\n${id}`, [tool, id, t.id]);
  }
  await insertValues(db, 'task_labels (task_id, position, label)', 3, labels, 200);
  await insertValues(db, 'task_files (task_id, position, path)', 3, files, 200);
  await insertValues(db, 'task_dependencies (task_id, position, depends_on)', 3, depends, 200);
  for (const some of splitChunks([...aliases.values()], 200))
    await db.run(sql`
      insert into task_aliases (tool, alias, task_id) values ${listRows(some)}
      on conflict (tool, alias) do update set task_id = excluded.task_id`);
  const criterionColumns = 'task_id, position, kind, content, gate, met_at, met_by';
  await insertValues(db, `task_acceptance_criteria (${criterionColumns})`, 7, criteria, 100);
}
