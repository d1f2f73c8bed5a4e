import type { Priority, Status, TaskId, TaskSize, TaskType } from '#core/model/scalars.ts';
import type { RankedTask, RankOrder, TitledFacts } from '#tasks/model/rank.ts';
import { toKeyDistance } from '#tasks/rules/ranks.ts';
import { siblingPoints } from '#tasks/rules/score.ts';
import type { RankReads } from '../../port/ranks.ts';
import { queryInChunks } from '../queries.ts';
import { createLoader } from '../read-store.ts';
import { type Db, omitNull, raw, type Sql, type SqlRow, sql } from '../sql.ts';
import { formatHasChild, rankColumns, startedStatuses, toRank } from './rank-rows.ts';

/** Writes use it, and reads only send it ahead of a write. */
const loadInputs = createLoader(() => import('../write-store.ts'));

const keyColumns: Record<RankOrder, string> = { score: 'score_key', urgency: 'urgency_key' };

export function createRankReads(db: Db): RankReads {
  const { engine } = db;
  return {
    async listBuckets(root, order) {
      const found = await db.all(root === undefined ? selectBuckets(engine, order) : selectBucketsOf(engine, root, order));
      return found.map((row) => ({ bucket: String(row.bucket), bestKey: Number(row.best) }));
    },
    async listBest({ root, bucket, order, limit }) {
      const found = await db.all(selectBest(engine, root ?? '', bucket, order, limit));
      return found.map((row) => ({ ...toRankedTask(row), ...(typeof row.id === 'string' ? { facts: toTitledFacts(row) } : {}) }));
    },
    async listDue(root, order, dueBy, limit) {
      const key = raw(`r.${keyColumns[order]} - ${formatSiblingBonus(engine, 'r.parent_id', order)}`);
      // The ranks above a task lead to the root and to the top, unless one of the containers is blocked or waits.
      const found = await db.all(sql`
        with recursive near (task_id, bucket, rank_key, due, above) as (
          select * from (
            select r.task_id, r.bucket, ${key} as rank_key, r.due, r.parent_id from task_ranks r
            where r.due is not null and r.due <= ${toDay(dueBy)} limit ${toNumber(limit + 1)}) first_due
          union
          select near.task_id, near.bucket, near.rank_key, near.due, r.parent_id
          from near join task_ranks r on r.task_id = near.above and r.bucket = near.bucket
        )
        select task_id, bucket, rank_key, due, max(case when above = '' then 1 else 0 end) as is_free,
          max(case when ${root === undefined ? raw('1 = 1') : sql`above = ${root} or task_id = ${root}`} then 1 else 0 end) as is_inside
        from near group by task_id, bucket, rank_key, due`);
      if (found.length > limit) return undefined;
      return found
        .filter((row) => Number(row.is_free) === 1 && Number(row.is_inside) === 1)
        .map((row) => ({ ...toRankedTask(row), bucket: String(row.bucket) }));
    },
    async getScoreFacts(ids) {
      return (await queryInChunks(db, ids, (some) => sql`select t.due, ${factColumns(engine)} from tasks t where t.id in ${some}`)).map(
        toTitledFacts,
      );
    },
    async listAll() {
      return (await db.all(sql`select ${rankColumns} from task_ranks r`)).map(toRank);
    },
    async readClosing(id) {
      const inputs = loadInputs();
      return ('readClosing' in inputs ? inputs : await inputs).readClosing(db, id);
    },
  };
}

const toRankedTask = (row: SqlRow): RankedTask => ({ taskId: String(row.task_id), key: Number(row.rank_key), due: toDue(row.due) });

/** The facts come with the best tasks: reading them apart would be another round trip to a server. */
const withFacts = (engine: Db['engine'], limit: number): Sql =>
  engine === 'postgres'
    ? withFactsOfFree(engine, limit)
    : sql`
  select best.task_id, best.rank_key, t.due, ${factColumns(engine)}
  from (select task_id, rank_key from best order by rank_key limit ${toNumber(limit)}) best cross join tasks t where t.id = best.task_id order by best.rank_key`;

