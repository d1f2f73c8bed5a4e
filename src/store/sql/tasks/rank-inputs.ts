import type { TaskId } from '#core/model/scalars.ts';
import type { BestChildren, RankFacts, TaskRank } from '#tasks/model/rank.ts';
import { maxScoredDependents } from '#tasks/rules/score.ts';
import { listRows } from '../list-rows.ts';
import { type Db, listValues, omitNull, raw, type Sql, type SqlRow, sql } from '../sql.ts';
import { isOpen } from './open-graph.ts';
import { formatHasChild, rankColumns, startedStatuses, toRank } from './rank-rows.ts';

/** What ranks are computed from. */
export interface RankInputs {
  facts: RankFacts[];
  others: BestChildren[];
  /** The ranks before. */
  former: TaskRank[];
}

/** Reads what the ranks of a task that will be done depend on, and those of its parent, of the tasks that depend on it, and of its
 *  dependencies. */
export const readClosing = (db: Db, id: TaskId): Promise<RankInputs> => readInputs(db, withClosing(id), closingConditions);

export async function readInputs(db: Db, marked: Sql, conditions = noConditions): Promise<RankInputs> {
  const reads = [selectFacts(db.engine, conditions), selectBestChildren(), sql`select ${rankColumns} ${fromRanksOfMarked(db.engine)}`];
  const [facts = [], others = [], present = []] = await readMarked(db, marked, reads);
  const isFound = ({ urgencyKey }: BestChildren): boolean => urgencyKey < Number.POSITIVE_INFINITY;
  return { facts: facts.map(toFacts), others: others.map(toBestChildren).filter(isFound), former: present.map(toRank) };
}

/** On a server the tasks are found once for all reads. */
const readMarked = (db: Db, marked: Sql, reads: Sql[]): Promise<SqlRow[][]> => {
  const tables = sql`${marked}, pairs ${pairs}`;
  return db.allWith ? db.allWith(tables, reads) : Promise.all(reads.map((read) => db.all(sql`${tables} ${read}`)));
};

/** Defines `up`: the marked tasks and the open tasks above them, and the first one above that is not open. A task may be missing. */
export function withMarked(ids: TaskId[], dependents: TaskId[]): Sql {
  const given =
    ids.length === 0 ? raw(`select '' where 1 = 0`) : sql`select column1 from (values ${listRows(ids.map((id) => [id]))}) given`;
  const waiting =
    dependents.length === 0
      ? raw('')
      : sql` union select d.task_id from task_dependencies d where d.depends_on in ${listValues(dependents)}`;
  return sql`
    with recursive up (id) as (
      ${given}${waiting}
      union
      select t.parent_id from up join tasks t on t.id = up.id where t.parent_id is not null and ${isOpen}
    )`;
}

/** Defines `up` for a task before it is done: the tasks that are marked when it is. */
const withClosing = (id: TaskId): Sql => sql`
    with recursive closing (id, parent_id) as (select t.id, t.parent_id from tasks t where t.id = ${id}), up (id) as (
      select id from closing
      union select parent_id from closing where parent_id is not null
      union select d.depends_on from closing join task_dependencies d on d.task_id = closing.id
      union select d.task_id from closing join task_dependencies d on d.depends_on = closing.id
      union
      select t.parent_id from up join tasks t on t.id = up.id where t.parent_id is not null and ${isOpen}
    )`;

/** Conditions that read a task as if it was done already. */
interface FactConditions {
  /** For open tasks with this alias. */
  isStillOpen(alias: string): string;
  formatHasStarted(otherwise: string): string;
}

const noConditions: FactConditions = { isStillOpen: () => '', formatHasStarted: (otherwise) => otherwise };
const closingConditions: FactConditions = {
  isStillOpen: (alias) => `and ${alias}.id <> (select id from closing)`,
  formatHasStarted: (otherwise) => `case when up.id = (select parent_id from closing) then 1 else ${otherwise} end`,
};

const selectFacts = (engine: Db['engine'], { isStillOpen, formatHasStarted }: FactConditions): Sql => sql`
  select up.id, t.type, t.status, t.priority, t.size, t.phase, t.parent_id, t.assignee, t.due, ${raw(`
    case when exists (
      select 1 from task_dependencies d join tasks o on o.id = d.depends_on where d.task_id = up.id and o.status <> 'done' ${isStillOpen('o')})
      then 1 else 0 end as waiting,
    ${formatHasChild(engine, 'up.id', `'pending', 'active', 'blocked'`, `and c.archived_at is null ${isStillOpen('c')}`)} as has_children,
    ${formatHasStarted(formatHasChild(engine, 'up.id', startedStatuses))} as has_started,
    (select count(*) from (
      select 1 as one from task_dependencies d join tasks o on o.id = d.task_id
      where d.depends_on = up.id and o.status <> 'done' and o.archived_at is null ${isStillOpen('o')} limit ${maxScoredDependents}) counted) as dependents`)}
  from up left join tasks t on t.id = up.id and ${isOpen} ${raw(isStillOpen('t'))}`;

/** A lateral join looks up each task, whatever PostgreSQL expects of the size of `up`. SQLite does so anyway. */
const fromRanksOfMarked = (engine: Db['engine']): Sql =>
  engine === 'postgres'
    ? raw('from up cross join lateral (select * from task_ranks of_task where of_task.task_id = up.id offset 0) r')
    : raw('from task_ranks r where r.task_id in (select id from up)');

/** The buckets below a task are found one after another in the index, because an epic may have a hundred thousand tasks. */
const pairs = raw(`(id, bucket) as (
      select up.id, (select min(r.bucket) from task_ranks r where r.parent_id = up.id) from up
      union all
      select pairs.id, (select min(r.bucket) from task_ranks r where r.parent_id = pairs.id and r.bucket > pairs.bucket) from pairs
      where pairs.bucket is not null
    )`);

const formatBest = (key: string, isContainer: 0 | 1): string => `(
    select r.${key} from task_ranks r
    where r.parent_id = pairs.id and r.bucket = pairs.bucket and r.is_container = ${isContainer} and r.task_id not in (select id from up)
    order by r.${key} limit 1)`;

const selectBestChildren = (): Sql =>
  raw(`
    select pairs.id, pairs.bucket, ${formatBest('score_key', 0)} as task_score, ${formatBest('score_key', 1)} as container_score,
      ${formatBest('urgency_key', 0)} as task_urgency, ${formatBest('urgency_key', 1)} as container_urgency
    from pairs where pairs.bucket is not null`);

const toFacts = (row: SqlRow): RankFacts => ({
  taskId: String(row.id),
  task:
    row.type === null
      ? undefined
      : ({
          id: String(row.id),
          ...omitNull({ type: row.type, status: row.status, priority: row.priority, size: row.size, phase: row.phase }),
          ...omitNull({ parentId: row.parent_id, assignee: row.assignee, due: row.due }),
        } as RankFacts['task']),
  isWaiting: Number(row.waiting) === 1,
  hasOpenChildren: Number(row.has_children) === 1,
  hasStartedChild: Number(row.has_started) === 1,
  dependents: Number(row.dependents),
});

const toBestChildren = (row: SqlRow): BestChildren => {
  const toKey = (value: SqlRow[string] | undefined): number =>
    value === null || value === undefined ? Number.POSITIVE_INFINITY : Number(value);
  return {
    parentId: String(row.id),
    bucket: String(row.bucket),
    taskScoreKey: toKey(row.task_score),
    containerScoreKey: toKey(row.container_score),
    urgencyKey: Math.min(toKey(row.task_urgency), toKey(row.container_urgency)),
  };
};
