import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'valibot';
import { describe, expect, test } from 'vitest';
import { tasksAdd } from '#tasks/operations/add.ts';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { GradeResultSchema } from '../model/grade.ts';
import { adminGrade } from './grade.ts';

const id = 'session-1';
const env = { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: id };
const getGradesPath = (app: TestApp): string => join(app.root, '.cleo', 'metrics', 'GRADES.jsonl');
const readGrades = (app: TestApp): Json[] =>
  readFileSync(getGradesPath(app), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** A graded session with a find, a show, and one task added with a description and one without. */
async function openGradedApp(): Promise<TestApp> {
  const app = await openApp({ tasks: ['T001 epic'], env });
  await app.call('tasks.find', { query: 'parser' }, { gateway: 'cleo_query' });
  await app.call('tasks.show', { taskId: 'T001' });
  await app.call('tasks.add', { title: 'Write it', description: 'All of it' });
  await app.call('tasks.add', { title: 'Test it' });
  return app;
}

test('grades a session from its log', async () => {
  const app = await openGradedApp();
  const { grade, _meta } = await app.call('admin.grade', { sessionId: id });
  expect(_meta.resultsField).toBe('grade');
  expect(grade).toMatchObject({ sessionId: id, totalScore: 65, maxScore: 100, percent: 65, letter: 'C', entryCount: 4, evaluator: 'auto' });
  expect(Object.values(grade.dimensions as Json).map(({ score }) => score)).toEqual([0, 20, 15, 20, 10]);
  expect(grade.flags).toContain('tasks.add without description (taskId: T003)');
  expect(grade).not.toHaveProperty('taskId');
});

test('an alias counts as its operation', async () => {
  const app = await openApp({ env });
  await app.call('orchestrate.next');
  const { grade } = await app.call('admin.grade', { sessionId: id });
  expect(grade.entryCount).toBe(1);
  await app.call('session.list');
  expect((await app.call('admin.grade', { sessionId: id })).grade.flags[0]).toBe(
    'session.list called after task ops (should check sessions first)',
  );
});

test('grading twice gives the same result and stores two lines', async () => {
  const app = await openGradedApp();
  const first = await app.call('admin.grade', { sessionId: id });
  const second = await app.call('admin.grade', { sessionId: id });
  const { timestamp: _, ...before } = first.grade;
  const { timestamp: __, ...after } = second.grade;
  expect(JSON.stringify(after)).toBe(JSON.stringify(before));
  const { percent: _p, letter: _l, ...line } = first.grade;
  expect(readGrades(app)[0]).toEqual(line);
  expect(readGrades(app)).toHaveLength(2);
  for (const stored of readGrades(app)) parse(GradeResultSchema, stored);
});

test('an unknown session gets 0 points and a flag, and is stored', async () => {
  const app = await openApp();
  const { grade } = await app.call('admin.grade', { sessionId: 'session-none' });
  expect(grade).toMatchObject({ totalScore: 0, percent: 0, letter: 'F', entryCount: 0, flags: ['No audit entries found for session'] });
  expect(readGrades(app)).toMatchObject([{ sessionId: 'session-none', totalScore: 0 }]);
});

test('separates sessions in one log', async () => {
  const app = await openApp({ env });
  await app.call('tasks.add', { title: 'One' });
  const other = await openApp({ env: { ...env, CLEO_SESSION_GRADE_ID: 'session-2' } });
  await other.call('tasks.add', { title: 'One' });
  await other.call('tasks.add', { title: 'One' });
  expect((await app.call('admin.grade', { sessionId: id })).grade.entryCount).toBe(1);
  expect((await app.call('admin.grade', { sessionId: 'session-2' })).grade.entryCount).toBe(0);
  expect((await other.call('admin.grade', { sessionId: 'session-2' })).grade.entryCount).toBe(2);
});

test('grades two agents that work at the same time in one process separately', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'T003 epic', 'T004 in T003'] });
  const start = async (agent: string, scope: string): Promise<string> =>
    (await app.as(agent).call('session.start', { scope, autoFocus: true, grade: true })).session.id;
  const [ada, ben] = [await start('ada', 'epic:T001'), await start('ben', 'epic:T003')];
  const calls: Record<string, () => Promise<unknown>> = {
    ada: () => app.as('ada').call('tasks.find', { query: 'task' }, { gateway: 'cleo_query' }),
    ben: () => app.as('ben').call('tasks.list'),
  };
  await Promise.all(Array.from({ length: 40 }, (_, i) => calls[i % 2 ? 'ada' : 'ben']!()));
  const { grade: first } = await app.call('admin.grade', { sessionId: ada });
  const { grade: second } = await app.call('admin.grade', { sessionId: ben });
  expect(first).toMatchObject({ taskId: 'T001', entryCount: 21, dimensions: { discoveryEfficiency: { score: 15 } } });
  expect(first.dimensions.disclosureUse.evidence).toEqual(['cleo_query (MCP) used 20x']);
  expect(second).toMatchObject({ taskId: 'T003', entryCount: 21, dimensions: { disclosureUse: { score: 0 } } });
  expect(second.flags).toContain('tasks.list used 20x (prefer tasks.find for discovery)');
});

