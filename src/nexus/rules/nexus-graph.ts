import { listPrerequisites, type Milestone, type TaskLinks } from '#tasks/rules/order.ts';
import { formatRemoteId, type RemoteTaskRef } from '../model/nexus.ts';

export interface CrossProjectEdge {
  /** Waits for `to`; both have the form `project:T001`. */
  from: string;
  to: string;
  kind: 'across' | 'inside';
}

const getProjectName = (name: string): string => name.slice(0, name.indexOf(':'));

/** Finds how the ends of dependencies between projects depend on each other inside one project, directly or through other tasks. Two
 *  ends with a third one between them get no edge. */
export function findInsideEdges(ends: string[], links: TaskLinks): CrossProjectEdge[] {
  const endNames = new Set(ends);
  return ends.flatMap((from) => {
    const targets = new Set<string>();
    const seen = new Set<Milestone>([`finish ${from}`]);
    for (const milestone of seen)
      for (const next of listPrerequisites(milestone, links)) {
        const to = next.split(' ')[1]!;
        if (getProjectName(to) !== getProjectName(from)) continue;
        if (to !== from && endNames.has(to)) targets.add(to);
        else seen.add(next);
      }
    return [...targets].sort().map((to): CrossProjectEdge => ({ from, to, kind: 'inside' }));
  });
}

/** Formats the graph for Mermaid. Titles are untrusted text, so characters with a meaning in Mermaid become entities. */
export function formatMermaid(nodes: RemoteTaskRef[], edges: CrossProjectEdge[]): string {
  const nodeIds = new Map(nodes.map((node, i) => [formatRemoteId(node), `n${i}`]));
  const projects = [...new Set(nodes.map(({ project }) => project))];
  return [
    'flowchart LR',
    ...projects.flatMap((project, i) => [
      `  subgraph p${i}["${escapeLabel(project)}"]`,
      ...nodes
        .filter((node) => node.project === project)
        .map(
          (node) =>
            `    ${nodeIds.get(formatRemoteId(node))}["${escapeLabel(node.id)}${node.status ? ` (${node.status})` : ''}${node.title ? ` ${escapeLabel(node.title)}` : ''}"]`,
        ),
      '  end',
    ]),
    // Arrows point from the prerequisite to the waiting task.
    ...edges.map(({ from, to, kind }) => `  ${nodeIds.get(to)} ${kind === 'across' ? '==>' : '-->'} ${nodeIds.get(from)}`),
  ].join('\n');
}

const escapeLabel = (text: string): string =>
  text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[^\p{L}\p{N} .,:;_/+-]/gu, (character) => `#${character.codePointAt(0)};`);
