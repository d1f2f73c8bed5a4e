import type { Changes } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { groupBy } from '#lib/collections.ts';
import type { AttachedRows, DeletedTask, DeletionWrites, StoredRelation, TaskReads } from '../../port/tasks.ts';
import type { HistoryWriter } from '../admin/audit-writes.ts';
import { insertRow } from '../insert-row.ts';
import { queryInChunks } from '../queries.ts';
import { unindexTask } from '../search/writes.ts';
import { type Db, raw, type SqlRow, sql, toId } from '../sql.ts';
import type { RankRefresher } from './rank-refresher.ts';

/** Tables whose rows the database deletes with their task, and the column that names it. Claims are not restored, and the other tables of
 *  that kind are part of the record. */
const attachedTables: Record<string, string> = {
  task_gates: 'task_id',
  task_verifications: 'task_id',
  task_baselines: 'task_id',
  lifecycle_stages: 'epic_id',
  spawns: 'task_id',
  nexus_depends: 'task_id',
};

/** Deletes tasks and stores what a restore needs in their history. */
export function createDeletionWrites(
  db: Db,
  tasks: Pick<TaskReads, 'getMany' | 'getNotes'>,
  changes: Changes,
  ranks: RankRefresher,
  history: HistoryWriter,
): DeletionWrites {
  return {
    async removeMany(removals) {
      const ids = removals.map(({ id }) => id);
      // Everything is read before the first task is deleted, because links between two deleted tasks go with the first of them.
      const records = new Map((await tasks.getMany(ids)).map((record) => [record.id, record]));
      const notes = await tasks.getNotes(ids);
      const relations = await listRelationsOf(db, ids);
      const attached = await listAttached(db, ids);
      const known = removals.filter(({ id }) => records.has(id));
      const images = known.map(({ id, root, dependents }) => {
        const image: Omit<DeletedTask, 'at' | 'root'> = {
          record: records.get(id)!,
          notes: notes.get(id) ?? [],
          relations: relations.filter(({ from, to }) => from === id || to === id),
          dependents,
          attached: attached.get(id) ?? {},
        };
        return { taskId: id, field: 'deleted', old: image, new: root };
      });
      await history.add(images);
      ranks.mark(await listDependentIds(db, ids));
      for (const { id } of known) {
        ranks.markChange(records.get(id)!, undefined);
        await unindexTask(db, id);
        await db.run(sql`delete from task_dependencies where depends_on = ${id}`);
        await db.run(sql`delete from tasks where id = ${id}`);
        changes.deleted.push(id);
      }
    },
    async restoreAttached({ attached = {} }) {
      // The number of a row may have been assigned again.
      for (const table of Object.keys(attachedTables))
        for (const { seq: _, ...row } of attached[table] ?? []) await insertRow(db, table, row);
    },
  };
}

const listDependentIds = async (db: Db, ids: TaskId[]): Promise<TaskId[]> =>
  (await queryInChunks(db, ids, (some) => sql`select task_id as id from task_dependencies where depends_on in ${some}`)).map(toId);

async function listRelationsOf(db: Db, ids: TaskId[]): Promise<StoredRelation[]> {
  const found = await queryInChunks(db, ids, (some) => sql`select * from task_relations where task_id in ${some} or related_to in ${some}`);
  return found.map((row) => ({
    from: String(row.task_id),
    to: String(row.related_to),
    type: row.relation_type as StoredRelation['type'],
    reason: String(row.reason),
    at: String(row.created_at),
    by: String(row.created_by),
  }));
}

async function listAttached(db: Db, ids: TaskId[]): Promise<Map<TaskId, AttachedRows>> {
  const attached = new Map<TaskId, AttachedRows>();
  for (const [table, column] of Object.entries(attachedTables)) {
    const rows: SqlRow[] = await queryInChunks(db, ids, (some) => sql`select * from ${raw(table)} where ${raw(column)} in ${some}`);
    if (rows[0] && 'seq' in rows[0]) rows.sort((a, b) => Number(a.seq) - Number(b.seq));
    for (const [id, own] of groupBy(rows, (row) => String(row[column]))) attached.set(id, { ...attached.get(id), [table]: own });
  }
  return attached;
}
