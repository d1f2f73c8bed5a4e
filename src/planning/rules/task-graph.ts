import { type TaskId, toTaskNumber } from '#core/model/scalars.ts';
import { groupBy } from '#lib/collections.ts';

/** A dependency: the first task waits for the second. */
export type GraphEdge = [TaskId, TaskId];

interface GraphSelection<N extends { id: TaskId }> {
  nodes: N[];
  edges: GraphEdge[];
}

/** Selects the part of a dependency graph that is shown: what `around` depends on and what depends on it, in any number of steps, or
 *  everything. Tasks with dependencies come before tasks without, so that `limit` cuts off the latter first. An edge needs both of its
 *  tasks. */
export function selectGraph<N extends { id: TaskId }>(
  nodes: N[],
  edges: GraphEdge[],
  { around, limit }: { around?: TaskId | undefined; limit: number },
): GraphSelection<N> & { total: number } {
  const known = new Set(nodes.map(({ id }) => id));
  const inside = edges.filter(([from, to]) => known.has(from) && known.has(to));
  const reached = around === undefined ? known : new Set([...followEdges(inside, [around], 0), ...followEdges(inside, [around], 1)]);
  const linked = new Set(inside.flat());
  const found = nodes.filter(({ id }) => reached.has(id));
  const ranked = found.map((node) => ({ node, isLinked: Number(linked.has(node.id)), seq: toTaskNumber(node.id) }));
  const shown = ranked
    .sort((a, b) => b.isLinked - a.isLinked || a.seq - b.seq)
    .slice(0, limit)
    .map(({ node }) => node);
  const ids = new Set(shown.map(({ id }) => id));
  return { nodes: shown, edges: inside.filter(([from, to]) => ids.has(from) && ids.has(to)), total: found.length };
}

/** Lists the tasks that can be reached from `starts` along the edges: from their side 0 to the other, or from side 1. */
export function followEdges(edges: GraphEdge[], starts: TaskId[], side: 0 | 1): Set<TaskId> {
  const bySide = groupBy(edges, (edge) => edge[side]);
  const reached = new Set(starts);
  for (const id of reached) for (const edge of bySide.get(id) ?? []) reached.add(edge[side === 0 ? 1 : 0]);
  return reached;
}
