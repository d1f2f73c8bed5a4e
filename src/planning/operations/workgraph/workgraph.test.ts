import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../../test/app.ts';

const world = ['T001 epic: Parser', 'T002 in T001: Read', 'T003 in T001 depends T002: Write', 'T004: Alone'];

const scaffold = {
  version: 1,
  create: [
    { ref: 'epic', type: 'epic', title: 'Printer', acceptance: ['prints what was read'] },
    {
      ref: 'tree',
      title: 'Walk the tree',
      parent: 'epic',
      depends: ['T3'],
      acceptance: ['every node', { kind: 'evidence_bound', gate: 'testsPassed' }],
    },
    { title: 'Lay out the lines', parent: 'epic', depends: ['tree'], notes: 'Asked for by the team', labels: ['print'] },
  ],
  update: [{ id: 'T4', parent: 'epic', title: 'No longer alone', addDepends: ['tree'], acceptance: ['has company'] }],
  delete: ['T1', 'T2', 'T3'].slice(3),
  relations: [{ from: 'tree', to: 'T2', type: 'relates to', reason: 'the same tree' }],
};

const everything = async ({ call }: TestApp) => (await call('tasks.list', { all: true, limit: 100 })).tasks;

test('apply creates all tasks and returns the ids of the refs', async () => {
  const { call } = await openApp({ tasks: world });
  expect(await call('workgraph.apply', { payload: scaffold })).toMatchObject({
    success: true,
    workgraph: { refs: { epic: 'T005', tree: 'T006' }, created: 3, updated: 1, deleted: 0, related: 1 },
    data: { created: ['T005', 'T006', 'T007'], updated: ['T004'] },
  });
  expect((await call('tasks.show', { taskId: 'T006' })).task).toMatchObject({
    type: 'task',
    parentId: 'T005',
    depends: ['T003'],
    acceptance: [{ text: 'every node' }, { gate: 'testsPassed' }],
    relations: [{ taskId: 'T002', type: 'related', direction: 'to' }],
  });
  expect((await call('tasks.show', { taskId: 'T007' })).task).toMatchObject({
    depends: ['T006'],
    labels: ['print'],
    notes: [{ text: 'Asked for by the team' }],
  });
  expect((await call('tasks.show', { taskId: 'T004' })).task).toMatchObject({
    title: 'No longer alone',
    parentId: 'T005',
    depends: ['T006'],
    acceptance: [{ text: 'has company' }],
  });
});

test('validate counts what apply would do, and writes nothing', async () => {
  const app = await openApp({ tasks: world });
  const before = await everything(app);
  const counts = { wouldCreate: 3, wouldUpdate: 1, wouldDelete: 0, wouldRelate: 1 };
  expect(await app.call('workgraph.validate', { payload: scaffold, dryRun: true })).toMatchObject({
    workgraph: { isValid: true, isApplied: false, ...counts },
    data: { dryRun: true, count: 4, wouldCreate: 3, wouldUpdate: 1, wouldDelete: 0, insertedCount: 0 },
  });
  expect(await app.call('workgraph.validate', { payload: scaffold })).not.toHaveProperty('data');
  expect(await app.call('workgraph.apply', { payload: scaffold, dryRun: true })).toMatchObject({
    data: { dryRun: true, wouldCreate: 3, wouldUpdate: 1, insertedCount: 0 },
  });
  expect(await everything(app)).toEqual(before);
});

test('applying the same payload twice changes nothing, whatever the order of its keys', async () => {
  const app = await openApp({ tasks: world });
  const first = await app.call('workgraph.apply', { payload: scaffold });
  const before = await everything(app);
  const { version, create, ...rest } = scaffold;
  expect(await app.call('workgraph.apply', { payload: { ...rest, create, version } })).toMatchObject({
    success: true,
    _meta: { exitCode: 102 },
    workgraph: { digest: first.workgraph.digest, refs: { epic: 'T005', tree: 'T006' }, created: 0, updated: 0 },
    data: {},
  });
  expect(await everything(app)).toEqual(before);
  expect(await app.call('workgraph.validate', { payload: scaffold })).toMatchObject({ workgraph: { isApplied: true, wouldCreate: 0 } });
});

test('a payload that changes nothing exits with 102 each time', async () => {
  const { call } = await openApp({ tasks: world });
  for (const payload of [{ version: 1 }, { version: 1, update: [{ id: 'T004', title: 'Alone' }] }])
    expect(await call('workgraph.apply', { payload })).toMatchObject({ _meta: { exitCode: 102 }, workgraph: { updated: 0 } });
  await call('tasks.update', { taskId: 'T004', title: 'Other' });
  expect(await call('workgraph.apply', { payload: { version: 1, update: [{ id: 'T004', title: 'Alone' }] } })).toMatchObject({
    data: { updated: ['T004'] },
  });
});

