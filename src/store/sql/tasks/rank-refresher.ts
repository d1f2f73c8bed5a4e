import type { TaskId } from '#core/model/scalars.ts';
import { addToList, groupBy } from '#lib/collections.ts';
import type { OpenTask, OpenWork } from '#tasks/model/open-work.ts';
import type { BestChildren, RankFacts, TaskRank } from '#tasks/model/rank.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { computeAllRanks } from '#tasks/rules/all-ranks.ts';
import { computeRanks, toKeyDistance } from '#tasks/rules/ranks.ts';
import { maxScoredDependents, siblingPoints } from '#tasks/rules/score.ts';
import { listRows } from '../list-rows.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, listValues, omitNull, raw, type Sql, type SqlRow, splitChunks, sql } from '../sql.ts';
import { isOpen } from './open-graph.ts';
import { formatHasChild, rankColumns, startedStatuses, toRank } from './rank-rows.ts';

/** Keeps `task_ranks` current: the writes of a transaction mark what they change, and its end computes the ranks of what was marked. */
export interface RankRefresher {
  markCreated(task: TaskRecord): void;
  /** Marks a task that was changed or deleted (no `after`). */
  markChange(before: TaskRecord, after: TaskRecord | undefined): void;
  /** Marks tasks whose own fields, children or dependencies changed, and with `dependents` those that depend on them. */
  mark(ids: TaskId[], dependents?: TaskId[]): void;
  refresh(): Promise<void>;
}

const rankFields = ['type', 'priority', 'size', 'phase', 'parentId', 'assignee', 'due', 'archivedAt'] as const;

/** A task that is started keeps its rank. Only the ranks of its parent depend on it. */
const toRankStatus = ({ status }: TaskRecord): TaskRecord['status'] => (status === 'active' ? 'pending' : status);

/** Tasks of one refresh. The ranks of all their ancestors are computed with them. */
const maxRefreshed = 250;

export function createRankRefresher(db: Db): RankRefresher {
  const created = new Map<TaskId, CreatedTask>();
  const marked = new Set<TaskId>();
  const withDependents = new Set<TaskId>();
  const markParent = (task: TaskRecord | undefined): void => {
    if (task?.parentId !== undefined) marked.add(task.parentId);
  };
  return {
    markCreated(task) {
      created.set(task.id, toCreatedTask(task));
    },
    markChange(before, after) {
      const one = after ?? before;
      const isMoved = before.parentId !== after?.parentId || isOpenTask(before) !== isOpenTask(after);
      const dependsChanged = before.depends.join() !== after?.depends.join();
      const isChanged =
        !after || toRankStatus(before) !== toRankStatus(after) || rankFields.some((field) => before[field] !== after[field]);
      if (isChanged || dependsChanged) marked.add(one.id);
      if (isMoved || before.status !== after?.status) {
        markParent(before);
        markParent(after);
      }
      if (isMoved || dependsChanged) for (const id of [...before.depends, ...(after?.depends ?? [])]) marked.add(id);
      if ((before.status === 'done') !== (after?.status === 'done')) withDependents.add(one.id);
    },
    mark(ids, dependents = []) {
      for (const id of ids) marked.add(id);
      for (const id of dependents) withDependents.add(id);
    },
    async refresh() {
      if (created.size > 0) for (const id of await rankCreated(db, created)) marked.add(id);
      created.clear();
      while (marked.size + withDependents.size > 0) {
        const ids = takeSome(marked);
        for (const id of await refreshRanks(db, ids, takeSome(withDependents))) marked.add(id);
      }
    },
  };
}

/** What the ranks of a new task depend on, without its texts, so that a large import does not keep them. */
type CreatedTask = OpenTask & Pick<TaskRecord, 'assignee' | 'due' | 'depends'> & { isOpen: boolean };

const toCreatedTask = (task: TaskRecord): CreatedTask => {
  const { id, type, status, priority, size, phase, parentId, assignee, due, depends } = task;
  return { id, type, status, priority, size, phase, parentId, assignee, due, depends, isOpen: isOpenTask(task) } as CreatedTask;
};

const isOpenTask = (task: TaskRecord | undefined): boolean => task !== undefined && task.status !== 'done' && task.archivedAt === undefined;

function takeSome(ids: Set<TaskId>): TaskId[] {
  const some: TaskId[] = [];
  for (const id of ids) {
    if (some.length === maxRefreshed) break;
    some.push(id);
    ids.delete(id);
  }
  return some;
}

