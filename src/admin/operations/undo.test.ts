import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, openApp, type TestApp } from '../../../test/app.ts';

const world = [
  'T001 epic',
  'T002 in T001 accept reads|writes',
  'T003 in T001 depends T002',
  'T004 done',
  'T005 active by ada',
  'T006 blocked: no licence',
  'memory decision: Tokens are structs',
  'memory learning: Parsers are slow',
  'memory learning: Parsers are fast',
  'doc parsers T002: Which parsers there are',
];

/** Everything that a write of these domains can change, without the times and revisions of the undo itself. */
async function takeSnapshot({ call, store }: TestApp): Promise<unknown> {
  const omitVersion = ({ updatedAt: _, revision: __, claim, ...task }: Record<string, unknown>) => ({
    ...task,
    ...(claim ? { holder: (claim as { agent: string }).agent } : {}),
  });
  const { tasks } = await call('tasks.list', { limit: 0, all: true });
  const whole = await Promise.all(
    (tasks as { id: string }[]).map(async ({ id }) => omitVersion((await call('tasks.show', { taskId: id })).task)),
  );
  const { memories = [] } = await call('memory.find', { limit: 0 });
  const entries = await Promise.all((memories as { id: string }[]).map(async ({ id }) => (await call('memory.fetch', { id })).memory));
  const { docs = [] } = await call('docs.list', { limit: 0 });
  const contents = await Promise.all(
    (docs as { slug: string }[]).map(async ({ slug }) => call('docs.fetch', { slug }).then(({ _meta, ...doc }) => doc)),
  );
  const claims = await store.read(async (reads) => (await reads.claims.list()).map(({ taskId, agent }) => `${taskId} ${agent}`).sort());
  const citations = await store.read((reads) => reads.memory.listCiting('D-001'));
  const words = await call('tasks.find', { query: 'unusual' });
  return { whole, entries, docs, contents, claims, citations, found: words.tasks };
}

const writes: [operation: string, params: Record<string, unknown>][] = [
  ['tasks.add', { title: 'An unusual task', labels: ['a'], notes: 'Because' }],
  ['tasks.add', { title: 'In an epic', parent: 'T001', depends: ['T002'] }],
  [
    'tasks.add-batch',
    {
      tasks: [
        { ref: 'a', title: 'A' },
        { title: 'B', depends: ['a'] },
      ],
    },
  ],
  [
    'tasks.update',
    { taskId: 'T002', title: 'Unusual', description: 'D', priority: 'high', size: 'small', labels: ['x', 'y'], phase: 'core' },
  ],
  ['tasks.update', { taskId: 'T002', notes: 'An unusual note', addLabels: ['z'] }],
  ['tasks.update', { taskId: 'T002', parent: 'none' }],
  ['tasks.update', { taskId: 'T003', removeDepends: ['T002'], files: ['a.ts'] }],
  ['tasks.update', { taskId: 'T002', acceptance: ['other'] }],
  ['tasks.update', { taskId: 'T002', blockedBy: 'no time' }],
  ['tasks.update', { taskId: 'T006', clearBlockedBy: true }],
  ['tasks.update', { taskId: 'T005', status: 'pending' }],
  ['tasks.update', { taskId: 'T002', assignee: 'ada', due: '2026-12-01' }],
  ['tasks.update', { taskIds: ['T002', 'T003'], priority: 'low' }],
  ['tasks.complete', { taskId: 'T002' }],
  ['tasks.complete', { taskId: 'T005' }],
  ['tasks.complete', { taskIds: ['T002', 'T003'] }],
  ['tasks.cancel', { taskId: 'T002', reason: 'no longer needed' }],
  ['tasks.reopen', { taskId: 'T004' }],
  ['tasks.archive', {}],
  ['tasks.start', { taskId: 'T002' }],
  ['tasks.stop', {}],
  ['tasks.claim-next', {}],
  ['tasks.delete', { taskId: 'T003' }],
  ['tasks.delete', { taskId: 'T001', cascade: true }],
  ['tasks.delete', { taskId: 'T002', orphan: true }],
  ['tasks.delete', { taskId: 'T005' }],
  ['tasks.relates.add', { from: 'T002', to: 'T004', type: 'fixes', reason: 'the crash' }],
  ['tasks.criteria.check', { taskId: 'T002', n: 1 }],
  ['saga.create', { title: 'Everything' }],
  ['memory.store', { type: 'decision', title: 'Unusual', content: 'Follows from D-001', task: 'T002', tags: ['x'] }],
  ['memory.observe', { content: 'An observation' }],
  ['memory.confirm', { id: 'L-001' }],
  ['memory.reject', { id: 'L-001', reason: 'wrong' }],
  ['memory.supersede', { old: 'L-001', by: 'L-002' }],
  ['docs.update', { slug: 'parsers', content: 'Another text about D-001' }],
  ['docs.remove', { slug: 'parsers' }],
];

