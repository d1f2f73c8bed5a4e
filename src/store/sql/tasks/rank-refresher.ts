import type { TaskId } from '#core/model/scalars.ts';
import { addToList, groupBy } from '#lib/collections.ts';
import type { OpenTask, OpenWork } from '#tasks/model/open-work.ts';
import type { TaskRank } from '#tasks/model/rank.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { computeAllRanks } from '#tasks/rules/all-ranks.ts';
import { computeRanks, toKeyDistance } from '#tasks/rules/ranks.ts';
import { siblingPoints } from '#tasks/rules/score.ts';
import { listRows } from '../list-rows.ts';
import { queryInChunks } from '../queries.ts';
import { type Db, raw, type Sql, splitChunks, sql } from '../sql.ts';
import { type RankInputs, readClosing, readInputs, withMarked } from './rank-inputs.ts';
import { rankColumns, toRank } from './rank-rows.ts';

/** Keeps `task_ranks` current: the writes of a transaction mark what they change, and its end computes the ranks of what was marked. */
export interface RankRefresher {
  markCreated(task: TaskRecord): void;
  /** Marks a task that was changed or deleted (no `after`). */
  markChange(before: TaskRecord, after: TaskRecord | undefined): void;
  /** Marks tasks whose own fields, children or dependencies changed, and with `dependents` those that depend on them. */
  mark(ids: TaskId[], dependents?: TaskId[]): void;
  /** Reads what the ranks will depend on when this open task is done. If nothing else changes, `refresh` reads nothing. */
  expectClosing(id: TaskId): Promise<void>;
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
  /** What was read for a task that is expected to be closed, and whether that is the only change. */
  let closing: { id: TaskId; facts: RankInputs; isDone: boolean } | undefined;
  const markParent = (task: TaskRecord | undefined): void => {
    if (task?.parentId !== undefined) marked.add(task.parentId);
  };
  return {
    markCreated(task) {
      closing = undefined;
      created.set(task.id, toCreatedTask(task));
    },
    markChange(before, after) {
      const one = after ?? before;
      if (closing) {
        const isExpected = closing.id === one.id && !closing.isDone && isClosing(before, after);
        closing = isExpected ? { ...closing, isDone: true } : undefined;
      }
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
      closing = undefined;
      for (const id of ids) marked.add(id);
      for (const id of dependents) withDependents.add(id);
    },
    async expectClosing(id) {
      closing = undefined;
      if (created.size + marked.size + withDependents.size === 0) closing = { id, facts: await readClosing(db, id), isDone: false };
    },
    async refresh() {
      if (closing?.isDone) {
        marked.clear();
        withDependents.clear();
        for (const id of await saveComputed(db, closing.facts)) marked.add(id);
      }
      closing = undefined;
      if (created.size > 0) for (const id of await rankCreated(db, created)) marked.add(id);
      created.clear();
      while (marked.size + withDependents.size > 0) {
        const ids = takeSome(marked);
        for (const id of await refreshRanks(db, ids, takeSome(withDependents))) marked.add(id);
      }
    },
  };
}

/** The task was open, is done, and nothing else that ranks depend on has changed. */
const isClosing = (before: TaskRecord, after: TaskRecord | undefined): boolean =>
  isOpenTask(before) &&
  after?.status === 'done' &&
  rankFields.every((field) => before[field] === after[field]) &&
  before.depends.join() === after.depends.join();

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
const refreshRanks = async (db: Db, ids: TaskId[], dependents: TaskId[]): Promise<TaskId[]> =>
  saveComputed(db, await readInputs(db, withMarked(ids, dependents)));

/** Computes these ranks and writes the difference. Returns the containers that the tasks were in before, if they were not read. */
async function saveComputed(db: Db, { facts, others, former }: RankInputs): Promise<TaskId[]> {
  const known = new Set(facts.map(({ taskId }) => taskId));
  await saveRanks(db, former, computeRanks(facts, others));
  return former.map(({ parentId }) => parentId).filter((id) => id !== '' && !known.has(id));
}

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