test('a session with global scope is about its claimed task', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const { session } = await app.call('session.start', { scope: 'global', focus: 'T001', grade: true });
  expect((await app.call('admin.grade', { sessionId: session.id })).grade.taskId).toBe('T001');
  await app.call('session.end', { note: 'Stopped' });
  const { grade } = await app.call('admin.grade', { sessionId: session.id });
  expect(grade).not.toHaveProperty('taskId');
  expect(await app.call('admin.grade', { sessionId: session.id, verify: true })).toMatchObject({ success: true });
});

test('grades a batch, a long description and a dry run as they are logged', async () => {
  const app = await openApp({ tasks: ['T001 epic'], env });
  await app.call('tasks.add-batch', {
    tasks: [
      { title: 'A', description: 'x'.repeat(1500), parent: 'T001' },
      { title: 'B', ref: 'b' },
      { title: 'a ', description: 'again' },
    ],
  });
  await app.call('tasks.add', { title: 'C', dryRun: true });
  const { grade } = await app.call('admin.grade', { sessionId: id });
  expect(grade.flags).toEqual(
    expect.arrayContaining([
      'tasks.add without description (taskId: T003)',
      'Subtasks created without tasks.exists parent check',
      '1 potentially duplicate task create(s) detected',
    ]),
  );
  expect(grade.dimensions).toMatchObject({ taskHygiene: { score: 12 }, errorProtocol: { score: 15 } });
  expect(grade.entryCount).toBe(2);
});

test('the rubric reads the parameters of an add by their own names', () => {
  expect(Object.keys(tasksAdd.params.entries)).toEqual(expect.arrayContaining(['title', 'description', 'parent']));
  expect(tasksAdd.paramAliases).toBeUndefined();
});

test('warns if the grade cannot be stored', async () => {
  const app = await openApp();
  writeFileSync(join(app.root, '.cleo', 'metrics'), 'in the way');
  const { success, _meta } = await app.call('admin.grade', { sessionId: id });
  expect(success).toBe(true);
  expect(_meta.warnings).toContainEqual(expect.stringContaining('GRADES.jsonl was not written'));
});

describe('--min', () => {
  test('exits with 1 below the limit and suggests --explain; the grade is stored either way', async () => {
    const app = await openGradedApp();
    expect(await app.reply('admin.grade', { sessionId: id, min: 65 })).toMatchObject({ exitCode: 0 });
    const { exitCode, envelope } = await app.reply('admin.grade', { sessionId: id, min: 66 });
    expect(exitCode).toBe(1);
    expect(envelope).toMatchObject({ error: { code: 'E_GRADE_TOO_LOW', details: { percent: 65, min: 66, letter: 'C' } } });
    const { fix } = envelope.error as { fix: string };
    expect(fix).toBe('cleo grade session-1 --explain');
    expect((await app.cli(fix)).exitCode).toBe(0);
    expect(readGrades(app)).toHaveLength(3);
  });

  test.each([-1, 101, 7.5])('rejects %d', async (min) => {
    const { call } = await openApp();
    expect(await call('admin.grade', { sessionId: id, min })).toMatchObject({ error: { exitCode: 6 } });
  });
});