test.each(writes)('takes back %s %j', async (operation, params) => {
  const app = await openApp({ tasks: world, agent: 'ada' });
  const before = await takeSnapshot(app);
  const done = await app.call(operation, params);
  expect(done.success, JSON.stringify(done.error)).toBe(true);
  expect(await takeSnapshot(app)).not.toEqual(before);
  const preview = await app.call('admin.undo', { dryRun: true });
  if (operation.startsWith('tasks.')) expect(preview.undone.summary).toMatch(/ "[^"]+"$/);
  expect(preview).toMatchObject({ success: true, data: { dryRun: true }, undone: { operation } });
  const undo = await app.call('admin.undo');
  expect(undo.success, JSON.stringify(undo.error)).toBe(true);
  expect(await takeSnapshot(app)).toEqual(before);
  const { entries } = await app.call('admin.log', { limit: 2 });
  expect(entries[0]).toMatchObject({ operation: 'admin.undo', params: { '@undoes': entries[1].seq } });
  expect(entries[1]).toMatchObject({ operation });
  expect((await app.call('admin.audit.verify')).chain.ok).toBe(true);
  expect((await app.call('admin.doctor')).success).toBe(true);
});

test('takes back a document that was added from a file, and a relation that was removed', async () => {
  const app = await openApp({ tasks: world, agent: 'ada' });
  writeFileSync(join(app.root, 'new.md'), 'New text');
  await app.call('tasks.relates.add', { from: 'T002', to: 'T004', type: 'fixes', reason: 'the crash' });
  await app.call('tasks.relates.add', { from: 'T002', to: 'T004', type: 'fixes', reason: 'the leak' });
  const before = await takeSnapshot(app);
  await app.call('docs.add', { taskId: 'T002', file: 'new.md' });
  expect(await app.call('admin.undo')).toMatchObject({ success: true, data: { deleted: [expect.any(String)] } });
  expect(await takeSnapshot(app)).toEqual(before);
  await app.call('tasks.relates.remove', { from: 'T002', to: 'T004' });
  await app.call('admin.undo');
  expect(await takeSnapshot(app)).toEqual(before);
  await app.call('admin.undo');
  expect((await app.call('tasks.show', { taskId: 'T002' })).task.relations).toMatchObject([{ reason: 'the crash' }]);
});

test('a relation that is restored has its time and author', async () => {
  const clock = { now: '2026-01-01T10:00:00.000Z' };
  const app = await openApp({ tasks: ['T001', 'T002'], agent: 'ada', clock });
  await app.as('ben').call('tasks.relates.add', { from: 'T001', to: 'T002', type: 'fixes', reason: 'the crash' });
  clock.now = '2026-01-02T10:00:00.000Z';
  await app.call('tasks.relates.remove', { from: 'T001', to: 'T002' });
  const { old } = (await app.call('tasks.history', { taskId: 'T001' })).history.at(-1);
  expect(old).toEqual({ to: 'T002', type: 'fixes', reason: 'the crash', at: '2026-01-01T10:00:00.000Z', by: 'ben' });
  await app.call('admin.undo');
  const relations = await app.store.read(({ plan }) => plan.listRelationsFrom(['T001']));
  expect(relations).toEqual([expect.objectContaining({ at: '2026-01-01T10:00:00.000Z', by: 'ben' })]);
});

test('twice in a row takes back two writes, then nothing is left', async () => {
  const app = await openApp({ tasks: ['T001'], agent: 'ada' });
  const before = await takeSnapshot(app);
  await app.call('tasks.update', { taskId: 'T001', title: 'One' });
  await app.call('tasks.update', { taskId: 'T001', title: 'Two' });
  await app.call('admin.undo');
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.title).toBe('One');
  await app.call('admin.undo');
  expect(await takeSnapshot(app)).toEqual(before);
  expect(await app.call('admin.undo')).toMatchObject({ _meta: { exitCode: 102 }, undone: {} });
});

test('takes back only writes of the caller within the last hour', async () => {
  const clock = { now: '2026-01-01T10:00:00.000Z' };
  const app = await openApp({ tasks: ['T001', 'T002'], agent: 'ada', clock });
  await app.call('tasks.update', { taskId: 'T001', title: 'By ada' });
  await app.as('ben').call('tasks.update', { taskId: 'T002', title: 'By ben' });
  expect((await app.call('admin.undo', { dryRun: true })).undone).toMatchObject({ ids: ['T001'] });
  clock.now = '2026-01-01T11:00:01.000Z';
  expect(await app.call('admin.undo')).toMatchObject({ _meta: { exitCode: 102 } });
});

