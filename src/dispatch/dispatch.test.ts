import { expect, test } from 'vitest';
import { openApp } from '../../test/app.ts';

const decisions = ['A', 'B', 'C'].map((title) => `memory decision: ${title}`);

test.each([
  ['two aliases', { id: 'D-001', oldId: 'D-002' }, 'oldId'],
  ['its name and an alias', { old: 'D-001', oldId: 'D-002' }, 'oldId'],
  ['an alias and its name', { oldId: 'D-002', old: 'D-001' }, 'oldId'],
])('rejects a parameter that is passed under %s, and changes nothing', async (_, twice, field) => {
  const { call } = await openApp({ tasks: decisions });
  expect(await call('memory.supersede', { ...twice, by: 'D-003' })).toMatchObject({
    error: { code: 'E_INVALID_INPUT', details: { field } },
  });
  expect((await call('memory.find', { state: 'superseded' })).memories).toEqual([]);
});

const long = 'z'.repeat(61);

test.each([
  ['no object', 'tasks.add', [], 'params must be an object', 'cleo help add', undefined],
  ['a missing parameter', 'tasks.add', {}, 'title is required', 'cleo help add', 'title'],
  [
    'a wrong shape before a violated rule',
    'tasks.add',
    { title: '', labels: {} },
    'labels.0: expected string, received an object',
    'cleo help add',
    'labels',
  ],
  [
    'a wrong item of a list',
    'tasks.add',
    { title: 'x', labels: [true] },
    'labels.0: expected string, received true',
    'cleo help add',
    'labels',
  ],
  ['an object', 'tasks.add', { title: { a: 1 } }, 'title: expected string, received an object', 'cleo help add', 'title'],
  ['a list', 'tasks.add', { title: ['a', 'b'] }, 'title: expected string, received a list', 'cleo help add', 'title'],
  ['null', 'tasks.add', { title: null }, 'title: expected string, received null', 'cleo help add', 'title'],
  [
    'a misspelt choice',
    'tasks.add',
    { title: 'x', priority: 'hgh' },
    'priority (--priority): "hgh" is not one of critical, high, medium, low',
    'cleo add x --priority high',
    'priority',
  ],
  [
    'a long choice',
    'tasks.add',
    { title: 'x', priority: long },
    `priority (--priority): "${long.slice(1)}"… is not one of critical, high, medium, low`,
    'cleo help add',
    'priority',
  ],
  ['an unknown parameter', 'tasks.add', { title: 'x', zz: 1 }, 'tasks.add has no parameter "zz"', 'cleo add x', 'zz'],
  [
    'a misspelt parameter',
    'tasks.add',
    { title: 'x', prioritty: 'low' },
    'tasks.add has no parameter "prioritty"; did you mean priority (--priority)?',
    'cleo add x --priority low',
    'prioritty',
  ],
  [
    'a misspelt parameter whose right name is taken',
    'tasks.add',
    { title: 'x', titel: 'y' },
    'tasks.add has no parameter "titel"',
    'cleo help add',
    'titel',
  ],
  [
    'a task id with digits',
    'tasks.show',
    { taskId: 'item-07' },
    'taskId: Expected a task id such as T001, received "item-07"',
    'cleo show T007',
    'taskId',
  ],
  [
    'a task id without digits',
    'tasks.show',
    { taskId: 'none' },
    'taskId: Expected a task id such as T001, received "none"',
    'cleo help show',
    'taskId',
  ],
] as Array<[string, string, never, string, string, string | undefined]>)(
  'explains %s',
  async (_, operation, params, message, fix, field) => {
    const { error } = await (await openApp()).call(operation, params);
    expect({ ...error, field: error.details?.field }).toMatchObject({ code: 'E_INVALID_INPUT', exitCode: 2, message, fix, field });
  },
);

test.each([
  ['has more than 500 characters', { title: 'x'.repeat(500) }],
  ['has a line break', { title: 'a\nb' }],
  ['would still be wrong', { title: 'x', labels: {} }],
])('does not suggest a corrected command that %s', async (_, params) => {
  const { error } = await (await openApp()).call('tasks.add', { priority: 'hgh', ...params });
  expect(error.fix).toBe('cleo help add');
});

test('suggests a corrected command of exactly 500 characters', async () => {
  const title = 'x'.repeat(500 - 'cleo add  --priority high'.length);
  const { error } = await (await openApp()).call('tasks.add', { title, priority: 'hgh' });
  expect(error.fix).toBe(`cleo add ${title} --priority high`);
});

