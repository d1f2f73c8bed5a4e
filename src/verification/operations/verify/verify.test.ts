import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AppOptions, openApp, type Seen, type TestApp } from '../../../../test/app.ts';
import { repositoryIn } from '../../../../test/repository.ts';

const node = process.execPath;
const report = 'test-run:{"passed":3,"failed":0}';
const tools = (named: Record<string, string>, more = {}): AppOptions => ({
  config: {
    verification: { tools: Object.fromEntries(Object.entries(named).map(([name, code]) => [name, [node, '-e', code]])), ...more },
  },
});
const write = ({ root }: TestApp, name: string, text: string): void => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
};
const verify = ({ call }: Pick<TestApp, 'call'>, gate: string, evidence: string, more = {}): Promise<Seen> =>
  call('verify.gate', { taskId: 'T001', gate, evidence, ...more });
const held = async ({ call }: TestApp): Promise<string[]> =>
  (await call('verify.status', { taskId: 'T001' })).verification.gates.flatMap(({ gate, isHeld }: Seen) => (isHeld ? [gate] : []));

test('gates are passed in their order, and completion asks for those it is bound to', async () => {
  const app = await openApp({ tasks: ['T001 evidence implemented,testsPassed'] });
  write(app, 'src/parser.ts', 'export {}');
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { code: 'E_GATE_DEPENDENCY', exitCode: 45, details: { missing: ['implemented', 'testsPassed'] } },
  });
  expect(await verify(app, 'testsPassed', report)).toMatchObject({ error: { code: 'E_GATE_DEPENDENCY', exitCode: 45 } });
  expect(await verify(app, 'implemented', 'files:src/parser.ts')).toMatchObject({
    verification: { gate: 'implemented', round: 1, by: 'tester', next: 'testsPassed', evidence: [{ kind: 'files' }] },
    data: { updated: ['T001'] },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'implemented', met: true },
    { kind: 'evidence_bound', gate: 'testsPassed' },
  ]);
  expect(await verify(app, 'testsPassed', report)).toMatchObject({ success: true });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true, task: { status: 'done' } });
});

test('without an id it is the focused task; without a focus 38', async () => {
  const app = await openApp({ tasks: ['T001'] });
  expect(await app.call('verify.status')).toMatchObject({ error: { exitCode: 38 } });
  expect(await app.call('verify.gate', { gate: 'implemented', evidence: report })).toMatchObject({ error: { exitCode: 38 } });
  await app.call('tasks.start', { taskId: 'T001' });
  expect((await app.cli(['verify', '--gate', 'implemented', '--evidence', report])).exitCode).toBe(0);
  expect((await app.cli('cleo verify')).envelope).toMatchObject({ verification: { taskId: 'T001', next: 'testsPassed' } });
});

