import type { TaskId } from '#core/model/scalars.ts';
import { groupBy } from '#lib/collections.ts';
import type { Note, Relation, TaskRecord } from '#tasks/model/task.ts';
import type { TaskEdge, TaskReads } from '../../port/tasks.ts';
import { queryInChunks, queryLists } from '../queries.ts';
import { type Db, type Sql, type SqlRow, sql, toId } from '../sql.ts';
import { ancestorColumns, parseTaskHit, taskHitColumns, taskRecordColumns, toAncestor, toCriterion, toNote, toTaskRecord } from './rows.ts';

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
      return new Map([...groupBy(found, (row) => String(row.task_id))].map(([id, rows]): [TaskId, Note[]] => [id, rows.map(toNote)]));
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

/** Reads the lists of these tasks; returns a function that adds them to a row. The reads do not wait for each other. */
async function readLists(db: Db, ids: TaskId[]): Promise<(row: SqlRow) => TaskRecord> {
  const [labels, files, edges, found] = await Promise.all([
    getLabels(db, ids),
    queryLists(
      db,
      ids,
      (some) => sql`select task_id as id, path as item from task_files where task_id in ${some} order by task_id, position`,
    ),
    listDependencies(db, ids),
    queryInChunks(
      db,
      ids,
      (some) =>
        sql`select task_id, kind, content, gate, met_at, met_by from task_acceptance_criteria where task_id in ${some} order by task_id, position`,
    ),
  ]);
  const depends = groupBy(edges, (edge) => edge.from);
  const criteria = groupBy(found, (row) => String(row.task_id));
  return (row) => {
    const id = toId(row);
    return toTaskRecord(row, {
      labels: labels.get(id) ?? [],
      files: files.get(id) ?? [],
      depends: (depends.get(id) ?? []).map((edge) => edge.to),
      acceptance: (criteria.get(id) ?? []).map(toCriterion),
    });
  };
}

export async function listDependencies(db: Db, ids: TaskId[]): Promise<TaskEdge[]> {
  const found = await queryInChunks(
    db,
    ids,
    (some) => sql`select task_id, depends_on from task_dependencies where task_id in ${some} order by task_id, position`,
  );
  return found.map((row) => ({ from: String(row.task_id), to: String(row.depends_on) }));
}

export const getLabels = (db: Db, ids: TaskId[]): Promise<Map<TaskId, string[]>> =>
  queryLists(
    db,
    ids,
    (some) => sql`select task_id as id, label as item from task_labels where task_id in ${some} order by task_id, position`,
  );
