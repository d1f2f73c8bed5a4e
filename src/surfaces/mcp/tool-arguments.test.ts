import { expect, test } from 'vitest';
import { registry } from '#core/index.generated.ts';
import { readToolArguments } from './tool-arguments.ts';

const read = (input: unknown, isMutation = false) => readToolArguments(input, isMutation, registry);

test.each<[string, unknown, object]>([
  [
    'the documented form',
    { domain: 'tasks', operation: 'show', params: { taskId: 'T1' } },
    { operation: 'tasks.show', params: { taskId: 'T1' } },
  ],
  ['the domain in the operation', { operation: 'tasks.show' }, { operation: 'tasks.show', params: {} }],
  ['the domain twice', { domain: 'tasks', operation: 'tasks.show' }, { operation: 'tasks.show' }],
  ['both in the domain', { domain: 'tasks.show' }, { operation: 'tasks.show' }],
  ['no domain', { operation: 'add' }, { operation: 'add' }],
  ['params as JSON text', { operation: 'tasks.show', params: '{"taskId":"T1"}' }, { params: { taskId: 'T1' } }],
  ['params null', { operation: 'tasks.list', params: null }, { params: {} }],
  [
    'other names',
    { tool: 1, action: 'tasks.show', args: { taskId: 'T1' }, session_id: 's', agentId: 'a' },
    {
      operation: 'tasks.show',
      params: { taskId: 'T1' },
      session: 's',
      agent: 'a',
      warnings: ['ignored "tool": parameters go into params'],
    },
  ],
  ['arguments as JSON text', '{"operation":"tasks.list"}', { operation: 'tasks.list' }],
  ['a parameter next to params', { domain: 'tasks', operation: 'show', id: 'T1' }, { params: { id: 'T1' } }],
  ['a parameter of a synonym', { domain: 'tasks', operation: 'get', task_id: 'T1' }, { params: { task_id: 'T1' } }],
  ['a number and null as ids', { operation: 'tasks.list', agent: 5, session: null }, { agent: '5' }],
  ['what Gemini CLI adds', { operation: 'tasks.list', wait_for_previous: true }, { operation: 'tasks.list', params: {} }],
])('reads %s', async (_, input, call) => {
  const found = await read(input);
  expect(found).toMatchObject(call);
  if (!('warnings' in call)) expect(found).not.toHaveProperty('warnings');
});

test.each<[string, unknown, boolean, string]>([
  ['a list', [], false, 'the arguments must be an object'],
  ['nothing', {}, false, 'operation is required'],
  ['only a domain', { domain: 'tasks' }, false, 'operation is required'],
  [
    'a write whose parameter may be the unknown argument',
    { operation: 'tasks.complete', issue_ref: 'T1', wait_for_previous: false },
    true,
    '"issue_ref": not an argument and not a parameter of tasks.complete; parameters go into params',
  ],
])('rejects %s', async (_, input, isMutation, problem) => {
  expect(await read(input, isMutation)).toEqual({ problem });
});

test('ignores an unknown argument next to parameters, with a warning', async () => {
  expect(await read({ operation: 'tasks.complete', params: { taskId: 'T1' }, reasoning: 'x', wait_for_previous: true }, true)).toEqual({
    operation: 'tasks.complete',
    params: { taskId: 'T1' },
    warnings: ['ignored "reasoning": parameters go into params'],
  });
});
