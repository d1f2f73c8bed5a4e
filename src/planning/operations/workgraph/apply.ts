import { number, record, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { Dependent } from '#store/port/tasks.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { createNotes, createTask } from '#tasks/operations/shared/create-task.ts';
import { listDependentsByTask } from '#tasks/operations/shared/dependents.ts';
import { editRecord } from '#tasks/rules/edit.ts';
import type { GraphKey, GraphTask } from '../../rules/workgraph-resolve.ts';
import { type CheckedGraph, checkPayload, Payload, payloadInput } from '../shared/check-payload.ts';

export const workgraphApply = mutation({
  name: 'workgraph.apply',
  summary: 'Apply a WorkGraph in one transaction',
  params: strictObject({ payload: Payload }),
  result: strictObject({
    workgraph: strictObject({
      digest: string(),
      refs: record(string(), string()),
      created: number(),
      updated: number(),
      deleted: number(),
      related: number(),
    }),
  }),
  errors: ['E_VALIDATION'],
  tier: 1,
  maxBodyBytes: 32 << 20,
  cli: { command: 'workgraph apply', read: payloadInput },
  dryRun: true,
  example: {
    world: ['T001 epic', 'T002 in T001', 'T003 in T001'],
    call: {
      payload: {
        version: 1,
        create: [
          { ref: 'parse', type: 'task', title: 'Write the parser', parent: 'T001', acceptance: ['reads the grammar'] },
          { type: 'task', title: 'Test the parser', parent: 'T001', depends: ['parse'] },
        ],
        update: [{ id: 'T002', depends: ['parse'] }],
        delete: ['T003'],
        relations: [{ from: 'parse', to: 'T002', type: 'extends', reason: 'the tree is built from it' }],
      },
    },
  },
  async run(ctx, { payload }) {
    const { store, now, caller } = ctx;
    const plan = await checkPayload(ctx, payload);
    const none = { created: 0, updated: 0, deleted: 0, related: 0 };
    if (plan.applied) return noChange({ workgraph: { digest: plan.digest, refs: plan.applied.refs, ...none } });
    const ids = await store.tasks.nextIds(plan.created.length);
    const newIds = new Map<GraphKey, TaskId>(plan.created.map(({ key }, i) => [key, ids[i]!]));
    const toId = (key: GraphKey): TaskId => newIds.get(key) ?? key;
    // Removed relations go first, since a task cannot move below a related one; new relations come last, when all parents are final.
    // Updates come before deletions, so that they can move children out of a deleted task.
    for (const { from, to, type, isRemoved } of plan.relations) if (isRemoved) await store.tasks.unrelate(toId(from), toId(to), type);
    const dependents = await listDependentsByTask(store, [...plan.deleted.keys()]);
    await createTasks(ctx, plan, toId);
    for (const planned of plan.updated) await updateTask(ctx, planned, toId);
    await deleteTasks(ctx, plan, dependents);
    for (const { from, to, type, reason, isRemoved } of plan.relations)
      if (type && !isRemoved) await store.tasks.relate({ from: toId(from), to: toId(to), type, reason });
    const refs = Object.fromEntries(plan.created.flatMap(({ key, entry }) => (entry.ref ? [[entry.ref, toId(key)]] : [])));
    const { created, updated, deleted } = store.changes;
    const workgraph = {
      digest: plan.digest,
      refs,
      created: created.length,
      updated: updated.length,
      deleted: deleted.length,
      related: plan.relations.length,
    };
    if (created.length + updated.length + deleted.length === 0) return noChange({ workgraph: { ...workgraph, ...none } });
    await store.workgraphs.insert({ digest: plan.digest, refs, at: now, by: caller.agent });
    return { workgraph };
  },
});

type ResolveId = (key: GraphKey) => TaskId;

async function createTasks(ctx: MutationContext, { created, facts }: CheckedGraph, toId: ResolveId): Promise<void> {
  const types = new Map(created.map(({ key, type }) => [key, type]));
  const entries = created.map(({ key, type, parentId, depends, entry }) => {
    const { parent: _, ref: __, ...fields } = entry;
    const parent = parentId && { id: toId(parentId), type: types.get(parentId) ?? facts!.tasks.get(parentId)!.type };
    const task = createTask(ctx, toId(key), { ...fields, title: entry.title ?? '', type, depends: depends.map(toId) }, parent || undefined);
    return { task, notes: createNotes(ctx, entry.notes) };
  });
  await ctx.store.tasks.insertMany(entries);
}

async function updateTask(ctx: MutationContext, { before, entry, parentId, depends }: GraphTask, toId: ResolveId): Promise<void> {
  if (!before) return;
  const { reason, notes, parent: _, depends: __, addDepends: ___, removeDepends: ____, ...edits } = entry;
  const author = { agent: ctx.caller.agent, today: ctx.today };
  const after = editRecord(before, { ...edits, parent: parentId ? toId(parentId) : 'none', depends: depends.map(toId) }, author);
  const saved = await ctx.store.tasks.save(before, after, reason);
  await ctx.store.tasks.appendNotes(saved, createNotes(ctx, notes));
}

/** Deletes the deepest tasks first, so that `restore` finds parents before their children. A deleted subtree shares one root, so that
 *  it is restored as a whole. */
async function deleteTasks(
  { store }: MutationContext,
  { deleted, facts }: CheckedGraph,
  dependents: Map<TaskId, Dependent[]>,
): Promise<void> {
  const listAncestry = (id: TaskId): TaskRecord[] => {
    const task = facts?.tasks.get(id);
    return task ? [task, ...(task.parentId ? listAncestry(task.parentId) : [])] : [];
  };
  const chains = [...deleted.keys()].map(listAncestry).sort((a, b) => b.length - a.length);
  const removals = chains.map((chain) => {
    const id = chain[0]!.id;
    const outermost = chain.findIndex((task) => !deleted.has(task.id));
    const root = chain.at((outermost < 0 ? chain.length : outermost) - 1)!.id;
    return { id, root, dependents: dependents.get(id) ?? [] };
  });
  await store.deletions.removeMany(removals);
}