test.each<[string, object, string[]]>([
  [
    'cyclic',
    {
      create: [
        { ref: 'a', title: 'x', depends: ['b'] },
        { ref: 'b', title: 'x', depends: ['a'] },
      ],
    },
    ['/create/0/depends/0 E_CIRCULAR_REFERENCE'],
  ],
  ['cyclic through existing tasks', { update: [{ id: 'T002', depends: ['T003'] }] }, ['/update/0/depends/0 E_CIRCULAR_REFERENCE']],
  [
    'dangling',
    { create: [{ title: 'x', parent: 'T404', depends: ['nobody'] }] },
    ['/create/0/depends/0 E_INVALID_INPUT', '/create/0/parent E_PARENT_NOT_FOUND'],
  ],
  [
    'duplicate',
    {
      create: [
        { ref: 'a', title: 'x' },
        { ref: 'a', title: 'x' },
      ],
    },
    ['/create/1/ref E_ID_COLLISION'],
  ],
  [
    'ill-typed',
    { create: [{ title: 1 }, { title: 'x', size: 'huge' }] },
    ['/create/0/title E_INVALID_INPUT', '/create/1/size E_INVALID_INPUT'],
  ],
  [
    'over-deep',
    {
      create: [
        { ref: 'a', title: 'x', parent: 'T002' },
        { title: 'x', parent: 'a' },
      ],
    },
    ['/create/1/parent E_DEPTH_EXCEEDED'],
  ],
  ['deleting tasks with children or dependents', { delete: ['T001', 'T002'] }, ['/delete/0 E_HAS_CHILDREN', '/delete/1 E_HAS_DEPENDENTS']],
])('%s: reports every finding with its pointer, exits with 6 and writes nothing', async (_, part, expected) => {
  const app = await openApp({ tasks: world });
  const before = await everything(app);
  for (const operation of ['workgraph.validate', 'workgraph.apply']) {
    const { error } = await app.call(operation, { payload: { version: 1, ...part } });
    expect(error).toMatchObject({ code: 'E_VALIDATION_WORKGRAPH', exitCode: 6 });
    const findings = error.details.findings.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`);
    expect(findings.sort()).toEqual(expected);
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  }
  expect(await everything(app)).toEqual(before);
});

test('reports the sibling limit, claims of other agents and the scope of the session', async () => {
  const app = await openApp({
    tasks: [...world, 'T005 in T001 active by ben', 'session session-1 epic:T001 by tester'],
    config: { hierarchy: { maxSiblings: 2 } },
  });
  const payload = {
    version: 1,
    create: [{ title: 'x' }, { title: 'x', type: 'epic' }],
    update: [
      { id: 'T005', type: 'epic', parent: 'none' },
      { id: 'T004', priority: 'high' },
    ],
    delete: ['T005'],
  };
  const { error } = await app.call('workgraph.validate', { payload }, { session: 'session-1' });
  const findings = error.details.findings.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`);
  expect(findings).toEqual(
    expect.arrayContaining([
      '/create/0 E_SIBLING_LIMIT',
      '/create/1 E_TASK_NOT_IN_SCOPE',
      '/update/1 E_TASK_NOT_IN_SCOPE',
      '/delete/0 E_TASK_CLAIMED',
    ]),
  );
});

test('a new task without a parent is placed below the root of the session scope', async () => {
  const { call } = await openApp({ tasks: [...world, 'session session-1 epic:T001 by tester'] });
  await call('workgraph.apply', { payload: { version: 1, create: [{ ref: 'a', title: 'Inside' }] } }, { session: 'session-1' });
  expect((await call('tasks.show', { taskId: 'T005' })).task).toMatchObject({ parentId: 'T001', type: 'task' });
});

test('reports a move that puts one session inside another', async () => {
  const { call } = await openApp({
    tasks: ['T001 saga', 'T002 epic', 'session session-1 saga:T001 by ada', 'session session-2 epic:T002 by ben'],
  });
  const { error } = await call('workgraph.validate', { payload: { version: 1, update: [{ id: 'T002', parent: 'T001' }] } });
  expect(error.details.findings).toMatchObject([{ pointer: '/update/0/parent', code: 'E_SCOPE_CONFLICT' }]);
});

