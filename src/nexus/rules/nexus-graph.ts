import { type Links, type Moment, waitsFor } from '#tasks/rules/order.ts';
import type { FarEnd } from '../model/nexus.ts';

export interface FarEdge {
  /** It waits for `to`; both as `project:T001`. */
  from: string;
  to: string;
  kind: 'across' | 'inside';
}

const projectOf = (name: string): string => name.slice(0, name.indexOf(':'));

/** How the ends of dependencies between projects hang together inside each project: one edge where one of them waits for another there,
 *  be it through tasks in between, and none where a third of them stands in between. */
export function insideEdges(ends: string[], links: Links): FarEdge[] {
  const wanted = new Set(ends);
  return ends.flatMap((from) => {
    const found = new Set<string>();
    const seen = new Set<Moment>([`finish ${from}`]);
    for (const moment of seen)
      for (const next of waitsFor(moment, links)) {
        const to = next.split(' ')[1]!;
        if (projectOf(to) !== projectOf(from)) continue;
        if (to !== from && wanted.has(to)) found.add(to);
        else seen.add(next);
      }
    return [...found].sort().map((to): FarEdge => ({ from, to, kind: 'inside' }));
  });
}

/** The graph as Mermaid draws it. Titles are other people's text: what the notation would read is written as entities. */
export function mermaidOf(nodes: FarEnd[], edges: FarEdge[]): string {
  const nameOf = ({ project, id }: FarEnd): string => `${project}:${id}`;
  const places = new Map(nodes.map((node, i) => [nameOf(node), `n${i}`]));
  const projects = [...new Set(nodes.map(({ project }) => project))];
  return [
    'flowchart LR',
    ...projects.flatMap((project, i) => [
      `  subgraph p${i}["${escaped(project)}"]`,
      ...nodes
        .filter((node) => node.project === project)
        .map(
          (node) =>
            `    ${places.get(nameOf(node))}["${escaped(node.id)}${node.status ? ` (${node.status})` : ''}${node.title ? ` ${escaped(node.title)}` : ''}"]`,
        ),
      '  end',
    ]),
    // What has to be done first points at what waits for it.
    ...edges.map(({ from, to, kind }) => `  ${places.get(to)} ${kind === 'across' ? '==>' : '-->'} ${places.get(from)}`),
  ].join('\n');
}

const escaped = (text: string): string =>
  text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').replace(/[^\p{L}\p{N} .,:;_/+-]/gu, (character) => `#${character.codePointAt(0)};`);
