import { mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parse } from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import { type AppOptions, asPerson, type Json, openApp, type TestApp } from '../../../../test/app.ts';
import { held, node, openWorked, tools, verify, write } from '../../../../test/evidence.ts';
import { verifyStatus } from './status.ts';

describe('evidence', () => {
  /** A problem found without running anything costs no round. */
  const bad: [string, string, string, RegExp, number][] = [
    ['a missing file', 'implemented', 'files:src/none.ts', /no file "src\/none.ts"/, 1],
    ['two files of which one is missing', 'implemented', 'files:a.txt,b.txt', /no file "b.txt"/, 1],
    ['a folder', 'implemented', 'files:home', /no file/, 1],
    ['a file outside the project', 'implemented', 'files:../../../etc/passwd', /no file/, 1],
    ['a file of the store', 'implemented', 'files:.cleo/research/x.md', /"\.cleo\/research\/x\.md" is under \.cleo/, 1],
    ['a file older than the task', 'implemented', 'files:old.txt', /"old.txt" has not changed since T001 was created/, 1],
    ['a commit without a repository', 'implemented', 'commit:0123456789abcdef', /no commit/, 1],
    ['HEAD without a repository', 'implemented', 'commit:HEAD', /no commit/, 1],
    ['an option as commit', 'implemented', 'commit:--help', /no commit/, 1],
    ['JSON with failed tests', 'testsPassed', 'test-run:{"passed":3,"failed":1}', /1 of 4 tests failed/, 1],
    ['JSON without tests', 'testsPassed', 'test-run:{"passed":0,"failed":0}', /no test was run/, 1],
    ['JSON that is not a report', 'testsPassed', 'test-run:{"hello":1}', /no counts/, 1],
    ['a missing report', 'testsPassed', 'test-run:report.json', /no file/, 1],
    ['a report that is not JSON', 'testsPassed', 'test-run:a.txt', /is not JSON/, 1],
    ['a missing run', 'testsPassed', 'run:run-1', /there is no run "run-1"/, 1],
    ['a tool that fails', 'testsPassed', 'tool:fails', /exited with 3/, 2],
    ['a tool whose report has failed tests', 'testsPassed', 'tool:reports; test-run:bad.json', /1 of 3 tests failed/, 2],
    ['a tool that cannot be started', 'testsPassed', 'tool:gone', /did not run/, 1],
  ];
  test.each(bad)('is rejected: %s', async (_, gate, evidence, problem, round) => {
    const reports = 'require("fs").writeFileSync("bad.json", JSON.stringify({ passed: 2, failed: 1 }))';
    const app = await openApp({
      tasks: ['T001', ...(gate === 'testsPassed' ? ['gate T001 implemented by ada'] : [])],
      config: {
        verification: { tools: { fails: [node, '-e', 'process.exit(3)'], reports: [node, '-e', reports], gone: 'no-such-program-x' } },
      },
    });
    write(app, 'a.txt', 'a');
    write(app, '.cleo/research/x.md', 'x');
    write(app, 'old.txt', 'old');
    utimesSync(join(app.root, 'old.txt'), 0, 0);
    mkdirSync(join(app.root, 'home'), { recursive: true });
    const refused = await verify(app, gate, evidence);
    expect(refused).toMatchObject({ error: { code: 'E_GATE_UPDATE_FAILED', exitCode: 41, message: expect.stringMatching(problem) } });
    expect(refused.error.details.forms).toContain(gate === 'implemented' ? 'commit:<sha>' : 'tool:<name>');
    expect(await held(app)).toEqual(gate === 'testsPassed' ? ['implemented'] : []);
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round, failedRounds: round - 1 });
  });

  test('from a failing tool is rejected with its exit code and output', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada'],
      ...tools({ test: 'console.log("it broke"); process.exit(3)' }),
    });
    const { error } = await verify(app, 'testsPassed', 'tool:test');
    expect(error).not.toHaveProperty('alternatives');
    expect(error.details).toMatchObject({
      tool: 'test',
      exitCode: 3,
      output: 'it broke',
    });
    const status = await app.call('verify.status', { taskId: 'T001' });
    expect(status.verification.failures).toMatchObject([{ gate: 'testsPassed', observer: { host: expect.any(String) } }]);
    parse(verifyStatus.result!, { verification: status.verification });
  });

  test('from a failing tool is rejected without the secrets that the tool prints', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada'],
      ...tools({ test: 'console.log("DB_PASSWORD=hunter2hunter2"); process.exit(3)' }),
    });
    const answer = await verify(app, 'testsPassed', 'tool:test');
    expect(answer.error.details.output).toContain('DB_PASSWORD=');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  test('from a hanging tool is rejected, and the tool is killed', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada'],
      ...tools({ hang: 'setInterval(() => {}, 1000)' }, { timeoutSeconds: 1 }),
    });
    expect(await verify(app, 'testsPassed', 'tool:hang')).toMatchObject({
      error: { exitCode: 41, message: expect.stringContaining('longer than 1 s') },
    });
  });

  test('from a tool does not lock the store while the tool runs', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada'],
      config: { store: { busyTimeoutMs: 300 }, verification: { tools: { slow: [node, '-e', 'setTimeout(() => {}, 1500)'] } } },
    });
    const other = await app.openSecondStore();
    const running = verify(app, 'testsPassed', 'tool:slow');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await other.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, async (store) => void (await store.tasks.nextId()));
    expect(await running).toMatchObject({ success: true, verification: { evidence: [{ kind: 'tool', name: 'slow', exitCode: 0 }] } });
  });

  test('from a tool is collected without a shell', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada'],
      config: { verification: { tools: { echo: `${node} -p "process.argv.length" ; touch shell-was-here` } } },
    });
    await verify(app, 'testsPassed', 'tool:echo');
    expect(await app.call('verify.status', { taskId: 'T001' })).toMatchObject({ verification: { gates: [{}, { isHeld: true }, {}] } });
    expect(() => readFileSync(join(app.root, 'shell-was-here'))).toThrow();
  });

  test('in several pieces is accepted only if all are valid', async () => {
    const writesReport = `require("fs").writeFileSync("report.json", '{"numPassedTests":5,"numFailedTests":0,"success":true}')`;
    const app = await openApp({ tasks: ['T001'], ...tools({ test: writesReport }) });
    write(app, 'a.txt', 'a');
    expect(await verify(app, 'implemented', 'files:a.txt; tool:test; note:by hand')).toMatchObject({
      verification: { evidence: [{ kind: 'files' }, { kind: 'tool' }, { kind: 'claimed', text: 'note:by hand' }] },
    });
    expect(await verify(app, 'testsPassed', 'tool:test; files:none.txt')).toMatchObject({ error: { exitCode: 41 } });
    expect(await held(app)).toEqual(['implemented']);
    expect(await verify(app, 'testsPassed', 'test-run:report.json; tool:test; files:a.txt')).toMatchObject({
      verification: { evidence: [{ kind: 'test-run', passed: 5, path: 'report.json' }, { kind: 'tool' }, { kind: 'files' }] },
    });
  });
});