/** Computes the ranks of new tasks from their records, which is faster than reading them. Returns the tasks whose ranks depend on what is
 *  not new, too. */
async function rankCreated(db: Db, created: Map<TaskId, CreatedTask>): Promise<TaskId[]> {
  const marked = new Set<TaskId>();
  const work: OpenWork = { tasks: [], depends: [], startedParents: new Set(), claims: [], planned: [] };
  const outside = new Map<TaskId, CreatedTask[]>();
  for (const task of created.values()) {
    const { id, parentId, isOpen, depends } = task;
    if (parentId !== undefined && task.status !== 'pending' && task.status !== 'blocked') work.startedParents.add(parentId);
    if (parentId !== undefined && !created.has(parentId)) addToList(outside, parentId, task);
    if (!isOpen) continue;
    work.tasks.push(task);
    if (task.assignee !== undefined || task.due !== undefined) work.planned!.push({ taskId: id, assignee: task.assignee, due: task.due });
    for (const dependsOn of depends) {
      const target = created.get(dependsOn);
      if (target?.status !== 'done') work.depends.push({ taskId: id, dependsOn });
      if (target) continue;
      marked.add(dependsOn);
      marked.add(id);
    }
  }
  const ranks = computeAllRanks(work).filter(({ taskId }) => created.has(taskId));
  await insertRanks(db, ranks);
  for (const id of await findChangedParents(db, outside, ranks)) marked.add(id);
  return [...marked];
}

/** Finds the parents whose ranks a new child may change. Most have a better child, so that nothing changes. */
async function findChangedParents(db: Db, childrenOf: Map<TaskId, CreatedTask[]>, ranks: TaskRank[]): Promise<TaskId[]> {
  if (childrenOf.size === 0) return [];
  const select = (some: Sql): Sql => sql`select ${rankColumns} from task_ranks r where r.task_id in ${some}`;
  const present = groupBy((await queryInChunks(db, [...childrenOf.keys()], select)).map(toRank), ({ taskId }) => taskId);
  const ranksOf = groupBy(ranks, ({ taskId }) => taskId);
  const isBetter = (own: TaskRank[], rank: TaskRank): boolean =>
    own.some(
      (one) =>
        one.bucket === rank.bucket && one.scoreKey <= rank.scoreKey - toKeyDistance(siblingPoints) && one.urgencyKey <= rank.urgencyKey,
    );
  return [...childrenOf].flatMap(([id, children]) => {
    const own = (present.get(id) ?? []).filter(({ isContainer }) => isContainer);
    const isUnchanged = (child: CreatedTask): boolean =>
      child.isOpen && child.status !== 'active' && own.length > 0 && (ranksOf.get(child.id) ?? []).every((rank) => isBetter(own, rank));
    return children.every(isUnchanged) ? [] : [id];
  });
}

/** Computes the ranks of these tasks, of those that depend on `dependents`, and of everything above them. Returns the containers that they
 *  were in before, if those are still to be computed. */
async function refreshRanks(db: Db, ids: TaskId[], dependents: TaskId[]): Promise<TaskId[]> {
  const marked = withMarked(ids, dependents);
  db.joinReads?.();
  const [facts, others, present] = await Promise.all([
    db.all(selectFacts(db.engine, marked)),
    db.all(selectBestChildren(marked)),
    db.all(sql`${marked} select ${rankColumns} ${fromRanksOfMarked(db.engine)}`),
  ]);
  const computed = facts.map(toFacts);
  const known = new Set(computed.map(({ taskId }) => taskId));
  const former = present.map(toRank);
  const isFound = ({ urgencyKey }: BestChildren): boolean => urgencyKey < Number.POSITIVE_INFINITY;
  await saveRanks(db, former, computeRanks(computed, others.map(toBestChildren).filter(isFound)));
  return former.map(({ parentId }) => parentId).filter((id) => id !== '' && !known.has(id));
}