describe('--explain', () => {
  test('lists each loss with its cause and the call that would have avoided it', async () => {
    const app = await openGradedApp();
    const { grade, explanation } = await app.call('admin.grade', { sessionId: id, explain: true });
    parse(adminGrade.result!, { grade, explanation });
    expect(explanation.reduce((sum: number, loss: Json) => sum + loss.points, 0)).toBe(100 - grade.totalScore);
    expect(explanation).toContainEqual({
      dimension: 'taskHygiene',
      points: 5,
      reason: 'tasks.add without description (taskId: T003)',
      entries: [{ seq: 4, operation: 'tasks.add', timestamp: expect.any(String) }],
      call: {
        gateway: 'cleo_mutate',
        domain: 'tasks',
        operation: 'add',
        params: { title: 'Test it', description: '<what it is about>' },
      },
      command: "cleo add 'Test it' --description '<what it is about>'",
    });
  });

  test('prints valid commands', async () => {
    const app = await openGradedApp();
    await app.call('tasks.show', { taskId: 'T900' });
    await app.call('tasks.list');
    await app.call('tasks.add', { title: 'test it', parent: 'T001' });
    const { explanation } = await app.call('admin.grade', { sessionId: id, explain: true });
    const commands = explanation.flatMap((loss: Json) => loss.command ?? []);
    expect(commands).toEqual(expect.arrayContaining(['cleo exists T900', 'cleo exists T001', "cleo find 'test it'", 'cleo help']));
    // `session end` fails with 36, because there is no session.
    for (const command of commands) expect([0, 4, 36, 100], command).toContain((await app.cli(command.replace('<id>', 'T001'))).exitCode);
  });

  test('is off by default', async () => {
    const app = await openGradedApp();
    expect(await app.call('admin.grade', { sessionId: id })).not.toHaveProperty('explanation');
  });
});

describe('--verify', () => {
  test('confirms an unchanged grade and stores nothing', async () => {
    const app = await openGradedApp();
    const { grade } = await app.call('admin.grade', { sessionId: id });
    const seen = await app.call('admin.grade', { sessionId: id, verify: true });
    expect(seen).toMatchObject({ success: true, verification: { holds: true, gradedAt: grade.timestamp, chain: { ok: true } } });
    expect(readGrades(app)).toHaveLength(1);
  });

  test('fails with 20 if the stored line was changed, and the fix grades again', async () => {
    const app = await openGradedApp();
    await app.call('admin.grade', { sessionId: id });
    const [line] = readGrades(app);
    const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
    for (const forged of [
      { ...line, totalScore: 100 },
      { ...line, flags: [] },
      { ...line, entryCount: 5 },
      { ...line, dimensions: { ...line!.dimensions, taskHygiene: { score: 20, max: 20, evidence: [] } } },
    ]) {
      writeFileSync(getGradesPath(app), `${JSON.stringify(forged)}\n`);
      const { error } = await app.call('admin.grade', { sessionId: id, verify: true });
      expect(error).toMatchObject({ code: 'E_CHECKSUM_MISMATCH', exitCode: 20, fix: 'cleo grade session-1' });
      // A shared store has the line that was graded too.
      if (isPostgres) expect(readGrades(app).at(-1)).toEqual(forged);
      else expect(readGrades(app)).toHaveLength(1);
      expect((await app.cli(error.fix)).exitCode).toBe(0);
      expect(await app.call('admin.grade', { sessionId: id, verify: true })).toMatchObject({ success: true });
    }
  });

  test('fails with 20 if the session continued, and compares the newest line', async () => {
    const app = await openGradedApp();
    await app.call('admin.grade', { sessionId: id });
    await app.call('tasks.list');
    expect(await app.call('admin.grade', { sessionId: id, verify: true })).toMatchObject({ error: { exitCode: 20 } });
    await app.call('admin.grade', { sessionId: id });
    expect(await app.call('admin.grade', { sessionId: id, verify: true })).toMatchObject({ success: true });
  });

  test('fails with 20 if the log was changed, and names the entry', async () => {
    const app = await openGradedApp();
    await app.call('admin.grade', { sessionId: id });
    await app.tamper("update audit_log set gateway = 'cleo_query' where seq = 2");
    expect(await app.call('admin.grade', { sessionId: id, verify: true })).toMatchObject({
      error: { code: 'E_CHECKSUM_MISMATCH', details: { seq: 2 } },
    });
  });

  test('fails with 4 if the session was never graded, and the fix grades it', async () => {
    const app = await openGradedApp();
    const { error } = await app.call('admin.grade', { sessionId: id, verify: true });
    expect(error).toMatchObject({ exitCode: 4, fix: 'cleo grade session-1' });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('admin.grade', { sessionId: id, verify: true })).toMatchObject({ success: true });
  });
});

