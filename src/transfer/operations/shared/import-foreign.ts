import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import type { ForeignData } from '../../model/foreign.ts';
import { formatHiddenTextWarning } from '../../rules/hidden-text.ts';
import type { ImportDraft, StoreSnapshot } from '../../rules/import-state.ts';
import { createImportDraft, type ImportPlan, planImport } from '../../rules/plan.ts';
import { applyPlacement } from '../../rules/records.ts';

/** Imports the tasks of another tool in the transaction of the call. */
export async function importForeign(ctx: MutationContext, file: ForeignData, source: string) {
  const { store, now, caller } = ctx;
  const draft = createImportDraft(file, await store.imports.getKnown(source), source);
  const ids = await store.tasks.nextIds(draft.items.filter(({ earlier }) => !earlier).length);
  const plan = planImport(draft, await readSnapshot(ctx, draft), ids, now, caller.agent);
  await writePlan(ctx, plan, source);
  const changed = new Set(store.changes.updated);
  const inFile = plan.ids.filter(({ taskId }) => changed.has(taskId)).length;
  return {
    imported: plan.created.length,
    updated: changed.size,
    unchanged: draft.items.length - plan.created.length - inFile,
    ids: plan.ids,
    losses: plan.losses,
    warnings: [
      ...formatCrowdedWarning(plan.crowdedParents, ctx.config['hierarchy.maxSiblings']),
      ...formatHiddenTextWarning([
        ...plan.created.map(({ task, notes }) => ({ id: task.id, content: [task, notes] })),
        ...plan.updated.map(({ after, notes }) => ({ id: after.id, content: [after, notes] })),
      ]),
    ],
  };
}

/** Reads the stored tasks that the import can affect. A first import affects none, because its tasks link only to each other. */
async function readSnapshot(ctx: MutationContext, { items, earlierImports }: ImportDraft): Promise<StoreSnapshot> {
  const { store, config } = ctx;
  const maxSiblings = config['hierarchy.maxSiblings'];
  if (earlierImports.size === 0)
    return { tasks: new Map(), depends: [], records: new Map(), notes: new Map(), heldIds: new Set(), maxSiblings };
  const changedIds = items.flatMap(({ earlier, changed }) => (earlier && changed.size > 0 ? [earlier.taskId] : []));
  const claims = await store.claims.listForTasks(changedIds);
  const { isLapsed } = await createClaimJudge(ctx, claims);
  return {
    tasks: new Map((await store.tasks.listHierarchy()).map((task) => [task.id, task])),
    depends: await store.health.listDependencyEdges(),
    records: new Map((await store.tasks.getMany(changedIds)).map((record) => [record.id, record])),
    notes: await store.tasks.getNotes(changedIds),
    heldIds: new Set(claims.filter((claim) => !isLapsed(claim)).map(({ taskId }) => taskId)),
    maxSiblings,
  };
}

async function writePlan({ store, now }: MutationContext, plan: ImportPlan, source: string): Promise<void> {
  const reason = `imported from ${source}`;
  if (plan.created.length > 0) await store.tasks.insertMany(plan.created, 'imported');
  for (const { before, after, notes } of plan.updated) {
    // `canTakeStatus` keeps tasks with a claim in force active, so only lapsed claims are released here.
    if (before.status === 'active' && after.status !== 'active') await store.claims.release(before.id);
    const saved = await store.tasks.save(before, after, reason);
    await store.tasks.appendNotes(saved, notes);
  }
  const placements = new Map(plan.moved.map(({ id, placement }) => [id, placement]));
  for (const before of await store.tasks.getMany([...placements.keys()]))
    await store.tasks.save(before, applyPlacement(before, placements.get(before.id)!), reason);
  const newIds = new Set(plan.created.map(({ task }) => task.id));
  const candidates = plan.relations.filter(({ from, to }) => !newIds.has(from) && !newIds.has(to));
  const stored = new Set(
    (await store.tasks.listRelationsTouching(candidates.map(({ from }) => from))).flatMap(({ from, to }) => [
      `${from} ${to}`,
      `${to} ${from}`,
    ]),
  );
  for (const relation of plan.relations) if (!stored.has(`${relation.from} ${relation.to}`)) await store.tasks.relate(relation, 'imported');
  if (plan.mappings.length > 0) await store.imports.save(source, plan.mappings, now);
}

function formatCrowdedWarning(ids: TaskId[], maxSiblings: number): string[] {
  if (ids.length === 0) return [];
  const [first, ...more] = ids;
  const subject = more.length > 0 ? `${first} and ${more.length} more have` : `${first} has`;
  return [`${subject} more than ${maxSiblings} open children (hierarchy.maxSiblings); cleo add refuses more until some are done`];
}