test('tasks deleted together are restored together, with their dependents', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 depends T002', 'T004'] });
  const payload = { version: 1, update: [{ id: 'T003', removeDepends: ['T002'] }], delete: ['T001', 'T002'] };
  expect(await call('workgraph.apply', { payload })).toMatchObject({ data: { updated: ['T003'], deleted: ['T002', 'T001'] } });
  expect(await call('tasks.restore', { taskId: 'T001', cascade: true })).toMatchObject({ restored: ['T001', 'T002'] });
  expect((await call('tasks.show', { taskId: 'T003' })).task.depends).toEqual(['T002']);
});

test('one payload can replace a relation by a parent, and a parent by a relation', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002', 'T003 in T001'] });
  await call('tasks.relates.add', { from: 'T002', to: 'T001', type: 'related', reason: 'r' });
  const payload = {
    version: 1,
    update: [
      { id: 'T002', parent: 'T001' },
      { id: 'T003', parent: 'none' },
    ],
    relations: [
      { from: 'T002', to: 'T001', remove: true },
      { from: 'T003', to: 'T001', type: 'extends', reason: 'r' },
    ],
  };
  expect(await call('workgraph.apply', { payload })).toMatchObject({ success: true, data: { updated: ['T002', 'T003'] } });
  expect((await call('tasks.show', { taskId: 'T001' })).task.relations).toEqual([
    { taskId: 'T003', type: 'extends', reason: 'r', direction: 'from' },
  ]);
});

test('reads a file on the command line, and reports broken JSON with line and column', async () => {
  const app = await openApp({ tasks: world });
  const file = join(app.root, 'scaffold.json');
  writeFileSync(file, JSON.stringify(scaffold, null, 2));
  expect(await app.cli(['workgraph', 'validate', '--file', file, '--dry-run'])).toMatchObject({ exitCode: 0 });
  expect(await app.cli(['workgraph', 'apply', '--file', file])).toMatchObject({ exitCode: 0 });
  expect(await app.cli(['workgraph', 'apply', '--file', file])).toMatchObject({ exitCode: 102 });
  writeFileSync(file, '{\n  "version": 1,\n  "create": [}\n}\n');
  const { exitCode, envelope } = await app.cli(['workgraph', 'apply', '--file', file]);
  expect([exitCode, envelope.error.message]).toEqual([2, expect.stringMatching(/line 3, column 14/)]);
});

test('applies a thousand tasks in two seconds', async () => {
  const { call } = await openApp({ config: { hierarchy: { maxSiblings: 0 } } });
  const create = Array.from({ length: 1000 }, (_, i) => ({
    ref: `r${i}`,
    title: `Task ${i}`,
    acceptance: ['done as asked'],
    labels: ['made'],
    ...(i < 10 ? { type: 'epic' } : { parent: `r${i % 10}` }),
    ...(i > 20 ? { depends: [`r${i - 10}`] } : {}),
  }));
  // Its own time: the machine may be busy with other things.
  const began = process.cpuUsage();
  expect((await call('workgraph.apply', { payload: { version: 1, create } })).workgraph).toMatchObject({ created: 1000 });
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1000).toBeLessThan(2000);
});

test('reports a deeply nested payload like any other', async () => {
  const { call } = await openApp();
  let deep: unknown = {};
  for (let i = 0; i < 20_000; i++) deep = [deep];
  const { error } = await call('workgraph.apply', { payload: { version: 1, create: deep } });
  expect(error).toMatchObject({ exitCode: 6 });
});

test('plan prints Markdown for a root or for all open work', async () => {
  const app = await openApp({ tasks: [...world, 'T005 in T001 done: Look'] });
  const { out } = await app.cli(['workgraph', 'plan', 'T1', '--mode', 'maintainer']);
  expect(out).toMatch(/^# Plan for T001: Parser\n/);
  expect(out).toContain('1 of 3 done (33 %). The 2 tasks that can be planned take 2 waves. The longest chain is T002, then T003.');
  expect(await app.call('workgraph.plan', { epicId: 'T001' })).toMatchObject({
    plan: expect.stringContaining('## Wave 2\n\n- [ ] T003 Write (medium) after T002'),
    mode: 'agent',
    root: 'T001',
  });
  expect((await app.call('workgraph.plan')).plan).toContain('- [ ] T004 Alone');
  expect(await app.call('workgraph.plan', { epic: 'T404' })).toMatchObject({ error: { exitCode: 4 } });
  expect(await (await openApp()).call('workgraph.plan')).toMatchObject({ success: true, _meta: { exitCode: 100 } });
});