/** Defines `up`: the marked tasks and the open tasks above them, and the first one above that is not open. A task may be missing. */
function withMarked(ids: TaskId[], dependents: TaskId[]): Sql {
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

const selectFacts = (engine: Db['engine'], marked: Sql): Sql => sql`
  ${marked}
  select up.id, t.type, t.status, t.priority, t.size, t.phase, t.parent_id, t.assignee, t.due, ${raw(`
    case when exists (select 1 from task_dependencies d join tasks o on o.id = d.depends_on where d.task_id = up.id and o.status <> 'done')
      then 1 else 0 end as waiting,
    ${formatHasChild(engine, 'up.id', `'pending', 'active', 'blocked'`, 'and c.archived_at is null')} as has_children,
    ${formatHasChild(engine, 'up.id', startedStatuses)} as has_started,
    (select count(*) from (
      select 1 as one from task_dependencies d join tasks o on o.id = d.task_id
      where d.depends_on = up.id and o.status <> 'done' and o.archived_at is null limit ${maxScoredDependents}) counted) as dependents`)}
  from up left join tasks t on t.id = up.id and ${isOpen}`;

/** A lateral join looks up each task, whatever PostgreSQL expects of the size of `up`. SQLite does so anyway. */
const fromRanksOfMarked = (engine: Db['engine']): Sql =>
  engine === 'postgres'
    ? raw('from up cross join lateral (select * from task_ranks of_task where of_task.task_id = up.id offset 0) r')
    : raw('from task_ranks r where r.task_id in (select id from up)');

/** The buckets below a task are found one after another in the index, because an epic may have a hundred thousand tasks. */
const selectBestChildren = (marked: Sql): Sql => {
  const best = (key: string, isContainer: 0 | 1): string => `(
    select r.${key} from task_ranks r
    where r.parent_id = pairs.id and r.bucket = pairs.bucket and r.is_container = ${isContainer} and r.task_id not in (select id from up)
    order by r.${key} limit 1)`;
  return sql`
    ${marked}, pairs (id, bucket) as (
      select up.id, (select min(r.bucket) from task_ranks r where r.parent_id = up.id) from up
      union all
      select pairs.id, (select min(r.bucket) from task_ranks r where r.parent_id = pairs.id and r.bucket > pairs.bucket) from pairs
      where pairs.bucket is not null
    )
    select pairs.id, pairs.bucket, ${raw(`${best('score_key', 0)} as task_score, ${best('score_key', 1)} as container_score,
      ${best('urgency_key', 0)} as task_urgency, ${best('urgency_key', 1)} as container_urgency`)}
    from pairs where pairs.bucket is not null`;
};

/** Writes the difference. */
async function saveRanks(db: Db, present: TaskRank[], ranks: TaskRank[]): Promise<void> {
  const toPlace = ({ taskId, bucket }: TaskRank): string => `${taskId}\n${bucket}`;
  const known = new Map(present.map((rank) => [toPlace(rank), rank]));
  const changed = ranks.filter((rank) => !isSameRank(rank, known.get(toPlace(rank))));
  const kept = new Set(ranks.map(toPlace));
  const gone = present.filter((rank) => !kept.has(toPlace(rank)));
  for (const some of splitChunks(gone, 100))
    await db.run(
      sql`delete from task_ranks where (task_id, bucket) in (values ${listRows(some.map(({ taskId, bucket }) => [taskId, bucket]))})`,
    );
  await insertRanks(db, changed);
}

/** Replaces all ranks. */
export async function replaceRanks(db: Db, ranks: TaskRank[]): Promise<void> {
  await db.run(raw('delete from task_ranks'));
  await insertRanks(db, ranks);
}

async function insertRanks(db: Db, ranks: TaskRank[]): Promise<void> {
  for (const some of splitChunks(ranks, 100))
    await db.run(sql`
      insert into task_ranks (task_id, bucket, parent_id, is_container, score_key, urgency_key, due)
      values ${listRows(some.map((r) => [r.taskId, r.bucket, r.parentId, r.isContainer ? 1 : 0, r.scoreKey, r.urgencyKey, r.due]))}
      on conflict (task_id, bucket) do update set parent_id = excluded.parent_id, is_container = excluded.is_container,
        score_key = excluded.score_key, urgency_key = excluded.urgency_key, due = excluded.due`);
  // Without statistics of so many new rows PostgreSQL reads whole tables, until its own analysis a minute later.
  if (db.engine === 'postgres' && ranks.length >= minAnalyzed) await db.run(raw('analyze tasks, task_dependencies, task_ranks'));
}

const minAnalyzed = 100;

const isSameRank = (one: TaskRank, other: TaskRank | undefined): boolean =>
  one.parentId === other?.parentId &&
  one.isContainer === other.isContainer &&
  one.scoreKey === other.scoreKey &&
  one.urgencyKey === other.urgencyKey &&
  one.due === other.due;

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
