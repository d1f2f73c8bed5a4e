import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const summarize = ({ columns }: Json): string[] =>
  columns.map((column: Json) => `${column.status} ${column.count}: ${column.cards.map((card: Json) => card.id).join(' ')}`);

const world = [
  'T001 epic: Parser',
  'T002 in T001 active by ada@session-1: Write it',
  'T003 in T001 high: Test it',
  'T004 in T002: A part of it',
  'T005 blocked: Ask them',
  'T006 in T001 done: Plan it',
  'T007 done archived',
  'session session-1 epic:T001 by ada',
];

test('groups tasks that are not archived by status', async () => {
  const { call } = await openApp({ tasks: world });
  const found = await call('tasks.board');
  expect(summarize(found)).toEqual(['pending 3: T003 T001 T004', 'active 1: T002', 'blocked 1: T005', 'done 1: T006']);
  expect(found).not.toHaveProperty('root');
  expect(found._meta).not.toHaveProperty('truncated');
});

test('shows epic, claim, reason and completion on a card', async () => {
  const { call } = await openApp({ tasks: world });
  const cards: Json[] = (await call('tasks.board')).columns.flatMap((column: Json) => column.cards);
  const card = (id: string): Json => cards.find((one) => one.id === id)!;
  expect(card('T004')).toEqual({
    id: 'T004',
    title: 'A part of it',
    status: 'pending',
    type: 'subtask',
    priority: 'medium',
    epicId: 'T001',
  });
  expect(card('T002').claim).toMatchObject({ agent: 'ada', session: 'session-1', since: '2026-01-01T00:00:00.000Z' });
  expect(card('T002').claim).not.toHaveProperty('lapsed');
  expect(card('T005').blockedBy).toBe('waiting');
  expect(card('T006').completedAt).toBe('2026-01-01T00:00:00.000Z');
});

test('marks an expired claim', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.call('tasks.start', { taskId: 'T001' });
  await app.tamper(`update claims set renewed_at = '2020-01-01T00:00:00.000Z'`);
  expect((await app.call('tasks.board')).columns[1].cards[0].claim).toMatchObject({ lapsed: true, state: 'expired' });
});

test('shows all descendants of an epic', async () => {
  const { call } = await openApp({ tasks: world });
  const found = await call('tasks.board', { epicId: 'T001' });
  expect(summarize(found)).toEqual(['pending 2: T003 T004', 'active 1: T002', 'blocked 0: ', 'done 1: T006']);
  expect(found.root).toEqual({ id: 'T001', title: 'Parser' });
  expect(summarize(await call('tasks.board', { epic: 'T002' }))[0]).toBe('pending 1: T004');
});

test('filters by words, and limits each column', async () => {
  const { call } = await openApp({ tasks: world });
  expect(summarize(await call('tasks.board', { match: 'IT t00' }))).toEqual([
    'pending 2: T003 T004',
    'active 1: T002',
    'blocked 0: ',
    'done 1: T006',
  ]);
  const cut = await call('tasks.board', { limit: 1 });
  expect(summarize(cut)[0]).toBe('pending 3: T003');
  expect(cut._meta.truncated).toEqual({ shown: 4, total: 6 });
});

test('returns exit 100 for an empty board and rejects a missing root', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  const empty = await call('tasks.board', { match: 'nothing' });
  expect([empty._meta.exitCode, summarize(empty)]).toEqual([100, ['pending 0: ', 'active 0: ', 'blocked 0: ', 'done 0: ']]);
  expect((await call('tasks.board', { epic: 'T900' })).error.code).toBe('E_NOT_FOUND');
});

test('adds parent, labels, dependencies, assignee and due date with details', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 depends T003,T004 labels b,a', 'T003 in T001', 'T004 in T001'] });
  await app.call('tasks.update', { taskId: 'T002', assignee: 'ada', due: '2026-02-01' });
  const cards: Json[] = (await app.call('tasks.board', { details: true })).columns[0].cards;
  expect(cards.find(({ id }) => id === 'T002')).toMatchObject({
    parentId: 'T001',
    labels: ['b', 'a'],
    depends: ['T003', 'T004'],
    assignee: 'ada',
    due: '2026-02-01',
  });
  expect(cards.find(({ id }) => id === 'T001')).not.toHaveProperty('labels');
});
