import { type TaskId, toTaskId, toTaskNumber } from '#core/model/scalars.ts';
import { defined, removeDuplicates } from '#lib/collections.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import type { WriteStore } from '#store/port/store.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import { listDependentsByTask } from '#tasks/operations/shared/dependents.ts';
import { formatForeignAgent } from '#tasks/rules/foreign-holder.ts';
import type { GateAttempt, RoundState } from '#verification/model/verification.ts';
import type { PlanAlias, PlanElement, PlanPlace, PlanRelation, PlanState, PlanTaskState } from '../../model/plan.ts';
import { toStoredCriteria } from '../../rules/plan/elements.ts';
import { listMoves, renumberHandoffs } from './plan-apply-records.ts';
import { progressStep, type ReportProgress } from './plan-scan.ts';

/** The state that a task shall have; undefined deletes it. */
export interface PlanTaskChange {
  uid: string;
  /** The id that the task has in the store now. */
  id?: TaskId;
  state?: PlanState;
}

/** Writes tasks so that the store has their states. Everything is written in the transaction of the call, in an order in which the rules
 *  that the database enforces hold. */
export async function applyTasks(
  store: WriteStore,
  changes: PlanTaskChange[],
  replica: string,
  onProgress?: ReportProgress,
): Promise<void> {
  const { plan, tasks } = store;
  const wanted = changes.flatMap(({ state, id }) => (state ? [{ state, id }] : []));
  // A deleted task may have the number of a new one.
  const deleted = changes.flatMap(({ id, state }) => (!state && id !== undefined ? [id] : []));
  const dependents = await listDependentsByTask(store, deleted);
  await store.deletions.removeMany(deleted.map((id) => ({ id, root: id, dependents: dependents.get(id) ?? [] })));
  const moves = listMoves(wanted);
  await plan.renumberTasks(moves);
  await renumberHandoffs(plan, moves);
  const ids = await findIds(
    store,
    wanted.map(({ state }) => state),
  );
  const known = new Map((await tasks.getMany(wanted.flatMap(({ state, id }) => (id ? [state.id!] : [])))).map((task) => [task.id, task]));
  // A relation would stop a task from becoming the parent of the other one.
  const before = new Map<TaskId, string>();
  for (const { from, to, type, reason, at, by } of await plan.listRelationsFrom([...known.keys()]))
    before.set(from, `${before.get(from) ?? ''}${JSON.stringify([to, type, reason, at, by])}`);
  const targets = wanted.map(({ state }) => ({ state, task: toTask(state, ids), relations: toRelations(state, ids) }));
  const related = targets.filter(
    ({ task, relations }) =>
      (before.get(task.id) ?? '') !== relations.map(({ to, type, reason, at, by }) => JSON.stringify([to, type, reason, at, by])).join(''),
  );
  for (const { task } of related) if (before.has(task.id)) await plan.replaceRelations(task.id, []);
  const fresh = targets.filter(({ task }) => !known.has(task.id));
  await tasks.insertMany(
    fresh.map(({ task, state }) => ({ task, notes: toNotes(state) })),
    'imported',
  );
  for (const { task } of targets) {
    const previous = known.get(task.id);
    if (previous) await tasks.save(previous, { ...task, revision: previous.revision }, 'sync');
  }
  for (const { task, relations } of related) if (relations.length > 0) await plan.replaceRelations(task.id, relations);
  for (const [i, { task, state }] of targets.entries()) {
    await applyDetails(store, task, state, known.get(task.id), replica);
    if ((i + 1) % progressStep === 0) onProgress?.({ phase: 'write', done: i + 1, total: targets.length });
  }
  const highest = targets.reduce((last, { task }) => Math.max(last, toTaskNumber(task.id)), 0);
  if (highest > 0) await tasks.reserveIds(toTaskId(highest));
}

/** The ids of all tasks that the states refer to. New tasks are not in the store yet. */
async function findIds({ plan }: WriteStore, states: PlanState[]): Promise<Map<string, TaskId>> {
  const uids = states.flatMap(({ fields, sets }) => [
    ...((fields.place as unknown as PlanPlace).parent ? [(fields.place as unknown as PlanPlace).parent!] : []),
    ...(sets.depends ?? []).map(({ key }) => key),
    ...(sets.relations ?? []).map(({ value }) => (value as unknown as PlanRelation).to),
  ]);
  const ids = await plan.getTaskIds(removeDuplicates(uids));
  for (const { uid, id } of states) if (id !== undefined) ids.set(uid, id);
  return ids;
}

