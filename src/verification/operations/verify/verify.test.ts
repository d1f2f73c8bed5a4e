import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HouseOptions, openHouse, type Seen, type TestHouse } from '../../../../test/house.ts';
import { repositoryIn } from '../../../../test/repository.ts';

const node = process.execPath;
const report = 'test-run:{"passed":3,"failed":0}';
const tools = (named: Record<string, string>, more = {}): HouseOptions => ({
  config: {
    verification: { tools: Object.fromEntries(Object.entries(named).map(([name, code]) => [name, [node, '-e', code]])), ...more },
  },
});
const write = ({ root }: TestHouse, name: string, text: string): void => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
};
const verify = ({ call }: Pick<TestHouse, 'call'>, gate: string, evidence: string, more = {}): Promise<Seen> =>
  call('verify.gate', { taskId: 'T001', gate, evidence, ...more });
const held = async ({ call }: TestHouse): Promise<string[]> =>
  (await call('verify.status', { taskId: 'T001' })).verification.gates.flatMap(({ gate, isHeld }: Seen) => (isHeld ? [gate] : []));

test('gates are passed in their order, and completion asks for those it is bound to', async () => {
  const house = await openHouse({ tasks: ['T001 evidence implemented,testsPassed'] });
  write(house, 'src/parser.ts', 'export {}');
  expect(await house.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { code: 'E_GATE_DEPENDENCY', exitCode: 45, details: { missing: ['implemented', 'testsPassed'] } },
  });
  expect(await verify(house, 'testsPassed', report)).toMatchObject({ error: { code: 'E_GATE_DEPENDENCY', exitCode: 45 } });
  expect(await verify(house, 'implemented', 'files:src/parser.ts')).toMatchObject({
    verification: { gate: 'implemented', round: 1, by: 'tester', next: 'testsPassed', evidence: [{ kind: 'files' }] },
    data: { updated: ['T001'] },
  });
  expect((await house.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'implemented', met: true },
    { kind: 'evidence_bound', gate: 'testsPassed' },
  ]);
  expect(await verify(house, 'testsPassed', report)).toMatchObject({ success: true });
  expect(await house.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true, task: { status: 'done' } });
});

