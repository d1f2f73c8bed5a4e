import { array, description, literal, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { StatusSchema, type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { addToList, removeDuplicates } from '#lib/collections.ts';
import { defined } from '#lib/defined.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskEdge } from '#store/port/tasks.ts';
import type { TaskHit } from '../model/task.ts';
import { computeDeps, type DependencyLink, listBlockedMilestones, type TaskGraph } from '../rules/deps.ts';
import { listPrerequisites, type Milestone, parseMilestone } from '../rules/order.ts';
import { createNotFoundError } from './shared/require.ts';

const LinkedTask = strictObject({
  id: string(),
  title: string(),
  status: StatusSchema,
  via: optional(pipe(string(), description('The container that links the two'))),
});

export const tasksDeps = query({
  name: 'tasks.deps',
  summary: 'Show dependencies, blockers and critical path of a task',
  params: strictObject({ taskId: pipe(TaskIdSchema, description('The task')) }),
  result: strictObject({
    deps: strictObject({
      taskId: string(),
      upstream: array(LinkedTask),
      downstream: array(LinkedTask),
      blockers: array(strictObject({ id: string(), status: StatusSchema, root: optional(literal(true)) })),
      criticalPath: array(string()),
    }),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'deps', args: ['taskId'] },
  example: { world: ['T001', 'T002 depends T001', 'T003 depends T002'], call: { taskId: 'T002' } },
  async run({ store }, { taskId }) {
    const tasks = new Map<TaskId, TaskHit>();
    const graph: TaskGraph = {
      parentOf: new Map(),
      dependsOf: new Map(),
      childrenOf: new Map(),
      dependentsOf: new Map(),
      statusOf: new Map(),
    };
    await loadGraph(store, graph, tasks, createUpstreamWalk(taskId));
    if (!tasks.has(taskId)) throw await createNotFoundError(store, taskId);
    await loadGraph(store, graph, tasks, createDownstreamWalk(taskId));
    const { upstream, downstream, blockers, criticalPath } = computeDeps(taskId, graph);
    const toLinkedTask = ({ id, via }: DependencyLink) => {
      const { title, status } = tasks.get(id)!;
      return defined({ id, title, status, via });
    };
    return {
      deps: {
        taskId,
        upstream: upstream.map(toLinkedTask),
        downstream: downstream.map(toLinkedTask),
        blockers: blockers.map(({ id, isRoot }) => ({ id, status: tasks.get(id)!.status, ...(isRoot ? { root: true as const } : {}) })),
        criticalPath,
      },
    };
  },
});

interface GraphWalk {
  start: Milestone;
  step(milestone: Milestone, graph: TaskGraph): Milestone[];
  /** Loads the dependencies, or the dependents, of new tasks. */
  load(store: ReadStore, graph: TaskGraph, ids: TaskId[]): Promise<void>;
}

const createUpstreamWalk = (id: TaskId): GraphWalk => ({
  start: `begin ${id}`,
  step: listPrerequisites,
  async load(store, graph, ids) {
    for (const { id, depends } of await store.tasks.getLinks(ids)) graph.dependsOf.set(id, depends);
  },
});

const createDownstreamWalk = (id: TaskId): GraphWalk => ({
  start: `finish ${id}`,
  step: listBlockedMilestones,
  load: async (store, graph, ids) => addEdges(graph.dependentsOf, await store.tasks.listDependentIds(ids)),
});

/** Loads the graph in one direction, level by level, with one query for the links of each level. */
async function loadGraph(store: ReadStore, graph: TaskGraph, tasks: Map<TaskId, TaskHit>, { start, step, load }: GraphWalk): Promise<void> {
  const seen = new Set<Milestone>([start]);
  const loaded = new Set<TaskId>();
  for (let level: Milestone[] = [start]; level.length > 0; ) {
    const ids = removeDuplicates(level.map((milestone) => parseMilestone(milestone)[1])).filter((id) => !loaded.has(id));
    for (const id of ids) loaded.add(id);
    for (const hit of await store.tasks.getHits(ids.filter((id) => !tasks.has(id)))) {
      tasks.set(hit.id, hit);
      graph.statusOf.set(hit.id, hit.status);
      if (hit.parentId) graph.parentOf.set(hit.id, hit.parentId);
    }
    await load(store, graph, ids);
    addEdges(graph.childrenOf, await store.tasks.listOpenChildIds(ids.filter((id) => !graph.childrenOf.has(id))));
    const next: Milestone[] = [];
    for (const source of level)
      for (const to of step(source, graph)) {
        if (seen.has(to)) continue;
        seen.add(to);
        next.push(to);
      }
    level = next;
  }
}

function addEdges(map: Map<TaskId, TaskId[]>, edges: TaskEdge[]): void {
  for (const { from, to } of edges) addToList(map, from, to);
}