/** Tasks whose facts a server reads with the best ones. Other tasks that are recommended are rare, and their facts are read then. */
const maxFacts = 4;

/** The agents of a server hold most of the best tasks. Their facts would take four times as long as the rest of the statement. */
const withFactsOfFree = (engine: Db['engine'], limit: number): Sql => sql`
  , listed as materialized (select task_id, rank_key, due from best order by rank_key limit ${toNumber(limit)}),
  free (id) as materialized (
    select l.task_id from listed l where not exists (select 1 from claims c where c.task_id = l.task_id)
    order by l.rank_key limit ${toNumber(maxFacts)})
  select listed.task_id, listed.rank_key, listed.due, ${factColumns(engine)}
  from listed left join (free join tasks t on t.id = free.id) on free.id = listed.task_id order by listed.rank_key`;

const factColumns = (engine: Db['engine']): Sql =>
  raw(`
  t.id, t.title, t.type, t.status, t.priority, t.size, t.phase, t.parent_id,
  ${formatHasChild(engine, 't.parent_id', startedStatuses)} as has_started,
  (select count(*) from task_dependencies d join tasks o on o.id = d.task_id
    where d.depends_on = t.id and o.status <> 'done' and o.archived_at is null) as dependents`);

const toTitledFacts = (row: SqlRow): TitledFacts => ({
  task: {
    id: String(row.id),
    type: row.type as TaskType,
    status: row.status as Status,
    priority: row.priority as Priority,
    ...omitNull({ size: row.size as TaskSize | null, phase: row.phase as string | null, parentId: row.parent_id as string | null }),
  },
  title: String(row.title),
  dependents: Number(row.dependents),
  hasStartedSibling: Number(row.has_started) === 1,
  due: toDue(row.due),
});

const toDue = (value: string | number | null | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value);

/** Finds the buckets of the project one after another in the index. PostgreSQL would look up both keys again for each use. */
const selectBuckets = (engine: Db['engine'], order: RankOrder): Sql => {
  const best = (isContainer: 0 | 1): string => `(
    select min(r.${keyColumns[order]}) from task_ranks r where r.parent_id = '' and r.bucket = found.bucket and r.is_container = ${isContainer})`;
  return sql`
    with recursive found (bucket) as (
      select min(r.bucket) from task_ranks r where r.parent_id = ''
      union all
      select (select min(r.bucket) from task_ranks r where r.parent_id = '' and r.bucket > found.bucket) from found where found.bucket is not null
    )
    select bucket, ${raw(engine === 'postgres' ? 'least(own, below)' : 'case when own is null or below < own then below else own end')} as best
    from (select bucket, ${raw(`${best(0)} as own, ${best(1)} as below`)} from found where bucket is not null) sorted order by best`;
};

/** The ranks of a root are its buckets. All containers above it have them too, unless one of them is blocked or waits. */
const selectBucketsOf = (engine: Db['engine'], root: TaskId, order: RankOrder): Sql => sql`
  with recursive chain (bucket, best, above) as (
    select r.bucket, ${raw(`r.${keyColumns[order]} - case when r.is_container = 1 then 0 else ${formatSiblingBonus(engine, 'r.parent_id', order)} end`)}, r.parent_id
    from task_ranks r where r.task_id = ${root}
    union
    select chain.bucket, chain.best, r.parent_id from chain join task_ranks r on r.task_id = chain.above and r.bucket = chain.bucket
  )
  select bucket, best from chain where above = '' order by best`;

/** Formats what the points for a started sibling subtract from the keys of the tasks of this parent. */
const formatSiblingBonus = (engine: Db['engine'], parent: string, order: RankOrder): string =>
  order === 'score' ? `${toKeyDistance(siblingPoints)} * ${formatHasChild(engine, parent, startedStatuses)}` : '0';

