import { expect, test } from 'vitest';
import { registry } from '#core/index.generated.ts';
import { resolveName } from '#core/operation-names.ts';
import { synonyms } from '#core/synonyms.generated.ts';
import { type Json, openApp } from '../../test/app.ts';
import { applyShortcut, correctParams } from './lenient-params.ts';

test.each<[string, unknown, Record<string, unknown>]>([
  ['tasks.show', { id: 'T1' }, { taskId: 'T1' }],
  ['tasks.show', { ids: ['T1', 'T2'] }, { taskIds: ['T1', 'T2'] }],
  ['tasks.show', { task_ids: 'T1,T2' }, { taskIds: ['T1', 'T2'] }],
  ['tasks.show', { taskId: ['T1', 'T2'] }, { taskIds: ['T1', 'T2'] }],
  ['tasks.complete', { id: 'T1, T2' }, { taskIds: ['T1', 'T2'] }],
  ['tasks.show', { task_id: 5 }, { taskId: '5' }],
  ['tasks.show', { taskID: '#5' }, { taskId: '5' }],
  ['tasks.show', '{"taskId":"T1"}', { taskId: 'T1' }],
  ['tasks.show', { params: { taskId: 'T1' } }, { taskId: 'T1' }],
  ['tasks.show', 'T1', { taskId: 'T1' }],
  ['tasks.show', ['T1'], { taskId: 'T1' }],
  ['tasks.show', ['T1', 'T2'], { taskIds: ['T1', 'T2'] }],
  ['tasks.show', { taskIds: 'T1 T2;T3' }, { taskIds: ['T1', 'T2', 'T3'] }],
  ['tasks.show', { taskId: 'T1.' }, { taskId: 'T1' }],
  ['tasks.show', { taskId: '"T1"' }, { taskId: 'T1' }],
  ['tasks.show', { taskId: '[T1]' }, { taskId: 'T1' }],
  ['tasks.show', { taskId: 'task:T1' }, { taskId: 'T1' }],
  ['tasks.show', { taskId: 'T1: Write the parser' }, { taskId: 'T1' }],
  ['tasks.show', { taskId: 'T1.5' }, { taskId: 'T1.5' }],
  ['tasks.show', { taskId: '1.' }, { taskId: '1.' }],
  ['tasks.show', { task: { id: 'T1', title: 'x' } }, { taskId: 'T1' }],
  ['tasks.list', { filter: { status: 'done' } }, { status: ['done'] }],
  ['tasks.list', { filters: 'status:done priority=high' }, { status: ['done'], priority: ['high'] }],
  ['tasks.list', { where: 'done' }, { where: 'done' }],
  ['tasks.list', { status: '!done' }, { open: true }],
  ['tasks.list', { status: 'pending|active' }, { status: ['pending', 'active'] }],
  ['tasks.list', { status: ["['pending'", "'active']"] }, { status: ['pending', 'active'] }],
  ['tasks.update', { taskId: 'T1', updates: { prio: 'P1' } }, { taskId: 'T1', priority: 'high' }],
  ['tasks.update', { taskId: 'T1', title: 'x', updates: { title: 'y' } }, { taskId: 'T1', title: 'x', updates: { title: 'y' } }],
  ['tasks.update', { taskId: 'T1', data: { zz: 1 } }, { taskId: 'T1', data: { zz: 1 } }],
  ['tasks.update', { taskId: 'T1', newStatus: 'done' }, { taskId: 'T1', status: 'done' }],
  ['tasks.add', 'Fix it', { title: 'Fix it' }],
  ['tasks.add', { task: { title: 'x' } }, { title: 'x' }],
  ['tasks.add', { title: 'x', dueDate: '2026-12-24', owner: 'ben' }, { title: 'x', due: '2026-12-24', assignee: 'ben' }],
  ['tasks.add', { title: 'x', labels: '[a, b]' }, { title: 'x', labels: ['a', 'b'] }],
  ['tasks.add', { title: 'x', depends: 'T2 t3;T4' }, { title: 'x', depends: ['T2', 't3', 'T4'] }],
  ['tasks.add', { title: 'x', depends: [{ id: 'T2' }] }, { title: 'x', depends: ['T2'] }],
  ['tasks.find', { title: 'x' }, { query: 'x' }],
  ['tasks.list', null, {}],
  ['tasks.list', '', {}],
  ['tasks.list', { limit: '5' }, { limit: 5 }],
  ['tasks.list', { limit: 'five' }, { limit: 'five' }],
  ['tasks.list', { all: 'true' }, { all: true }],
  ['tasks.list', { all: 'maybe' }, { all: 'maybe' }],
  ['tasks.list', { all: ['yes'] }, { all: true }],
  ['tasks.list', { all: [['yes']] }, { all: [['yes']] }],
  ['tasks.list', { status: 'open' }, { open: true }],
  ['tasks.list', { state: 'OPEN' }, { open: true }],
  ['tasks.list', { status: 'open', open: false }, { status: ['pending'], open: false }],
  ['tasks.list', { status: 'all' }, {}],
  ['tasks.list', { status: 'todo' }, { status: ['pending'] }],
  ['tasks.list', { status: 'todo, in progress' }, { status: ['pending', 'active'] }],
  ['tasks.list', { status: ['open'] }, { open: true }],
  ['tasks.list', { parent: null, status: '' }, {}],
  ['tasks.list', { labels: ['a'] }, { label: ['a'] }],
  ['tasks.update', { id: 'T1', status: 'open' }, { taskId: 'T1', status: 'pending' }],
  ['tasks.update', { taskId: 'T1', status: 'in_progress' }, { taskId: 'T1', status: 'active' }],
  ['tasks.update', { taskId: 'T1', status: 'completed', priority: 'P1' }, { taskId: 'T1', status: 'done', priority: 'high' }],
  ['tasks.update', { taskId: 'T1', status: 'all' }, { taskId: 'T1', status: 'all' }],
  ['tasks.update', { taskId: 'T1', description: '' }, { taskId: 'T1', description: '' }],
  ['tasks.add', { title: 'x', labels: 'a, b' }, { title: 'x', labels: ['a', 'b'] }],
  ['tasks.add', { title: 'x', labels: '["a","b"]' }, { title: 'x', labels: ['a', 'b'] }],
  ['tasks.add', { title: 'x', depends: 'T1,T2' }, { title: 'x', depends: ['T1', 'T2'] }],
  ['tasks.add', { title: 'x', depends_on: [1, 2] }, { title: 'x', depends: ['1', '2'] }],
  ['tasks.add', { title: 'x', files: 'a,b.ts' }, { title: 'x', files: ['a,b.ts'] }],
  ['tasks.add', { title: 'x', acceptance: 'a, b | c' }, { title: 'x', acceptance: ['a, b', 'c'] }],
  [
    'tasks.add',
    { title: 'x', priority: 'urgent', size: 'S', type: 'Epic' },
    { title: 'x', priority: 'critical', size: 'small', type: 'epic' },
  ],
  ['tasks.add', { name: 'x', body: 'y' }, { title: 'x', description: 'y' }],
  ['tasks.add', { title: 'x', name: 'y' }, { title: 'x', name: 'y' }],
  ['tasks.add', { title: 'x', zz: 1 }, { title: 'x', zz: 1 }],
  ['tasks.add', { title: 'x', priority: 'hgh' }, { title: 'x', priority: 'hgh' }],
  [
    'tasks.add-batch',
    { tasks: [{ title: 'x', priority: 'P1', labels: 'a' }] },
    { tasks: [{ title: 'x', priority: 'high', labels: ['a'] }] },
  ],
  ['tasks.add-batch', { tasks: { title: 'x' } }, { tasks: [{ title: 'x' }] }],
  ['tasks.update', { taskId: ['T1'], parent: 5 }, { taskId: 'T1', parent: '5' }],
  ['release.show', { version: '' }, { version: '' }],
  ['review.resolve', { review: 'rv-1', score: '0.5' }, { review: 'rv-1', score: 0.5 }],
  ['skills.run', { name: 'x', input: [1] }, { name: 'x', input: [1] }],
  ['admin.config.set', { key: 'x', value: ['a'] }, { key: 'x', value: ['a'] }],
  ['admin.config.set', { key: 'x', value: 5 }, { key: 'x', value: 5 }],
  ['tasks.import', { content: [{ name: 'a', text: 'b' }] }, { content: [{ name: 'a', text: 'b' }] }],
  ['session.list', { status: 'open' }, { status: 'open' }],
  ['memory.find', { q: 'x' }, { term: 'x' }],
])('%s %j is read as %j', async (name, input, params) => {
  expect(correctParams(await registry.load(name), input)?.params).toEqual(params);
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['tasks.comment', { id: 'T1', body: 'x' }, { taskId: 'T1', notes: 'x' }],
  ['tasks.block', { task_id: 'T1', reason: 'x' }, { status: 'blocked', taskId: 'T1', blockedBy: 'x' }],
  ['tasks.unblock', { taskId: 'T1' }, { clearBlockedBy: true, taskId: 'T1' }],
  ['tasks.tag', { taskId: 'T1', labels: ['a'] }, { taskId: 'T1', addLabels: ['a'] }],
  ['tasks.untag', { taskId: 'T1', tag: 'a' }, { taskId: 'T1', removeLabels: 'a' }],
  ['tasks.depend', { taskId: 'T1', on: 'T2' }, { taskId: 'T1', addDepends: 'T2' }],
  ['dep.remove', { taskId: 'T1', depends_on: 'T2' }, { taskId: 'T1', removeDepends: 'T2' }],
  ['set_status', { id: 'T1', status: 'done' }, { taskId: 'T1', status: 'done' }],
])('%s is tasks.update with its own parameters', (name, given, params) => {
  const resolved = resolveName(name, registry, synonyms);
  expect(resolved?.operation).toBe('tasks.update');
  expect(applyShortcut(resolved?.shortcut, given)).toEqual(params);
});

