import { description, metadata, pipe, unknown } from 'valibot';
import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { loadReachableLinks } from '#tasks/operations/shared/order.ts';
import { checkSessionScopes } from '#tasks/operations/shared/reparent-checks.ts';
import { isHolder } from '#tasks/rules/claims.ts';
import type { AppliedGraph } from '../../model/workgraph.ts';
import { findGraphErrors, type GraphFacts, isMoved, listFinalAncestors } from '../../rules/workgraph-check.ts';
import { type GraphFinding, parseGraph, toFinding } from '../../rules/workgraph-parse.ts';
import { type GraphTask, listNamedIds, type ResolvedGraph, resolveGraph } from '../../rules/workgraph-resolve.ts';
import { resolvePayloadAliases } from './payload-aliases.ts';

/** Accepts any value, because `checkPayload` reports all problems at once with their pointers. */
export const Payload = pipe(
  unknown(),
  description('WorkGraph {version: 1, create, update, delete, relations}; see schemas/workgraph.schema.json'),
  metadata({ jsonSchema: { type: 'object' }, value: 'FILE' }),
);

export const payloadInput = { payload: { flag: 'file', as: 'json' as const } };

type PayloadContext = Pick<
  QueryContext,
  'store' | 'now' | 'today' | 'caller' | 'config' | 'session' | 'platform' | 'commandAs' | 'requireScope' | 'mayHaveScope'
>;

export interface CheckedGraph extends ResolvedGraph {
  digest: string;
  /** Set if the same payload was applied before; then nothing else is checked. */
  applied?: AppliedGraph;
  facts?: GraphFacts;
}

/** Parses, resolves and checks a payload; throws E_VALIDATION (6) with all findings. */
export async function checkPayload(ctx: PayloadContext, payload: unknown): Promise<CheckedGraph> {
  const { store, session, platform } = ctx;
  const { graph, findings } = parseGraph(await resolvePayloadAliases(store, payload));
  // Key order and white space do not change the digest.
  const digest = findings.length === 0 ? platform.sha256(toCanonicalJson(payload)) : '';
  const applied = digest && (await store.workgraphs.getApplied(digest));
  if (applied) return { created: [], updated: [], deleted: new Map(), relations: [], findings, digest, applied };
  const root = session?.scope.root;
  const tasks = new Map((await store.tasks.getMany([...listNamedIds(graph), ...(root ? [root] : [])])).map((task) => [task.id, task]));
  const resolved = resolveGraph(graph, tasks, root === undefined ? undefined : tasks.get(root));
  const facts = await readGraphFacts(ctx, resolved, tasks);
  const all = [...findings, ...resolved.findings, ...findGraphErrors(resolved, facts), ...(await findSessionErrors(ctx, resolved, facts))];
  if (all.length > 0) throw createPayloadError(all);
  return { ...resolved, digest, facts };
}

function createPayloadError(findings: GraphFinding[]): CleoError {
  const [first] = findings;
  return new CleoError('E_VALIDATION', {
    field: 'workgraph',
    problem: `has ${findings.length === 1 ? 'one finding' : `${findings.length} findings, the first`} at ${first?.pointer || 'the top level'}: ${first?.message}`,
    fix: 'cleo help workgraph validate',
    findings,
  });
}

/** Finds moves that would take a claimed task out of its session's scope, or one session into another. */
async function findSessionErrors(ctx: PayloadContext, resolved: ResolvedGraph, facts: GraphFacts): Promise<GraphFinding[]> {
  const found: GraphFinding[] = [];
  for (const planned of resolved.updated) {
    if (!planned.before || planned.before.parentId === planned.parentId) continue;
    try {
      await checkSessionScopes(ctx, planned.before.id, listFinalAncestors(resolved, facts, planned));
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      found.push(toFinding(`${planned.pointer}/parent`, error));
    }
  }
  return found;
}

async function readGraphFacts(ctx: PayloadContext, resolved: ResolvedGraph, tasks: Map<TaskId, TaskRecord>): Promise<GraphFacts> {
  const { store, caller, config, session } = ctx;
  const { created, updated, deleted } = resolved;
  const moved = updated.filter(isMoved);
  const touched = [...moved.map(({ key }) => key), ...deleted.keys()];
  const children = await store.tasks.listChildIds(touched);
  const newParents = [...created, ...moved].flatMap(({ parentId }) => (parentId && tasks.has(parentId) ? [parentId] : []));
  await addAncestors(
    store,
    tasks,
    children.map(({ to }) => to),
  );
  const claims = await store.claims.listForTasks(touched);
  const { judge, isLapsed } = await createClaimJudge(ctx, claims);
  return {
    tasks,
    children,
    openChildren: await store.tasks.listOpenChildIds([...new Set(newParents)]),
    dependents: await store.tasks.listDependentIds([...deleted.keys()]),
    relations: await store.tasks.listRelationsTouching(moved.map(({ key }) => key)),
    claims: claims.filter((claim) => !isHolder(claim, caller) && !isLapsed(claim)).map((claim) => ({ ...claim, state: judge(claim) })),
    links: await loadReachableLinks(store, [
      ...created.map(toLink),
      ...updated.map(toLink),
      ...[...deleted.keys()].map((id) => ({ id, depends: [] })),
    ]),
    maxSiblings: config['hierarchy.maxSiblings'],
    session,
  };
}

const toLink = ({ key, parentId, depends }: GraphTask) => ({ id: key, parentId, depends });

/** Adds these tasks and the ancestors of all tasks to the map, level by level. */
async function addAncestors(store: ReadStore, tasks: Map<TaskId, TaskRecord>, ids: TaskId[]): Promise<void> {
  const listMissing = (ids: (TaskId | undefined)[]): TaskId[] => [...new Set(ids)].filter((id): id is TaskId => !!id && !tasks.has(id));
  let next = listMissing([...ids, ...[...tasks.values()].map(({ parentId }) => parentId)]);
  while (next.length > 0) {
    const found = await store.tasks.getMany(next);
    for (const task of found) tasks.set(task.id, task);
    next = listMissing(found.map(({ parentId }) => parentId));
  }
}
