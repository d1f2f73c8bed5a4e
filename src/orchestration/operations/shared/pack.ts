import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { mostTokens } from '#core/page.ts';
import { estimateTokens } from '#lib/tokens.ts';
import type { MemoryHit } from '#memory/model/memory.ts';
import { citedIn } from '#memory/rules/memory-cites.ts';
import { manifestOf } from '#research/operations/shared/manifest.ts';
import { belongsTo, type Manifest } from '#research/rules/manifest.ts';
import type { TaskHit } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { shownChange } from '#tasks/rules/history.ts';
import { omittedText, packText } from '../../model/pack-text.ts';
import { briefChange, type PackAnswer, type PackFacts, packAround, packWithin } from '../../rules/context-pack.ts';

type Here = Pick<QueryContext, 'store' | 'config' | 'project' | 'commandWith'>;

/** The context pack of a task within a budget. `printed` is the whole answer that it becomes part of; alone, it is measured as it is.
 *  Refuses (6) a budget that not even the shortest form fits in, and says which one would do. */
export async function contextPack(
  ctx: Here,
  taskId: TaskId,
  budget: number,
  printed?: (answer: PackAnswer) => string,
): Promise<PackAnswer> {
  const found = await findPack(ctx, taskId, budget, printed);
  if ('pack' in found) return found;
  throw new CleoError('E_VALIDATION', {
    field: 'budget',
    problem: `must be at least ${found.least} for ${taskId}`,
    fix: ctx.commandWith({ budget: found.least }),
  });
}

/** The same, or the least budget that would do. */
export async function findPack(
  ctx: Here,
  taskId: TaskId,
  budget: number,
  printed: (answer: PackAnswer) => string = JSON.stringify,
): Promise<PackAnswer | { least: number }> {
  const facts = await packFacts(ctx, taskId);
  // Whoever reads it as a text must not get more than whoever reads it as JSON.
  const tokensOf = (answer: PackAnswer): number => {
    const asJson = estimateTokens(printed(answer));
    return asJson > budget ? asJson : Math.max(asJson, estimateTokens(textOf(answer)));
  };
  return packWithin(facts, budget, tokensOf, cost);
}

/** The pack as a text for the prompt of a subagent: the task itself whole, and the budget for what surrounds it. */
export async function packForPrompt(ctx: Here, taskId: TaskId, budget: number, manifest: Manifest): Promise<string> {
  const facts = await packFacts(ctx, taskId, manifest);
  return textOf(packAround(facts, budget, (answer) => estimateTokens(textOf(answer)), cost)).trimEnd();
}

const cost = (value: unknown): number => estimateTokens(JSON.stringify(value)) + 1;
const textOf = ({ pack, omitted }: PackAnswer): string => `${packText(pack)}\n${omittedText(omitted)}\n`;

/** More changes than a model would read; the rest is counted. */
const mostRead = 400;

async function packFacts({ store, config, project }: Here, taskId: TaskId, manifest?: Manifest): Promise<PackFacts> {
  const task = await requireTask(store, taskId);
  const ancestry = await store.tasks.ancestry(taskId);
  const notes = ((await store.tasks.notes([taskId])).get(taskId) ?? []).toReversed();
  const unread = Math.max(0, (await store.tasks.countHistory(taskId, Number.MAX_SAFE_INTEGER)) - mostRead);
  const changes = (await store.tasks.history(taskId, { limit: mostRead, offset: unread })).toReversed();
  const text = [task.title, task.description, ...task.acceptance.map((criterion) => criterion.text), ...notes.map((note) => note.text)];
  const cited = citedIn(text.filter((each) => each !== undefined).join('\n'));
  const linked = await store.memory.about(taskId);
  const known = [
    ...linked,
    ...(cited.length > 0 ? await store.memory.hits(cited.filter((id) => linked.every((hit) => hit.id !== id))) : []),
  ];
  const held = task.status === 'active' ? await store.claims.of(taskId) : undefined;
  const entries = (manifest ?? (await manifestOf(project, config)).read()).entries.map(({ entry }) => entry).toReversed();
  const open = task.status === 'done' ? [] : await store.tasks.openDepends(taskId);
  const dependents = (await store.tasks.dependents(taskId)).map(({ id }) => id);
  return {
    task,
    holder: held?.agent,
    children: await store.tasks.children(taskId),
    blockers: [
      ...(task.status === 'blocked' && task.blockedBy ? [{ reason: task.blockedBy }] : []),
      ...(await store.tasks.hits(open)).map(kinOf),
    ],
    parents: (await store.tasks.hits(ancestry.slice(1).map(({ id }) => id))).map((hit) => ({ ...kinOf(hit), type: hit.type })),
    depends: (await store.tasks.hits(task.depends)).map(kinOf),
    dependents: (await store.tasks.hits(dependents)).map(kinOf),
    docs: (await store.docs.of(taskId)).map(({ slug, kind, title }) => ({ slug, kind, title })),
    research: [
      ...entries.filter((entry) => belongsTo(entry, taskId)),
      ...entries.filter((entry) => !belongsTo(entry, taskId) && task.depends.some((id) => belongsTo(entry, id))),
    ].map(({ id, title, status, key_findings }) => ({ id, title, status, ...(key_findings.length ? { findings: key_findings } : {}) })),
    decisions: known
      .filter(({ type }) => type === 'decision')
      .map((hit) => ({ id: hit.id, title: hit.title, state: hit.state, ...successor(hit) })),
    memory: known
      .filter(({ type }) => type !== 'decision')
      .map((hit) => ({ id: hit.id, type: hit.type, title: hit.title, ...successor(hit) })),
    notes,
    // Notes are told above.
    history: changes.filter(({ field }) => field !== 'notes').map((change) => briefChange(shownChange(taskId, change))),
    moreHistory: unread,
    mostTokens,
  };
}

const kinOf = ({ id, title, status }: TaskHit) => ({ id, title, status });
const successor = ({ supersededBy }: MemoryHit) => (supersededBy ? { supersededBy } : {});
