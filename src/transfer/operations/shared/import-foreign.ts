import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { isExpired } from '#tasks/rules/claims.ts';
import type { ForeignFile, Loss } from '../../model/foreign.ts';
import { draftOf, type Plan, planImport } from '../../rules/plan.ts';
import { shifted } from '../../rules/records.ts';
import type { Draft, Here } from '../../rules/scene.ts';

export interface Report {
  imported: number;
  updated: number;
  unchanged: number;
  ids: { id: string; taskId: TaskId }[];
  losses: Loss[];
  warnings: string[];
}

/** A file of another tool becomes tasks of ours, in this one transaction. */
export async function importForeign(ctx: MutationContext, file: ForeignFile, source: string): Promise<Report> {
  const { store, now, caller } = ctx;
  const draft = draftOf(file, await store.imports.known(source));
  const ids = await store.tasks.nextIds(draft.items.filter(({ known }) => !known).length);
  const plan = planImport(draft, await lookAround(ctx, draft), ids, now, caller.agent);
  await write(ctx, plan, source);
  const { losses, crowded } = plan;
  const changed = new Set(store.changes.updated);
  const inFile = plan.ids.filter(({ taskId }) => changed.has(taskId)).length;
  return {
    imported: plan.created.length,
    updated: changed.size,
    unchanged: draft.items.length - plan.created.length - inFile,
    ids: plan.ids,
    losses,
    warnings: crowdedText(crowded, ctx.config['hierarchy.maxSiblings']),
  };
}

/** What the file can touch. Where nothing of it is known, nothing here is: its tasks are tied to each other only. */
async function lookAround({ store, config, now }: MutationContext, { items, known }: Draft): Promise<Here> {
  const maxSiblings = config['hierarchy.maxSiblings'];
  if (known.size === 0) return { tasks: new Map(), depends: [], records: new Map(), notes: new Map(), held: new Set(), maxSiblings };
  const changed = items.flatMap(({ known: before, changed }) => (before && changed.size > 0 ? [before.taskId] : []));
  const moment = await store.claims.moment(now);
  const claims = await store.claims.among(changed);
  return {
    tasks: new Map((await store.tasks.kin()).map((task) => [task.id, task])),
    depends: await store.health.dependencyEdges(),
    records: new Map((await store.tasks.many(changed)).map((record) => [record.id, record])),
    notes: await store.tasks.notes(changed),
    held: new Set(claims.filter((claim) => !isExpired(claim, moment, config['claims.ttlMinutes'])).map(({ taskId }) => taskId)),
    maxSiblings,
  };
}

async function write({ store, now }: MutationContext, plan: Plan, source: string): Promise<void> {
  const reason = `imported from ${source}`;
  if (plan.created.length > 0) await store.tasks.insertMany(plan.created, 'imported');
  for (const { before, after, notes } of plan.updated) {
    // What is no longer active is nobody's; a claim that is in force keeps its task active.
    if (before.status === 'active' && after.status !== 'active') await store.claims.release(before.id);
    const saved = await store.tasks.save(before, after, reason);
    for (const note of notes) await store.tasks.appendNote(saved, note);
  }
  const standing = new Map(plan.shifted.map((one) => [one.id, one.standing]));
  for (const before of await store.tasks.many([...standing.keys()]))
    await store.tasks.save(before, shifted(before, standing.get(before.id)!), reason);
  const fresh = new Set(plan.created.map(({ task }) => task.id));
  const old = plan.relations.filter(({ from, to }) => !fresh.has(from) && !fresh.has(to));
  const there = new Set(
    (await store.tasks.relationsTouching(old.map(({ from }) => from))).flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]),
  );
  for (const relation of plan.relations) if (!there.has(`${relation.from} ${relation.to}`)) await store.tasks.relate(relation);
  if (plan.remembered.length > 0) await store.imports.remember(source, plan.remembered, now);
}

function crowdedText(ids: TaskId[], most: number): string[] {
  if (ids.length === 0) return [];
  const [first, ...more] = ids;
  return [
    `${first}${more.length > 0 ? ` and ${more.length} more` : ''} ${more.length > 0 ? 'hold' : 'holds'} more than ${most} open tasks (hierarchy.maxSiblings): none can be added there by hand until some are done`,
  ];
}
