import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { toUid } from '#core/rules/uid.ts';
import { sha256 } from '#lib/digest.ts';
import { hasHiddenText } from '#lib/invisible.ts';
import type { Note, TaskRecord } from '#tasks/model/task.ts';
import { formatBase, noFields } from '../../rules/import-base.ts';
import type { ImportDraft, ImportItem } from '../../rules/import-draft.ts';
import type { ImportConflict, ImportNode } from '../../rules/import-state.ts';
import type { NormalizedTask } from '../../rules/normalize-task.ts';
import { type ImportPlan, isImportedRelation } from '../../rules/plan.ts';
import { applyPlacement, createRecord, listNewNotes, mergeRecord } from '../../rules/records.ts';
import { type ConflictPolicy, choosePreferred } from '../../rules/three-way.ts';

/** Larger batches outlive several collections of short-lived objects, and wait as garbage for a full one. */
const batchSize = 64;

export function splitBatches<T>(items: T[]): T[][] {
  const batches: T[][] = [];
  for (let i = 0; i < items.length; i += batchSize) batches.push(items.slice(i, i + batchSize));
  return batches;
}

interface WriteResult {
  /** Tasks with invisible characters. */
  hiddenIds: TaskId[];
  conflicts: ImportConflict[];
}

/** Writes a plan in batches, so that only the texts of one batch are in memory. */
export async function writePlan(
  ctx: MutationContext,
  draft: ImportDraft,
  plan: ImportPlan,
  source: string,
  policy: ConflictPolicy,
  onProgress: (done: number) => void,
): Promise<WriteResult> {
  const { store } = ctx;
  const job: WriteJob = { ctx, draft, plan, source, policy, hiddenIds: [], conflicts: [] };
  const related = await removeRelations(ctx, plan, source);
  const created: BatchEntry[] = [];
  const updated: BatchEntry[] = [];
  let done = 0;
  const flush = async (batch: BatchEntry[]): Promise<void> => {
    await (batch === created ? createTasks : updateTasks)(job, batch);
    done += batch.length;
    batch.length = 0;
    onProgress(done);
  };
  for (const { item, task } of draft.readTasks([...plan.created, ...plan.updated])) {
    const batch = item.earlier ? updated : created;
    batch.push({ node: item, task });
    if (batch.length === batchSize) await flush(batch);
  }
  for (const batch of [created, updated]) if (batch.length > 0) await flush(batch);
  await store.tasks.indexPending();
  for (const some of splitBatches(plan.moved)) {
    const placements = new Map(some.map(({ id, placement }) => [id, placement]));
    for (const before of await store.tasks.getMany([...placements.keys()]))
      await store.tasks.save(before, applyPlacement(before, placements.get(before.id)!), `imported from ${source}`);
  }
  for (const relation of plan.relations)
    if (!related.has(`${relation.from} ${relation.to}`)) await store.tasks.relate(relation, 'imported');
  return job;
}

interface BatchEntry {
  node: ImportNode;
  task: NormalizedTask;
}

interface WriteJob extends WriteResult {
  ctx: MutationContext;
  draft: ImportDraft;
  plan: ImportPlan;
  source: string;
  policy: ConflictPolicy;
}

const noteHidden = ({ hiddenIds }: WriteJob, id: TaskId, content: unknown): void => {
  if (containsHiddenText(content)) hiddenIds.push(id);
};

/** Checks the texts of a value. Most of them are ASCII, which hides nothing. */
function containsHiddenText(value: unknown): boolean {
  if (typeof value === 'string') return /[^\x00-\x7f]/.test(value) && hasHiddenText(value);
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (containsHiddenText(value[key as keyof typeof value])) return true;
  return false;
}

async function createTasks(job: WriteJob, batch: BatchEntry[]): Promise<void> {
  const { ctx, plan, source } = job;
  const { store, now, caller } = ctx;
  const entries = batch.map(({ node, task }) => {
    // The same in every clone that imports the file.
    const uid = toUid(task.createdAt ?? '', sha256(`${source}\n${node.id}`).slice(0, 12));
    const identity = { id: node.taskId, uid, source, now, agent: caller.agent };
    const record = createRecord(identity, task, plan.placements.get(node.taskId)!);
    const notes = listNewNotes(task, [], now, caller.agent);
    noteHidden(job, record.id, [record, notes]);
    return { task: record, notes };
  });
  await store.tasks.insertMany(entries, 'imported', true);
  await store.imports.save(
    source,
    batch.map((entry, i) => toImportRecord(job, entry, entries[i]!.task)),
    now,
  );
}

