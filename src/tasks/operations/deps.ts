import { array, description, literal, optional, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { Status, TaskId } from '#core/model/scalars.ts';
import type { Edge, ReadStore } from '#store/port.ts';
import type { TaskHit } from '../model/task.ts';
import { type Around, depsOf, type Linked, waitedForBy } from '../rules/deps.ts';
import { type Moment, waitsFor } from '../rules/order.ts';
import { notFound } from './shared/require.ts';

const LinkedTask = strictObject({
  id: string(),
  title: string(),
  status: Status,
  via: optional(pipe(string(), description('The container through which the two are linked'))),
});

export const tasksDeps = query({
  name: 'tasks.deps',
  summary: 'Show what a task waits for and what waits for it, what blocks it at the root, and its critical path',
  params: strictObject({ taskId: pipe(TaskId, description('The task in the middle')) }),
  result: strictObject({
    deps: strictObject({
      taskId: string(),
      upstream: array(LinkedTask),
      downstream: array(LinkedTask),
      blockers: array(strictObject({ id: string(), status: Status, root: optional(literal(true)) })),
      criticalPath: array(string()),
    }),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'deps', args: ['taskId'] },
  example: { world: ['T001', 'T002 depends T001', 'T003 depends T002'], call: { taskId: 'T002' } },
  async run({ store }, { taskId }) {
    const tasks = new Map<TaskId, TaskHit>();
    const around: Around = {
      parentOf: new Map(),
      dependsOf: new Map(),
      childrenOf: new Map(),
      dependentsOf: new Map(),
      statusOf: new Map(),
    };
    await explore(store, around, tasks, up(taskId));
    if (!tasks.has(taskId)) throw await notFound(store, taskId);
    await explore(store, around, tasks, down(taskId));
    const { upstream, downstream, blockers, criticalPath } = depsOf(taskId, around);
    const shown = ({ id, via }: Linked) => {
      const { title, status } = tasks.get(id)!;
      return { id, title, status, ...(via ? { via } : {}) };
    };
    return {
      deps: {
        taskId,
        upstream: upstream.map(shown),
        downstream: downstream.map(shown),
        blockers: blockers.map(({ id, isRoot }) => ({ id, status: tasks.get(id)!.status, ...(isRoot ? { root: true as const } : {}) })),
        criticalPath,
      },
    };
  },
});

interface Way {
  start: Moment;
  step(moment: Moment, around: Around): Moment[];
  /** Loads the depends, or the dependents, of new tasks. */
  load(store: ReadStore, around: Around, ids: TaskId[]): Promise<void>;
}

const up = (id: TaskId): Way => ({
  start: `begin ${id}`,
  step: waitsFor,
  async load(store, around, ids) {
    for (const { id, depends } of await store.tasks.links(ids)) around.dependsOf.set(id, depends);
  },
});

const down = (id: TaskId): Way => ({
  start: `finish ${id}`,
  step: waitedForBy,
  load: async (store, around, ids) => keep(around.dependentsOf, await store.tasks.dependentIds(ids)),
});

/** Goes one way from a moment on, level by level, and asks the store for the links of each level at once. */
async function explore(store: ReadStore, around: Around, tasks: Map<TaskId, TaskHit>, { start, step, load }: Way): Promise<void> {
  const seen = new Set<Moment>([start]);
  const loaded = new Set<TaskId>();
  for (let level: Moment[] = [start]; level.length > 0; ) {
    const ids = [...new Set(level.map((moment) => moment.split(' ')[1] as TaskId))].filter((id) => !loaded.has(id));
    for (const id of ids) loaded.add(id);
    for (const hit of await store.tasks.hits(ids.filter((id) => !tasks.has(id)))) {
      tasks.set(hit.id, hit);
      around.statusOf.set(hit.id, hit.status);
      if (hit.parentId) around.parentOf.set(hit.id, hit.parentId);
    }
    await load(store, around, ids);
    keep(around.childrenOf, await store.tasks.openChildIds(ids.filter((id) => !around.childrenOf.has(id))));
    const next: Moment[] = [];
    for (const from of level)
      for (const to of step(from, around)) {
        if (seen.has(to)) continue;
        seen.add(to);
        next.push(to);
      }
    level = next;
  }
}

function keep(map: Map<TaskId, TaskId[]>, edges: Edge[]): void {
  for (const { from, to } of edges) {
    const list = map.get(from);
    if (list) list.push(to);
    else map.set(from, [to]);
  }
}