test('without an id it is the focused task; without a focus 38', async () => {
  const house = await openHouse({ tasks: ['T001'] });
  expect(await house.call('verify.status')).toMatchObject({ error: { exitCode: 38 } });
  expect(await house.call('verify.gate', { gate: 'implemented', evidence: report })).toMatchObject({ error: { exitCode: 38 } });
  await house.call('tasks.start', { taskId: 'T001' });
  expect((await house.cli(['verify', '--gate', 'implemented', '--evidence', report])).exitCode).toBe(0);
  expect((await house.cli('cleo verify')).envelope).toMatchObject({ verification: { taskId: 'T001', next: 'testsPassed' } });
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
    const house = await openHouse({
      tasks: ['T001'],
      config: { verification: { tools: { fails: [node, '-e', 'console.log("it broke"); process.exit(3)'], gone: 'no-such-program-x' } } },
    });
    write(house, 'a.txt', 'a');
    mkdirSync(join(house.root, 'home'), { recursive: true });
    const refused = await verify(house, 'implemented', evidence);
    expect(refused).toMatchObject({ error: { code: 'E_GATE_UPDATE_FAILED', exitCode: 41, message: expect.stringMatching(problem) } });
    expect(refused.error.details.forms).toContain('commit:<sha>');
    expect(await held(house)).toEqual([]);
    expect((await house.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round: 2, failedRounds: 1 });
    expect((await house.cli(refused.error.fix)).exitCode).toBe(0);
  });

  test('a tool that fails says how it ended', async () => {
    const house = await openHouse({ tasks: ['T001'], ...tools({ test: 'console.log("it broke"); process.exit(3)' }) });
    const { error } = await verify(house, 'implemented', 'tool:test');
    expect(error).not.toHaveProperty('alternatives');
    expect(error.details).toMatchObject({
      tool: 'test',
      exitCode: 3,
      output: 'it broke',
    });
  });

  test('a tool that hangs is killed', async () => {
    const house = await openHouse({ tasks: ['T001'], ...tools({ hang: 'setInterval(() => {}, 1000)' }, { timeoutSeconds: 1 }) });
    expect(await verify(house, 'implemented', 'tool:hang')).toMatchObject({
      error: { exitCode: 41, message: expect.stringContaining('longer than 1 s') },
    });
  });

  test('while a tool runs, others write', async () => {
    const house = await openHouse({
      tasks: ['T001'],
      config: { store: { busyTimeoutMs: 300 }, verification: { tools: { slow: [node, '-e', 'setTimeout(() => {}, 1500)'] } } },
    });
    const other = await house.beside();
    const running = verify(house, 'implemented', 'tool:slow');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, async (store) => void (await store.tasks.nextId()));
    expect(await running).toMatchObject({ success: true, verification: { evidence: [{ kind: 'tool', name: 'slow', exitCode: 0 }] } });
  });

  test('a command is words, not a line for a shell', async () => {
    const house = await openHouse({
      tasks: ['T001'],
      config: { verification: { tools: { echo: `${node} -p "process.argv.length" ; touch shell-was-here` } } },
    });
    await verify(house, 'implemented', 'tool:echo');
    expect(await house.call('verify.status', { taskId: 'T001' })).toMatchObject({ verification: { gates: [{ isHeld: true }, {}, {}] } });
    expect(() => readFileSync(join(house.root, 'shell-was-here'))).toThrow();
  });

  test('several stand side by side, and all have to hold', async () => {
    const house = await openHouse({ tasks: ['T001'], ...tools({ test: '' }) });
    write(house, 'a.txt', 'a');
    write(house, 'report.json', '{"numPassedTests":5,"numFailedTests":0,"success":true}');
    expect(await verify(house, 'implemented', 'files:a.txt; tool:test; test-run:report.json')).toMatchObject({
      verification: { evidence: [{ kind: 'files' }, { kind: 'tool' }, { kind: 'test-run', passed: 5, path: 'report.json' }] },
    });
    expect(await verify(house, 'testsPassed', 'tool:test; files:none.txt')).toMatchObject({ error: { exitCode: 41 } });
    expect(await held(house)).toEqual(['implemented']);
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
    const house = await openHouse({ tasks: ['T001'] });
    expect(await verify(house, 'implemented', evidence)).toMatchObject({
      error: {
        code: 'E_GATE_UPDATE_FAILED',
        exitCode: 41,
        message: expect.stringContaining(problem),
        details: { forms: expect.any(Array) },
      },
    });
    expect((await house.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round: 1, failedRounds: 0 });
  });

  test('notes pass where the project takes them', async () => {
    const house = await openHouse({ tasks: ['T001'], config: { verification: { allowNotes: true } } });
    expect(await verify(house, 'implemented', 'read it; it is right')).toMatchObject({
      verification: { evidence: [{ kind: 'note', text: 'read it; it is right' }] },
    });
    expect(await verify(house, 'testsPassed', 'url:https://example.org/ci/1')).toMatchObject({ success: true });
  });

  test('a tool nobody has named: the way to name it is beside', async () => {
    const house = await openHouse({ tasks: ['T001'] });
    const { error } = await verify(house, 'implemented', 'tool:test');
    expect(error.alternatives[0].command).toBe("cleo config set verification.tools.test 'npm test'");
    expect((await house.cli(error.alternatives[0].command)).exitCode).toBe(0);
  });
});