describe('grade --list', () => {
  test('is empty without a file', async () => {
    const { call } = await openApp();
    expect(await call('admin.grade.list')).toMatchObject({ success: true, _meta: { exitCode: 100 }, grades: [] });
  });

  test('shows the newest grade first, with its score as text', async () => {
    const app = await openGradedApp();
    for (const sessionId of [id, 'session-2', id]) await app.call('admin.grade', { sessionId });
    const { grades } = await app.call('admin.grade.list');
    expect(grades.map((grade: Json) => [grade.sessionId, grade.score, grade.percent, grade.letter, grade.flagCount])).toEqual([
      [id, '65/100', 65, 'C', 4],
      ['session-2', '0/100', 0, 'F', 1],
      [id, '65/100', 65, 'C', 4],
    ]);
    expect(await app.call('admin.grade.list', { limit: 1, offset: 1 })).toMatchObject({
      grades: [{ sessionId: 'session-2' }],
      _meta: { truncated: { shown: 1, total: 3 } },
    });
  });

  test('skips invalid lines with a warning', async () => {
    const app = await openGradedApp();
    await app.call('admin.grade', { sessionId: id });
    writeFileSync(getGradesPath(app), '{"sessionId":"x"}\nnonsense\n\n{"sess', { flag: 'a' });
    await app.call('admin.grade', { sessionId: id });
    const { grades, _meta } = await app.call('admin.grade.list');
    expect(grades).toHaveLength(2);
    expect(_meta.warnings).toEqual(['metrics/GRADES.jsonl: 3 lines are not a grade; see cleo doctor']);
  });

  test('shows the trend of each agent', async () => {
    const app = await openGradedApp();
    await app.as('ben').call('tasks.list', {}, { session: 'session-2' });
    for (const sessionId of [id, id, 'session-2', 'session-gone']) await app.call('admin.grade', { sessionId });
    const { trend, grades } = await app.call('admin.grade.list', { trend: true, limit: 1 });
    expect(grades).toHaveLength(1);
    expect(trend).toContainEqual({ agent: 'tester', sessions: 1, average: 65, last: 65, scores: [65] });
    expect(trend).toContainEqual({ agent: 'unknown', sessions: 1, average: 0, last: 0, scores: [0] });
  });

  test('shows the trend of each scope, with agent and scope of each grade', async () => {
    const app = await openApp({ tasks: ['T001 epic', 'T002 epic', 'T003 in T001', 'T004 in T002'] });
    for (const [agent, root] of [
      ['ada', 'T001'],
      ['ben', 'T002'],
      ['ada', 'T001'],
    ] as const) {
      const { session } = await app.as(agent).call('session.start', { scope: `epic:${root}`, autoFocus: true, grade: true });
      await app.as(agent).call('session.end', { note: 'Done' });
      await app.call('admin.grade', { sessionId: session.id });
    }
    const { scopeTrend, grades, trend } = await app.call('admin.grade.list', { trend: true });
    expect(scopeTrend).toMatchObject([
      { scope: 'epic:T001', sessions: 2 },
      { scope: 'epic:T002', sessions: 1 },
    ]);
    expect(trend).toMatchObject([{ agent: 'ada', sessions: 2 }, { agent: 'ben' }]);
    expect(grades.map(({ agent, scope }: Json) => [agent, scope])).toEqual([
      ['ada', 'epic:T001'],
      ['ben', 'epic:T002'],
      ['ada', 'epic:T001'],
    ]);
    expect((await app.call('admin.grade.list')).grades[0]).not.toHaveProperty('agent');
    expect((await app.cli(['grade', '--trend', '--human'])).out).toContain('epic:T002');
  });

  test('has no grade that was only previewed', async () => {
    const app = await openGradedApp();
    expect((await app.call('admin.grade', { sessionId: id, preview: true })).grade.totalScore).toBe(65);
    expect((await app.call('admin.grade.list')).grades).toEqual([]);
  });

  test('is the default of the grade command', async () => {
    const app = await openGradedApp();
    expect((await app.cli(['grade'])).envelope._meta).toMatchObject({ command: 'admin.grade.list', exitCode: 100 });
    expect((await app.cli(['grade', id])).envelope._meta.command).toBe('admin.grade');
    expect((await app.cli(['grade', '--list'])).exitCode).toBe(0);
    expect((await app.cli(['grade', '--list', '--quiet'])).out).toBe(`${id}\n`);
    expect((await app.cli(['grade', 'list', '--quiet'])).out).toBe(`${id}\n`);
    expect((await app.cli(['grade', '--trend'])).envelope).toHaveProperty('trend');
    rmSync(getGradesPath(app));
    mkdirSync(getGradesPath(app));
    expect((await app.cli(['grade', '--list'])).exitCode).toBe(3);
  });
});

