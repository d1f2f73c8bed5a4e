import { type Status, type TaskId, type TaskType, toTaskNumber } from '#core/model/scalars.ts';
import { groupBy, removeDuplicates } from '#lib/collections.ts';
import type { Relation } from '#tasks/model/task.ts';
import { listIdRanges } from '#tasks/rules/id-prefix.ts';
import type { DeletedTask, Dependent, StoredRelation, TaskEdge, TaskFilter, TaskReads, TaskSort } from '../../port/tasks.ts';
import { countUpTo, queryInChunks } from '../queries.ts';
import { type Db, joinSql, omitNull, raw, type Sql, type SqlRow, sql, toId } from '../sql.ts';
import { getBoardDetails, listForBoard } from './board.ts';
import { getOpenGraph, isNotCancelled } from './open-graph.ts';
import { countInSubtrees, listDoneInSubtree, listFilesInSubtree, listOpenDependenciesInSubtree, listOpenInSubtree } from './plan.ts';
import { addLists, type EagerTaskRead, withAncestors } from './reads.ts';
import { aliasesColumn, ancestorColumns, parseAliases, parseTaskHit, taskHitColumns, taskRecordColumns, toAncestor } from './rows.ts';
import { withSubtree } from './subtree.ts';
import { whereTask } from './where-task.ts';