describe('who brings it', () => {
  test('an agent that is named has to be known', async () => {
    const house = await openHouse({ tasks: ['T001'], config: { agents: ['carol'] } });
    for (const agent of ['ada', 'no name', '', 'x'.repeat(101)]) {
      const { error } = await verify(house, 'implemented', report, { agent });
      expect(error).toMatchObject({ code: 'E_INVALID_AGENT', exitCode: 43 });
    }
    await house.as('ada').call('tasks.add', { title: 'Hello' });
    expect(await verify(house, 'implemented', report, { agent: 'ada' })).toMatchObject({ verification: { by: 'ada' } });
    expect(await verify(house, 'implemented', report, { agent: 'carol' })).toMatchObject({ verification: { by: 'carol' } });
  });

  test('a refused call does not make an agent known', async () => {
    const house = await openHouse({ tasks: ['T001'] });
    await house.call('tasks.add', { title: '' }, { agent: 'mallory' });
    expect(await verify(house, 'implemented', report, { agent: 'mallory' })).toMatchObject({ error: { exitCode: 43 } });
  });

  test('nobody attests its own work, under its own name or another', async () => {
    const house = await openHouse({ tasks: ['T001'], config: { agents: ['bob'] } });
    await verify(house, 'implemented', report);
    await verify(house, 'testsPassed', report);
    for (const more of [{}, { agent: 'bob' }])
      expect(await verify(house, 'qaPassed', report, more)).toMatchObject({ error: { code: 'E_CIRCULAR_VALIDATION', exitCode: 82 } });
    expect(await verify(house.as('bob'), 'qaPassed', report)).toMatchObject({ verification: { by: 'bob' } });
  });

  test('who holds the task did the work, whoever brought the evidence', async () => {
    const house = await openHouse({ tasks: ['T001 active by bob', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'] });
    expect(await verify(house.as('bob'), 'qaPassed', report)).toMatchObject({ error: { exitCode: 82 } });
    expect(await verify(house, 'qaPassed', report)).toMatchObject({ success: true });
  });
});

describe('rounds', () => {
  test('evidence that fails closes the round; after the last nothing is taken any more', async () => {
    const house = await openHouse({ tasks: ['T001'], config: { verification: { maxRounds: 2 } } });
    await verify(house, 'implemented', 'files:none');
    expect(await verify(house, 'implemented', 'files:none', { round: 1 })).toMatchObject({
      error: { code: 'E_ROUND_MISMATCH', exitCode: 47, details: { round: 2, given: 1 } },
    });
    await verify(house, 'implemented', 'files:none', { round: 2 });
    const refused = await verify(house, 'implemented', report);
    expect(refused).toMatchObject({ error: { code: 'E_MAX_ROUNDS_EXCEEDED', exitCode: 44 } });
    for (const { command } of refused.error.alternatives) expect((await house.cli(command)).exitCode).toBe(0);
    await house.call('tasks.update', { taskId: 'T001', clearBlockedBy: true });
    expect(await verify(house, 'implemented', report)).toMatchObject({ success: true });
  });

  test('what fails takes away its gate and those after it, and leaves those before', async () => {
    const house = await openHouse({
      tasks: ['T001 evidence testsPassed', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
    });
    await verify(house, 'testsPassed', 'test-run:{"passed":1,"failed":1}');
    expect(await held(house)).toEqual(['implemented']);
    expect((await house.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([{ kind: 'evidence_bound', gate: 'testsPassed' }]);
  });

  test('new evidence for a gate takes away what was judged on the old', async () => {
    const house = await openHouse({
      tasks: ['T001', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
    });
    await verify(house, 'implemented', report);
    expect(await held(house)).toEqual(['implemented']);
  });

  test('a round that was closed while a tool ran takes nothing from it', async () => {
    const house = await openHouse({ tasks: ['T001'], ...tools({ slow: 'setTimeout(() => {}, 1200)' }) });
    const running = verify(house, 'implemented', 'tool:slow');
    await new Promise((resolve) => setTimeout(resolve, 400));
    const other = await house.beside();
    await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, (store) => store.gates.keep('T001', { round: 2, failed: 1 }));
    expect(await running).toMatchObject({ error: { exitCode: 47 } });
    expect(await held(house)).toEqual([]);
  });

  test('a reopened task begins anew', async () => {
    const house = await openHouse({ tasks: ['T001 evidence implemented'] });
    await verify(house, 'implemented', report);
    await house.call('tasks.complete', { taskId: 'T001' });
    expect(await verify(house, 'implemented', report)).toMatchObject({
      error: { code: 'E_VERIFICATION_LOCKED', exitCode: 46, fix: 'cleo reopen T001' },
    });
    await house.cli('cleo reopen T001');
    expect(await house.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 45 } });
    expect((await house.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({
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
  const house = await openHouse({ tasks });
  const { error } = await verify(house, 'implemented', report);
  expect(error).toMatchObject({ code: 'E_VERIFICATION_INIT_FAILED', exitCode: 40 });
  expect((await house.cli(error.fix)).exitCode).toBe(0);
});

test('a container whose children are done takes evidence', async () => {
  const house = await openHouse({ tasks: ['T001 epic', 'T002 in T001 done'] });
  expect(await verify(house, 'implemented', report)).toMatchObject({ success: true });
});

test('a gate there is none of is 42, and the fix has the right one', async () => {
  const house = await openHouse({ tasks: ['T001'] });
  const { error } = await verify(house, 'implemeted', report);
  expect(error).toMatchObject({ code: 'E_INVALID_GATE', exitCode: 42, fix: expect.stringContaining('--gate implemented') });
  expect((await house.cli(error.fix)).exitCode).toBe(0);
});

describe('stale evidence', () => {
  const arranged = async (): Promise<TestHouse> => {
    const house = await openHouse({ tasks: ['T001 evidence implemented'] });
    write(house, 'a.txt', 'a');
    write(house, 'sub/b.txt', 'b');
    await verify(house, 'implemented', 'files:a.txt,sub/b.txt');
    return house;
  };

  test('is refused by complete, reported, and the fix leads out', async () => {
    const house = await arranged();
    write(house, 'sub/b.txt', 'changed');
    const { error } = await house.call('tasks.complete', { taskId: 'T001' });
    expect(error).toMatchObject({
      code: 'E_EVIDENCE_STALE',
      exitCode: 45,
      details: { stale: [{ gate: 'implemented', files: ['sub/b.txt'] }] },
    });
    expect((await house.call('verify.status', { taskId: 'T001' })).verification.gates[0]).toMatchObject({ stale: ['sub/b.txt'] });
    const { report: found } = await house.call('validate.report');
    expect(found).toMatchObject({ ok: false, counts: { 'stale-evidence': 1 }, problems: [{ taskId: 'T001', fix: error.fix }] });
    expect((await house.cli(error.fix)).exitCode).toBe(0);
    expect(await house.call('validate.report')).toMatchObject({ report: { ok: true } });
    expect(await house.call('tasks.update', { taskId: 'T001', status: 'done' })).toMatchObject({ success: true });
  });

  test('also where a file is gone: the fix shows what is left', async () => {
    const house = await arranged();
    renameSync(join(house.root, 'a.txt'), join(house.root, 'c.txt'));
    const { error } = await house.call('tasks.complete', { taskId: 'T001' });
    expect(error.fix).toBe('cleo verify T001 --gate implemented --evidence files:sub/b.txt');
    expect((await house.cli(error.fix)).exitCode).toBe(0);
    expect(await house.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
  });

  test('is nothing to report of a task that is done', async () => {
    const house = await arranged();
    await house.call('tasks.complete', { taskId: 'T001' });
    write(house, 'a.txt', 'changed');
    expect(await house.call('validate.report')).toMatchObject({ report: { ok: true } });
  });
});

test('verification.required asks for all gates of a leaf, and not of what holds others', async () => {
  const house = await openHouse({ tasks: ['T001', 'T002 epic', 'T003 in T002 done'], config: { verification: { required: true } } });
  expect(await house.call('tasks.complete', { taskId: 'T001' })).toMatchObject({
    error: { exitCode: 45, details: { missing: ['implemented', 'testsPassed', 'qaPassed'] } },
  });
  expect(await house.call('tasks.complete', { taskId: 'T002' })).toMatchObject({ success: true });
});

test('what an import says is met is not believed', async () => {
  const house = await openHouse({ tasks: ['T001 evidence implemented'] });
  await house.tamper("update task_acceptance_criteria set met_at = '2026-01-01T00:00:00.000Z', met_by = 'ada'");
  expect(await house.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ error: { exitCode: 45 } });
});

test('a criterion that is added after its gate was passed is met', async () => {
  const house = await openHouse({ tasks: ['T001', 'gate T001 implemented by ada'] });
  await house.call('tasks.update', { taskId: 'T001', acceptEvidence: ['implemented', 'testsPassed'] });
  expect((await house.call('tasks.show', { taskId: 'T001' })).task.acceptance).toEqual([
    { kind: 'evidence_bound', gate: 'implemented', met: true },
    { kind: 'evidence_bound', gate: 'testsPassed' },
  ]);
});

test('a commit that is checked out passes, by a part of its name', async () => {
  const house = await openHouse({ tasks: ['T001'] });
  const sha = repositoryIn(house.root).commit({ 'a.txt': 'a' });
  expect(await verify(house, 'implemented', `commit:${sha.slice(0, 8)}`)).toMatchObject({
    verification: { evidence: [{ kind: 'commit', commit: sha }] },
  });
});

test('outside of the scope of a session nothing is verified', async () => {
  const house = await openHouse({ tasks: ['T001', 'T002', 'session s-1 task:T002 by tester'] });
  expect(await verify(house, 'implemented', report)).toMatchObject({ error: { exitCode: 34 } });
});
