import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asPerson, openApp, type TestApp } from '../../../../test/app.ts';
import { held, notes, openWorked, tested, tools, verify, work, write } from '../../../../test/evidence.ts';

test('gates are passed in order, and completion needs those the criteria are bound to', async () => {
  const app = await openWorked({ tasks: ['T001 evidence implemented,testsPassed'] });
  write(app, 'src/parser.ts', 'export {}');
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { code: 'E_GATE_DEPENDENCY', exitCode: 45, details: { missing: ['implemented', 'testsPassed'] } },
  });
  expect(await verify(app, 'testsPassed', tested)).toMatchObject({ error: { code: 'E_GATE_DEPENDENCY', exitCode: 45 } });
  expect(await verify(app, 'implemented', 'files:src/parser.ts')).toMatchObject({
    verification: { gate: 'implemented', round: 1, by: 'tester', next: 'testsPassed', evidence: [{ kind: 'files' }] },
    data: { updated: ['T001'] },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'implemented', met: true },
    { kind: 'evidence_bound', gate: 'testsPassed' },
  ]);
  expect(await verify(app, 'testsPassed', tested)).toMatchObject({ success: true });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true, task: { status: 'done' } });
});

test('uses the focused task without an id, and fails with 38 without a focus', async () => {
  const app = await openWorked({ tasks: ['T001'] });
  expect(await app.call('verify.status')).toMatchObject({ error: { exitCode: 38 } });
  expect(await app.call('verify.gate', { gate: 'implemented', evidence: work })).toMatchObject({ error: { exitCode: 38 } });
  await app.call('tasks.start', { taskId: 'T001' });
  write(app, 'work.txt', 'work');
  expect((await app.cli(['verify', '--gate', 'implemented', '--evidence', work])).exitCode).toBe(0);
  expect((await app.cli('cleo verify')).envelope).toMatchObject({ verification: { taskId: 'T001', next: 'testsPassed' } });
});