describe('a statement opens no gate, is stored as claimed and costs no round', () => {
  test.each([
    ['implemented', 'it works, believe me', /"it works, believe me" cannot be checked and does not open implemented/],
    ['implemented', 'note:it works', /cannot be checked/],
    ['implemented', 'url:https://example.org/ci/1', /cannot be checked/],
    ['implemented', 'tool:test', /tool:test does not open implemented, which needs commit:<sha>, files:<path>,<path> or run:/],
    ['implemented', 'test-run:{"passed":1,"failed":0}', /test-run: does not open implemented/],
    ['testsPassed', 'files:work.txt', /files: does not open testsPassed, which needs tool:<name>, run:/],
    ['testsPassed', 'commit:HEAD', /commit: does not open testsPassed/],
    ['testsPassed', 'test-run:{"passed":1,"failed":0}', /inline JSON proves nothing/],
    ['testsPassed', 'test-run:mine.json', /no tool of this call and no run for T001 wrote mine.json/],
    ['qaPassed', 'tool:test', /tool:test does not open qaPassed, which needs a verdict of the validator/],
    ['qaPassed', 'files:work.txt', /files: does not open qaPassed/],
  ])('%s: %s', async (gate, evidence, problem) => {
    const before = ['gate T001 implemented by ada', 'gate T001 testsPassed by ada'].slice(
      0,
      ['implemented', 'testsPassed', 'qaPassed'].indexOf(gate),
    );
    const app = await openWorked({ tasks: ['T001', ...before] });
    write(app, 'mine.json', '{"passed":1,"failed":0}');
    const gates = await held(app);
    const { error } = await verify(app, gate, evidence);
    expect(error).toMatchObject({ exitCode: 41, message: expect.stringMatching(problem) });
    expect(error.message).toContain('it is stored as claimed');
    expect(await held(app)).toEqual(gates);
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({
      round: 1,
      failedRounds: 0,
      claimed: [{ gate, by: 'tester', text: evidence }],
    });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  });

  test('leaves the gates that were passed', async () => {
    const app = await openApp({
      tasks: ['T001', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada', 'gate T001 qaPassed by bob'],
    });
    await verify(app, 'implemented', 'note:done');
    expect(await held(app)).toEqual(['implemented', 'testsPassed', 'qaPassed']);
    expect((await app.call('validator.ac-pull', { taskId: 'T001' })).claimed).toMatchObject([{ gate: 'implemented', text: 'note:done' }]);
  });
});

test('verification.gates says which evidence opens a gate', async () => {
  const gates = { implemented: ['commit'], testsPassed: ['tool:test+tool:lint'] };
  const app = await openApp({ tasks: ['T001'], ...tools({ test: '', lint: '', other: '' }, { gates }) });
  write(app, 'a.txt', 'a');
  expect((await verify(app, 'implemented', 'files:a.txt')).error.details.forms).toEqual(['commit:<sha>']);
  const tested = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'], ...tools({ test: '', lint: '', other: '' }, { gates }) });
  for (const evidence of ['tool:test', 'tool:other']) {
    const { error } = await verify(tested, 'testsPassed', evidence);
    expect(error.message).toContain('which needs tool:test together with tool:lint');
    expect(error.fix).toContain("'tool:test; tool:lint'");
  }
  expect(await verify(tested, 'testsPassed', 'tool:test; tool:lint')).toMatchObject({ success: true });
});

describe('the observer of evidence', () => {
  const config = {
    verification: { observers: { testsPassed: ['ci'] }, tools: { test: [node, '-e', 'require("fs").writeFileSync("ran", "")'] } },
  };
  const ci = { gateway: 'http' as const, token: { name: 'ci', scope: 'mutate' as const } };

  test('is recorded: this process with its host, and the token', async () => {
    const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'], config });
    await app.call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' }, ci);
    const [before, tested] = (await app.call('verify.status', { taskId: 'T001' })).verification.gates;
    expect(before).not.toHaveProperty('observer');
    expect(tested).toMatchObject({ isHeld: true, observer: { host: expect.stringContaining(hostname()), token: 'ci' } });
  });

  test('has to be named by verification.observers; evidence of others is stored as claimed and nothing runs', async () => {
    const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'], config });
    const laptop = { gateway: 'http' as const, token: { name: 'laptop', scope: 'mutate' as const } };
    for (const more of [{}, laptop]) {
      const { error } = await app.call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' }, more);
      expect(error).toMatchObject({ exitCode: 41, message: expect.stringContaining('accepts testsPassed from ci only') });
      expect((await app.cli(error.fix)).exitCode).toBe(0);
    }
    expect(() => readFileSync(join(app.root, 'ran'))).toThrow();
    const { verification } = await app.call('verify.status', { taskId: 'T001' });
    expect(verification).toMatchObject({ round: 1, claimed: [{ text: 'tool:test' }, { text: 'tool:test' }] });
    expect(await held(app)).toEqual(['implemented']);
  });
});

describe('tools of one process', () => {
  const slow = 'require("fs").appendFileSync("log", "start\\n"); setTimeout(() => require("fs").appendFileSync("log", "end\\n"), 400)';
  const tasks = ['T001', 'gate T001 implemented by ada', 'T002', 'gate T002 implemented by ada', 'T003', 'gate T003 implemented by ada'];
  const read = (app: TestApp): string[] => readFileSync(join(app.root, 'log'), 'utf8').trim().split('\n');
  const submit = (app: TestApp, taskId: string, more = {}): Promise<Json> =>
    app.call('verify.gate', { taskId, gate: 'testsPassed', evidence: 'tool:slow' }, more);

  test('run one after another with verification.maxParallel 1', async () => {
    const app = await openApp({ tasks, ...tools({ slow }, { maxParallel: 1 }) });
    const answers = await Promise.all(['T001', 'T002', 'T003'].map((taskId) => submit(app, taskId)));
    expect(answers.map(({ success }) => success)).toEqual([true, true, true]);
    expect(read(app)).toEqual(['start', 'end', 'start', 'end', 'start', 'end']);
  });

  test('end when the caller stops waiting, running or queued, and cost no round', async () => {
    const app = await openApp({ tasks, ...tools({ slow: `${slow}; setInterval(() => {}, 1000)` }, { maxParallel: 1 }) });
    const [first, second] = [new AbortController(), new AbortController()];
    const running = submit(app, 'T001', { signal: first.signal });
    await vi.waitFor(() => expect(read(app)).toEqual(['start']), 5000);
    const queued = submit(app, 'T002', { signal: second.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    second.abort();
    expect(await queued).toMatchObject({ error: { exitCode: 41, message: expect.stringContaining('the caller stopped waiting') } });
    first.abort();
    expect(await running).toMatchObject({ error: { exitCode: 41, message: expect.stringContaining('the caller stopped waiting') } });
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round: 1, failedRounds: 0 });
    expect(read(app).filter((line) => line === 'start')).toHaveLength(1);
  });
});

describe('a gate that needs a tool, in a project without one', () => {
  const open = async (more: AppOptions = {}): Promise<TestApp> => {
    const app = await openApp({ tasks: ['T001', 'gate T001 implemented by ada'], ...more });
    write(app, 'package.json', '{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"4"}}');
    return app;
  };
  const configure = "cleo config set verification.tools.test 'npm test'";

  test('names the command for a person and blocks the task for an agent', async () => {
    const app = await open();
    for (const evidence of ['tool:test', 'files:package.json', 'test-run:{"passed":1,"failed":0}']) {
      const { error } = await verify(app, 'testsPassed', evidence);
      expect(error.alternatives.slice(0, 2).map(({ command }: Json) => command)).toEqual([`Ask a person to run: ${configure}`, error.fix]);
      expect(error.fix).toMatch(/^cleo update T001 --blocked-by '.*npm test/);
    }
    const { error } = await verify(app, 'testsPassed', 'tool:test');
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect((await app.call('tasks.show', { taskId: 'T001' })).task).toMatchObject({ status: 'blocked' });
    expect((await app.cli(configure, asPerson)).exitCode).toBe(0);
  });

  test('the fix for a person configures the tool', async () => {
    const app = await open({ isAtTerminal: true });
    expect((await verify(app, 'testsPassed', 'tool:test')).error.fix).toBe(configure);
  });
});

describe('evidence of an invalid form costs no round', () => {
  test.each([
    ['tool:none', 'there is no tool "none"'],
    ['tool:../x', 'there is no tool'],
    ['files:', 'has no value'],
    ['files: , ,', 'has no value'],
    ['  ', 'the evidence is empty'],
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

  test('accepts notes where the project allows them', async () => {
    const app = await openApp({ tasks: ['T001'], config: { verification: { allowNotes: true } } });
    expect(await verify(app, 'implemented', 'read it; it is right')).toMatchObject({
      verification: { evidence: [{ kind: 'note', text: 'read it; it is right' }] },
    });
    expect(await verify(app, 'testsPassed', 'url:https://example.org/ci/1')).toMatchObject({ success: true });
  });

  test('suggests how to configure an unknown tool', async () => {
    const app = await openApp({ tasks: ['T001'] });
    const { error } = await verify(app, 'implemented', 'tool:test');
    expect(error.alternatives[0].command).toBe("Ask a person to run: cleo config set verification.tools.test 'npm test'");
    expect((await app.cli(error.alternatives[0].command, asPerson)).exitCode).toBe(0);
  });
});
