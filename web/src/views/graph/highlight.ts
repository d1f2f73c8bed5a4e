import { followEdges, type GraphEdge } from '#planning/rules/task-graph.ts';
import type { GraphLayout } from './layout.ts';
import { type SceneTask, traceEdges } from './scene.ts';

export const emphases = ['all', 'critical', 'blocked', 'orphans'] as const;
export type Emphasis = (typeof emphases)[number];

/** A set of lines that is drawn above the others. */
interface LitLines {
  paths: Path2D[];
  colour: 'accent' | 'focus' | 'text-soft';
  isDashed: boolean;
}

export interface Highlight {
  selected: string | undefined;
  /** The tasks that are not dimmed; undefined for all. */
  lit: ReadonlySet<string> | undefined;
  /** The tasks that match the search. */
  matches: ReadonlySet<string> | undefined;
  critical: ReadonlySet<string>;
  lines: LitLines[];
}

interface HighlightInput {
  layout: GraphLayout;
  nodes: SceneTask[];
  edges: GraphEdge[];
  criticalPath: string[];
  selected: string | undefined;
  emphasis: Emphasis;
  matches: ReadonlySet<string> | undefined;
}

/** Decides which tasks and lines stand out: the chain of the selected task in both directions, or what the person asked for. */
export function buildHighlight({ layout, nodes, edges, criticalPath, selected, emphasis, matches }: HighlightInput): Highlight {
  const steps = findCriticalEdges(nodes, edges, criticalPath);
  const isStep = new Set(steps.map((edge) => edge.join(' ')));
  const critical: LitLines = {
    paths: traceEdges(layout, (task, dependsOn) => isStep.has(`${task} ${dependsOn}`)),
    colour: 'accent',
    isDashed: false,
  };
  const common = { selected, matches, critical: new Set([...criticalPath, ...steps.flat()]) };
  if (selected !== undefined && layout.nodes.some(({ id }) => id === selected)) {
    const up = followEdges(edges, [selected], 0);
    const down = followEdges(edges, [selected], 1);
    const trace = (ids: ReadonlySet<string>) => traceEdges(layout, (task, dependsOn) => ids.has(task) && ids.has(dependsOn));
    return {
      ...common,
      lit: new Set([...up, ...down]),
      lines: [
        { paths: trace(up), colour: 'focus', isDashed: false },
        { paths: trace(down), colour: 'focus', isDashed: true },
      ],
    };
  }
  if (emphasis === 'critical') return { ...common, lit: common.critical, lines: [critical] };
  if (emphasis === 'blocked') {
    const blocked = nodes.filter(({ status }) => status === 'blocked').map(({ id }) => id);
    const waiting = followEdges(edges, blocked, 1);
    return {
      ...common,
      lit: waiting,
      lines: [
        {
          paths: traceEdges(layout, (task, dependsOn) => waiting.has(task) && waiting.has(dependsOn)),
          colour: 'text-soft',
          isDashed: true,
        },
      ],
    };
  }
  const orphans = new Set(layout.nodes.filter(({ column }) => column === undefined).map(({ id }) => id));
  return { ...common, lit: emphasis === 'orphans' ? orphans : matches, lines: [critical] };
}

/** Finds the dependencies on the critical path. A step of it may follow from a dependency of the tasks above: a task waits for all
 *  subtasks of what it depends on. */
function findCriticalEdges(nodes: Pick<SceneTask, 'id' | 'parentId'>[], edges: GraphEdge[], criticalPath: string[]): GraphEdge[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const listUp = (id: string | undefined): string[] => {
    const found = new Set<string>();
    for (let each = id; each !== undefined && !found.has(each); each = parents.get(each)) found.add(each);
    return [...found];
  };
  const known = new Set(edges.map((edge) => edge.join(' ')));
  return criticalPath
    .slice(1)
    .flatMap((id, i) => listUp(id).flatMap((task) => listUp(criticalPath[i]).map((other): GraphEdge => [task, other])))
    .filter((edge) => known.has(edge.join(' ')));
}
