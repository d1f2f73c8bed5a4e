import { array, boolean, description, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, query } from '#core/define.ts';
import { circles } from '#tasks/rules/order.ts';
import { FarEnd, farName, type Registry, Unanswered } from '../model/nexus.ts';
import { type FarEdge, insideEdges, mermaidOf } from '../rules/nexus-graph.ts';
import { farEnd, isSound } from '../rules/nexus-wait.ts';
import { linksAcross } from './shared/across.ts';
import { type Ask, askAll, asking, closedWarning, readable } from './shared/far.ts';
import { registryErrors, registryOf } from './shared/registry.ts';

export const nexusGraph = query({
  name: 'nexus.graph',
  summary: 'Show how the tasks of all projects depend on each other across projects, and circles among them',
  params: strictObject({ mermaid: optional(pipe(boolean(), description('Also as a diagram in the notation of Mermaid'))) }),
  result: strictObject({
    graph: strictObject({
      nodes: array(FarEnd),
      /** `from` waits for `to`; `inside` a project perhaps through tasks in between. */
      edges: array(strictObject({ from: string(), to: string(), kind: picklist(['across', 'inside']) })),
      circles: optional(array(array(string()))),
      unanswered: optional(array(Unanswered)),
    }),
    mermaid: optional(string()),
  }),
  errors: [...registryErrors],
  tier: 2,
  scope: 'admin',
  needs: 'nothing',
  cli: { command: 'nexus graph', raw: 'mermaid' },
  example: { world: ['T001', 'nexus here'], call: {}, exit: 100 },
  async run(ctx, { mermaid }) {
    const registry = (await registryOf(ctx.platform)).read();
    return asking(ctx, registry, async (ask) => {
      const { answers, unanswered } = await askAll(ask, readable(registry), (store) => store.nexus.all());
      const across = answers.flatMap(({ project, answer }) =>
        answer
          .filter(isSound)
          .map((row): FarEdge => ({ from: farName({ project: project.name, id: row.taskId }), to: farEnd(row), kind: 'across' })),
      );
      const names = [...new Set(across.flatMap(({ from, to }) => [from, to]))].sort(byName);
      const { links } = await linksAcross(ask, registry, names.map(placeOf));
      const found = [...circles(names, links)].filter((path) => new Set(path.map((name) => placeOf(name).project)).size > 1);
      const nodes = await ends(ask, registry, [...new Set([...names, ...found.flat()])].sort(byName));
      const edges = [...across, ...insideEdges(names, links)];
      return answer(
        {
          graph: {
            nodes,
            edges,
            ...(found.length > 0 ? { circles: found } : {}),
            ...(unanswered.length > 0 ? { unanswered } : {}),
          },
          ...(mermaid ? { mermaid: mermaidOf(nodes, edges) } : {}),
        },
        {
          ...(edges.length === 0 ? { exit: 100 as const } : {}),
          warnings: [
            ...closedWarning(registry),
            ...unanswered.map(({ project, problem }) => `${project} gave no answer: ${problem}`),
            ...found.map((path) => `a circle, which can never be worked off: ${path.join(' → ')}`),
          ],
        },
      );
    });
  },
});

const placeOf = (name: string) => {
  const colon = name.indexOf(':');
  return { project: name.slice(0, colon), id: name.slice(colon + 1) };
};

const byName = (a: string, b: string): number => {
  const [one, other] = [placeOf(a), placeOf(b)];
  return one.project === other.project ? Number(one.id.slice(1)) - Number(other.id.slice(1)) : one.project < other.project ? -1 : 1;
};

/** What is known of each; of projects that cannot be read only the names. */
async function ends(ask: Ask, registry: Registry, names: string[]): Promise<FarEnd[]> {
  const places = names.map(placeOf);
  const wanted = readable(registry).filter(({ name }) => places.some(({ project }) => project === name));
  const { answers } = await askAll(ask, wanted, (store, { name }) =>
    store.tasks.hits(places.filter(({ project }) => project === name).map(({ id }) => id)),
  );
  const known = new Map(
    answers.flatMap(({ project, answer }) =>
      answer.map(({ id, title, status }): [string, FarEnd] => [
        farName({ project: project.name, id }),
        { project: project.name, id, title, status },
      ]),
    ),
  );
  return places.map((place) => known.get(farName(place)) ?? place);
}