test('reports the first violated rule by the name of its parameter, without the position in a list', async () => {
  const { error } = await (await openApp()).call('tasks.add', { title: 'x', labels: ['a', ''] });
  expect(error).toEqual({
    code: 'E_VALIDATION_LABELS',
    exitCode: 6,
    message: 'labels must not be empty',
    fix: 'cleo help add',
    details: { field: 'labels' },
  });
});

test('cuts a long unknown name to 100 characters', async () => {
  const { call } = await openApp();
  expect((await call('x'.repeat(101))).error.details).toEqual({ operation: 'x'.repeat(100), suggestions: [] });
  expect((await call('tasks.add', { title: 'x', ['q'.repeat(101)]: 1 })).error.details).toEqual({ field: 'q'.repeat(100) });
});

test('an alias passes its value under the real name, and an inherited name is no alias', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002', 'T003 in T001'] });
  expect((await call('tasks.next', { epicId: 'T001' })).recommendation.taskId).toBe('T003');
  expect((await call('tasks.next', { toString: 'T001' })).error).toMatchObject({ exitCode: 2, details: { field: 'toString' } });
});

test.each([
  [
    'a write to the query tool',
    'tasks.add',
    { title: 'x' },
    'query',
    'cleo_query',
    'tasks.add writes; call cleo_mutate',
    'cleo add x',
    'cleo_mutate',
  ],
  [
    'a read to the mutate tool',
    'tasks.show',
    { taskId: 'T001' },
    'mutate',
    'cleo_mutate',
    'tasks.show reads; call cleo_query',
    'cleo show T001',
    'cleo_query',
  ],
  [
    'a write to the query path',
    'tasks.add',
    { title: 'x' },
    'query',
    'http',
    'tasks.add writes; call POST /api/mutate/tasks/add',
    'cleo add x',
    'cleo_mutate',
  ],
  [
    'a job to the query path',
    'research.archive',
    {},
    'query',
    'http',
    'research.archive writes; call POST /api/mutate/research/archive',
    'cleo research archive',
    'cleo_mutate',
  ],
  [
    'a read without an object',
    'tasks.show',
    [],
    'mutate',
    'http',
    'tasks.show reads; call POST /api/query/tasks/show',
    'cleo help show',
    undefined,
  ],
  [
    'a read of a wrong shape',
    'tasks.show',
    {},
    'mutate',
    'http',
    'tasks.show reads; call POST /api/query/tasks/show',
    'cleo help show',
    undefined,
  ],
] as const)('redirects %s', async (_, operation, params, kind, gateway, message, fix, tool) => {
  const { envelope, error } = await (await openApp({ tasks: ['T001'] })).reply(operation, params as never, { kind, gateway, agent: 'ada' });
  const [domain, name] = operation.split('.');
  expect(envelope.error).toMatchObject({ exitCode: 2, message, fix });
  expect(error?.call).toEqual(tool && { tool, domain, operation: name, params, agent: 'ada' });
});

test.each([
  [
    'several misspelt parameters',
    { titel: 'x', prioritty: 'low' },
    'tasks.add has no parameter "titel"; did you mean title?; tasks.add has no parameter "prioritty"; did you mean priority?',
    'cleo add x --priority low',
    ['titel', 'prioritty'],
  ],
  [
    'a missing and a wrong parameter',
    { size: 'qqq', labels: [5, {}] },
    'title is required; size: "qqq" is not one of small, medium, large; labels.1: expected string, received an object',
    'cleo help add',
    ['title', 'size', 'labels'],
  ],
])('names %s at once, and the valid ones', async (_, params, problems, fix, fields) => {
  const { call } = await openApp();
  const { error } = await call('tasks.add', params, { gateway: 'cleo_mutate', kind: 'mutate' });
  expect(error.message).toContain('. Valid: tasks.add {title, description?, parent?, ');
  for (const problem of problems.split(/; (?!did)/)) expect(error.message).toContain(problem);
  expect(error).toMatchObject({ code: 'E_INVALID_INPUT', fix, details: { field: fields[0] } });
  expect([...error.details.fields].sort()).toEqual([...fields].sort());
  expect(error.message).not.toContain('--');
});

const clock = { now: '2026-01-01T00:00:00.000Z' };
const meta = (command: string, more: object = {}) => ({ command, timestamp: clock.now, version: '0.0.0-test', ...more });

test('the fields of an answer have a fixed order, and empty ones are left out', async () => {
  const { call } = await openApp({ clock });
  const task = { id: 'T001', title: 'First', status: 'pending', type: 'task', priority: 'medium' };
  expect(JSON.stringify(await call('tasks.add', { title: 'First' }))).toBe(
    JSON.stringify({ _meta: meta('tasks.add', { resultsField: 'task' }), success: true, task, data: { created: ['T001'] } }),
  );
  expect(JSON.stringify(await call('tasks.list'))).toBe(
    JSON.stringify({ _meta: meta('tasks.list', { resultsField: 'tasks' }), success: true, tasks: [task] }),
  );
  const error = { code: 'E_INVALID_INPUT', exitCode: 2, message: 'params must be an object', fix: 'cleo help add' };
  expect(JSON.stringify(await call('tasks.add', [] as never))).toBe(
    JSON.stringify({ _meta: meta('tasks.add', { exitCode: 2 }), success: false, error }),
  );
});

