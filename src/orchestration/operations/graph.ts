import { array, boolean, description, number, optional, pipe, strictObject, string, tuple } from 'valibot';
import { answer, query } from '#core/define.ts';
import { PrioritySchema, StatusSchema, TaskIdSchema, TaskTypeSchema } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { defined } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import { computePlan } from '#planning/operations/shared/plan.ts';
import { type GraphEdge, selectGraph } from '#planning/rules/task-graph.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';

export const orchestrateGraph = query({
  name: 'orchestrate.graph',
  summary: 'Show tasks and dependencies as a graph with waves',
  params: strictObject({
    epic: Root,
    task: optional(pipe(TaskIdSchema, description('Only what this task depends on and what depends on it'))),
    all: optional(pipe(boolean(), description('Include done tasks'))),
    limit: limitParam(1000, 'Maximum number of tasks'),
  }),
  paramAliases: rootAliases,
  result: strictObject({
    nodes: array(
      strictObject({
        id: string(),
        title: string(),
        status: StatusSchema,
        type: TaskTypeSchema,
        priority: PrioritySchema,
        parentId: optional(string()),
        /** The wave of open work, from 1. Done and blocked tasks and containers have none. */
        wave: optional(number()),
      }),
    ),
    /** Pairs of a task and one that it depends on. */
    edges: array(tuple([string(), string()])),
    criticalPath: array(string()),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  cli: { command: 'graph', args: ['epic'], view: async () => (await import('../view.ts')).orchestrationView },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002', 'T004 in T001 done'], call: { epic: 'T001' } },
  async run({ store }, { epic, task, all = false, limit }) {
    const { schedule, work } = await computePlan(store, epic);
    // The plan holds all open tasks. The board is read only for done ones; a task that was asked for may be done.
    const found =
      all || task !== undefined
        ? (await store.tasks.listForBoard(epic)).filter(({ id, status }) => all || status !== 'done' || id === task)
        : work.tasks.filter(({ id }) => !work.ancestors.includes(id));
    if (task !== undefined && !found.some(({ id }) => id === task)) throw await createNotFoundError(store, task);
    const edges = (await store.health.listDependencyEdges()).map(({ from, to }): GraphEdge => [from, to]);
    const graph = selectGraph(found, edges, { around: task, limit });
    const waves = new Map(schedule.waves.flatMap((ids, i) => ids.map((id) => [id, i + 1] as const)));
    const nodes = graph.nodes.map(({ id, title, status, type, priority, parentId }) => ({
      ...{ id, title, status, type, priority },
      ...defined({ parentId, wave: waves.get(id) }),
    }));
    const shown = new Set(nodes.map(({ id }) => id));
    return answer(
      { nodes, edges: graph.edges, criticalPath: schedule.criticalPath.filter((id) => shown.has(id)) },
      { ...(nodes.length === 0 ? { exit: 100 as const } : {}), truncated: toTruncation(nodes.length, graph.total) },
    );
  },
});
