import type { TaskId } from '#core/model/scalars.ts';
import { addToList, groupBy } from '#lib/collections.ts';
import type { Note, Relation, TaskRecord } from '#tasks/model/task.ts';
import type { TaskReads } from '../../port/tasks.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, type Sql, type SqlRow, sql, toId } from '../sql.ts';
import {
  ancestorColumns,
  parseTaskHit,
  type TaskLists,
  taskHitColumns,
  taskRecordColumns,
  toAncestor,
  toCriterion,
  toNote,
  toTaskRecord,
} from './rows.ts';

/** Reads of the most frequent commands. The others are in `lazy-reads.ts`, so that these commands need not load them. */
export type EagerTaskRead =
  | 'get'
  | 'getMany'
  | 'getHit'
  | 'getHits'
  | 'exists'
  | 'getAncestry'
  | 'listChildren'
  | 'getNotes'
  | 'listRelations'
  | 'listFormerHolders';

export function createTaskReads(db: Db): Pick<TaskReads, EagerTaskRead> {
  return {
    async get(id) {
      const [[row], lists] = await Promise.all([
        db.all(sql`select ${taskRecordColumns} from tasks t where t.id = ${id}`),
        readLists(db, [id]),
      ]);
      return row && lists(row);
    },
    async getMany(ids) {
      const found = await queryInChunks(db, ids, (some) => sql`select ${taskRecordColumns} from tasks t where t.id in ${some}`);
      const byId = new Map((await addLists(db, found)).map((task) => [task.id, task]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    async getHit(id) {
      const [row] = await db.all(sql`select ${taskHitColumns} from tasks t where t.id = ${id}`);
      return row && parseTaskHit(row);
    },
    async getHits(ids) {
      const found = await queryInChunks(db, ids, (some) => sql`select ${taskHitColumns} from tasks t where t.id in ${some}`);
      const byId = new Map(found.map((row) => [String(row.id), parseTaskHit(row)]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    async exists(id) {
      return (await db.all(sql`select 1 as n from tasks where id = ${id}`)).length > 0;
    },
    async getAncestry(id) {
      const found = await db.all(
        sql`${withAncestors(id)} select ${ancestorColumns} from above cross join tasks t where t.id = above.id order by above.depth`,
      );
      return found.map(toAncestor);
    },
    async listChildren(id) {
      return (await db.all(sql`select ${ancestorColumns} from tasks t where t.parent_id = ${id} order by t.seq`)).map(toAncestor);
    },
    async getNotes(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select task_id, at, by_agent, content from task_notes where task_id in ${some} order by seq`,
      );
      const notes = new Map<TaskId, Note[]>();
      for (const row of found) addToList(notes, String(row.task_id), toNote(row));
      return notes;
    },
    async listFormerHolders(id) {
      // Not a range: the order of signs and letters depends on the collation of the database.
      const found = await db.all(sql`
        select task_id as id from task_aliases where tool = 'cleo' and substr(alias, 1, ${id.length + 1}) = ${`${id}@`} order by alias`);
      return found.map(toId);
    },
    async listRelations(id) {
      const found = await db.all(sql`
        select task_id, related_to, relation_type, reason from task_relations where task_id = ${id} or related_to = ${id} order by task_id, related_to, relation_type`);
      return found.map(
        (row): Relation => ({
          taskId: String(row.task_id === id ? row.related_to : row.task_id),
          type: row.relation_type as Relation['type'],
          reason: String(row.reason),
          direction: row.task_id === id ? 'to' : 'from',
        }),
      );
    },
  };
}

/** Defines `above`: a task with its ancestors, and the distance of each. Use it with `cross join`: SQLite executes cross
 *  joins in the order they are written. With a plain join it scans all tasks, because that gives the order asked for. */
export const withAncestors = (id: TaskId): Sql => sql`
  with recursive above (id, depth) as (
    select id, 0 from tasks where id = ${id}
    union all
    select p.parent_id, above.depth + 1 from above join tasks p on p.id = above.id where p.parent_id is not null and above.depth < 10
  )`;

/** Reads the labels, files, dependencies and criteria of the rows. */
export async function addLists(db: Db, rows: SqlRow[]): Promise<TaskRecord[]> {
  if (rows.length === 0) return [];
  return rows.map(await readLists(db, rows.map(toId)));
}

/** Reads the lists of these tasks; returns a function that adds them to a row. One statement, because a statement for each list takes 2 %
 *  of a start. */
async function readLists(db: Db, ids: TaskId[]): Promise<(row: SqlRow) => TaskRecord> {
  const found = await queryInChunks(
    db,
    ids,
    (some) => sql`
      select task_id, 'labels' as list, position, label as content, null as kind, null as gate, null as met_at, null as met_by
      from task_labels where task_id in ${some}
      union all select task_id, 'files', position, path, null, null, null, null from task_files where task_id in ${some}
      union all select task_id, 'depends', position, depends_on, null, null, null, null from task_dependencies where task_id in ${some}
      union all select task_id, 'acceptance', position, content, kind, gate, met_at, met_by
      from task_acceptance_criteria where task_id in ${some}`,
  );
  const byId = groupBy(inOrder(found), (row) => String(row.task_id));
  return (row) => {
    const lists: TaskLists = { labels: [], files: [], depends: [], acceptance: [] };
    for (const item of byId.get(toId(row)) ?? []) {
      if (item.list === 'acceptance') lists.acceptance.push(toCriterion(item));
      else lists[item.list as 'labels' | 'files' | 'depends'].push(String(item.content));
    }
    return toTaskRecord(row, lists);
  };
}

/** Sorts here: in the statement, sorting takes longer than all of its reads. */
const inOrder = (rows: SqlRow[]): SqlRow[] => (rows.length < 2 ? rows : rows.sort((a, b) => Number(a.position) - Number(b.position)));