describe('the agent', () => {
  test('must be known if it is named', async () => {
    const app = await openWorked({ tasks: ['T001'], config: { agents: ['carol'] } });
    for (const agent of ['ada', 'no name', '', 'x'.repeat(101)]) {
      const { error } = await verify(app, 'implemented', work, { agent });
      expect(error).toMatchObject({ code: 'E_INVALID_AGENT', exitCode: 43 });
    }
    await app.as('ada').call('tasks.add', { title: 'Hello' });
    expect(await verify(app, 'implemented', work, { agent: 'ada' })).toMatchObject({ verification: { by: 'ada' } });
    expect(await verify(app, 'implemented', work, { agent: 'carol' })).toMatchObject({ verification: { by: 'carol' } });
  });

  test('does not become known by a refused call', async () => {
    const app = await openWorked({ tasks: ['T001'] });
    await app.call('tasks.add', { title: '' }, { agent: 'mallory' });
    expect(await verify(app, 'implemented', work, { agent: 'mallory' })).toMatchObject({ error: { exitCode: 43 } });
  });

  test('cannot pass qaPassed for its own work, under its own name or another', async () => {
    const app = await openWorked({ tasks: ['T001'], config: { agents: ['bob'], ...notes.config } });
    await verify(app, 'implemented', work);
    await verify(app, 'testsPassed', tested);
    for (const more of [{}, { agent: 'bob' }])
      expect(await verify(app, 'qaPassed', 'note:read it', more)).toMatchObject({ error: { code: 'E_CIRCULAR_VALIDATION', exitCode: 82 } });
    expect(await verify(app.as('bob'), 'qaPassed', 'note:read it')).toMatchObject({ verification: { by: 'bob' } });
  });

  test('that holds the task counts as its worker, whichever agent submits the evidence', async () => {
    const app = await openApp({ tasks: ['T001 active by bob', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'], ...notes });
    expect(await verify(app.as('bob'), 'qaPassed', 'note:read it')).toMatchObject({ error: { exitCode: 82 } });
    expect(await verify(app, 'qaPassed', 'note:read it')).toMatchObject({ success: true });
  });
});

describe('rounds', () => {
  test('rejected evidence closes the round, and the last round takes no more evidence', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada'],
      ...tools({ test: '', fails: 'process.exit(1)' }, { maxRounds: 2 }),
    });
    await verify(app, 'testsPassed', 'tool:fails');
    expect(await verify(app, 'testsPassed', 'tool:fails', { round: 1 })).toMatchObject({
      error: { code: 'E_ROUND_MISMATCH', exitCode: 47, details: { round: 2, given: 1 } },
    });
    await verify(app, 'testsPassed', 'tool:fails', { round: 2 });
    const refused = await verify(app, 'testsPassed', 'tool:test');
    expect(refused).toMatchObject({ error: { code: 'E_MAX_ROUNDS_EXCEEDED', exitCode: 44 } });
    for (const { command } of refused.error.alternatives) expect((await app.cli(command, asPerson)).exitCode).toBe(0);
    await app.call('tasks.update', { taskId: 'T001', clearBlockedBy: true });
    expect(await verify(app, 'testsPassed', 'tool:test')).toMatchObject({ success: true });
  });

  test('rejected evidence clears its gate and the later ones', async () => {
    const app = await openApp({
      tasks: ['T001 evidence testsPassed', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
      ...tools({ fails: 'process.exit(1)' }),
    });
    await verify(app, 'testsPassed', 'tool:fails');
    expect(await held(app)).toEqual(['implemented']);
    expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([{ kind: 'evidence_bound', gate: 'testsPassed' }]);
  });

  test('new evidence for a gate clears the later gates', async () => {
    const app = await openWorked({
      tasks: ['T001', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
    });
    await verify(app, 'implemented', work);
    expect(await held(app)).toEqual(['implemented']);
  });

  test('a round that was closed while a tool ran does not take its result', async () => {
    const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'], ...tools({ slow: 'setTimeout(() => {}, 1200)' }) });
    const running = verify(app, 'testsPassed', 'tool:slow');
    await new Promise((resolve) => setTimeout(resolve, 400));
    const other = await app.openSecondStore();
    await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, (store) => store.gates.saveRounds('T001', { round: 2, failed: 1 }));
    expect(await running).toMatchObject({ error: { exitCode: 47 } });
    expect(await held(app)).toEqual(['implemented']);
  });

  test('reopening a task starts a new round', async () => {
    const app = await openWorked({ tasks: ['T001 evidence implemented'] });
    await verify(app, 'implemented', work);
    await app.call('tasks.complete', { taskId: 'T001' });
    expect(await verify(app, 'implemented', work)).toMatchObject({
      error: { code: 'E_VERIFICATION_LOCKED', exitCode: 46, fix: 'cleo reopen T001' },
    });
    await app.cli('cleo reopen T001');
    expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 45 } });
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({
      round: 2,
      failedRounds: 0,
      next: 'implemented',
    });
  });
});

test.each([
  ['a blocked task', ['T001 blocked']],
  ['a task with an open child', ['T001', 'T002 in T001']],
])('%s takes no evidence and fails with 40', async (_, tasks) => {
  const app = await openWorked({ tasks });
  const { error } = await verify(app, 'implemented', work);
  expect(error).toMatchObject({ code: 'E_VERIFICATION_INIT_FAILED', exitCode: 40 });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
});

test('a container whose children are done takes evidence', async () => {
  const app = await openWorked({ tasks: ['T001 epic', 'T002 in T001 done'] });
  expect(await verify(app, 'implemented', work)).toMatchObject({ success: true });
});

test('an unknown gate fails with 42, and the fix has the nearest one', async () => {
  const app = await openWorked({ tasks: ['T001'] });
  const { error } = await verify(app, 'implemeted', work);
  expect(error).toMatchObject({ code: 'E_INVALID_GATE', exitCode: 42, fix: expect.stringContaining('--gate implemented') });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
});