test.each<[string, (app: TestApp) => Promise<unknown>, (app: TestApp) => Promise<unknown>, string]>([
  [
    'another agent changed the task',
    ({ call }) => call('tasks.update', { taskId: 'T002', title: 'One' }),
    ({ as }) => as('ben').call('tasks.update', { taskId: 'T002', size: 'small' }),
    'ben changed T002 after that (tasks.update)',
  ],
  [
    'the new task has a child',
    ({ call }) => call('tasks.add', { title: 'Parent', type: 'epic' }),
    ({ as }) => as('ben').call('tasks.add', { title: 'Child', parent: 'T007' }),
    'T007 contains T008',
  ],
  [
    'another task depends on the new one',
    ({ call }) => call('tasks.add', { title: 'New' }),
    ({ as }) => as('ben').call('tasks.add', { title: 'After', depends: ['T007'] }),
    'T008 depends on T007',
  ],
  [
    'a dependent was started',
    ({ call }) => call('tasks.complete', { taskId: 'T002' }),
    ({ as }) => as('ben').call('tasks.start', { taskId: 'T003' }),
    'T003 depends on T002 and is active',
  ],
  [
    'a memory entry is about the new task',
    ({ call }) => call('tasks.add', { title: 'New' }),
    ({ as }) => as('ben').call('memory.observe', { content: 'Seen', task: 'T007' }),
    'O-001 is about T007',
  ],
  [
    'an entry cites the new one',
    ({ call }) => call('memory.store', { type: 'learning', content: 'First' }),
    ({ as }) => as('ben').call('memory.observe', { content: 'Follows from L-003' }),
    'O-001 cites L-003',
  ],
  [
    'another agent replaced an entry by the new one',
    ({ call }) => call('memory.store', { type: 'learning', content: 'Parsers are neither' }),
    ({ as }) => as('ben').call('memory.supersede', { old: 'L-001', by: 'L-003' }),
    'L-003 superseded L-001',
  ],
  [
    'it would create a cycle',
    ({ call }) => call('tasks.update', { taskId: 'T003', removeDepends: ['T002'] }),
    ({ as }) => as('ben').call('tasks.update', { taskId: 'T002', addDepends: ['T003'] }),
    'cycle',
  ],
])('refuses if %s', async (_, write, later, problem) => {
  const app = await openApp({ tasks: world, agent: 'ada' });
  expect(await write(app)).toMatchObject({ success: true });
  expect(await later(app)).toMatchObject({ success: true });
  const before = await takeSnapshot(app);
  const { error } = await app.call('admin.undo');
  expect(error).toMatchObject({ code: 'E_UNDO_BLOCKED', exitCode: 21 });
  expect(error.message).toContain(problem);
  expect(await takeSnapshot(app)).toEqual(before);
});

test('only a person takes back a decision, or a task with criteria that are bound to evidence', async () => {
  const app = await openApp({ tasks: world, agent: 'ada' });
  await app.call('tasks.add', { title: 'Proved', acceptEvidence: ['implemented'] });
  expect((await app.call('admin.undo')).error).toMatchObject({ exitCode: 64 });
  expect((await app.call('tasks.exists', { taskId: 'T007' })).exists).toBe(true);
  expect(await app.call('memory.confirm', { id: 'D-001' }, asPerson)).toMatchObject({ success: true });
  expect((await app.call('admin.undo')).error).toMatchObject({ exitCode: 64 });
  expect(await app.call('admin.undo', {}, asPerson)).toMatchObject({ success: true, undone: { operation: 'memory.confirm' } });
  expect((await app.call('memory.fetch', { id: 'D-001' })).memory).toMatchObject({ confirmation_state: 'proposed' });
});

test('refuses if the new task is the scope of a session', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'session s-1 epic:T001 by ben'], agent: 'ada' });
  await app.call('tasks.add', { title: 'New', type: 'epic' });
  await app.tamper("update sessions set scope_root = 'T002'");
  expect((await app.call('admin.undo')).error.message).toContain('T002 is the scope of s-1');
});

test('an import is not taken back', async () => {
  const app = await openApp({ tasks: ['T001'], agent: 'ada' });
  const content = '[{"uuid":"6a2b1b9e-4d0c-4a64-9a0b-0f3c7f1d2e3a","description":"From elsewhere","status":"pending"}]';
  expect(await app.call('tasks.import', { content, from: 'taskwarrior' })).toMatchObject({ success: true });
  const { error } = await app.call('admin.undo');
  expect(error).toMatchObject({ code: 'E_UNDO_BLOCKED', message: expect.stringContaining('it also recorded what it imported') });
});

test('finds the last write behind many entries of others', async () => {
  const clock = { now: '2026-01-01T10:00:00.000Z' };
  const app = await openApp({ tasks: ['T001', 'T002'], agent: 'ada', clock });
  await app.call('tasks.update', { taskId: 'T001', title: 'By ada' });
  const draft = { timestamp: clock.now, agent: 'ben', gateway: 'cli' as const, domain: 'tasks', operation: 'update', params: '{}' };
  const entry = { ...draft, success: true, exitCode: 0, created: [], updated: ['T002'], deleted: [], durationMs: 0 };
  await app.store.write({ at: clock.now, by: 'ben' }, async ({ audit }) => {
    for (let i = 0; i < 401; i++) await audit.append(entry);
  });
  expect((await app.call('admin.undo', { dryRun: true })).undone).toMatchObject({ ids: ['T001'] });
});
