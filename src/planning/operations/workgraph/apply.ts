import { number, record, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { newTask, notesOf } from '#tasks/operations/shared/build.ts';
import { editRecord } from '#tasks/rules/edit.ts';
import type { Key, Planned, PlannedRelation } from '../../rules/workgraph-resolve.ts';
import { type Examined, examined } from '../shared/examine.ts';
import { Payload, readsPayload } from '../shared/payload.ts';

export const workgraphApply = mutation({
  name: 'workgraph.apply',
  summary: 'Make, change, delete and relate tasks as a WorkGraph says, all of it or nothing',
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
  cli: { command: 'workgraph apply', read: readsPayload },
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
    const plan = await examined(ctx, payload);
    const none = { created: 0, updated: 0, deleted: 0, related: 0 };
    if (plan.applied) return noChange({ workgraph: { digest: plan.digest, refs: plan.applied.refs, ...none } });
    const ids = await store.tasks.nextIds(plan.created.length);
    const idOf = new Map<Key, TaskId>(plan.created.map(({ key }, i) => [key, ids[i]!]));
    const known = (key: Key): TaskId => idOf.get(key) ?? key;
    // A relation that goes makes room for containment, one that comes must find it settled; what leaves a task that is deleted leaves first.
    for (const relation of plan.relations) if (relation.isRemoved) await unrelate(ctx, relation, known);
    await create(ctx, plan, known);
    for (const planned of plan.updated) await change(ctx, planned, known);
    await remove(ctx, plan);
    for (const relation of plan.relations) if (!relation.isRemoved) await relate(ctx, relation, known);
    const refs = Object.fromEntries(plan.created.flatMap(({ key, entry }) => (entry.ref ? [[entry.ref, known(key)]] : [])));
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
    await store.workgraphs.keep({ digest: plan.digest, refs, at: now, by: caller.agent });
    return { workgraph };
  },
});

type Known = (key: Key) => TaskId;

async function create(ctx: MutationContext, { created, facts }: Examined, known: Known): Promise<void> {
  const typeOf = new Map(created.map(({ key, type }) => [key, type]));
  const entries = created.map(({ key, type, parentId, depends, entry }) => {
    const { parent: _, ref: __, ...given } = entry;
    const above = parentId && { id: known(parentId), type: typeOf.get(parentId) ?? facts!.tasks.get(parentId)!.type };
    const task = newTask(ctx, known(key), { ...given, title: entry.title ?? '', type, depends: depends.map(known) }, above || undefined);
    return { task, notes: notesOf(ctx, entry.notes) };
  });
  await ctx.store.tasks.insertMany(entries);
}

async function change(ctx: MutationContext, { before, entry, parentId, depends }: Planned, known: Known): Promise<void> {
  if (!before) return;
  const { reason, notes, parent: _, depends: __, addDepends: ___, removeDepends: ____, ...edits } = entry;
  const after = editRecord(before, { ...edits, parent: parentId ? known(parentId) : 'none', depends: depends.map(known) });
  const saved = await ctx.store.tasks.save(before, after, reason);
  for (const note of notesOf(ctx, notes)) await ctx.store.tasks.appendNote(saved, note);
}

/** Deepest first, so that `restore` finds parents before their children; what goes together comes back together. */
async function remove({ store }: MutationContext, { deleted, facts }: Examined): Promise<void> {
  const above = (id: TaskId): TaskRecord[] => {
    const task = facts?.tasks.get(id);
    return task ? [task, ...(task.parentId ? above(task.parentId) : [])] : [];
  };
  const chains = [...deleted.keys()].map((id) => above(id)).sort((a, b) => b.length - a.length);
  for (const chain of chains) {
    const id = chain[0]!.id;
    const outermost = chain.findIndex((task) => !deleted.has(task.id));
    const root = chain.at((outermost < 0 ? chain.length : outermost) - 1)!.id;
    const waited = facts?.dependents.filter(({ from, to }) => from === id && !deleted.has(to)).map(({ to }) => to);
    await store.tasks.remove(id, root, waited ?? []);
  }
}

async function unrelate({ store }: MutationContext, { from, to, type }: PlannedRelation, known: Known): Promise<void> {
  await store.tasks.unrelate(known(from), known(to), type);
}

async function relate({ store }: MutationContext, { from, to, type, reason }: PlannedRelation, known: Known): Promise<void> {
  if (type) await store.tasks.relate({ from: known(from), to: known(to), type, reason });
}
