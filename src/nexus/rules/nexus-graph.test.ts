import { expect, test } from 'vitest';
import type { Links } from '#tasks/rules/order.ts';
import { insideEdges, mermaidOf } from './nexus-graph.ts';

const links = (dependsOf: Record<string, string[]>, childrenOf: Record<string, string[]> = {}): Links => ({
  parentOf: new Map(Object.entries(childrenOf).flatMap(([parent, children]) => children.map((child): [string, string] => [child, parent]))),
  dependsOf: new Map(Object.entries(dependsOf)),
  childrenOf: new Map(Object.entries(childrenOf)),
});

test.each<[string, string[], Links, string[]]>([
  ['directly', ['web:T2', 'web:T5'], links({ 'web:T2': ['web:T5'] }), ['web:T2 web:T5']],
  ['through a third task', ['web:T2', 'web:T5'], links({ 'web:T2': ['web:T4'], 'web:T4': ['web:T5'] }), ['web:T2 web:T5']],
  ['through a child', ['web:T2', 'web:T5'], links({ 'web:T3': ['web:T5'] }, { 'web:T2': ['web:T3'] }), ['web:T2 web:T5']],
  [
    'through another end',
    ['web:T1', 'web:T2', 'web:T3'],
    links({ 'web:T1': ['web:T2'], 'web:T2': ['web:T3'] }),
    ['web:T1 web:T2', 'web:T2 web:T3'],
  ],
  ['not across', ['web:T2', 'api:T5'], links({ 'web:T2': ['api:T5'] }), []],
])('ends inside a project hang together %s', (_, ends, known, edges) => {
  expect(insideEdges(ends, known).map(({ from, to }) => `${from} ${to}`)).toEqual(edges);
});

test('a title cannot break out of the notation', () => {
  const text = mermaidOf(
    [
      { project: 'api', id: 'T001', title: 'x"]\nclick n0 "javascript:alert(1)"', status: 'pending' },
      { project: 'web', id: 'T003' },
    ],
    [{ from: 'api:T001', to: 'web:T003', kind: 'across' }],
  );
  expect(text).toBe(`flowchart LR
  subgraph p0["api"]
    n0["T001 (pending) x#34;#93; click n0 #34;javascript:alert#40;1#41;#34;"]
  end
  subgraph p1["web"]
    n1["T003"]
  end
  n1 ==> n0`);
});
