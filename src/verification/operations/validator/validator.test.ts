import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../../test/app.ts';

const work = { implemented: 'files:work.txt', testsPassed: 'tool:test' } as const;
const config = { verification: { tools: { test: [process.execPath, '-e', ''] } } };
const shown = ['T001 evidence qaPassed', 'gate T001 implemented by ada: files read', 'gate T001 testsPassed by ada: tests ran'];
const gates = async ({ call }: TestApp): Promise<string[]> =>
  (await call('verify.status', { taskId: 'T001' })).verification.gates.flatMap(({ gate, isHeld }: Json) => (isHeld ? [gate] : []));

test('pull shows the criteria with their evidence, and the agents that did the work', async () => {
  const app = await openApp({ tasks: ['T001 accept parses|rejects', 'T002 in T001 done', 'gate T001 implemented by ada: files read'] });
  expect((await app.cli('cleo validator pull T1')).envelope).toMatchObject({
    _meta: { command: 'validator.ac-pull', resultsField: 'criteria', warnings: ['testsPassed has no evidence yet'] },
    criteria: [
      { n: 1, kind: 'text', text: 'parses', isMet: false },
      { n: 2, kind: 'text', text: 'rejects', isMet: false },
      { n: 3, kind: 'child_task', target: 'T002', isMet: true },
    ],
    workers: ['ada'],
    gates: [{ gate: 'implemented', by: 'ada', evidence: [{ kind: 'note', text: 'files read' }] }],
  });
  const own = await app.as('ada').call('validator.ac-pull', { taskId: 'T001' });
  expect(own._meta.warnings[0]).toBe('ada did this work; another agent has to judge it');
});

test('attest passes qaPassed, so that the task can be completed', async () => {
  const app = await openApp({ tasks: shown });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { exitCode: 45, details: { missing: ['qaPassed'] } },
  });
  expect(await app.call('validator.attest', { taskId: 'T001', reason: 'Read and run' })).toMatchObject({
    verdict: { taskId: 'T001', verdict: 'attested', by: 'tester', reason: 'Read and run' },
    data: { updated: ['T001'] },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'qaPassed', met: true },
  ]);
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
});

test('a round has one verdict: repeating it changes nothing, another one is refused', async () => {
  const app = await openApp({ tasks: shown });
  await app.call('validator.attest', { taskId: 'T001' });
  expect(await app.call('validator.attest', { taskId: 'T001' })).toMatchObject({ success: true, _meta: { exitCode: 102 } });
  for (const [door, operation] of [
    [app, 'validator.reject'],
    [app.as('bob'), 'validator.attest'],
    [app.as('bob'), 'validator.reject'],
  ] as const) {
    const { error } = await door.call(operation, { taskId: 'T001', reason: 'No' });
    expect(error).toMatchObject({ code: 'E_VERIFICATION_LOCKED', exitCode: 46 });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  }
});

test('reject starts the next round, which needs new evidence and takes a new verdict', async () => {
  const app = await openApp({ tasks: shown, config });
  expect((await app.cli(['validator', 'reject', 'T1', 'Quoted fields are not read'])).envelope).toMatchObject({
    verdict: { verdict: 'rejected', reason: 'Quoted fields are not read', round: 2 },
  });
  expect(await gates(app)).toEqual([]);
  expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({
    round: 2,
    failedRounds: 1,
    verdict: { verdict: 'rejected', by: 'tester' },
    failures: [{ gate: 'qaPassed', evidence: [{ kind: 'verdict', reason: 'Quoted fields are not read' }] }],
  });
  for (const operation of ['validator.attest', 'validator.reject'])
    expect(await app.call(operation, { taskId: 'T001', reason: 'x' })).toMatchObject({ error: { exitCode: 45 } });
  const ada = app.as('ada');
  expect(await ada.call('verify.gate', { taskId: 'T001', gate: 'implemented', evidence: work.implemented, round: 1 })).toMatchObject({
    error: { exitCode: 47 },
  });
  writeFileSync(join(app.root, 'work.txt'), 'work');
  for (const gate of ['implemented', 'testsPassed'] as const)
    expect(await ada.call('verify.gate', { taskId: 'T001', gate, evidence: work[gate], round: 2 })).toMatchObject({ success: true });
  expect(await app.call('validator.attest', { taskId: 'T001' })).toMatchObject({ success: true });
  expect(await gates(app)).toEqual(['implemented', 'testsPassed', 'qaPassed']);
});