export function createLazyTaskReads(db: Db): Omit<TaskReads, EagerTaskRead> {
  return {
    async findUsedIds(ids) {
      const found = await queryInChunks(db, ids, (some) => sql`select distinct task_id as id from task_history where task_id in ${some}`);
      return found.map(toId);
    },
    async findAliases(names) {
      // The name of a tool may have a colon too, such as `beads:api`.
      const pairs = names.flatMap((name) =>
        [...name.matchAll(/:/g)].map(({ index }) => ({ name, tool: name.slice(0, index), alias: name.slice(index + 1) })),
      );
      const found = await queryInChunks(
        db,
        removeDuplicates([...names, ...pairs.map(({ alias }) => alias)]),
        (some) => sql`select tool, alias, task_id from task_aliases where alias in ${some} order by tool, alias`,
      );
      return found.flatMap((row) => {
        const [tool, alias, taskId] = [String(row.tool), String(row.alias), String(row.task_id)];
        const matched = pairs.filter((pair) => pair.tool === tool && pair.alias === alias).map(({ name }) => name);
        return [...(names.includes(alias) ? [alias] : []), ...matched].map((name) => ({ name, tool, taskId }));
      });
    },
    async findByUids(uids) {
      const found = await queryInChunks(db, uids, (some) => sql`select uid, id from tasks where uid in ${some}`);
      return new Map(found.map((row) => [String(row.uid), String(row.id)]));
    },
    async findMissing(ids) {
      const found = await queryInChunks(db, ids, (some) => sql`select id from tasks where id in ${some}`);
      const known = new Set(found.map((row) => row.id));
      return ids.filter((id) => !known.has(id));
    },
    async findNeighbours(id) {
      const found = await db.all(sql`
        select id from tasks where seq in (
          (select max(seq) from tasks where seq < ${toTaskNumber(id)}),
          (select min(seq) from tasks where seq > ${toTaskNumber(id)})
        ) order by seq`);
      return found.map(toId);
    },
    async countOpenChildren(id) {
      const [row] = await db.all(sql`select count(*) as n from tasks where parent_id = ${id} and status <> 'done' and archived_at is null`);
      return Number(row?.n);
    },
    async listDescendants(id) {
      const found = await db.all(
        sql`${withSubtree(id)} select ${ancestorColumns} from below cross join tasks t where t.id = below.id and below.depth > 0 order by below.depth, t.seq`,
      );
      return found.map(toAncestor);
    },
    async list(filter, sort, page) {
      const { order, condition } = sortOrders[sort];
      const index = raw(condition && isReadInOrder(filter, sort) ? condition : '');
      const found = await db.all(
        sql`select ${taskRecordColumns} from tasks t where ${whereTask(filter)} ${index} order by ${raw(order)} limit ${page.limit} offset ${page.offset}`,
      );
      return addLists(db, found);
    },
    async count(filter, atMost) {
      return countUpTo(db, sql`select 1 as one from tasks t where ${whereTask(filter)}`, atMost);
    },
    async findByIdPrefix(digits, filter, page) {
      const found = await db.all(
        sql`select ${taskHitColumns} from tasks t where ${whereIdPrefix(digits)} and ${whereTask(filter)} order by t.seq limit ${page.limit} offset ${page.offset}`,
      );
      return found.map(parseTaskHit);
    },
    async countByIdPrefix(digits, filter, atMost) {
      return countUpTo(db, sql`select 1 as one from tasks t where ${whereIdPrefix(digits)} and ${whereTask(filter)}`, atMost);
    },
    async listForTree(root) {
      const found = root
        ? await db.all(
            sql`${withSubtree(root)} select ${taskHitColumns} from below cross join tasks t where t.id = below.id and (t.archived_at is null or t.id = ${root}) order by t.seq`,
          )
        : await db.all(sql`select ${taskHitColumns} from tasks t where t.archived_at is null order by t.seq`);
      return found.map(parseTaskHit);
    },
    async listDependents(id) {
      const found = await db.all(
        sql`select ${ancestorColumns} from task_dependencies d join tasks t on t.id = d.task_id where d.depends_on = ${id} order by t.seq`,
      );
      return found.map(toAncestor);
    },
    async listOpenDependencies(id) {
      const found = await db.all(sql`
        ${withAncestors(id)} select distinct t.seq, t.id from above cross join task_dependencies d cross join tasks t
        where d.task_id = above.id and t.id = d.depends_on and t.status <> 'done' order by t.seq`);
      return found.map(toId);
    },
    async getLinks(ids) {
      const rows = await queryInChunks(db, ids, (some) => sql`select id, parent_id from tasks where id in ${some}`);
      const depends = groupBy(await listDependencies(db, ids), (edge) => edge.from);
      return rows.map((row) => ({
        id: String(row.id),
        ...omitNull({ parentId: row.parent_id as string | null }),
        depends: (depends.get(String(row.id)) ?? []).map((e) => e.to),
      }));
    },
    async listChildIds(ids) {
      const found = await queryInChunks(db, ids, (some) => sql`select parent_id, id from tasks where parent_id in ${some} order by seq`);
      return found.map((row) => ({ from: String(row.parent_id), to: String(row.id) }));
    },
    async listOpenChildIds(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select parent_id, id from tasks where parent_id in ${some} and status <> 'done' order by seq`,
      );
      return found.map((row) => ({ from: String(row.parent_id), to: String(row.id) }));
    },
    async listDependentIds(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select depends_on, task_id from task_dependencies where depends_on in ${some}`,
      );
      return found.map((row) => ({ from: String(row.depends_on), to: String(row.task_id) }));
    },
    async findOverlapping(id, limit) {
      // Each kind has its own limit, so that a label that half the project has does not crowd out tasks that share a file.
      const found = await db.all(sql`
        select id from (
          select t.id from task_labels m join task_labels o on o.label = m.label join tasks t on t.id = o.task_id
          where m.task_id = ${id} and t.id <> ${id} and t.archived_at is null
          group by t.id, t.seq order by count(*) desc, t.seq desc limit ${limit}) by_labels
        union all select id from (
          select t.id from task_files m join task_files o on o.path = m.path join tasks t on t.id = o.task_id
          where m.task_id = ${id} and t.id <> ${id} and t.archived_at is null
          group by t.id, t.seq order by count(*) desc, t.seq desc limit ${limit}) by_files
        union all select id from (
          select t.id from tasks m join tasks t on t.parent_id = m.parent_id
          where m.id = ${id} and t.id <> ${id} and t.archived_at is null order by t.seq desc limit ${limit}) by_parent
        union all select id from (
          select t.id from (
            select depends_on as id from task_dependencies where task_id = ${id}
            union select task_id from task_dependencies where depends_on = ${id}
            union select o.task_id from task_dependencies m join task_dependencies o on o.depends_on = m.depends_on where m.task_id = ${id}
          ) linked join tasks t on t.id = linked.id
          where t.id <> ${id} and t.archived_at is null order by t.seq desc limit ${limit}) by_depends`);
      return [...new Set(found.map(toId))];
    },
    async listHistory(id, page) {
      const found = await db.all(sql`
        select at, by_agent, field, old_value, new_value, reason from task_history where task_id = ${id} order by seq limit ${page.limit} offset ${page.offset}`);
      return found.map((row) => ({
        at: String(row.at),
        by: String(row.by_agent),
        field: String(row.field),
        ...omitNull({ old: parseJson(row.old_value), new: parseJson(row.new_value), reason: row.reason as string | null }),
      }));
    },
    async countHistory(id, atMost) {
      return countUpTo(db, sql`select 1 as one from task_history where task_id = ${id}`, atMost);
    },
    async getLastDeleted(id) {
      const [row] = await db.all(
        sql`select at, old_value, new_value from task_history where task_id = ${id} and field = 'deleted' order by seq desc limit 1`,
      );
      return row && { ...toDeletedTask(String(row.old_value), String(row.at)), root: String(parseJson(row.new_value) ?? id) };
    },
    async listDeletedWith(root, at) {
      const found = await db.all(
        sql`select task_id as id from task_history where field = 'deleted' and new_value = ${JSON.stringify(root)} and at = ${at} order by seq desc`,
      );
      return found.map(toId);
    },
    async findArchivable(doneBefore, root) {
      const age = doneBefore ? sql`and t.completed_at < ${doneBefore}` : raw('');
      const rest = sql`t.status = 'done' and t.archived_at is null ${age}
        and not exists (select 1 from tasks c where c.parent_id = t.id and c.status <> 'done') order by t.seq`;
      const found = root
        ? await db.all(sql`${withSubtree(root)} select t.id from below cross join tasks t where t.id = below.id and ${rest}`)
        : await db.all(sql`select t.id from tasks t where ${rest}`);
      return found.map(toId);
    },
    async listAllAfter(id, limit) {
      return addLists(
        db,
        await db.all(
          sql`select ${taskRecordColumns} from tasks t where t.seq > ${id ? toTaskNumber(id) : 0} order by t.seq limit ${limit}`,
        ),
      );
    },
    async listIdentitiesAfter(id, limit) {
      const found = await db.all(
        sql`select ${taskIdentityColumns} from tasks t where t.seq > ${id ? toTaskNumber(id) : 0} order by t.seq limit ${limit}`,
      );
      const depends = groupBy(await listDependencies(db, found.map(toId)), ({ from }) => from);
      return found.map((row) => ({
        id: toId(row),
        type: row.type as TaskType,
        status: row.status as Status,
        title: String(row.title),
        uid: String(row.uid),
        createdAt: String(row.created_at),
        depends: (depends.get(toId(row)) ?? []).map(({ to }) => to),
        ...omitNull({ parentId: row.parent_id as string | null, aliases: parseAliases(row.aliases) }),
      }));
    },
    async listHierarchy() {
      const tasks: ReturnType<typeof toAncestor>[] = [];
      // In pages, because the rows of a large store take as much memory as the tasks.
      for (let last = 0; ; last = toTaskNumber(tasks.at(-1)!.id)) {
        const page = await db.all(
          sql`select ${ancestorColumns} from tasks t where t.seq > ${last} order by t.seq limit ${hierarchyPageSize}`,
        );
        for (const row of page) tasks.push(toAncestor(row));
        if (page.length < hierarchyPageSize) return tasks;
      }
    },
    async listAllRelations() {
      const found = await db.all(
        sql`select task_id, related_to, relation_type, reason from task_relations order by task_id, related_to, relation_type`,
      );
      return found.map(toStoredRelation);
    },
    async listRelationsTouching(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`
          select task_id, related_to, relation_type, reason from task_relations where task_id in ${some}
          union select task_id, related_to, relation_type, reason from task_relations where related_to in ${some}`,
      );
      return found.map(toStoredRelation);
    },
    async countByStatus() {
      const found = await db.all(sql`
        select status, type, case when archived_at is null then 0 else 1 end as archived,
          case when ${isNotCancelled} then 0 else 1 end as cancelled, count(*) as n from tasks t group by 1, 2, 3, 4`);
      return found.map((row) => ({
        status: row.status as Status,
        isCancelled: Number(row.cancelled) === 1,
        type: row.type as TaskType,
        archived: Number(row.archived) === 1,
        n: Number(row.n),
      }));
    },
    async listRecentlyDone(since, limit) {
      const found = await db.all(sql`
        select ${taskHitColumns} from tasks t where t.id in (
          select d.id from tasks d where d.status = 'done' and d.archived_at is null and d.completed_at >= ${since}
          union all select a.id from tasks a where a.status = 'done' and a.archived_at is not null and a.completed_at >= ${since})
        and ${isNotCancelled} order by t.completed_at desc, t.seq desc limit ${limit}`);
      return found.map(parseTaskHit);
    },
    async listBlocked() {
      const found = await db.all(sql`
        select t.id, t.title, t.blocked_by from tasks t where t.status <> 'done' and t.archived_at is null and t.status = 'blocked' order by t.seq`);
      return found.map((row) => ({
        id: String(row.id),
        title: String(row.title),
        ...omitNull({ blockedBy: row.blocked_by as string | null }),
      }));
    },
    getOpenGraph: () => getOpenGraph(db),
    async listFiles(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select task_id, path from task_files where task_id in ${some} order by task_id, position`,
      );
      return found.map((row) => ({ taskId: String(row.task_id), path: String(row.path) }));
    },
    listForBoard: (root) => listForBoard(db, root),
    getBoardDetails: () => getBoardDetails(db),
    listOpenInSubtree: (root) => listOpenInSubtree(db, root),
    listOpenDependenciesInSubtree: (root) => listOpenDependenciesInSubtree(db, root),
    countInSubtrees: (roots) => countInSubtrees(db, roots),
    listDoneInSubtree: (root, limit) => listDoneInSubtree(db, root, limit),
    listFilesInSubtree: (root) => listFilesInSubtree(db, root),
    async findOrphans() {
      const found = await db.all(
        sql`select c.id from tasks c left join tasks p on p.id = c.parent_id where c.parent_id is not null and p.id is null order by c.seq`,
      );
      return found.map(toId);
    },
  };
}

const hierarchyPageSize = 2000;
const taskIdentityColumns = raw(`t.id, t.type, t.status, t.title, t.uid, t.created_at, t.parent_id, ${aliasesColumn}`);

const toStoredRelation = (row: SqlRow): StoredRelation => ({
  from: String(row.task_id),
  to: String(row.related_to),
  type: row.relation_type as Relation['type'],
  reason: String(row.reason),
});

/** Reads the record of a deletion. Older versions stored dependents as ids. */
function toDeletedTask(text: string, at: string): DeletedTask {
  const { dependents, ...rest } = JSON.parse(text) as Omit<DeletedTask, 'at' | 'dependents'> & { dependents: (Dependent | TaskId)[] };
  const toDependent = (dependent: Dependent | TaskId): Dependent =>
    typeof dependent === 'string' ? { id: dependent, position: Number.MAX_SAFE_INTEGER } : dependent;
  return { ...rest, dependents: dependents.map(toDependent), at };
}

/** Each order has an index of tasks that are not archived. The database uses it if the statement repeats its condition. */
const sortOrders: Record<TaskSort, { order: string; condition?: string }> = {
  id: { order: 't.seq' },
  priority: {
    order: "case t.priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, t.seq",
    condition: "and t.priority <> ''",
  },
  status: {
    order: "case t.status when 'active' then 0 when 'blocked' then 1 when 'pending' then 2 else 3 end, t.seq",
    condition: "and t.status <> ''",
  },
  updated: { order: 't.updated_at desc, t.seq', condition: "and t.updated_at <> ''" },
};

/** Reading in order is fast if most tasks match. With another filter, sorting what matches is faster. */
function isReadInOrder({ archived, open, since, before, ...others }: TaskFilter, sort: TaskSort): boolean {
  if ((archived ?? 'no') !== 'no' || Object.values(others).some((value) => value !== undefined)) return false;
  const isWhole = since === undefined && before === undefined;
  // Open tasks come first by status.
  return sort === 'updated' ? open !== true : sort === 'status' ? isWhole : isWhole && open !== true;
}

function whereIdPrefix(digits: string): Sql {
  const ranges = listIdRanges(digits).map(({ from, to }) => (from === to ? sql`t.seq = ${from}` : sql`t.seq between ${from} and ${to}`));
  return ranges.length === 0 ? raw('1 = 0') : sql`(${joinSql(ranges, ' or ')})`;
}

const parseJson = (value: string | number | null | undefined): unknown =>
  value === null || value === undefined ? undefined : JSON.parse(String(value));

async function listDependencies(db: Db, ids: TaskId[]): Promise<TaskEdge[]> {
  const found = await queryInChunks(
    db,
    ids,
    (some) => sql`select task_id, depends_on from task_dependencies where task_id in ${some} order by task_id, position`,
  );
  return found.map((row) => ({ from: String(row.task_id), to: String(row.depends_on) }));
}
