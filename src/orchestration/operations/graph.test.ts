import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const world = [
  'T001 epic: Parser',
  'T002 in T001 done: Lexer',
  'T003 in T001 high depends T002: Grammar',
  'T004 in T001 depends T003: Trees',
  'T005 in T001: Docs',
  'T010 epic: Other',
  'T011 in T010 depends T004: Words',
];
const getIds = ({ nodes }: Json): string[] => nodes.map(({ id }: Json) => id);

test('returns the open tasks with their waves, dependencies and the critical path', async () => {
  const { call } = await openApp({ tasks: world });
  const found = await call('orchestrate.graph', { epic: 'T001' });
  expect(found.nodes.slice(0, 2)).toEqual([
    { id: 'T003', title: 'Grammar', status: 'pending', type: 'task', priority: 'high', parentId: 'T001', wave: 1 },
    { id: 'T004', title: 'Trees', status: 'pending', type: 'task', priority: 'medium', parentId: 'T001', wave: 2 },
  ]);
  expect(getIds(found)).toEqual(['T003', 'T004', 'T001', 'T005']);
  expect(found.edges).toEqual([['T004', 'T003']]);
  expect(found.criticalPath).toEqual(['T003', 'T004']);
});

test('includes done tasks, and follows both directions from a task across epics', async () => {
  const { call } = await openApp({ tasks: world });
  const around = await call('orchestrate.graph', { task: 'T004', all: true });
  expect(getIds(around)).toEqual(['T002', 'T003', 'T004', 'T011']);
  expect(around.edges).toHaveLength(3);
});

test('cuts at the limit, and rejects tasks that do not exist', async () => {
  const { call, reply } = await openApp({ tasks: world });
  expect(await call('orchestrate.graph', { limit: 2 })).toMatchObject({ _meta: { truncated: { shown: 2, total: 6 } } });
  for (const params of [{ epic: 'T099' }, { task: 'T099' }])
    expect((await reply('orchestrate.graph', params)).envelope).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
});

test('the critical path has only tasks that are shown', async () => {
  const { call } = await openApp({ tasks: world });
  expect((await call('orchestrate.graph', {})).criticalPath).toEqual(['T003', 'T004', 'T011']);
  expect((await call('orchestrate.graph', { task: 'T005' })).criticalPath).toEqual([]);
});

test('shows what is around a done task', async () => {
  const { call } = await openApp({ tasks: world });
  expect(getIds(await call('orchestrate.graph', { task: 'T002' }))).toEqual(['T002', 'T003', 'T004', 'T011']);
});