describe('a session that was not recorded in grade mode', () => {
  const open = () => openApp({ tasks: ['T001', 'session session-1 task:T001 by tester'] });

  test('is graded with a warning that names the unknown dimensions, and is not stored', async () => {
    const app = await open();
    await app.call('tasks.find', { query: 'task' });
    await app.call('tasks.start', { taskId: 'T001' });
    const { grade, unknown, _meta } = await app.call('admin.grade', { sessionId: id });
    expect(grade.entryCount).toBe(1);
    expect(unknown).toEqual(['sessionDiscipline', 'discoveryEfficiency', 'disclosureUse']);
    expect(_meta.warnings[0]).toContain('session-1 was not started in grade mode');
    expect(_meta.warnings[0]).toContain('sessionDiscipline, discoveryEfficiency, disclosureUse are unknown');
    expect(() => readGrades(app)).toThrow();
    expect(await app.call('admin.grade.list', { trend: true })).toMatchObject({ grades: [], _meta: { exitCode: 100 } });
  });

  test('cannot pass a minimum, and is stored and judged with --partial', async () => {
    const app = await open();
    await app.call('tasks.start', { taskId: 'T001' });
    const { envelope, exitCode } = await app.cli(['grade', id, '--min', '0']);
    expect({ exitCode, code: envelope.error.code }).toEqual({ exitCode: 1, code: 'E_GRADE_INCOMPLETE' });
    expect(() => readGrades(app)).toThrow();
    expect((await app.cli(envelope.error.fix)).exitCode).toBe(0);
    expect(readGrades(app)).toHaveLength(1);
    expect((await app.cli(['grade', id, '--min', '0', '--partial'])).exitCode).toBe(0);
    expect((await app.cli(['grade', id, '--min', '99', '--partial'])).envelope.error.code).toBe('E_GRADE_TOO_LOW');
  });

  test('counts as recorded if the environment recorded its reads', async () => {
    const app = await openApp({ tasks: ['T001', 'session session-1 task:T001 by tester'], env });
    await app.call('tasks.find', { query: 'task' });
    const { unknown, _meta } = await app.call('admin.grade', { sessionId: id });
    expect([unknown, _meta.warnings]).toEqual([undefined, undefined]);
    expect(readGrades(app)).toHaveLength(1);
  });
});