describe('evidence is checked', () => {
  const bad: [string, string, RegExp][] = [
    ['a file that is not there', 'files:src/none.ts', /no file "src\/none.ts"/],
    ['one of two files', 'files:a.txt,b.txt', /no file "b.txt"/],
    ['a folder', 'files:home', /no file/],
    ['a file outside of the project', 'files:../../../etc/passwd', /no file/],
    ['a commit where there is no git', 'commit:0123456789abcdef', /no commit/],
    ['a name instead of a commit', 'commit:HEAD', /no commit/],
    ['an option instead of a commit', 'commit:--help', /no commit/],
    ['a report of failed tests', 'test-run:{"passed":3,"failed":1}', /1 of 4 tests failed/],
    ['a report of no tests', 'test-run:{"passed":0,"failed":0}', /no test was run/],
    ['a report that is none', 'test-run:{"hello":1}', /no counts/],
    ['a report that is not there', 'test-run:report.json', /no file/],
    ['a report that is no JSON', 'test-run:a.txt', /is not JSON/],
    ['a tool that fails', 'tool:fails', /ended with 3/],
    ['a tool that is not there', 'tool:gone', /did not run/],
  ];
  test.each(bad)('%s does not pass', async (_, evidence, problem) => {
    const app = await openApp({
      tasks: ['T001'],
      config: { verification: { tools: { fails: [node, '-e', 'console.log("it broke"); process.exit(3)'], gone: 'no-such-program-x' } } },
    });
    write(app, 'a.txt', 'a');
    mkdirSync(join(app.root, 'home'), { recursive: true });
    const refused = await verify(app, 'implemented', evidence);
    expect(refused).toMatchObject({ error: { code: 'E_GATE_UPDATE_FAILED', exitCode: 41, message: expect.stringMatching(problem) } });
    expect(refused.error.details.forms).toContain('commit:<sha>');
    expect(await held(app)).toEqual([]);
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round: 2, failedRounds: 1 });
    expect((await app.cli(refused.error.fix)).exitCode).toBe(0);
  });

  test('a tool that fails says how it ended', async () => {
    const app = await openApp({ tasks: ['T001'], ...tools({ test: 'console.log("it broke"); process.exit(3)' }) });
    const { error } = await verify(app, 'implemented', 'tool:test');
    expect(error).not.toHaveProperty('alternatives');
    expect(error.details).toMatchObject({
      tool: 'test',
      exitCode: 3,
      output: 'it broke',
    });
  });

  test('a tool that hangs is killed', async () => {
    const app = await openApp({ tasks: ['T001'], ...tools({ hang: 'setInterval(() => {}, 1000)' }, { timeoutSeconds: 1 }) });
    expect(await verify(app, 'implemented', 'tool:hang')).toMatchObject({
      error: { exitCode: 41, message: expect.stringContaining('longer than 1 s') },
    });
  });

  test('while a tool runs, others write', async () => {
    const app = await openApp({
      tasks: ['T001'],
      config: { store: { busyTimeoutMs: 300 }, verification: { tools: { slow: [node, '-e', 'setTimeout(() => {}, 1500)'] } } },
    });
    const other = await app.beside();
    const running = verify(app, 'implemented', 'tool:slow');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, async (store) => void (await store.tasks.nextId()));
    expect(await running).toMatchObject({ success: true, verification: { evidence: [{ kind: 'tool', name: 'slow', exitCode: 0 }] } });
  });

  test('a command is words, not a line for a shell', async () => {
    const app = await openApp({
      tasks: ['T001'],
      config: { verification: { tools: { echo: `${node} -p "process.argv.length" ; touch shell-was-here` } } },
    });
    await verify(app, 'implemented', 'tool:echo');
    expect(await app.call('verify.status', { taskId: 'T001' })).toMatchObject({ verification: { gates: [{ isHeld: true }, {}, {}] } });
    expect(() => readFileSync(join(app.root, 'shell-was-here'))).toThrow();
  });

  test('several stand side by side, and all have to hold', async () => {
    const app = await openApp({ tasks: ['T001'], ...tools({ test: '' }) });
    write(app, 'a.txt', 'a');
    write(app, 'report.json', '{"numPassedTests":5,"numFailedTests":0,"success":true}');
    expect(await verify(app, 'implemented', 'files:a.txt; tool:test; test-run:report.json')).toMatchObject({
      verification: { evidence: [{ kind: 'files' }, { kind: 'tool' }, { kind: 'test-run', passed: 5, path: 'report.json' }] },
    });
    expect(await verify(app, 'testsPassed', 'tool:test; files:none.txt')).toMatchObject({ error: { exitCode: 41 } });
    expect(await held(app)).toEqual(['implemented']);
  });
});

describe('what is no evidence by its form costs no round', () => {
  test.each([
    ['it works, believe me', 'nothing that can be checked'],
    ['note:it works', 'nothing that can be checked'],
    ['url:https://example.org/ci/1', 'nothing that can be checked'],
    ['tool:none', 'there is no tool "none"'],
    ['tool:../x', 'there is no tool'],
    ['files:', 'says nothing'],
    ['files: , ,', 'says nothing'],
    ['  ', 'no evidence'],
  ])('%j', async (evidence, problem) => {
    const app = await openApp({ tasks: ['T001'] });
    expect(await verify(app, 'implemented', evidence)).toMatchObject({
      error: {
        code: 'E_GATE_UPDATE_FAILED',
        exitCode: 41,
        message: expect.stringContaining(problem),
        details: { forms: expect.any(Array) },
      },
    });
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round: 1, failedRounds: 0 });
  });

  test('notes pass where the project takes them', async () => {
    const app = await openApp({ tasks: ['T001'], config: { verification: { allowNotes: true } } });
    expect(await verify(app, 'implemented', 'read it; it is right')).toMatchObject({
      verification: { evidence: [{ kind: 'note', text: 'read it; it is right' }] },
    });
    expect(await verify(app, 'testsPassed', 'url:https://example.org/ci/1')).toMatchObject({ success: true });
  });

  test('a tool nobody has named: the way to name it is beside', async () => {
    const app = await openApp({ tasks: ['T001'] });
    const { error } = await verify(app, 'implemented', 'tool:test');
    expect(error.alternatives[0].command).toBe("cleo config set verification.tools.test 'npm test'");
    expect((await app.cli(error.alternatives[0].command)).exitCode).toBe(0);
  });
});

