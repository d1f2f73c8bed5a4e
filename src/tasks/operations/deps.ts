import { array, description, is, literal, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { StatusSchema, type TaskId } from '#core/model/scalars.ts';
import { addToList, defined, omitEmpty, removeDuplicates } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskEdge } from '#store/port/tasks.ts';
import { type TaskHit, Timestamp } from '../model/task.ts';
import { computeDeps, type DependencyLink, directions, type TaskGraph } from '../rules/deps.ts';
import { type Milestone, parseMilestone } from '../rules/order.ts';
import { TaskParam } from './shared/params.ts';
import { createNotFoundError } from './shared/require.ts';

const LinkedTask = strictObject({
  id: string(),
  title: string(),
  status: StatusSchema,
  via: optional(pipe(string(), description('The container that links the two'))),
});

/** A dependency on a task of another project, as the last sync saw it. Only `nexus deps` reads the other project. */
const RemoteTask = strictObject({ project: string(), id: string(), title: string(), status: optional(StatusSchema), seenAt: Timestamp });

export const tasksDeps = query({
  name: 'tasks.deps',
  summary: 'Show dependencies, blockers and critical path of a task',
  params: strictObject({ taskId: TaskParam }),
  synonyms: ['dependencies', 'blockers'],
  result: strictObject({
    deps: strictObject({
      taskId: string(),
      upstream: array(LinkedTask),
      downstream: array(LinkedTask),
      blockers: array(strictObject({ id: string(), status: StatusSchema, root: optional(literal(true)) })),
      criticalPath: array(string()),
      remote: optional(pipe(array(RemoteTask), description('Tasks of other projects that it depends on, at the last sync'))),
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
    await loadGraph(store, graph, tasks, taskId, 'upstream');
    if (!tasks.has(taskId)) throw await createNotFoundError(store, taskId);
    await loadGraph(store, graph, tasks, taskId, 'downstream');
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
        ...omitEmpty({ remote: await listRemoteTasks(store, taskId) }),
      },
    };
  },
});

async function listRemoteTasks(store: ReadStore, taskId: TaskId) {
  const rows = await store.nexus.listForTask(taskId);
  return rows.map(({ project, remoteId, remoteTitle, remoteStatus, syncedAt }) => ({
    project,
    id: remoteId,
    title: remoteTitle,
    ...(is(StatusSchema, remoteStatus) ? { status: remoteStatus } : {}),
    seenAt: syncedAt,
  }));
}

/** Loads the graph in one direction, level by level, with one query for the links of each level. */
async function loadGraph(
  store: ReadStore,
  graph: TaskGraph,
  tasks: Map<TaskId, TaskHit>,
  taskId: TaskId,
  direction: keyof typeof directions,
): Promise<void> {
  const { start: kind, step } = directions[direction];
  const start: Milestone = `${kind} ${taskId}`;
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
    if (direction === 'upstream') for (const { id, depends } of await store.tasks.getLinks(ids)) graph.dependsOf.set(id, depends);
    else addEdges(graph.dependentsOf, await store.tasks.listDependentIds(ids));
    addEdges(graph.childrenOf, await store.tasks.listOpenChildIds(ids.filter((id) => !graph.childrenOf.has(id))));
    level = removeDuplicates(level.flatMap((source) => step(source, graph))).filter((to) => !seen.has(to));
    for (const milestone of level) seen.add(milestone);
  }
}

function addEdges(map: Map<TaskId, TaskId[]>, edges: TaskEdge[]): void {
  for (const { from, to } of edges) addToList(map, from, to);
}