test('an empty list has exit code 100 in the answer and as the exit code', async () => {
  const { reply } = await openApp({ clock });
  const { envelope, exitCode } = await reply('tasks.list');
  expect({ envelope, exitCode }).toEqual({
    exitCode: 100,
    envelope: { _meta: meta('tasks.list', { resultsField: 'tasks', exitCode: 100 }), success: true, tasks: [] },
  });
});

test('an answer names the operation by its real name and the session it belongs to', async () => {
  const { call } = await openApp({ clock, tasks: ['T001', 'session session-1 task:T001 by tester'] });
  expect((await call('system.dash'))._meta).toMatchObject({ command: 'admin.dash', sessionId: 'session-1' });
  expect((await call('tasks.show', { taskId: 'T900' }))._meta).toEqual(meta('tasks.show', { sessionId: 'session-1', exitCode: 4 }));
});

test('a receipt names what was created, updated and deleted, and a dry run only counts it', async () => {
  const app = await openApp({ tasks: ['T001', 'T002'] });
  const state = () =>
    app.store.read(async ({ audit, tasks }) => [await audit.listAfter(0, 9), await tasks.get('T001'), await tasks.get('T003')]);
  const before = await state();
  const count = { dryRun: true, count: 1, wouldCreate: 0, wouldUpdate: 0, wouldDelete: 0, insertedCount: 0 };
  const dry = { dryRun: true };
  expect((await app.call('tasks.add', { title: 'x', ...dry }, { idempotencyKey: 'k1' })).data).toEqual({ ...count, wouldCreate: 1 });
  expect((await app.call('tasks.delete', { taskId: 'T001', ...dry })).data).toEqual({ ...count, wouldDelete: 1 });
  expect(await state()).toEqual(before);
  expect((await app.call('tasks.update', { taskId: 'T001', title: 'x' })).data).toEqual({ updated: ['T001'] });
  expect((await app.call('tasks.delete', { taskId: 'T001' })).data).toEqual({ deleted: ['T001'] });
  expect((await app.call('tasks.add', { title: 'y' }, { idempotencyKey: 'k1' })).data).toEqual({ created: ['T003'] });
});

test('a list is cut to its budget and names the next page', async () => {
  const { call } = await openApp({ clock, tasks: ['T001', 'T002', 'T003'] });
  const list = async (params: object) => {
    const { tasks, _meta } = await call('tasks.list', { ...params });
    return { ids: tasks.map(({ id }: { id: string }) => id).join(), ...(_meta.truncated ?? {}) };
  };
  expect(await list({ budget: 1000 })).toEqual({ ids: 'T001,T002,T003' });
  expect(await list({ budget: 1000, limit: 2 })).toEqual({
    ids: 'T001,T002',
    shown: 2,
    total: 3,
    next: 'cleo list --budget 1000 --limit 2 --offset 2',
  });
  expect(await list({ budget: 1000, limit: 2, offset: 2 })).toEqual({ ids: 'T003', shown: 1, total: 3 });
  expect(await list({ budget: 110 })).toEqual({ ids: 'T001', shown: 1, total: 3, next: 'cleo list --budget 110 --offset 1' });
  expect(await list({ budget: 110, offset: 1 })).toEqual({ ids: 'T002', shown: 1, total: 3, next: 'cleo list --budget 110 --offset 2' });
  const tiny = await list({ budget: 85 });
  expect(tiny).toEqual({ ids: '', shown: 0, total: 3, next: expect.stringMatching(/^cleo list --budget \d+$/) });
  expect((await list({ budget: Number(/\d+$/.exec(tiny.next)?.[0]) })).ids).toBe('T001');
  const { error } = await call('tasks.list', { budget: 5 });
  expect(error).toMatchObject({ exitCode: 6, details: { field: 'budget' } });
  const min = Number(/\d+$/.exec(error.fix)?.[0]);
  expect((await call('tasks.list', { budget: min })).success).toBe(true);
  expect((await call('tasks.list', { budget: min - 1 })).error.fix).toBe(error.fix);
  // A control character in a command to copy would reach the terminal.
  expect((await call('tasks.find', { query: 'a\u0007b', budget: 5 })).error).toMatchObject({ exitCode: 6, fix: 'cleo help find' });
});
