import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, toTaskId, toTaskNumber } from '#core/model/scalars.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import type { ForeignMemory, ForeignStream, ImportLoss } from '../../model/foreign.ts';
import type { ImportTool } from '../../rules/detect-tool.ts';
import { formatHiddenTextWarning } from '../../rules/hidden-text.ts';
import { comparedFields, diffDigests, digestRecord } from '../../rules/import-base.ts';
import {
  createImportDraft,
  type EarlierImport,
  type ImportDraft,
  type ImportItem,
  type LocalChanges,
  toEarlierImport,
} from '../../rules/import-draft.ts';
import type { StoreSnapshot } from '../../rules/import-state.ts';
import { type PlanOptions, planImport } from '../../rules/plan.ts';
import { archiveRecord, selectPrunable } from '../../rules/prune.ts';
import { loadBases, splitBatches, writePlan } from './write-import.ts';

interface ImportOptions extends PlanOptions {
  /** The tool whose files are read. Records that an export wrote then belong to their tasks. */
  tool?: ImportTool;
  isStrict: boolean;
  prunes: boolean;
}

/** Imports the tasks of another tool in the transaction of the call. */
export async function importForeign(ctx: MutationContext, stream: ForeignStream, source: string, options: ImportOptions) {
  const { store } = ctx;
  const report = (phase: string, done: number, total?: number): void =>
    ctx.observe?.('import_progress', { phase, done, ...(total === undefined ? {} : { total }) }, {});
  const draft = await readDraft(ctx, { ...stream, source }, (count) => report('read', count));
  if (options.isStrict) checkNoProblems(draft.losses);
  if (draft.isOlder) return answerOlder(draft);
  if (options.tool) await (await import('./match-exported.ts')).matchExported(ctx, draft, options.tool);
  await readLocalChanges(ctx, draft);
  const ids = await store.tasks.nextIds(draft.items.filter(({ earlier }) => !earlier).length);
  const snapshot = await readSnapshot(ctx, draft);
  const plan = planImport(draft, snapshot, ids, options);
  const total = plan.created.length + plan.updated.length;
  const { hiddenIds, conflicts } = await writePlan(ctx, draft, plan, source, options.policy, (done) => report('write', done, total));
  const gone = await handleGone(ctx, draft, options.prunes, source);
  const memoryCount = await storeMemories(ctx, draft.memories, stream.source);
  const changed = new Set(store.changes.updated);
  const inFile = plan.ids.filter(({ taskId }) => changed.has(taskId)).length;
  const olderCount = draft.items.filter(({ isOlder }) => isOlder).length;
  return {
    imported: plan.created.length,
    updated: changed.size,
    unchanged: draft.items.length - plan.created.length - inFile,
    pruned: gone.pruned,
    memories: memoryCount,
    ids: plan.ids,
    losses: [...plan.losses, ...gone.losses],
    conflicts: [...plan.conflicts, ...conflicts],
    warnings: [
      ...(olderCount > 0 ? [`${olderCount} records are older than at the last import; they changed nothing`] : []),
      ...formatCrowdedWarning(plan.crowdedParents, ctx.config['hierarchy.maxSiblings']),
      ...formatHiddenTextWarning(hiddenIds),
    ],
  };
}

/** Reads the files to their end. The transaction is used meanwhile: reading 100 MiB takes seconds, after which PostgreSQL would end it as that of
 *  a client that vanished, and a server has to answer other calls. */
async function readDraft(ctx: MutationContext, stream: ForeignStream, report: (count: number) => void): Promise<ImportDraft> {
  const reading = createImportDraft(stream, await readEarlierImports(ctx, stream.source));
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    // Each time another statement: the rows of one that was read before are kept.
    await ctx.store.tasks.exists(toTaskId(step.value));
    if (step.value % 1000 === 0) report(step.value);
  }
  return step.value;
}

/** Reads the records of earlier imports in short, those known by an alias only last. */
async function readEarlierImports({ store }: MutationContext, source: string): Promise<Map<string, EarlierImport>> {
  const known: { id: string; earlier: EarlierImport }[] = [];
  await store.imports.visitKnown(source, (id, one) => known.push({ id, earlier: toEarlierImport(one) }));
  const rank = ({ theirs }: EarlierImport): number => (theirs === undefined ? 1 : 0);
  known.sort(
    (a, b) =>
      rank(a.earlier) - rank(b.earlier) || toTaskNumber(a.earlier.taskId) - toTaskNumber(b.earlier.taskId) || (a.id < b.id ? -1 : 1),
  );
  const earlierImports = new Map<string, EarlierImport>();
  for (const { id, earlier } of known) earlierImports.set(id, earlier);
  return earlierImports;
}

/** Lists all problems at once, so that a file is not repaired one error at a time. */
function checkNoProblems(losses: ImportLoss[]): void {
  const problems = losses.filter(({ isProblem }) => isProblem);
  if (problems.length === 0) return;
  const shown = problems.slice(0, 20).map(({ id, why }) => `${id}: ${why.replace(/; skipped$/, '')}`);
  const rest = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : '';
  throw new CleoError('E_INVALID_INPUT', {
    problem: `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}, and none is allowed: ${shown.join('; ')}${rest}; nothing was imported`,
    fix: 'cleo help import',
  });
}

function answerOlder({ items, importedUntil }: ImportDraft) {
  const latest = items.reduce((last, { updatedAt = '' }) => (updatedAt > last ? updatedAt : last), '');
  return {
    imported: 0,
    updated: 0,
    unchanged: items.length,
    pruned: 0,
    memories: 0,
    ids: [],
    losses: [],
    conflicts: [],
    warnings: [`this file is older (${latest}) than what was imported last (${importedUntil}); nothing was changed`],
  };
}

