import { expect, test } from 'vitest';
import type { TaskLinks } from '#tasks/rules/order.ts';
import { findInsideEdges, formatMermaid } from './nexus-graph.ts';

const createLinks = (dependsOf: Record<string, string[]>, childrenOf: Record<string, string[]> = {}): TaskLinks => ({
  parentOf: new Map(Object.entries(childrenOf).flatMap(([parent, children]) => children.map((child): [string, string] => [child, parent]))),
  dependsOf: new Map(Object.entries(dependsOf)),
  childrenOf: new Map(Object.entries(childrenOf)),
});

test.each<[string, string[], TaskLinks, string[]]>([
  ['directly', ['web:T2', 'web:T5'], createLinks({ 'web:T2': ['web:T5'] }), ['web:T2 web:T5']],
  ['through a third task', ['web:T2', 'web:T5'], createLinks({ 'web:T2': ['web:T4'], 'web:T4': ['web:T5'] }), ['web:T2 web:T5']],
  ['through a child', ['web:T2', 'web:T5'], createLinks({ 'web:T3': ['web:T5'] }, { 'web:T2': ['web:T3'] }), ['web:T2 web:T5']],
  [
    'through another end',
    ['web:T1', 'web:T2', 'web:T3'],
    createLinks({ 'web:T1': ['web:T2'], 'web:T2': ['web:T3'] }),
    ['web:T1 web:T2', 'web:T2 web:T3'],
  ],
  ['not across', ['web:T2', 'api:T5'], createLinks({ 'web:T2': ['api:T5'] }), []],
])('connects ends inside a project %s', (_, ends, known, edges) => {
  expect(findInsideEdges(ends, known).map(({ from, to }) => `${from} ${to}`)).toEqual(edges);
});

test('escapes titles', () => {
  const text = formatMermaid(
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
