import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../../test/app.ts';

const readCounts = async ({ call }: TestApp): Promise<Record<string, number>> => (await call('validate.report')).report.counts;

test('reports valid tasks and an empty project as ok', async () => {
  expect(await (await openApp()).call('validate.report')).toMatchObject({ success: true, report: { ok: true, tasks: 0, problems: [] } });
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 done', 'T003 in T001 depends T002', 'T004 in T003'] });
  expect((await app.cli('cleo validate')).envelope).toMatchObject({ report: { ok: true, tasks: 4, counts: {}, problems: [] } });
});

test('fails with 15 for a missing parent and includes the report', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 blocked'] });
  await app.tamper("delete from tasks where id = 'T001'; update tasks set blocked_by = null");
  const refused = await app.call('validate.report');
  expect(refused).toMatchObject({
    error: {
      code: 'E_ORPHAN_DETECTED',
      exitCode: 15,
      fix: 'cleo doctor --fix',
      details: { orphans: ['T002'], report: { ok: false, counts: { orphan: 1, 'no-reason': 1 } } },
    },
  });
  expect((await app.cli(refused.error.fix)).exitCode).toBe(0);
  expect(await app.call('validate.report')).toMatchObject({ success: true, report: { counts: { 'no-reason': 1 } } });
});

test.each<{ why: string; tasks: string[]; tamper: string; kind: string }>([
  {
    why: 'a cycle',
    tasks: ['T001', 'T002 depends T001'],
    tamper: "insert into task_dependencies values ('T001', 0, 'T002')",
    kind: 'cycle',
  },
  { why: 'a wrong type', tasks: ['T001', 'T002 in T001'], tamper: "update tasks set type = 'task' where id = 'T002'", kind: 'hierarchy' },
  {
    why: 'an open child of a done task',
    tasks: ['T001 epic', 'T002 in T001'],
    tamper: "update tasks set status = 'done' where id = 'T001'",
    kind: 'open-children',
  },
  { why: 'a block without a reason', tasks: ['T001 blocked'], tamper: "update tasks set blocked_by = ' '", kind: 'no-reason' },
])('finds $why, and the printed fix resolves it', async ({ tasks, tamper, kind }) => {
  const app = await openApp({ tasks });
  await app.tamper(tamper);
  const { report } = await app.call('validate.report');
  expect(report).toMatchObject({ ok: false, counts: { [kind]: 1 } });
  expect((await app.cli(report.problems[0].fix)).exitCode).toBe(0);
  expect(await readCounts(app)).toEqual({});
});

test('finds an expired claim, but not with a clock behind the log', async () => {
  const clock = { now: '2026-01-01T12:00:00.000Z' };
  const app = await openApp({ tasks: ['T001'], clock });
  await app.call('tasks.start', { taskId: 'T001' });
  expect(await readCounts(app)).toEqual({});
  await app.tamper("update claims set renewed_at = '2020-01-01T00:00:00.000Z'");
  expect(await readCounts(app)).toEqual({ 'stale-claim': 1 });
  clock.now = '2026-01-01T11:00:00.000Z';
  // PostgreSQL uses its own clock instead of the caller's.
  expect(await readCounts(app)).toEqual(process.env.CLEO_TEST_ENGINE === 'postgres' ? { 'stale-claim': 1 } : {});
});

test('finds too many siblings after the limit was lowered', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 in T001'], config: { hierarchy: { maxSiblings: 1 } } });
  expect(await readCounts(app)).toEqual({ siblings: 1 });
});

test('cuts a long list of problems and reports the total', async () => {
  const app = await openApp({ tasks: Array.from({ length: 120 }, (_, i) => `T${String(i + 1).padStart(3, '0')} blocked`) });
  await app.tamper('update tasks set blocked_by = null');
  const { report, _meta } = await app.call('validate.report');
  expect(report.problems).toHaveLength(100);
  expect(_meta.truncated).toEqual({ shown: 100, total: 120 });
});