/** Finds the fields that were changed here since the last import. A task with the revision of then was not changed. */
async function readLocalChanges(ctx: MutationContext, draft: ImportDraft): Promise<void> {
  const { store } = ctx;
  const touched = draft.items.filter(({ earlier }) => earlier && earlier.state !== 'deleted' && !earlier.isUntouched);
  for (const some of splitBatches(touched)) {
    await loadBases(ctx, draft.source, some);
    const records = new Map((await store.tasks.getMany(some.map(({ earlier }) => earlier!.taskId))).map((record) => [record.id, record]));
    for (const item of some) {
      const record = records.get(item.earlier!.taskId);
      if (record)
        item.local = {
          changed: listLocalChanges(draft, item, digestRecord(record)),
          updatedAt: record.updatedAt,
          hasEvidence: record.acceptance.some(({ kind }) => kind === 'evidence_bound'),
        };
    }
  }
}

/** A base of an earlier version does not know the task: what did not change in the source then counts as changed here. */
function listLocalChanges(draft: ImportDraft, item: ImportItem, digest: string): LocalChanges['changed'] {
  const base = draft.parseBase(item);
  if (base && base.ours === undefined) return new Set(comparedFields.filter((field) => !item.changed.has(field)));
  return diffDigests(base?.ours, digest);
}

/** Reads the stored tasks that the import can affect. A first import affects none, because its tasks link only to each other. */
async function readSnapshot(ctx: MutationContext, { items, earlierImports }: ImportDraft): Promise<StoreSnapshot> {
  const { store, config } = ctx;
  const maxSiblings = config['hierarchy.maxSiblings'];
  const requiresEvidence = config['verification.required'];
  if (earlierImports.size === 0) return { tasks: new Map(), depends: [], heldIds: new Set(), maxSiblings, requiresEvidence };
  const touchedIds = items.flatMap(({ local, earlier }) => (local ? [earlier!.taskId] : []));
  const claims = await store.claims.listForTasks(touchedIds);
  const { isLapsed } = await createClaimJudge(ctx, claims);
  return {
    tasks: await readPositions(ctx),
    depends: await store.health.listDependencyEdges(),
    heldIds: new Set(claims.filter((claim) => !isLapsed(claim)).map(({ taskId }) => taskId)),
    maxSiblings,
    requiresEvidence,
  };
}

async function readPositions({ store }: MutationContext): Promise<StoreSnapshot['tasks']> {
  const positions: StoreSnapshot['tasks'] = new Map();
  for (const task of await store.tasks.listHierarchy()) positions.set(task.id, task);
  return positions;
}

/** Reports records that are gone from the source, and archives their tasks if the caller asked for it. */
async function handleGone(ctx: MutationContext, { gone }: ImportDraft, prunes: boolean, source: string) {
  const { store, now } = ctx;
  const losses: ImportLoss[] = [];
  const reports = new Map(
    gone.map(({ id, earlier, isDeleted }) => [earlier.taskId, { id, what: isDeleted ? `deleted in ${source}` : 'gone from the file' }]),
  );
  const reportGone = (taskId: TaskId, why: string): void => {
    const { id, what } = reports.get(taskId)!;
    losses.push({ id, field: 'task', why: `${what}; ${why}` });
  };
  if (!prunes) {
    for (const taskId of reports.keys()) reportGone(taskId, `${taskId} stays; prune archives it`);
    return { pruned: 0, losses };
  }
  const claims = await store.claims.listForTasks([...reports.keys()]);
  const { isLapsed } = await createClaimJudge(ctx, claims);
  const held = new Set(claims.filter((claim) => !isLapsed(claim)).map(({ taskId }) => taskId));
  const tasks = await readPositions(ctx);
  const { prunable, kept } = selectPrunable(
    [...reports.keys()].filter((id) => !held.has(id)),
    tasks,
  );
  for (const id of held) reportGone(id, `an agent holds ${id}; it stays`);
  for (const id of kept) reportGone(id, `${id} contains open tasks; it stays`);
  let pruned = 0;
  for (const some of splitBatches(prunable))
    for (const before of await store.tasks.getMany(some)) {
      if (before.status !== 'done' && before.acceptance.some(({ kind }) => kind === 'evidence_bound')) {
        reportGone(before.id, `${before.id} needs evidence, so that a person has to cancel it`);
        continue;
      }
      if (before.status === 'active') await store.claims.release(before.id);
      await store.tasks.save(before, archiveRecord(before, now), `gone from ${source}`);
      reportGone(before.id, `${before.id} is archived`);
      pruned += 1;
    }
  return { pruned, losses };
}

/** Stores what the other tool remembers as observations. The same text is stored once. */
async function storeMemories(ctx: MutationContext, memories: ForeignMemory[], source: string): Promise<number> {
  if (memories.length === 0) return 0;
  const { storeForeignMemory } = await import('#memory/operations/shared/foreign-memory.ts');
  let stored = 0;
  for (const { key, text } of memories) if (await storeForeignMemory(ctx, key, text, source)) stored += 1;
  return stored;
}

function formatCrowdedWarning(ids: TaskId[], maxSiblings: number): string[] {
  if (ids.length === 0) return [];
  const [first, ...more] = ids;
  const subject = more.length > 0 ? `${first} and ${more.length} more have` : `${first} has`;
  return [`${subject} more than ${maxSiblings} open children (hierarchy.maxSiblings); cleo add refuses more until some are done`];
}
