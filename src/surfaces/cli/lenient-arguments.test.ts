import { array, optional, picklist, strictObject, string } from 'valibot';
import { expect, test } from 'vitest';
import { query } from '#core/define.ts';
import { parseArguments } from './arguments.ts';
import { parseLeniently } from './lenient-arguments.ts';

const operation = query({
  name: 'demo.look',
  summary: 'Look at something',
  params: strictObject({
    taskId: optional(string()),
    taskIds: optional(array(string())),
    priority: optional(picklist(['low', 'high'])),
  }),
  paramAliases: { id: 'taskId' },
  result: strictObject({}),
  errors: [],
  tier: 0,
  cli: { command: 'look', args: ['taskId'], several: 'taskIds' },
  example: { call: {} },
  run: async () => ({}),
});

test.each<[string, Record<string, unknown>]>([
  ['task T3', { taskId: 'T3' }],
  ['tasks T3 T4', { taskIds: ['T3', 'T4'] }],
  ['T3 priority=high', { taskId: 'T3', priority: 'high' }],
  ['T3 priority:high', { taskId: 'T3', priority: 'high' }],
  ['T3 T4 priority=high', { taskIds: ['T3', 'T4'], priority: 'high' }],
  ['id=T3', { taskId: 'T3' }],
])('reads a noun and pairs among ids: %s', (words, params) => {
  const argv = words.split(' ');
  expect(parseArguments(operation, argv).isUnsure).toBe(true);
  expect(parseLeniently(operation, argv)).toMatchObject({ params });
});

test.each<[string, Record<string, unknown>]>([
  ['bd-abc', { taskId: 'bd-abc' }],
  ['a b', { taskIds: ['a', 'b'] }],
  ['id:6', { taskId: 'id:6' }],
  ['id:6 id:7', { taskIds: ['id:6', 'id:7'] }],
  ['beads:a T3', { taskIds: ['beads:a', 'T3'] }],
])('keeps the ids of other tools: %s', (words, params) => {
  const { error, params: parsed } = parseLeniently(operation, words.split(' '));
  expect(error).toBeUndefined();
  expect(parsed).toEqual(params);
});

test.each(['T3', 'T003 T4', 'T1,T2', '17', 'bd-12'])('needs no second look at ids: %s', (words) => {
  expect(parseArguments(operation, words.split(' '))).toMatchObject({ isUnsure: false });
});
