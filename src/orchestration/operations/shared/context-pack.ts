import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { maxTokens } from '#core/page.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { findCitations } from '#memory/rules/find-citations.ts';
import { openManifest } from '#research/operations/shared/manifest.ts';
import { belongsTo, type ParsedManifest } from '#research/rules/manifest.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { toHistoryEntry } from '#tasks/rules/history.ts';
import { formatOmissions, formatPack } from '../../model/pack-text.ts';
import { fitPack, fitPackAroundTask, type PackAnswer, type PackFacts, summarizeChange } from '../../rules/context-pack.ts';

type PackContext = Pick<QueryContext, 'store' | 'config' | 'project' | 'commandWith'>;

/** Builds the context pack of a task within a token budget. `print` renders the whole answer that the pack is part of, so that the
 *  whole answer is measured. Throws E_VALIDATION with the smallest possible budget if this one is too small. */
export async function buildContextPack(
  ctx: PackContext,
  taskId: TaskId,
  budget: number,
  print?: (answer: PackAnswer) => string,
): Promise<PackAnswer> {
  const fitted = await tryContextPack(ctx, taskId, budget, print);
  if ('pack' in fitted) return fitted;
  throw createBudgetError(ctx, taskId, fitted.minBudget);
}

export const createBudgetError = ({ commandWith }: Pick<QueryContext, 'commandWith'>, taskId: TaskId, minBudget: number): CleoError =>
  new CleoError('E_VALIDATION', {
    field: 'budget',
    problem: `must be at least ${minBudget} for ${taskId}`,
    fix: commandWith({ budget: minBudget }),
  });

/** Like `buildContextPack`, but returns the smallest possible budget instead of throwing. */
export async function tryContextPack(
  ctx: PackContext,
  taskId: TaskId,
  budget: number,
  print: (answer: PackAnswer) => string = JSON.stringify,
): Promise<PackAnswer | { minBudget: number }> {
  const facts = await readPackFacts(ctx, taskId);
  // Both forms must fit: the text form must not contain more than the JSON form.
  const countTokens = (answer: PackAnswer): number => {
    const asJson = estimateTokens(print(answer));
    return asJson > budget ? asJson : Math.max(asJson, estimateTokens(formatPackAnswer(answer)));
  };
  return fitPack(facts, budget, countTokens, estimateCost);
}

/** Formats the pack for the prompt of a subagent: the task in full, and the budget for the context around it. */
export async function formatPackForPrompt(ctx: PackContext, taskId: TaskId, budget: number, manifest: ParsedManifest): Promise<string> {
  const facts = await readPackFacts(ctx, taskId, manifest);
  return formatPackAnswer(fitPackAroundTask(facts, budget, (answer) => estimateTokens(formatPackAnswer(answer)), estimateCost)).trimEnd();
}

export const estimateCost = (value: unknown): number => estimateTokens(JSON.stringify(value)) + 1;
const formatPackAnswer = ({ pack, omitted }: PackAnswer): string => `${formatPack(pack)}\n${formatOmissions(omitted)}\n`;

/** History entries beyond this number are only counted. */
const maxHistoryEntries = 400;

async function readPackFacts({ store, config, project }: PackContext, taskId: TaskId, manifest?: ParsedManifest): Promise<PackFacts> {
  const task = await requireTask(store, taskId);
  const ancestry = await store.tasks.getAncestry(taskId);
  const notes = ((await store.tasks.getNotes([taskId])).get(taskId) ?? []).toReversed();
  const unreadHistory = Math.max(0, (await store.tasks.countHistory(taskId, Number.MAX_SAFE_INTEGER)) - maxHistoryEntries);
  const changes = (await store.tasks.listHistory(taskId, { limit: maxHistoryEntries, offset: unreadHistory })).toReversed();
  const text = [task.title, task.description, ...task.acceptance.map((criterion) => criterion.text), ...notes.map((note) => note.text)];
  const cited = findCitations(text.filter((each) => each !== undefined).join('\n'));
  const linked = await store.memory.listForTask(taskId);
  const memories = [
    ...linked,
    ...(cited.length > 0 ? await store.memory.getHits(cited.filter((id) => linked.every((hit) => hit.id !== id))) : []),
  ];
  const claim = task.status === 'active' ? await store.claims.get(taskId) : undefined;
  const entries = (manifest ?? (await openManifest(project, config)).read()).entries.map(({ entry }) => entry).toReversed();
  const openDepends = task.status === 'done' ? [] : await store.tasks.listOpenDependencies(taskId);
  const dependents = (await store.tasks.listDependents(taskId)).map(({ id }) => id);
  return {
    task,
    holder: claim?.agent,
    children: await store.tasks.listChildren(taskId),
    blockers: [
      ...(task.status === 'blocked' && task.blockedBy ? [{ reason: task.blockedBy }] : []),
      ...(await store.tasks.getHits(openDepends)).map(toTaskRef),
    ],
    parents: (await store.tasks.getHits(ancestry.slice(1).map(({ id }) => id))).map((hit) => ({ ...toTaskRef(hit), type: hit.type })),
    depends: (await store.tasks.getHits(task.depends)).map(toTaskRef),
    dependents: (await store.tasks.getHits(dependents)).map(toTaskRef),
    docs: (await store.docs.listForTask(taskId)).map(({ slug, kind, title }) => ({ slug, kind, title })),
    research: [
      ...entries.filter((entry) => belongsTo(entry, taskId)),
      ...entries.filter((entry) => !belongsTo(entry, taskId) && task.depends.some((id) => belongsTo(entry, id))),
    ].map(({ id, title, status, key_findings }) => ({ id, title, status, ...omitEmpty({ findings: key_findings }) })),
    decisions: memories
      .filter(({ type }) => type === 'decision')
      .map(({ id, title, state, supersededBy }) => ({ id, title, state, ...defined({ supersededBy }) })),
    memory: memories
      .filter(({ type }) => type !== 'decision')
      .map(({ id, type, title, supersededBy }) => ({ id, type, title, ...defined({ supersededBy }) })),
    notes,
    // Notes have a list of their own.
    history: changes.filter(({ field }) => field !== 'notes').map((change) => summarizeChange(toHistoryEntry(taskId, change))),
    moreHistory: unreadHistory,
    maxTokens,
  };
}

const toTaskRef = ({ id, title, status }: TaskHit) => ({ id, title, status });
