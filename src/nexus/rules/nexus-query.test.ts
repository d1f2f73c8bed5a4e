import { expect, test } from 'vitest';
import { interleave, parseNexusQuery, parseRemoteId } from './nexus-query.ts';

test.each([
  ['web:T001', { project: 'web', id: 'T001' }],
  [' web : t1 ', { project: 'web', id: 'T001' }],
  ['web:parser', { project: 'web', text: 'parser' }],
  ['web:404', { project: 'web', text: '404' }],
  ['web:tree: broken', { project: 'web', text: 'tree: broken' }],
  ['*:parser', { project: '*', text: 'parser' }],
  ['*:T001', { project: '*', text: 'T001' }],
  ['T001', { problem: 'has no project', suggestion: '*:T001' }],
  ['a\tb\u0007', { problem: 'has no project', suggestion: '*:a b' }],
  ['', { problem: 'has no project' }],
  [':T001', { problem: 'has no project before the colon', suggestion: '*:T001' }],
  ['web:', { problem: 'has no text after the colon' }],
  ['Web:T001', { problem: 'has an invalid project name before the colon', suggestion: 'web:T001' }],
  ['we b:T001', { problem: 'has an invalid project name before the colon' }],
])('parses %j', (query, parsed) => expect(parseNexusQuery(query)).toEqual(parsed));

test.each([
  ['web:T003', { project: 'web', id: 'T003' }],
  ['web:3', { project: 'web', id: 'T003' }],
  ['web:parser', { problem: 'has no task id after the colon' }],
  ['*:T003', { problem: 'names all projects; a task is in one project' }],
  ['T003', { problem: 'has no project' }],
  ['WEB:T003', { problem: 'has an invalid project name before the colon', suggestion: 'web:T003' }],
])('parses %j as the id of a task', (text, parsed) => expect(parseRemoteId(text)).toEqual(parsed));

test('takes items of all projects in turn', () => {
  expect(interleave([['a1', 'a2', 'a3'], ['b1'], []], 3)).toEqual(['a1', 'b1', 'a2']);
  expect(interleave([['a1'], ['b1']], 9)).toEqual(['a1', 'b1']);
});
