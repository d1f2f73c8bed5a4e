import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../app.ts';
import { openSkillProject } from '../skill-project.ts';

const gates = 'T002 in T001 evidence implemented,testsPassed,qaPassed: Read the format';
const tools = { test: [process.execPath, '-e', 'require("fs").writeFileSync("report.json", JSON.stringify({ passed: 3, failed: 0 }))'] };
const listHeld = async ({ call }: Pick<TestApp, 'call'>): Promise<string[]> =>
  (await call('verify.status', { taskId: 'T002' })).verification.gates.flatMap(({ gate, isHeld }: Json) => (isHeld ? [gate] : []));

test('an honest task passes all gates: work, a tool, a run and a spawned validator', async () => {
  const app = await openSkillProject({
    tasks: ['T001 epic', gates],
    config: { lifecycleEnforcement: { mode: 'off' }, verification: { tools, required: true } },
  });
  app.writeConstruct(
    'execution: {phases: [check]}\nskills: [{name: checker, phase: check}]\ncontracts: {check: {outputs: [checked.md]}}\n',
  );
  app.writeSkill('checker', 'echo checked > checked.md');
  const { spawn } = await app.call('orchestrate.spawn', { taskId: 'T002' });
  const worker = app.as(spawn.agentId);
  await worker.call('tasks.start', { taskId: 'T002' });
  app.writeFile('src/format.ts', 'export {};');
  const verify = (gate: string, evidence: string) => worker.call('verify.gate', { taskId: 'T002', gate, evidence });
  expect(await verify('implemented', 'files:src/format.ts')).toMatchObject({ verification: { next: 'testsPassed' } });
  const { run } = await worker.call('construct.run', { task: 'T002' });
  expect(await verify('testsPassed', `tool:test; test-run:report.json; run:${run.id}`)).toMatchObject({
    verification: { next: 'qaPassed', evidence: [{ kind: 'tool' }, { kind: 'test-run', passed: 3 }, { kind: 'run', run: run.id }] },
  });
  expect(await worker.call('tasks.complete', { taskId: 'T002' })).toMatchObject({ error: { exitCode: 45 } });

  const { spawn: judge } = await app.call('orchestrate.spawn', { taskId: 'T002', role: 'validator' });
  const secret = judge.env.CLEO_VALIDATOR_SECRET;
  const verdict = await worker.call('validator.attest', { taskId: 'T002', secret, reason: 'Read' }, { agent: judge.agentId });
  expect(verdict).toMatchObject({ verdict: { by: judge.agentId, independence: 'spawn' } });
  expect(await worker.call('tasks.complete', { taskId: 'T002' })).toMatchObject({ task: { status: 'done' } });
});

test('an attacker that does no work passes no gate and completes nothing', async () => {
  const app = await openApp({ tasks: ['T001 epic', gates], config: { verification: { required: true } }, agent: 'mallory' });
  writeFileSync(join(app.root, 'a.txt'), 'old');
  utimesSync(join(app.root, 'a.txt'), 0, 0);
  await app.call('tasks.start', { taskId: 'T002' });
  const refuse = async (operation: string, params: Json, exitCode: number, more = {}): Promise<void> => {
    const { error } = await app.call(operation, params, more);
    expect([operation, params, error?.exitCode]).toEqual([operation, params, exitCode]);
  };
  const verify = (gate: string, evidence: string, exitCode = 41, more = {}): Promise<void> =>
    refuse('verify.gate', { taskId: 'T002', gate, evidence }, exitCode, more);

  // Evidence without work.
  await verify('implemented', 'files:a.txt');
  await verify('implemented', 'files:.cleo/config.json');
  await verify('implemented', 'test-run:{"passed":1,"failed":0}');
  await verify('testsPassed', 'test-run:{"passed":1,"failed":0}', 45);
  // A tool of its own, a weaker policy, and no policy at all.
  for (const [key, value] of Object.entries({
    'verification.tools.test': '["true"]',
    'verification.required': 'false',
    'verification.allowNotes': 'true',
    'verification.gates.testsPassed': 'note',
    'verification.independence': 'spawn',
    'verification.observers.testsPassed': '[]',
    agents: 'ben',
  }))
    await refuse('admin.config.set', { key, value }, 64);
  for (const acceptance of [['nothing']]) await app.call('tasks.update', { taskId: 'T002', acceptance });

  // Real work at last, but no tests, and the verdict is its own.
  writeFileSync(join(app.root, 'b.txt'), 'work');
  expect(await app.call('verify.gate', { taskId: 'T002', gate: 'implemented', evidence: 'files:b.txt' })).toMatchObject({ success: true });
  await verify('testsPassed', 'test-run:{"passed":1,"failed":0}');
  writeFileSync(join(app.root, 'report.json'), '{"passed":1,"failed":0}');
  await verify('testsPassed', 'test-run:report.json');
  await verify('testsPassed', 'files:b.txt');
  await verify('testsPassed', 'note:all green');
  mkdirSync(join(app.root, '.cleo', 'runs', 'run-1'), { recursive: true });
  const record = { run_id: 'run-1', task_id: 'T002', status: 'success', exit_code: 0, trace: '', executions: [] };
  writeFileSync(join(app.root, '.cleo', 'runs', 'run-1', 'run.json'), JSON.stringify(record));
  await verify('testsPassed', 'run:run-1');
  await verify('qaPassed', 'files:b.txt', 45, { agent: 'ben' });
  await refuse('validator.attest', { taskId: 'T002' }, 82);
  await refuse('validator.attest', { taskId: 'T002' }, 45, { agent: 'ben' });

  expect(await listHeld(app)).toEqual(['implemented']);
  await refuse('tasks.complete', { taskId: 'T002' }, 45);
  expect((await app.call('tasks.show', { taskId: 'T002' })).task.status).toBe('active');
  expect(JSON.parse(readFileSync(join(app.root, '.cleo', 'config.json'), 'utf8')).verification).toEqual({ required: true });
});

test('another name in the same process cannot attest what it worked on', async () => {
  const app = await openApp({ tasks: ['T001 epic', gates], config: { verification: { tools } }, agent: 'mallory' });
  writeFileSync(join(app.root, 'work.txt'), 'work');
  for (const [gate, evidence] of Object.entries({ implemented: 'files:work.txt', testsPassed: 'tool:test' }))
    await app.call('verify.gate', { taskId: 'T002', gate, evidence });
  for (const more of [{ agent: 'ben' }, { agent: 'ben', gateway: 'cleo_mutate' as const }])
    expect(await app.call('validator.attest', { taskId: 'T002' }, more)).toMatchObject({ error: { exitCode: 82 } });
  expect(await app.call('verify.gate', { taskId: 'T002', gate: 'qaPassed', evidence: 'files:work.txt' }, { agent: 'ben' })).toMatchObject({
    error: { exitCode: 41, message: expect.stringContaining('files: does not open qaPassed') },
  });
  expect(await listHeld(app)).toEqual(['implemented', 'testsPassed']);
});
