import type { TaskId } from '#core/model/scalars.ts';
import type { Note, Relation, StoredCriterion, TaskRecord } from '#tasks/model/task.ts';
import type { Edge, TaskReads } from '../port.ts';
import { openGraph } from './open-graph.ts';
import { chunks, type Db, inList, type Row, type Sql, sql } from './sql.ts';
import { ancestorColumns, hitColumns, recordColumns, toAncestor, toCriterion, toHit, toNote, toRecord } from './task-rows.ts';

/** What the everyday commands ask; the rest is in `tasks-survey.ts`, which they need not load. */
export type Everyday = 'get' | 'many' | 'hit' | 'hits' | 'exists' | 'ancestry' | 'children' | 'openGraph' | 'notes' | 'relations';

/** The questions about tasks that can be asked of the database, each one statement. */
export function taskReads(db: Db): Pick<TaskReads, Everyday> {
  return {
    async get(id) {
      const [row] = await db.all(sql`select ${recordColumns} from tasks t where t.id = ${id}`);
      return row && (await withLists(db, [row]))[0];
    },
    async many(ids) {
      const found = await inChunks(ids, (some) => db.all(sql`select ${recordColumns} from tasks t where t.id in ${inList(some)}`));
      const byId = new Map((await withLists(db, found)).map((task) => [task.id, task]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    async hit(id) {
      const [row] = await db.all(sql`select ${hitColumns} from tasks t where t.id = ${id}`);
      return row && toHit(row);
    },
    async hits(ids) {
      const found = await inChunks(ids, (some) => db.all(sql`select ${hitColumns} from tasks t where t.id in ${inList(some)}`));
      const byId = new Map(found.map((row) => [String(row.id), toHit(row)]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
    async exists(id) {
      return (await db.all(sql`select 1 as n from tasks where id = ${id}`)).length > 0;
    },
    async ancestry(id) {
      const found = await db.all(
        sql`${above(id)} select ${ancestorColumns} from above cross join tasks t where t.id = above.id order by above.depth`,
      );
      return found.map(toAncestor);
    },
    async children(id) {
      return (await db.all(sql`select ${ancestorColumns} from tasks t where t.parent_id = ${id} order by t.seq`)).map(toAncestor);
    },
    openGraph: () => openGraph(db),
    async notes(ids) {
      const found = await inChunks(ids, (some) =>
        db.all(sql`select task_id, at, by_agent, content from task_notes where task_id in ${inList(some)} order by seq`),
      );
      return new Map([...groupBy(found, (row) => String(row.task_id))].map(([id, rows]): [TaskId, Note[]] => [id, rows.map(toNote)]));
    },
    async relations(id) {
      const found = await db.all(sql`
        select task_id, related_to, relation_type, reason from task_relations where task_id = ${id} or related_to = ${id}
        order by task_id, related_to, relation_type`);
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
// SQLite takes cross joins in the order they are written. Left to choose, it reads all tasks and looks each of them up among
// the few above or below, because that is the order that is asked for.
export const above = (id: TaskId): Sql => sql`
  with recursive above (id, depth) as (
    select id, 0 from tasks where id = ${id}
    union all
    select p.parent_id, above.depth + 1 from above join tasks p on p.id = above.id where p.parent_id is not null and above.depth < 10
  )`;

export async function countUpTo(db: Db, query: Sql, atMost: number): Promise<number> {
  const [row] = await db.all(sql`select count(*) as n from (${query} limit ${atMost + 1}) counted`);
  return Number(row?.n);
}

export async function withLists(db: Db, rows: Row[]): Promise<TaskRecord[]> {
  const ids = rows.map((row) => String(row.id));
  if (ids.length === 0) return [];
  const labels = await labelsOf(db, ids);
  const files = await listsOf(
    db,
    ids,
    (some) => sql`select task_id as id, path as item from task_files where task_id in ${some} order by task_id, position`,
  );
  const depends = groupBy(await dependsOf(db, ids), (edge) => edge.from);
  const criteria = groupBy(
    await inChunks(ids, (some) =>
      db.all(
        sql`select task_id, kind, content, gate, met_at, met_by from task_acceptance_criteria where task_id in ${inList(some)} order by task_id, position`,
      ),
    ),
    (row) => String(row.task_id),
  );
  return rows.map((row) => {
    const id = String(row.id);
    return toRecord(row, {
      labels: labels.get(id) ?? [],
      files: files.get(id) ?? [],
      depends: (depends.get(id) ?? []).map((edge) => edge.to),
      acceptance: (criteria.get(id) ?? []).map((c): StoredCriterion => toCriterion(c)),
    });
  });
}

export async function dependsOf(db: Db, ids: TaskId[]): Promise<Edge[]> {
  const found = await inChunks(ids, (some) =>
    db.all(sql`select task_id, depends_on from task_dependencies where task_id in ${inList(some)} order by task_id, position`),
  );
  return found.map((row) => ({ from: String(row.task_id), to: String(row.depends_on) }));
}

export const labelsOf = (db: Db, ids: TaskId[]): Promise<Map<TaskId, string[]>> =>
  listsOf(db, ids, (some) => sql`select task_id as id, label as item from task_labels where task_id in ${some} order by task_id, position`);

/** The items of each `id`, in the order in which the statement yields them. */
export async function listsOf(db: Db, ids: string[], statement: (some: Sql) => Sql): Promise<Map<string, string[]>> {
  const byId = groupBy(await inChunks(ids, (some) => db.all(statement(inList(some)))), ({ id }) => String(id));
  return new Map([...byId].map(([id, rows]) => [id, rows.map(({ item }) => String(item))]));
}

export async function inChunks<T, R>(items: T[], ask: (some: T[]) => Promise<R[]>): Promise<R[]> {
  const out: R[] = [];
  for (const some of chunks(items, 500)) for (const row of await ask(some)) out.push(row);
  return out;
}

export function groupBy<T>(items: T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