test('an agent cannot judge its own work, under its own name or another', async () => {
  const app = await openApp({ tasks: shown, config: { agents: ['bob'] } });
  for (const operation of ['validator.attest', 'validator.reject'])
    for (const more of [{}, { agent: 'bob' }]) {
      const { error } = await app.as('ada').call(operation, { taskId: 'T001', reason: 'x', ...more });
      expect(error).toMatchObject({ code: 'E_CIRCULAR_VALIDATION', exitCode: 82 });
      expect((await app.cli(error.fix)).exitCode).toBe(0);
    }
  expect(await app.call('validator.attest', { taskId: 'T001', agent: 'ada' })).toMatchObject({ error: { exitCode: 82 } });
  expect(await app.call('validator.attest', { taskId: 'T001', agent: 'nobody' })).toMatchObject({ error: { exitCode: 43 } });
  expect(await app.call('validator.attest', { taskId: 'T001', agent: 'bob' })).toMatchObject({ verdict: { by: 'bob' } });
});

test('verification.observers.qaPassed names the tokens whose verdicts count', async () => {
  const app = await openApp({ tasks: shown, config: { verification: { observers: { qaPassed: ['ci'] } } } });
  const as = (name: string) => ({ gateway: 'http' as const, token: { name, scope: 'mutate' as const } });
  for (const operation of ['validator.attest', 'validator.reject'])
    for (const more of [{}, as('laptop')]) {
      const { error } = await app.call(operation, { taskId: 'T001', reason: 'x' }, more);
      expect(error).toMatchObject({ code: 'E_GATE_UPDATE_FAILED', exitCode: 41 });
      expect(error.message).toContain('verification.observers.qaPassed accepts qaPassed from ci only');
      expect((await app.cli(error.fix)).exitCode).toBe(0);
    }
  expect(await app.call('validator.attest', { taskId: 'T001' }, as('ci'))).toMatchObject({ verdict: { by: 'ci' } });
});

test('a verdict needs evidence to judge', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 done', 'T003 blocked'] });
  expect(await app.call('validator.attest', { taskId: 'T001' })).toMatchObject({
    error: { exitCode: 45, details: { missing: ['implemented', 'testsPassed'] } },
  });
  expect(await app.call('validator.reject', { taskId: 'T001', reason: 'x' })).toMatchObject({ error: { exitCode: 45 } });
  expect(await app.call('validator.attest', { taskId: 'T002' })).toMatchObject({ error: { exitCode: 46 } });
  expect(await app.call('validator.attest', { taskId: 'T003' })).toMatchObject({ error: { exitCode: 40 } });
  expect(await app.call('validator.reject', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 2 } });
});

test('attest refuses evidence files that have changed', async () => {
  const app = await openApp({ tasks: ['T001'], config });
  const ada = app.as('ada');
  writeFileSync(join(app.root, 'a.txt'), 'a');
  await ada.call('verify.gate', { taskId: 'T001', gate: 'implemented', evidence: 'files:a.txt' });
  await ada.call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'files:a.txt; tool:test' });
  writeFileSync(join(app.root, 'a.txt'), 'changed');
  const { error } = await app.call('validator.attest', { taskId: 'T001' });
  expect(error).toMatchObject({ code: 'E_EVIDENCE_STALE', exitCode: 45 });
  expect((await app.cli(error.fix)).envelope.gates).toMatchObject([{ stale: ['a.txt'] }, { stale: ['a.txt'] }]);
});

test('new evidence after a verdict needs a new verdict', async () => {
  const app = await openApp({ tasks: shown, config });
  await app.call('validator.attest', { taskId: 'T001' });
  await app.as('ada').call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: work.testsPassed });
  expect(await gates(app)).toEqual(['implemented', 'testsPassed']);
  expect(await app.as('bob').call('validator.attest', { taskId: 'T001' })).toMatchObject({ success: true });
});