/** Selects the best containers of each level below the root, and the best tasks in all of them. The best `limit` tasks are in the best
 *  `limit` containers, so that no level needs more. */
const selectBest = (engine: Db['engine'], root: TaskId | '', bucket: string, order: RankOrder, limit: number): Sql => {
  const key = raw(keyColumns[order]);
  const children = engine === 'postgres' ? joinChildrenOnServer : joinChildren;
  const level = (name: string, above: string): Sql => {
    const { bounds, from } = children(above, { bucket, key, limit, isContainer: 1 });
    return sql`
    ${raw(name)}_above (id, bound) as materialized (select ${raw(above)}.id, ${bounds} from ${raw(above)}),
    ${raw(name)} (id) as materialized (select x.task_id from ${raw(name)}_above above ${from} order by x.${key} limit ${toNumber(limit)})`;
  };
  const { bounds, from } = children('above', { bucket, key, limit, isContainer: 0 });
  return sql`
    with top (id) as materialized (
      select x.task_id from task_ranks x
      where x.parent_id = ${root} and x.bucket = ${bucket} and x.is_container = 1 order by x.${key} limit ${toNumber(limit)}),
    ${level('middle', 'top')}, ${level('low', 'middle')},
    parents (id, bound, bonus) as materialized (
      select above.id, ${bounds}, ${raw(formatSiblingBonus(engine, 'above.id', order))}
      from (select ${root} as id union all select id from top union all select id from middle union all select id from low) above),
    best (task_id, rank_key, due) as (
      select x.task_id, x.${key} - above.bonus, x.due from parents above ${from}
      union all
      select x.task_id, x.${key} - ${raw(formatSiblingBonus(engine, 'x.parent_id', order))}, x.due from task_ranks x
      where x.task_id = ${root} and x.bucket = ${bucket} and x.is_container = 0)
    ${order === 'score' ? withFacts(engine, limit) : sql`select task_id, rank_key, due from best order by rank_key limit ${toNumber(limit)}`}`;
};

interface ChildrenRequest {
  bucket: string;
  key: Sql;
  limit: number;
  isContainer: 0 | 1;
}

/** Joins the first `limit` rows `x` below each row of `above`. SQLite cannot limit them for each row, so that a first pass looks up the key
 *  of the last one. It executes cross joins in the order they are written. */
function joinChildren(above: string, { bucket, key, limit, isContainer }: ChildrenRequest): { bounds: Sql; from: Sql } {
  const isChild = sql`x.bucket = ${bucket} and x.is_container = ${raw(String(isContainer))}`;
  return {
    bounds: sql`coalesce((
      select x.${key} from task_ranks x where x.parent_id = ${raw(above)}.id and ${isChild} order by x.${key} limit 1 offset ${toNumber(limit - 1)}),
      ${raw(maxKey)})`,
    from: sql`cross join task_ranks x where x.parent_id = above.id and ${isChild} and x.${key} <= above.bound`,
  };
}

/** The same for PostgreSQL, which cannot estimate how many rows are below a bound, and would read the whole table. */
const joinChildrenOnServer = (_above: string, { bucket, key, limit, isContainer }: ChildrenRequest): { bounds: Sql; from: Sql } => ({
  bounds: raw('0'),
  from: sql`cross join lateral (
    select x.task_id, x.${key}, x.due from task_ranks x
    where x.parent_id = above.id and x.bucket = ${bucket} and x.is_container = ${raw(String(isContainer))} order by x.${key} limit ${toNumber(limit)}) x`,
});

const maxKey = '9000000000000000';

/** Limits and days are part of the text. Without them PostgreSQL expects a third or a tenth of all rows, finds that a plan for these values
 *  would be better, and makes a new one for each call. */
const toNumber = (limit: number): Sql => raw(String(limit));
/** Formats a day as SQL text. A pattern would take ten times as long when it is used first. */
const toDay = (day: string): Sql => raw(`'${[...day].filter((one) => '0123456789-'.includes(one)).join('')}'`);
