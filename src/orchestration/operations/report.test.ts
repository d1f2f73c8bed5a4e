import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';
import { countRealTokens } from '../../../test/real-tokens.ts';

const world = [
  'T001 epic: Parser',
  'T002 in T001 active by ada@session-1: Grammar',
  'T003 in T001 depends T002: Tables',
  'T004 in T001 high: Trees',
  'T005 in T001 done: Lexer',
  'T006 in T001 depends T020: Messages',
  'T007 in T001 blocked: Names',
  'T008 in T001 depends T007: Docs',
  'T010 epic: Other',
  'T020 in T010: Words',
  'session session-1 epic:T001 by lead: Parser',
];

test('groups the work of an epic by readiness, with dependencies, reasons and holders', async () => {
  const { call } = await openApp({ tasks: world });
  const { _meta: meta, report } = await call('orchestrate.report', { taskId: 'T001' });
  expect(meta.resultsField).toBe('report');
  expect(report).toEqual({
    ...{ id: 'T001', title: 'Parser', status: 'pending', type: 'epic' },
    progress: { done: 1, total: 7, percent: 14 },
    counts: { ready: 1, running: 1, waiting: 2, blocked: 2, done: 1 },
    ready: [{ id: 'T004', title: 'Trees', status: 'pending', priority: 'high' }],
    running: [
      {
        ...{ id: 'T002', title: 'Grammar', status: 'active', agent: 'ada', session: 'session-1' },
        ...{ since: '2026-01-01T00:00:00.000Z', until: expect.stringMatching(/^20\d\d-/) },
      },
    ],
    waiting: [
      { id: 'T003', title: 'Tables', status: 'pending', on: [{ id: 'T002', title: 'Grammar', status: 'active' }] },
      { id: 'T006', title: 'Messages', status: 'pending', on: [{ id: 'T020', title: 'Words', status: 'pending' }] },
    ],
    blocked: [
      { id: 'T007', title: 'Names', status: 'blocked', reasons: [{ kind: 'stated', text: 'waiting' }] },
      { id: 'T008', title: 'Docs', status: 'pending', reasons: [{ kind: 'waits', on: 'T007' }] },
    ],
    done: [{ id: 'T005', title: 'Lexer' }],
  });
});

test.each([
  ['T004', 'ready'],
  ['T002', 'running'],
  ['T003', 'waiting'],
  ['T008', 'blocked'],
  ['T005', 'done'],
])('reports the single task %s as %s', async (taskId, group) => {
  const { call } = await openApp({ tasks: world });
  const { report } = await call('orchestrate.report', { taskId });
  expect(report[group].map(({ id }: Json) => id)).toEqual([taskId]);
  expect(Object.values(report.counts as Record<string, number>).reduce((all, n) => all + n, 0)).toBe(1);
});

test('ignores an expired claim', async () => {
  const { call, tamper } = await openApp({ tasks: world });
  await tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
  const { report } = await call('orchestrate.report', { epicId: 'T001' });
  expect([report.running, report.ready.map(({ id }: Json) => id)]).toEqual([[], ['T004', 'T002']]);
});

test('names the container through which a task waits', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 epic depends T001', 'T004 in T003'] });
  const { report } = await call('orchestrate.report', { taskId: 'T003' });
  expect(report.waiting).toMatchObject([{ id: 'T004', on: [{ id: 'T001', via: 'T003' }] }]);
});

test('cuts long groups and reports the total', async () => {
  const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001', 'T004 in T001 done', 'T005 in T001 done'] });
  const found = await call('orchestrate.report', { taskId: 'T001', limit: 1 });
  expect(found).toMatchObject({ _meta: { truncated: { shown: 2, total: 4 } }, report: { counts: { ready: 2, done: 2 } } });
  expect([found.report.ready.length, found.report.done.length]).toEqual([1, 1]);
});

test('refuses an unknown task', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect((await call('orchestrate.report', { taskId: 'T009' })).error).toMatchObject({ exitCode: 4 });
});

test('includes the context pack of the task itself', async () => {
  const { call } = await openApp({ tasks: [...world, 'doc plan T001 plan: How it is built'] });
  const { pack, omitted } = await call('orchestrate.report', { taskId: 'T001' });
  expect(pack).toMatchObject({ task: { id: 'T001', title: 'Parser' }, docs: [{ slug: 'plan' }] });
  expect(pack.acceptance).toHaveLength(7);
  expect(omitted).toBeUndefined();
});

test('keeps the whole report within the budget, and its omissions expand', async () => {
  const many = Array.from({ length: 120 }, (_, i) => `T${i + 100} in T001${i % 3 ? '' : ' depends T007'}: Task ${i} of the many inside`);
  const { call, cli } = await openApp({ tasks: [...world, ...many] });
  await call('tasks.update', { taskId: 'T001', description: 'What it is about. '.repeat(300).trim() });
  for (const budget of [400, 1000, 4000]) {
    const { out } = await cli(['orchestrate', 'report', 'T001', '--budget', String(budget)]);
    const text = (await cli(['orchestrate', 'report', 'T001', '--budget', String(budget), '--human'])).out;
    expect(countRealTokens(out), `${budget}`).toBeLessThanOrEqual(budget);
    expect(countRealTokens(text), `${budget}`).toBeLessThanOrEqual(budget);
    const { report, pack, omitted } = JSON.parse(out);
    expect(pack.task.id).toBe('T001');
    expect(report.counts.ready).toBe(81);
    for (const { expand } of omitted) expect((await cli(expand)).exitCode, expand).toBe(0);
  }
  const { envelope } = await cli('cleo orchestrate report T001 --budget 50');
  expect(envelope.error).toMatchObject({ code: 'E_VALIDATION_BUDGET' });
  expect((await cli(envelope.error.fix)).exitCode).toBe(0);
});
