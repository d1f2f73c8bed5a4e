import type { QueryContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { checkSessionsAround } from '#tasks/operations/shared/moved.ts';
import { reachable } from '#tasks/operations/shared/order.ts';
import { isExpired, isHolder } from '#tasks/rules/claims.ts';
import type { AppliedGraph } from '../../model/workgraph.ts';
import { type GraphFacts, judgeGraph, placeInEnd } from '../../rules/workgraph.ts';
import { type Finding, finding, readGraph } from '../../rules/workgraph-read.ts';
import { idsNamed, type Planned, type Resolved, resolveGraph } from '../../rules/workgraph-resolve.ts';

type Here = Pick<QueryContext, 'store' | 'now' | 'caller' | 'config' | 'session' | 'platform' | 'commandAs'>;

export interface Examined extends Resolved {
  digest: string;
  /** It has been applied before; then nothing of it is looked up again. */
  applied?: AppliedGraph;
  /** What is known of all that it touches. */
  facts?: GraphFacts;
}

/** The payload, looked up and judged as a whole; refused (6) with everything that is wrong with it. */
export async function examined(ctx: Here, payload: unknown): Promise<Examined> {
  const { store, session, platform } = ctx;
  const { graph, findings } = readGraph(payload);
  // The order of keys and blanks between them make no other payload.
  const digest = findings.length === 0 ? platform.sha256(JSON.stringify(payload, sortKeys)) : '';
  const applied = digest && (await store.workgraphs.applied(digest));
  if (applied) return { created: [], updated: [], deleted: new Map(), relations: [], findings, digest, applied };
  const root = session?.scope.root;
  const tasks = new Map((await store.tasks.many([...idsNamed(graph), ...(root ? [root] : [])])).map((task) => [task.id, task]));
  const resolved = resolveGraph(graph, tasks, root === undefined ? undefined : tasks.get(root));
  const facts = await factsOf(ctx, resolved, tasks);
  const all = [...findings, ...resolved.findings, ...judgeGraph(resolved, facts), ...(await sessionsAround(ctx, resolved, facts))];
  if (all.length > 0) throw refusal(all);
  return { ...resolved, digest, facts };
}

const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

function refusal(findings: Finding[]): CleoError {
  const [first] = findings;
  return new CleoError('E_VALIDATION', {
    field: 'workgraph',
    problem: `has ${findings.length === 1 ? 'one finding' : `${findings.length} findings, the first`} at ${first?.pointer || 'its top'}: ${first?.message}`,
    fix: 'cleo help workgraph validate',
    findings,
  });
}

/** Moves that would take something held out of its scope, or one session into another. */
async function sessionsAround(ctx: Here, resolved: Resolved, facts: GraphFacts): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const planned of resolved.updated) {
    if (!planned.before || planned.before.parentId === planned.parentId) continue;
    try {
      await checkSessionsAround(ctx, planned.before.id, placeInEnd(resolved, facts, planned));
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      found.push(finding(`${planned.pointer}/parent`, error));
    }
  }
  return found;
}

async function factsOf(
  { store, now, caller, config, session }: Here,
  resolved: Resolved,
  tasks: Map<TaskId, TaskRecord>,
): Promise<GraphFacts> {
  const { created, updated, deleted } = resolved;
  const moved = updated.filter(({ before, parentId, type }) => before && (before.parentId !== parentId || before.type !== type));
  const touched = [...moved.map(({ key }) => key), ...deleted.keys()];
  const children = await store.tasks.childIds(touched);
  const wider = [...created, ...moved].flatMap(({ parentId }) => (parentId && tasks.has(parentId) ? [parentId] : []));
  await withKin(
    store,
    tasks,
    children.map(({ to }) => to),
  );
  const moment = await store.claims.moment(now);
  return {
    tasks,
    children,
    openChildren: await store.tasks.openChildIds([...new Set(wider)]),
    dependents: await store.tasks.dependentIds([...deleted.keys()]),
    relations: await store.tasks.relationsTouching(moved.map(({ key }) => key)),
    claims: (await store.claims.among(touched)).filter(
      (claim) => !isHolder(claim, caller) && !isExpired(claim, moment, config['claims.ttlMinutes']),
    ),
    links: await reachable(store, [
      ...created.map(linkOf),
      ...updated.map(linkOf),
      ...[...deleted.keys()].map((id) => ({ id, depends: [] })),
    ]),
    maxSiblings: config['hierarchy.maxSiblings'],
    session,
  };
}

const linkOf = ({ key, parentId, depends }: Planned) => ({ id: key, parentId, depends });

/** Adds these, and what any of them is inside of, level by level. */
async function withKin(store: ReadStore, tasks: Map<TaskId, TaskRecord>, ids: TaskId[]): Promise<void> {
  const lacking = (wanted: (TaskId | undefined)[]): TaskId[] => [...new Set(wanted)].filter((id): id is TaskId => !!id && !tasks.has(id));
  let next = lacking([...ids, ...[...tasks.values()].map(({ parentId }) => parentId)]);
  while (next.length > 0) {
    const found = await store.tasks.many(next);
    for (const task of found) tasks.set(task.id, task);
    next = lacking(found.map(({ parentId }) => parentId));
  }
}
