import { type Status, seqOf, type TaskType } from '#core/model/scalars.ts';
import type { Relation } from '#tasks/model/task.ts';
import { idRanges } from '#tasks/rules/id-prefix.ts';
import type { DeletedTask, StoredRelation, TaskReads, TaskSort } from '../port.ts';
import { onBoard } from './board.ts';
import { countsInside, doneInside, filesInside, openInside, waitsInside } from './plan.ts';
import { type Db, inList, join, type Row, raw, type Sql, sql } from './sql.ts';
import { below } from './subtree.ts';
import { ancestorColumns, hitColumns, present, recordColumns, toAncestor, toHit, where } from './task-rows.ts';
import { above, countUpTo, dependsOf, type Everyday, groupBy, inChunks, withLists } from './tasks-read.ts';

/** The rarer questions about tasks. */
export function taskSurvey(db: Db): Omit<TaskReads, Everyday> {
  return {
    async everUsed(ids) {
      const found = await inChunks(ids, (some) => db.all(sql`select distinct task_id from task_history where task_id in ${inList(some)}`));
      return found.map((row) => String(row.task_id));
    },
    async missing(ids) {
      const found = await inChunks(ids, (some) => db.all(sql`select id from tasks where id in ${inList(some)}`));
      const known = new Set(found.map((row) => row.id));
      return ids.filter((id) => !known.has(id));
    },
    async neighbours(id) {
      const found = await db.all(sql`
        select id from tasks where seq in (
          (select max(seq) from tasks where seq < ${seqOf(id)}),
          (select min(seq) from tasks where seq > ${seqOf(id)})
        ) order by seq`);
      return found.map((row) => String(row.id));
    },
    async countOpenChildren(id) {
      const [row] = await db.all(sql`select count(*) as n from tasks where parent_id = ${id} and status <> 'done' and archived_at is null`);
      return Number(row?.n);
    },
    async descendants(id) {
      const found = await db.all(
        sql`${below(id)} select ${ancestorColumns} from below cross join tasks t where t.id = below.id and below.depth > 0 order by below.depth, t.seq`,
      );
      return found.map(toAncestor);
    },
    async list(filter, sort, page) {
      const order = sortOrders[sort];
      const found = await db.all(
        sql`select ${recordColumns} from tasks t where ${where(filter)} order by ${raw(order)} limit ${page.limit} offset ${page.offset}`,
      );
      return withLists(db, found);
    },
    async count(filter, atMost) {
      return countUpTo(db, sql`select 1 as one from tasks t where ${where(filter)}`, atMost);
    },
    async byIdPrefix(digits, filter, page) {
      const found = await db.all(
        sql`select ${hitColumns} from tasks t where ${idPrefix(digits)} and ${where(filter)} order by t.seq limit ${page.limit} offset ${page.offset}`,
      );
      return found.map(toHit);
    },
    async countByIdPrefix(digits, filter, atMost) {
      return countUpTo(db, sql`select 1 as one from tasks t where ${idPrefix(digits)} and ${where(filter)}`, atMost);
    },
    async forTree(root) {
      const found = root
        ? await db.all(
            sql`${below(root)} select ${hitColumns} from below cross join tasks t where t.id = below.id and (t.archived_at is null or t.id = ${root}) order by t.seq`,
          )
        : await db.all(sql`select ${hitColumns} from tasks t where t.archived_at is null order by t.seq`);
      return found.map(toHit);
    },
    async dependents(id) {
      const found = await db.all(
        sql`select ${ancestorColumns} from task_dependencies d join tasks t on t.id = d.task_id where d.depends_on = ${id} order by t.seq`,
      );
      return found.map(toAncestor);
    },
    async openDepends(id) {
      const found = await db.all(sql`
        ${above(id)} select distinct t.seq, t.id from above cross join task_dependencies d cross join tasks t
        where d.task_id = above.id and t.id = d.depends_on and t.status <> 'done' order by t.seq`);
      return found.map((row) => String(row.id));
    },
    async links(ids) {
      const rows = await inChunks(ids, (some) => db.all(sql`select id, parent_id from tasks where id in ${inList(some)}`));
      const depends = groupBy(await dependsOf(db, ids), (edge) => edge.from);
      return rows.map((row) => ({
        id: String(row.id),
        ...present('parentId', row.parent_id as string | null),
        depends: (depends.get(String(row.id)) ?? []).map((e) => e.to),
      }));
    },
    async childIds(ids) {
      const found = await inChunks(ids, (some) =>
        db.all(sql`select parent_id, id from tasks where parent_id in ${inList(some)} order by seq`),
      );
      return found.map((row) => ({ from: String(row.parent_id), to: String(row.id) }));
    },
    async openChildIds(ids) {
      const found = await inChunks(ids, (some) =>
        db.all(sql`select parent_id, id from tasks where parent_id in ${inList(some)} and status <> 'done' order by seq`),
      );
      return found.map((row) => ({ from: String(row.parent_id), to: String(row.id) }));
    },
    async dependentIds(ids) {
      const found = await inChunks(ids, (some) =>
        db.all(sql`select depends_on, task_id from task_dependencies where depends_on in ${inList(some)}`),
      );
      return found.map((row) => ({ from: String(row.depends_on), to: String(row.task_id) }));
    },
    async sharing(id, limit) {
      // Each kind has its own limit: a label that half the project has must not crowd out the few that share a file.
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
      return [...new Set(found.map((row) => String(row.id)))];
    },
    async history(id, page) {
      const found = await db.all(sql`
        select at, by_agent, field, old_value, new_value, reason from task_history where task_id = ${id} order by seq limit ${page.limit} offset ${page.offset}`);
      return found.map((row) => ({
        at: String(row.at),
        by: String(row.by_agent),
        field: String(row.field),
        ...present('old', parsed(row.old_value)),
        ...present('new', parsed(row.new_value)),
        ...present('reason', row.reason as string | null),
      }));
    },
    async countHistory(id, atMost) {
      return countUpTo(db, sql`select 1 as one from task_history where task_id = ${id}`, atMost);
    },
    async lastDeleted(id) {
      const [row] = await db.all(
        sql`select at, old_value from task_history where task_id = ${id} and field = 'deleted' order by seq desc limit 1`,
      );
      return row && { ...(JSON.parse(String(row.old_value)) as Omit<DeletedTask, 'at'>), at: String(row.at) };
    },
    async deletedWith(root, at) {
      const found = await db.all(
        sql`select task_id from task_history where field = 'deleted' and new_value = ${JSON.stringify(root)} and at = ${at} order by seq desc`,
      );
      return found.map((row) => String(row.task_id));
    },
    async archivable(doneBefore, root) {
      const age = doneBefore ? sql`and t.completed_at < ${doneBefore}` : raw('');
      const rest = sql`t.status = 'done' and t.archived_at is null ${age}
        and not exists (select 1 from tasks c where c.parent_id = t.id and c.status <> 'done') order by t.seq`;
      const found = root
        ? await db.all(sql`${below(root)} select t.id from below cross join tasks t where t.id = below.id and ${rest}`)
        : await db.all(sql`select t.id from tasks t where ${rest}`);
      return found.map((row) => String(row.id));
    },
    async allAfter(id, limit) {
      return withLists(
        db,
        await db.all(sql`select ${recordColumns} from tasks t where t.seq > ${id ? seqOf(id) : 0} order by t.seq limit ${limit}`),
      );
    },
    async kin() {
      return (await db.all(sql`select ${ancestorColumns} from tasks t order by t.seq`)).map(toAncestor);
    },
    async allRelations() {
      const found = await db.all(
        sql`select task_id, related_to, relation_type, reason from task_relations order by task_id, related_to, relation_type`,
      );
      return found.map(toStoredRelation);
    },
    async relationsTouching(ids) {
      const found = await inChunks(ids, (some) =>
        db.all(sql`
          select task_id, related_to, relation_type, reason from task_relations where task_id in ${inList(some)}
          union select task_id, related_to, relation_type, reason from task_relations where related_to in ${inList(some)}`),
      );
      return found.map(toStoredRelation);
    },
    async countsByStatus() {
      const found = await db.all(sql`
        select status, type, case when archived_at is null then 0 else 1 end as archived, count(*) as n from tasks group by 1, 2, 3`);
      return found.map((row) => ({
        status: row.status as Status,
        type: row.type as TaskType,
        archived: Number(row.archived) === 1,
        n: Number(row.n),
      }));
    },
    async recentlyDone(since, limit) {
      const found = await db.all(sql`
        select ${hitColumns} from tasks t where t.id in (
          select d.id from tasks d where d.status = 'done' and d.archived_at is null and d.completed_at >= ${since}
          union all select a.id from tasks a where a.status = 'done' and a.archived_at is not null and a.completed_at >= ${since})
        order by t.completed_at desc, t.seq desc limit ${limit}`);
      return found.map(toHit);
    },
    async blocked() {
      const found = await db.all(sql`
        select t.id, t.title, t.blocked_by from tasks t where t.status <> 'done' and t.archived_at is null and t.status = 'blocked' order by t.seq`);
      return found.map((row) => ({
        id: String(row.id),
        title: String(row.title),
        ...present('blockedBy', row.blocked_by as string | null),
      }));
    },
    onBoard: (root) => onBoard(db, root),
    openInside: (root) => openInside(db, root),
    waitsInside: (root) => waitsInside(db, root),
    countsInside: (roots) => countsInside(db, roots),
    doneInside: (root, limit) => doneInside(db, root, limit),
    filesInside: (root) => filesInside(db, root),
    async orphans() {
      const found = await db.all(
        sql`select c.id from tasks c left join tasks p on p.id = c.parent_id where c.parent_id is not null and p.id is null order by c.seq`,
      );
      return found.map((row) => String(row.id));
    },
  };
}

const toStoredRelation = (row: Row): StoredRelation => ({
  from: String(row.task_id),
  to: String(row.related_to),
  type: row.relation_type as Relation['type'],
  reason: String(row.reason),
});

const sortOrders: Record<TaskSort, string> = {
  id: 't.seq',
  priority: "case t.priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end, t.seq",
  status: "case t.status when 'active' then 0 when 'blocked' then 1 when 'pending' then 2 else 3 end, t.seq",
  updated: 't.updated_at desc, t.seq',
};

function idPrefix(digits: string): Sql {
  const ranges = idRanges(digits).map(({ from, to }) => (from === to ? sql`t.seq = ${from}` : sql`t.seq between ${from} and ${to}`));
  return ranges.length === 0 ? raw('1 = 0') : sql`(${join(ranges, ' or ')})`;
}

const parsed = (value: string | number | null | undefined): unknown =>
  value === null || value === undefined ? undefined : JSON.parse(String(value));
