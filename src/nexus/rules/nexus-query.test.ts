import { expect, test } from 'vitest';
import { inTurn, parseFarId, parseQuery } from './nexus-query.ts';

test.each([
  ['web:T001', { project: 'web', id: 'T001' }],
  [' web : t1 ', { project: 'web', id: 'T001' }],
  ['web:parser', { project: 'web', text: 'parser' }],
  ['web:404', { project: 'web', text: '404' }],
  ['web:tree: broken', { project: 'web', text: 'tree: broken' }],
  ['*:parser', { project: '*', text: 'parser' }],
  ['*:T001', { project: '*', text: 'T001' }],
  ['T001', { problem: 'names no project', meant: '*:T001' }],
  ['a\tb\u0007', { problem: 'names no project', meant: '*:a b' }],
  ['', { problem: 'names no project' }],
  [':T001', { problem: 'names no project before the colon', meant: '*:T001' }],
  ['web:', { problem: 'asks for nothing behind the colon' }],
  ['Web:T001', { problem: 'has a name before the colon that no project can have', meant: 'web:T001' }],
  ['we b:T001', { problem: 'has a name before the colon that no project can have' }],
])('%j', (query, parsed) => expect(parseQuery(query)).toEqual(parsed));

test.each([
  ['web:T003', { project: 'web', id: 'T003' }],
  ['web:3', { project: 'web', id: 'T003' }],
  ['web:parser', { problem: 'has no task id behind the colon' }],
  ['*:T003', { problem: 'means all projects; a task is in one' }],
  ['T003', { problem: 'names no project' }],
  ['WEB:T003', { problem: 'has a name before the colon that no project can have', meant: 'web:T003' }],
])('%j as one task', (text, parsed) => expect(parseFarId(text)).toEqual(parsed));

test('no project hides the others', () => {
  expect(inTurn([['a1', 'a2', 'a3'], ['b1'], []], 3)).toEqual(['a1', 'b1', 'a2']);
  expect(inTurn([['a1'], ['b1']], 9)).toEqual(['a1', 'b1']);
});