function toTask({ uid, id, fields, sets, updatedAt }: PlanState, ids: Map<string, TaskId>): TaskRecord {
  const place = fields.place as unknown as PlanPlace;
  // A file can have further keys, which must not take the place of other fields.
  const { status, resolution, blockedBy, startedAt, completedAt, archivedAt } = fields.state as unknown as PlanTaskState;
  const creation = fields.creation as { at: string; by: string } | undefined;
  const keys = (name: string): string[] => (sets[name] ?? []).map(({ key }) => key);
  const aliases = (sets.aliases ?? []).map(({ value }) => value as unknown as PlanAlias).map(({ tool, alias }) => ({ tool, id: alias }));
  const requires = keys('requires');
  return defined({
    uid,
    id: id!,
    type: place.type,
    title: fields.title as string,
    description: fields.description as string | undefined,
    priority: (fields.priority ?? 'medium') as TaskRecord['priority'],
    size: fields.size as TaskRecord['size'],
    phase: fields.phase as string | undefined,
    assignee: fields.assignee as string | undefined,
    due: fields.due as string | undefined,
    parentId: place.parent && ids.get(place.parent),
    ...{ status, resolution: resolution as TaskRecord['resolution'], blockedBy, startedAt, completedAt, archivedAt },
    labels: keys('labels'),
    files: keys('files'),
    requires: requires.length > 0 ? requires : undefined,
    depends: keys('depends').flatMap((key) => ids.get(key) ?? []),
    acceptance: toStoredCriteria(sets.criteria, sets.ticks),
    aliases: aliases.length > 0 ? aliases : undefined,
    createdAt: creation?.at ?? updatedAt,
    createdBy: creation?.by ?? 'unknown',
    updatedAt,
    revision: 1,
  }) as TaskRecord;
}

const toRelations = ({ id, sets }: PlanState, ids: Map<string, TaskId>) =>
  (sets.relations ?? [])
    .flatMap(({ value }) => {
      const { to, type, reason, at, by } = value as unknown as PlanRelation;
      const target = ids.get(to);
      return target ? [{ from: id!, to: target, type, reason, at, by }] : [];
    })
    .sort((a, b) => (`${a.to} ${a.type}` < `${b.to} ${b.type}` ? -1 : 1));

const toNotes = ({ sets }: PlanState): Note[] => (sets.notes ?? []).map(({ value }) => value as unknown as Note);

/** Writes the parts of a task that are not in its record: notes, evidence, the claim and the time of the last change. */
async function applyDetails(
  store: WriteStore,
  task: TaskRecord,
  state: PlanState,
  previous: TaskRecord | undefined,
  replica: string,
): Promise<void> {
  const { plan, tasks, gates, claims } = store;
  const notes = toNotes(state);
  const present = previous ? ((await tasks.getNotes([task.id])).get(task.id) ?? []) : notes;
  if (!isSame(present, notes)) {
    // Appended notes get a history entry and are indexed.
    if (isSame(present, notes.slice(0, present.length))) await tasks.appendNotes(task, notes.slice(present.length));
    else await plan.replaceNotes(task.id, notes);
  }
  const attempts = (sets(state, 'evidence') as unknown as { value: GateAttempt }[]).map(({ value }) => value);
  const stored = previous ? ((await plan.listAttempts([task.id])).get(task.id) ?? []) : [];
  if (!isSame(stored, attempts)) await plan.replaceAttempts(task.id, attempts);
  const rounds = state.fields.verification as unknown as RoundState | undefined;
  if (rounds && !isSame(await gates.getRounds(task.id), rounds)) await gates.saveRounds(task.id, rounds);
  await applyHolder({ plan, claims }, task, state, replica);
  await plan.setUpdatedAt(task.id, state.updatedAt);
}

const sets = (state: PlanState, name: string): PlanElement[] => state.sets[name] ?? [];

/** A holder in another clone has a claim here, which expires like any other. */
async function applyHolder(
  { plan, claims }: Pick<WriteStore, 'plan' | 'claims'>,
  { id }: TaskRecord,
  { fields }: PlanState,
  replica: string,
): Promise<void> {
  const { status, holder } = fields.state as unknown as PlanTaskState;
  const claim = await claims.get(id);
  if (status !== 'active' || !holder) {
    if (claim) await claims.release(id);
    return;
  }
  if (holder.replica === replica) return;
  const agent = formatForeignAgent(holder.agent, holder.replica);
  if (claim?.agent !== agent || claim.claimedAt !== holder.at) await plan.setForeignClaim(id, agent, holder.at);
}

const isSame = (a: unknown, b: unknown): boolean => toCanonicalJson(a) === toCanonicalJson(b);
