import { array, boolean, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { omitEmpty } from '#lib/collections.ts';
import { findCycles } from '#tasks/rules/order.ts';
import { formatRemoteId, type ProjectRegistry, type RemoteTaskRef, RemoteTaskRefSchema, UnansweredSchema } from '../model/nexus.ts';
import { type CrossProjectEdge, findInsideEdges, formatMermaid } from '../rules/nexus-graph.ts';
import { formatRemoteEnd, isValidDependency } from '../rules/nexus-wait.ts';
import { readCrossProjectLinks } from './shared/cross-project-links.ts';
import { nexusReads } from './shared/nexus-steps.ts';
import { openRegistry, registryErrors } from './shared/registry.ts';
import { type AskProject, askAll, listReadable, toTaskRef, warnSkipped, withRemoteStores } from './shared/remote-project.ts';

export const nexusGraph = query({
  name: 'nexus.graph',
  summary: 'Show dependencies and cycles across projects',
  params: strictObject({ mermaid: optional(pipe(boolean(), description('Also return the graph as a Mermaid diagram'))) }),
  result: strictObject({
    graph: strictObject({
      nodes: array(RemoteTaskRefSchema),
      /** `from` waits for `to`; an `inside` edge may lead through other tasks of the project. */
      edges: array(strictObject({ from: string(), to: string(), kind: picklist(['across', 'inside']) })),
      circles: optional(array(array(string()))),
      unanswered: optional(array(UnansweredSchema)),
    }),
    mermaid: optional(string()),
  }),
  errors: [...registryErrors],
  tier: 2,
  steps: Object.values(nexusReads),
  usesHost: true,
  needs: 'nothing',
  cli: { command: 'nexus graph', raw: 'mermaid', view: async () => (await import('../view.ts')).nexusView },
  example: { world: ['T001', 'nexus here'], call: {}, exit: 100 },
  async run(ctx, { mermaid }) {
    const registry = (await openRegistry(ctx.platform)).read();
    return withRemoteStores(ctx, registry, async (ask) => {
      const { answers, unanswered } = await askAll(ask, listReadable(registry), nexusReads.dependencies, () => ({}));
      const acrossEdges = answers.flatMap(({ project, answer }) =>
        answer.filter(isValidDependency).map(
          (row): CrossProjectEdge => ({
            from: formatRemoteId({ project: project.name, id: row.taskId }),
            to: formatRemoteEnd(row),
            kind: 'across',
          }),
        ),
      );
      const names = [...new Set(acrossEdges.flatMap(({ from, to }) => [from, to]))].sort(compareNames);
      const { links } = await readCrossProjectLinks(ask, registry, names.map(parseRemoteName));
      const cycles = [...findCycles(names, links)].filter((path) => new Set(path.map((name) => parseRemoteName(name).project)).size > 1);
      const nodes = await readNodes(ask, registry, [...new Set([...names, ...cycles.flat()])].sort(compareNames));
      const edges = [...acrossEdges, ...findInsideEdges(names, links)];
      return answer(
        {
          graph: { nodes, edges, ...omitEmpty({ circles: cycles, unanswered }) },
          ...(mermaid ? { mermaid: formatMermaid(nodes, edges) } : {}),
        },
        {
          ...(edges.length === 0 ? { exit: 100 as const } : {}),
          warnings: [...warnSkipped(registry, unanswered), ...cycles.map((path) => `dependency cycle: ${path.join(' → ')}`)],
        },
      );
    });
  },
});

const parseRemoteName = (name: string) => {
  const colon = name.indexOf(':');
  return { project: name.slice(0, colon), id: name.slice(colon + 1) };
};

const compareNames = (a: string, b: string): number => {
  const [one, other] = [parseRemoteName(a), parseRemoteName(b)];
  return one.project === other.project ? Number(one.id.slice(1)) - Number(other.id.slice(1)) : one.project < other.project ? -1 : 1;
};

/** Reads title and status of each task; for unreadable projects only the ids are known. */
async function readNodes(ask: AskProject, registry: ProjectRegistry, names: string[]): Promise<RemoteTaskRef[]> {
  const ids = names.map(parseRemoteName);
  const readable = listReadable(registry).filter(({ name }) => ids.some(({ project }) => project === name));
  const { answers } = await askAll(ask, readable, nexusReads.hits, ({ name }) => ({
    ids: ids.filter(({ project }) => project === name).map(({ id }) => id),
  }));
  const found = answers.flatMap(({ project, answer }) => answer.map((hit) => toTaskRef(project.name, hit)));
  const refs = new Map(found.map((ref) => [formatRemoteId(ref), ref]));
  return ids.map((id) => refs.get(formatRemoteId(id)) ?? id);
}