describe('who brings it', () => {
  test('an agent that is named has to be known', async () => {
    const app = await openApp({ tasks: ['T001'], config: { agents: ['carol'] } });
    for (const agent of ['ada', 'no name', '', 'x'.repeat(101)]) {
      const { error } = await verify(app, 'implemented', report, { agent });
      expect(error).toMatchObject({ code: 'E_INVALID_AGENT', exitCode: 43 });
    }
    await app.as('ada').call('tasks.add', { title: 'Hello' });
    expect(await verify(app, 'implemented', report, { agent: 'ada' })).toMatchObject({ verification: { by: 'ada' } });
    expect(await verify(app, 'implemented', report, { agent: 'carol' })).toMatchObject({ verification: { by: 'carol' } });
  });

  test('a refused call does not make an agent known', async () => {
    const app = await openApp({ tasks: ['T001'] });
    await app.call('tasks.add', { title: '' }, { agent: 'mallory' });
    expect(await verify(app, 'implemented', report, { agent: 'mallory' })).toMatchObject({ error: { exitCode: 43 } });
  });

  test('nobody attests its own work, under its own name or another', async () => {
    const app = await openApp({ tasks: ['T001'], config: { agents: ['bob'] } });
    await verify(app, 'implemented', report);
    await verify(app, 'testsPassed', report);
    for (const more of [{}, { agent: 'bob' }])
      expect(await verify(app, 'qaPassed', report, more)).toMatchObject({ error: { code: 'E_CIRCULAR_VALIDATION', exitCode: 82 } });
    expect(await verify(app.as('bob'), 'qaPassed', report)).toMatchObject({ verification: { by: 'bob' } });
  });

  test('who holds the task did the work, whoever brought the evidence', async () => {
    const app = await openApp({ tasks: ['T001 active by bob', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'] });
    expect(await verify(app.as('bob'), 'qaPassed', report)).toMatchObject({ error: { exitCode: 82 } });
    expect(await verify(app, 'qaPassed', report)).toMatchObject({ success: true });
  });
});

describe('rounds', () => {
  test('evidence that fails closes the round; after the last nothing is taken any more', async () => {
    const app = await openApp({ tasks: ['T001'], config: { verification: { maxRounds: 2 } } });
    await verify(app, 'implemented', 'files:none');
    expect(await verify(app, 'implemented', 'files:none', { round: 1 })).toMatchObject({
      error: { code: 'E_ROUND_MISMATCH', exitCode: 47, details: { round: 2, given: 1 } },
    });
    await verify(app, 'implemented', 'files:none', { round: 2 });
    const refused = await verify(app, 'implemented', report);
    expect(refused).toMatchObject({ error: { code: 'E_MAX_ROUNDS_EXCEEDED', exitCode: 44 } });
    for (const { command } of refused.error.alternatives) expect((await app.cli(command)).exitCode).toBe(0);
    await app.call('tasks.update', { taskId: 'T001', clearBlockedBy: true });
    expect(await verify(app, 'implemented', report)).toMatchObject({ success: true });
  });

  test('what fails takes away its gate and those after it, and leaves those before', async () => {
    const app = await openApp({
      tasks: ['T001 evidence testsPassed', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
    });
    await verify(app, 'testsPassed', 'test-run:{"passed":1,"failed":1}');
    expect(await held(app)).toEqual(['implemented']);
    expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([{ kind: 'evidence_bound', gate: 'testsPassed' }]);
  });

  test('new evidence for a gate takes away what was judged on the old', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
    });
    await verify(app, 'implemented', report);
    expect(await held(app)).toEqual(['implemented']);
  });

  test('a round that was closed while a tool ran takes nothing from it', async () => {
    const app = await openApp({ tasks: ['T001'], ...tools({ slow: 'setTimeout(() => {}, 1200)' }) });
    const running = verify(app, 'implemented', 'tool:slow');
    await new Promise((resolve) => setTimeout(resolve, 400));
    const other = await app.beside();
    await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, (store) => store.gates.keep('T001', { round: 2, failed: 1 }));
    expect(await running).toMatchObject({ error: { exitCode: 47 } });
    expect(await held(app)).toEqual([]);
  });

  test('a reopened task begins anew', async () => {
    const app = await openApp({ tasks: ['T001 evidence implemented'] });
    await verify(app, 'implemented', report);
    await app.call('tasks.complete', { taskId: 'T001' });
    expect(await verify(app, 'implemented', report)).toMatchObject({
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
  ['a task with open work inside', ['T001', 'T002 in T001']],
])('%s takes no evidence: 40', async (_, tasks) => {
  const app = await openApp({ tasks });
  const { error } = await verify(app, 'implemented', report);
  expect(error).toMatchObject({ code: 'E_VERIFICATION_INIT_FAILED', exitCode: 40 });
  expect((await app.cli(error.fix)).exitCode).toBe(0);
});

test('a container whose children are done takes evidence', async () => {
  const app = await openApp({ tasks: ['T001 epic', 'T002 in T001 done'] });
  expect(await verify(app, 'implemented', report)).toMatchObject({ success: true });
});

test('a gate there is none of is 42, and the fix has the right one', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const { error } = await verify(app, 'implemeted', report);
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

  test('is refused by complete, reported, and the fix leads out', async () => {
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

  test('also where a file is gone: the fix shows what is left', async () => {
    const app = await arranged();
    renameSync(join(app.root, 'a.txt'), join(app.root, 'c.txt'));
    const { error } = await app.call('tasks.complete', { taskId: 'T001' });
    expect(error.fix).toBe('cleo verify T001 --gate implemented --evidence files:sub/b.txt');
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
  });

  test('is nothing to report of a task that is done', async () => {
    const app = await arranged();
    await app.call('tasks.complete', { taskId: 'T001' });
    write(app, 'a.txt', 'changed');
    expect(await app.call('validate.report')).toMatchObject({ report: { ok: true } });
  });
});

test('verification.required asks for all gates of a leaf, and not of what holds others', async () => {
  const app = await openApp({ tasks: ['T001', 'T002 epic', 'T003 in T002 done'], config: { verification: { required: true } } });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { exitCode: 45, details: { missing: ['implemented', 'testsPassed', 'qaPassed'] } },
  });
  expect(await app.call('tasks.complete', { taskId: 'T002' })).toMatchObject({ success: true });
});

test('what an import says is met is not believed', async () => {
  const app = await openApp({ tasks: ['T001 evidence implemented'] });
  await app.tamper("update task_acceptance_criteria set met_at = '2026-01-01T00:00:00.000Z', met_by = 'ada'");
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 45 } });
});

test('a criterion that is added after its gate was passed is met', async () => {
  const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'] });
  await app.call('tasks.update', { taskId: 'T001', acceptEvidence: ['implemented', 'testsPassed'] });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'implemented', met: true },
    { kind: 'evidence_bound', gate: 'testsPassed' },
  ]);
});

test('a commit that is checked out passes, by a part of its name', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const sha = repositoryIn(app.root).commit({ 'a.txt': 'a' });
  expect(await verify(app, 'implemented', `commit:${sha.slice(0, 8)}`)).toMatchObject({
    verification: { evidence: [{ kind: 'commit', commit: sha }] },
  });
});

test('outside of the scope of a session nothing is verified', async () => {
  const app = await openApp({ tasks: ['T001', 'T002', 'session s-1 task:T002 by tester'] });
  expect(await verify(app, 'implemented', report)).toMatchObject({ error: { exitCode: 34 } });
});