async function updateTasks(job: WriteJob, batch: BatchEntry[]): Promise<void> {
  const { store, now } = job.ctx;
  const loaded = await loadBases(
    job.ctx,
    job.source,
    batch.map(({ node }) => node),
  );
  const taskIds = batch.map(({ node }) => node.taskId);
  const records = new Map((await store.tasks.getMany(taskIds)).map((record) => [record.id, record]));
  const storedNotes = await store.tasks.getNotes(taskIds);
  const bases: ReturnType<typeof toImportRecord>[] = [];
  for (const entry of batch) {
    const before = records.get(entry.node.taskId);
    if (!before) continue;
    const saved = await updateTask(job, entry, before, storedNotes.get(before.id) ?? []);
    noteHidden(job, saved.id, saved);
    bases.push(toImportRecord(job, entry, saved, before));
  }
  await store.imports.save(job.source, bases, now);
  for (const { earlier } of loaded) if (earlier) earlier.base = undefined;
}

/** Reads the bases of records that do not have theirs in memory, and returns those records. */
export async function loadBases({ store }: MutationContext, source: string, items: ImportItem[]): Promise<ImportItem[]> {
  const missing = items.filter(({ earlier }) => earlier && earlier.base === undefined);
  const bases = await store.imports.getBases(
    source,
    missing.map(({ id }) => id),
  );
  for (const { id, earlier } of missing) if (earlier) earlier.base = bases.get(id);
  return missing;
}

/** Describes what was imported, for the next import. */
function toImportRecord({ draft, plan }: WriteJob, { node, task }: BatchEntry, record: TaskRecord, before?: TaskRecord) {
  const { takesStatus } = plan.placements.get(node.taskId)!;
  const earlier = before && { before, changedHere: node.local?.changed ?? noFields, base: draft.parseBase(node), takesStatus };
  return { foreignId: node.id, taskId: record.id, base: formatBase(task, draft.formatDigest(node), record, earlier) };
}

async function updateTask(job: WriteJob, { node, task }: BatchEntry, before: TaskRecord, storedNotes: Note[]): Promise<TaskRecord> {
  const { draft, plan, source, policy } = job;
  const { store, now, caller } = job.ctx;
  const { local, changed, updatedAt } = node;
  const base = draft.parseBase(node);
  const { after, conflicts } = mergeRecord(before, task, plan.placements.get(node.taskId)!, {
    ...(base ? { base } : {}),
    changedHere: local?.changed ?? noFields,
    changedThere: changed,
    preferred: choosePreferred(policy, local?.updatedAt, updatedAt),
    now,
    agent: caller.agent,
  });
  for (const conflict of conflicts) job.conflicts.push({ id: node.id, taskId: node.taskId, ...conflict });
  // Tasks with a claim in force keep their status, so only lapsed claims are released here.
  if (before.status === 'active' && after.status !== 'active') await store.claims.release(before.id);
  const aliased = withAlias(after, source, node.id);
  // A task that was not changed here has the times of the source.
  const isOurs = local !== undefined && local.changed.size > 0;
  const saved = await store.tasks.save(before, aliased, `imported from ${source}`, isOurs ? undefined : updatedAt);
  const notes = listNewNotes(task, storedNotes, now, caller.agent);
  await store.tasks.appendNotes(saved, notes, isOurs ? undefined : updatedAt);
  return notes.length > 0 ? { ...saved, revision: saved.revision + 1 } : saved;
}

/** A store of an earlier version has no aliases. */
function withAlias(record: TaskRecord, tool: string, id: string): TaskRecord {
  const aliases = record.aliases ?? [];
  return aliases.some((alias) => alias.tool === tool && alias.id === id) ? record : { ...record, aliases: [...aliases, { tool, id }] };
}

/** Removes relations between tasks that will contain each other, which the store refuses, and those that an earlier import added and the
 *  file does not have any more. Returns the pairs that stay, in both directions. */
async function removeRelations({ store }: MutationContext, plan: ImportPlan, source: string): Promise<Set<string>> {
  const changedIds = plan.updated.map(({ taskId }) => taskId);
  const changed = new Set(changedIds);
  const stored = new Set<string>();
  for (const some of splitBatches([...changedIds, ...plan.moved.map(({ id }) => id)]))
    for (const relation of await store.tasks.listRelationsTouching(some)) {
      const { from, to, type } = relation;
      const isContained = plan.placements.get(from)?.parentId === to || plan.placements.get(to)?.parentId === from;
      const isDropped = isImportedRelation(relation, source) && changed.has(from) && !plan.isRelated(from, to);
      if (isContained || isDropped) await store.tasks.unrelate(from, to, type);
      else stored.add(`${from} ${to}`).add(`${to} ${from}`);
    }
  return stored;
}