describe('stale evidence', () => {
  const arranged = async (): Promise<TestApp> => {
    const app = await openApp({ tasks: ['T001 evidence implemented'] });
    write(app, 'a.txt', 'a');
    write(app, 'sub/b.txt', 'b');
    await verify(app, 'implemented', 'files:a.txt,sub/b.txt');
    return app;
  };

  test('is refused by complete and reported, and the fix works', async () => {
    const app = await arranged();
    write(app, 'sub/b.txt', 'changed');
    const { error } = await app.call('tasks.complete', { taskId: 'T001' });
    expect(error).toMatchObject({
      code: 'E_EVIDENCE_STALE',
      exitCode: 45,
      details: { stale: [{ gate: 'implemented', files: ['sub/b.txt'] }] },
    });
    expect((await app.call('verify.status', { taskId: 'T001' })).verification.gates[0]).toMatchObject({ stale: ['sub/b.txt'] });
    const { report: found } = await app.call('validate.report');
    expect(found).toMatchObject({ ok: false, counts: { 'stale-evidence': 1 }, problems: [{ taskId: 'T001', fix: error.fix }] });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('validate.report')).toMatchObject({ report: { ok: true } });
    expect(await app.call('tasks.update', { taskId: 'T001', status: 'done' })).toMatchObject({ success: true });
  });

  test('is reported for a deleted file, and the fix submits the remaining ones', async () => {
    const app = await arranged();
    renameSync(join(app.root, 'a.txt'), join(app.root, 'c.txt'));
    const { error } = await app.call('tasks.complete', { taskId: 'T001' });
    expect(error.fix).toBe('cleo verify T001 --gate implemented --evidence files:sub/b.txt');
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
  });

  test('is not reported for a task that is done', async () => {
    const app = await arranged();
    await app.call('tasks.complete', { taskId: 'T001' });
    write(app, 'a.txt', 'changed');
    expect(await app.call('validate.report')).toMatchObject({ report: { ok: true } });
  });
});

test('verification.required needs all gates of a leaf, but not of a container', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 epic', 'T003 in T002 done'], config: { verification: { required: true } } });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { exitCode: 45, details: { missing: ['implemented', 'testsPassed', 'qaPassed'] } },
  });
  expect(await app.call('tasks.complete', { taskId: 'T002' })).toMatchObject({ success: true });
});

test('verification.required is not met by a cancelled child, nor by a done task that was moved below', async () => {
  const tasks = ['T001', 'T002 in T001', 'T003', 'T004 done', 'T005', 'T006 done'];
  const { call } = await openApp({ tasks, config: { verification: { required: true } } });
  await call('tasks.cancel', { taskId: 'T002', reason: 'not needed' });
  await call('tasks.update', { taskId: 'T004', parent: 'T003', type: 'subtask' });
  for (const taskId of ['T001', 'T003'])
    expect(await call('tasks.complete', { taskId })).toMatchObject({
      error: { exitCode: 45, details: { missing: ['implemented', 'testsPassed', 'qaPassed'] } },
    });
  await call('tasks.update', { taskId: 'T006', parent: 'T005', type: 'subtask' });
  await call('tasks.reopen', { taskId: 'T006' });
  expect(await call('tasks.complete', { taskId: 'T006' })).toMatchObject({ error: { exitCode: 45 } });
});

test('an import cannot mark bound criteria as met', async () => {
  const app = await openApp({ tasks: ['T001 evidence implemented'] });
  await app.tamper("update task_acceptance_criteria set met_at = '2026-01-01T00:00:00.000Z', met_by = 'ada'");
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 45 } });
});

test('a criterion added after its gate was passed is met', async () => {
  const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'] });
  await app.call('tasks.update', { taskId: 'T001', acceptEvidence: ['implemented', 'testsPassed'] });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'implemented', met: true },
    { kind: 'evidence_bound', gate: 'testsPassed' },
  ]);
});

test('refuses a task outside the scope of the session', async () => {
  const app = await openWorked({ tasks: ['T001', 'T002', 'session s-1 task:T002 by tester'] });
  expect(await verify(app, 'implemented', work)).toMatchObject({ error: { exitCode: 34 } });
});