test.each([[[]], [5], ['{"taskId":'], ['[1]'], [[1]], [true]])('%j is not an object', async (input) => {
  expect(correctParams(await registry.load('tasks.show'), input)).toBeUndefined();
});

test('runs what is meant, logs canonical names and values, and reports ignored ones', async () => {
  const { call, store } = await openApp({ tasks: ['T001', 'T002'] });
  const answer = await call('tasks.create', { name: 'x', priority: 'P0', depends_on: 'T1,T2', parent: null });
  expect(answer).toMatchObject({
    _meta: { command: 'tasks.add', warnings: ['parent: null was ignored'] },
    task: { title: 'x', priority: 'critical' },
  });
  const [entry] = await store.read((reads) => reads.audit.list({}, { limit: 1, offset: 0 }));
  expect(entry).toMatchObject({ domain: 'tasks', operation: 'add' });
  expect(JSON.parse(entry!.params)).toEqual({ title: 'x', priority: 'critical', depends: ['T1', 'T2'] });
});

test('lists open tasks: pending, active and blocked', async () => {
  const { call } = await openApp({ tasks: ['T001', 'T002 active', 'T003 blocked', 'T004 done'] });
  const toIds = ({ tasks }: Json): string[] => tasks.map(({ id }: Json) => id);
  expect(toIds(await call('tasks.list', { status: 'open' }))).toEqual(['T001', 'T002', 'T003']);
  expect(toIds(await call('tasks.list', { open: true, priority: 'medium' }))).toEqual(['T001', 'T002', 'T003']);
  expect(toIds(await call('tasks.find', { status: 'open' }))).toEqual(['T001', 'T002', 'T003']);
  expect(await call('tasks.list', { open: true, status: 'done' })).toMatchObject({ _meta: { exitCode: 100 } });
});

test('a query asked with a write token or without one never suggests a write', async () => {
  const { call } = await openApp();
  const suggest = async (more: object): Promise<unknown> => (await call('tasks.ad', {}, more)).error.details.suggestions;
  expect(await suggest({ kind: 'query' })).toEqual([]);
  expect(await suggest({ kind: 'query', token: { name: 'ci', scope: 'query' } })).toEqual([]);
  expect(await suggest({ kind: 'mutate' })).toEqual(['tasks.add']);
});

test('refuses a write that is asked of the query gateway under any name', async () => {
  const { call } = await openApp();
  for (const name of ['tasks.add', 'tasks.create', 'create_issue', 'add'])
    expect(await call(name, { title: 'x' }, { kind: 'query', gateway: 'cleo_query' })).toMatchObject({
      success: false,
      error: { code: 'E_INVALID_INPUT', message: 'tasks.add writes; call cleo_mutate' },
    });
  expect((await call('tasks.list')).tasks).toEqual([]);
});
