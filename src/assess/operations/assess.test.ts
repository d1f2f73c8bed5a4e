import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dispatch } from '#dispatch/dispatch.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { formatTrace, type TracedExecution, writeJudgedRuns, writeTrace, writeVerdict } from '../../../test/execution-trace.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';

const now = '2026-02-01T00:00:00.000Z';
const getFile = ({ root }: TestApp): string => join(root, '.cleo', 'metrics', 'ASSESSMENTS.jsonl');
const readLines = (app: TestApp): Json[] =>
  readFileSync(getFile(app), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const addTrace = ({ root }: TestApp, id: string, day: string, ...executions: TracedExecution[]): void =>
  writeTrace(root, id, day, formatTrace(id, day, executions));

describe('assess.run', () => {
  test('scores each execution of a run and stores a line for it', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 discovery/write design/draw:84'] });
    const { assessments, totals, _meta, success } = await app.call('assess.run', { runs: ['run-1'], now });
    expect([success, _meta.exitNamespace, _meta.resultsField]).toEqual([true, 'skill', 'assessments']);
    expect(assessments).toMatchObject([
      { execution_id: 'run-1:discovery:write', status: 'success', percent: 100, grade: 'A', timestamp: now, rubric_version: '1.0.0' },
      { execution_id: 'run-1:design:draw', status: 'failure', exit_code: 84, dimensions: { correctness: { score: 0 } } },
    ]);
    expect(totals).toMatchObject({ runs: 1, executions: 2, passed: 1, skipped: 0, grades: { A: 1, C: 1 } });
    expect(readLines(app)).toEqual(assessments);
  });

  test('resolves patterns and assesses a run once', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-30 a/x', 'run run-2 2026-01-31 a/x', 'run run-3 2026-02-01 a/x'] });
    const assess = async (...runs: string[]) => (await app.call('assess.run', { runs })).assessments.map(({ run_id }: Json) => run_id);
    expect(await assess('2026-01-*.jsonl')).toEqual(['run-1', 'run-2']);
    expect(await assess('run-3', 'run-*', '.cleo/traces/2026-02-01-run-3.jsonl')).toEqual(['run-1', 'run-2', 'run-3']);
    expect(readLines(app)).toHaveLength(5);
  });

  test('the same trace gives the same bytes with --now', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 discovery/write design/draw:4'] });
    const text = async () => (await app.cli(['assess', 'run-1', '--now', now, '--json'])).envelope.assessments;
    expect(JSON.stringify(await text())).toBe(JSON.stringify(await text()));
    const [first, , again] = readFileSync(getFile(app), 'utf8').split('\n');
    expect(again).toBe(first);
  });

  test('compares the duration with earlier runs only', async () => {
    const app = await openApp();
    for (let i = 0; i < 8; i++) addTrace(app, `run-${i}`, '2026-01-01', { durationMs: i === 6 ? 200 : 100 });
    const evidence = async (run: string) => (await app.call('assess.run', { runs: [run] })).assessments[0].dimensions.efficiency;
    expect(await evidence('run-6')).toEqual({ score: 10, max: 20, evidence: ['200 ms of 100 (median of 6 successes)'] });
    expect(await evidence('run-4')).toEqual({ score: 20, max: 20, evidence: ['100 ms of 5000 (half of the timeout)'] });
    const all = (await app.call('assess.run', { runs: ['run-*'] })).assessments;
    expect(all[6].dimensions.efficiency.score).toBe(10);
  });

  test('prefers scores of reviewers to those of the judge', async () => {
    const app = await openApp();
    addTrace(app, 'run-1', '2026-01-01', { judge: [0.2] });
    const quality = async () => {
      const [one] = (await app.call('assess.run', { runs: ['run-1'] })).assessments;
      return [one.dimensions.quality.score, one.evaluator];
    };
    expect(await quality()).toEqual([4, 'judge']);
    writeVerdict(app.root, 'run-1:discovery:write', 'pass', 0.9);
    expect(await quality()).toEqual([18, 'human']);
  });

  test('skips executions without work and assesses refused ones', async () => {
    const app = await openApp();
    addTrace(app, 'run-1', '2026-01-01', { isInvoked: false, attempts: 0 }, { phase: 'b', exitCode: 66, attempts: 0 });
    const { assessments, totals } = await app.call('assess.run', { runs: ['run-1'] });
    expect(assessments).toMatchObject([{ phase: 'b', status: 'failure' }]);
    expect(totals).toMatchObject({ executions: 1, skipped: 1 });
  });

  test('flags a trace that was changed, truncated or has not ended', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 a/x', 'run run-2 2026-01-31 a/x'] });
    const path = join(app.root, '.cleo/traces/2026-01-31-run-1.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"timeout_ms":10000', '"timeout_ms":90000'));
    const changed = await app.call('assess.run', { runs: ['run-1'] });
    expect(changed.assessments[0].flags).toEqual([expect.stringMatching(/^line \d+ of the trace was changed$/)]);
    expect(changed._meta.warnings).toEqual([expect.stringMatching(/^run-1: line \d+ of the trace was changed$/)]);
    mkdirSync(join(app.root, '.cleo/runs/run-2'), { recursive: true });
    writeFileSync(join(app.root, '.cleo/runs/run-2/run.json'), JSON.stringify({ completed_at: now, head: 'other' }));
    expect((await app.call('assess.run', { runs: ['run-2'] })).assessments[0].flags).toEqual([
      'the trace does not end with the last line of the run',
    ]);
    writeTrace(app.root, 'run-3', '2026-01-31', `${formatTrace('run-3', '2026-01-31', [{}], false)}{"torn`);
    expect((await app.call('assess.run', { runs: ['run-3'] }))._meta.warnings).toEqual([
      expect.stringMatching(/^run-3: line \d+ of the trace was cut off/),
      'run-3 has not ended; only finished executions are assessed',
    ]);
  });

  test('finds a run by a unique part of its id, as trace show does', async () => {
    const app = await openApp({ tasks: ['run run-mwih8x 2026-01-31 a/x', 'run run-abc 2026-01-31 a/x'] });
    for (const run of ['run-mwih8', 'wih8x', '2026-01-31-run-mwih8x.jsonl']) {
      expect((await app.call('assess.run', { runs: [run] })).assessments).toMatchObject([{ run_id: 'run-mwih8x' }]);
      expect((await app.call('trace.show', { run })).trace.run.id).toBe('run-mwih8x');
    }
  });

  test.each<[why: string, word: string, exit: number, message: string]>([
    ['an unknown run', 'run-missing', 64, 'there is no run "run-missing"'],
    ['a path outside the folder', '../../etc/passwd', 64, 'there is no run "../../etc/passwd"'],
    ['a pattern without matches', '2020-*.jsonl', 66, "No trace matches '2020-*.jsonl'"],
    ['a run without a trace', 'run-old', 66, 'run-old has no trace: it was pruned, or nothing was captured'],
  ])('rejects %s', async (_, word, exit, message) => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 a/x'] });
    mkdirSync(join(app.root, '.cleo/runs/run-old'), { recursive: true });
    writeFileSync(join(app.root, '.cleo/runs/run-old/run.json'), '{"run_id":"run-old"}');
    const { envelope, exitCode } = await app.reply('assess.run', { runs: ['run-1', word] });
    expect([exitCode, envelope._meta.exitNamespace]).toEqual([exit, 'skill']);
    expect(envelope.error).toMatchObject({ code: 'E_SKILL_PRECONDITION', exitCode: exit, message, fix: 'cleo trace list' });
    expect(existsSync(getFile(app))).toBe(false);
  });

  test('pages the answer and stores all assessments once', async () => {
    const app = await openApp({ tasks: Array.from({ length: 60 }, (_, i) => `run run-${i + 10} 2026-01-31 a/x`) });
    const { assessments, _meta, totals } = await app.call('assess.run', { runs: ['*'] });
    expect([assessments.length, _meta.truncated, totals.executions]).toEqual([20, { shown: 20, total: 60 }, 60]);
    expect(readLines(app)).toHaveLength(60);
    expect((await app.call('assess.run', { runs: ['*'], offset: 50 })).assessments).toHaveLength(10);
    expect(readLines(app)).toHaveLength(60);
    expect((await app.call('assess.run', { runs: ['*'], limit: 60 })).assessments).toHaveLength(60);
  });

  test('exits with 73 if the file cannot be written', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 a/x'] });
    writeFileSync(join(app.root, '.cleo', 'metrics'), 'in the way');
    expect((await app.reply('assess.run', { runs: ['run-1'] })).exitCode).toBe(73);
  });

  test.each(['yesterday', '2026-01-31', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z'])('rejects %s as --now', async (given) => {
    const { reply } = await openApp({ tasks: ['run run-1 2026-01-31 a/x'] });
    expect((await reply('assess.run', { runs: ['run-1'], now: given })).exitCode).toBe(64);
  });

  test('assesses 1000 executions within a second', async () => {
    const app = await openApp();
    for (let i = 0; i < 500; i++)
      addTrace(
        app,
        `run-${1000 + i}`,
        '2026-01-31',
        { checks: { 1: ['a', 'b'], 2: ['c', 'd', 'e'], 3: ['f'] } },
        { phase: 'design', skill: 'draw', judge: [0.8] },
      );
    await app.call('assess.run', { runs: ['run-1000'] });
    // CPU time, because other processes may share the processor.
    const started = process.cpuUsage();
    const { totals } = await app.call('assess.run', { runs: ['*'] });
    const { user, system } = process.cpuUsage(started);
    expect(totals.executions).toBe(1000);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

describe('assess.compare', () => {
  const world = async (before: TracedExecution, after: TracedExecution, count = 10): Promise<TestApp> => {
    const app = await openApp();
    for (let i = 0; i < count; i++) {
      addTrace(app, `run-a${i}`, '2026-01-01', before);
      addTrace(app, `run-b${i}`, '2026-01-02', after);
    }
    return app;
  };
  const sides = { baseline: '2026-01-01-*', candidate: '2026-01-02-*' };
  const failing: TracedExecution = { exitCode: 1 };

  test('reports a regressed skill with both intervals', async () => {
    const { call } = await world({}, failing);
    const { comparison } = await call('assess.compare', sides);
    expect(comparison).toMatchObject({
      ...{ verdict: 'regressed', draws: 10_000, baseline: { named: '2026-01-01-*', runs: 10, executions: 10 } },
      skills: [{ skill: 'write', verdict: 'regressed', baseline: { passed: 10 }, candidate: { passed: 0 }, passRate: { difference: -1 } }],
    });
    expect(comparison.skills[0].passRate.high).toBeLessThan(0);
    expect(comparison.skills[0].score).toMatchObject({ pairs: 10 });
  });

  test('exits with 1 for a regression with failOnRegression', async () => {
    const app = await world({}, failing);
    const { exitCode, envelope } = await app.reply('assess.compare', { ...sides, failOnRegression: true });
    expect(exitCode).toBe(1);
    expect(envelope).toMatchObject({
      _meta: { exitNamespace: 'skill' },
      error: { code: 'E_SKILL_SOFT', fix: "cleo assess '2026-01-02-*'", details: { comparison: { verdict: 'regressed' } } },
    });
    expect((await app.cli((envelope.error as Json).fix)).exitCode).toBe(0);
    expect(
      (await app.reply('assess.compare', { baseline: sides.candidate, candidate: sides.baseline, failOnRegression: true })).exitCode,
    ).toBe(0);
  });

  test('four runs per side are insufficient', async () => {
    const { call } = await world({}, failing, 4);
    expect((await call('assess.compare', sides)).comparison.verdict).toBe('insufficient');
  });

  test('gives the same answer for the same runs', async () => {
    const { call } = await world({ judge: [0.4] }, { judge: [0.9] });
    const text = async () => JSON.stringify((await call('assess.compare', sides)).comparison);
    expect(await text()).toBe(await text());
  });

  test('rejects a pattern without matches', async () => {
    const { reply } = await world({}, {}, 1);
    expect((await reply('assess.compare', { baseline: '2026-01-*', candidate: '2030-*' })).exitCode).toBe(66);
  });
});

describe('assess.calibrate', () => {
  const readModel = ({ root }: TestApp): Json => JSON.parse(readFileSync(join(root, '.cleo/assess/model.json'), 'utf8'));

  test('trains a model whose predictions appear in assessments', async () => {
    const app = await openApp({ tasks: ['judged 40'] });
    const { model } = await app.call('assess.calibrate', { now });
    expect(model).toMatchObject({ active: true, verdicts: 40, trained_at: now });
    expect(readModel(app)).toEqual(model);
    const { assessments } = await app.call('assess.run', { runs: ['run-0001'] });
    expect(assessments[0]).toMatchObject({ prediction: { model: model.id }, rubric_version: `1.0.0+${model.id}` });
    expect(assessments[0].prediction.pass).toBeGreaterThan(0.5);
    expect(assessments[0].totalScore).toBe(78);
  });

  test('rejects too few verdicts and writes nothing', async () => {
    const app = await openApp({ tasks: ['judged 29'] });
    const { exitCode, envelope } = await app.reply('assess.calibrate');
    expect([exitCode, (envelope.error as Json).message]).toEqual([65, '29 executions have a human verdict; 30 are needed']);
    expect(existsSync(join(app.root, '.cleo/assess'))).toBe(false);
  });

  test('rejects verdicts that are all equal', async () => {
    const app = await openApp();
    writeJudgedRuns(app.root, 35, () => true);
    expect((await app.reply('assess.calibrate')).exitCode).toBe(65);
  });

  test('stores a useless model without using it', async () => {
    const app = await openApp();
    for (let i = 0; i < 40; i++) {
      const id = `run-${10 + i}`;
      addTrace(app, id, '2026-01-01', { judge: [((i * 37) % 10) / 10] });
      writeVerdict(app.root, `${id}:discovery:write`, (i * 7919) % 10 < 6 ? 'pass' : 'fail', 0.5);
    }
    const { model, _meta } = await app.call('assess.calibrate');
    expect(model.active).toBe(false);
    expect(_meta.warnings).toEqual(['not used: it is no better than always predicting the majority verdict']);
    const { assessments } = await app.call('assess.run', { runs: ['run-10'] });
    expect(assessments[0]).not.toHaveProperty('prediction');
  });

  test.each(['', '{', '[]', '{"active":true}'])('ignores an invalid model file: %j', async (text) => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 a/x'] });
    mkdirSync(join(app.root, '.cleo/assess'));
    writeFileSync(join(app.root, '.cleo/assess/model.json'), text);
    expect((await app.call('assess.run', { runs: ['run-1'] })).assessments[0].rubric_version).toBe('1.0.0');
  });
});

describe('assess.suggest', () => {
  test('reports recurring problems with counts', async () => {
    const app = await openApp();
    for (let i = 0; i < 5; i++)
      addTrace(app, `run-${i}`, '2026-01-01', i < 2 ? {} : { exitCode: 66, attempts: 0, checks: { 1: ['!prd_exists'] } });
    expect(await app.call('assess.suggest')).toMatchObject({
      success: true,
      suggestions: [{ rule: 'precondition_fails', subject: 'prd_exists', skill: 'write', phase: 'discovery', count: 3, of: 5 }],
      runs: 5,
    });
  });

  test('exits with 100 without suggestions', async () => {
    const { reply } = await openApp();
    expect(await reply('assess.suggest')).toMatchObject({ exitCode: 100, envelope: { success: true, suggestions: [], runs: 0 } });
  });
});

describe('assess.dashboard', () => {
  test('writes the same page twice', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 discovery/write design/draw:84', 'judged 40'] });
    await app.call('assess.calibrate', { now });
    const made = await app.call('assess.dashboard', { out: 'skills.html', now });
    expect(made).toMatchObject({ success: true, file: 'skills.html', runs: 41, executions: 42 });
    const page = readFileSync(join(app.root, 'skills.html'), 'utf8');
    expect(Buffer.byteLength(page)).toBe(made.bytes);
    expect(page).toContain('design &middot; draw');
    expect(page).toContain('Trained on 40 human verdicts');
    await app.call('assess.dashboard', { out: 'skills.html', now });
    expect(readFileSync(join(app.root, 'skills.html'), 'utf8')).toBe(page);
  });

  test('shows stored assessments of pruned traces once', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 a/x', 'run run-2 2026-01-31 a/x'] });
    await app.call('assess.run', { runs: ['*'] });
    await app.call('assess.run', { runs: ['*'] });
    writeFileSync(join(app.root, '.cleo/traces/2026-01-31-run-1.jsonl'), '');
    writeFileSync(getFile(app), `${readFileSync(getFile(app), 'utf8')}not an assessment\n{"torn`);
    expect(await app.call('assess.dashboard', { out: 'a.html' })).toMatchObject({ runs: 2, executions: 2 });
    // A shared store writes the trace anew.
    const isDeleted = process.env.CLEO_TEST_ENGINE !== 'postgres';
    expect(readFileSync(join(app.root, 'a.html'), 'utf8').includes('The traces of 1 execution were deleted')).toBe(isDeleted);
  });

  test('writes a page for an empty project', async () => {
    const app = await openApp();
    expect(await app.call('assess.dashboard', { out: 'a.html' })).toMatchObject({ success: true, executions: 0 });
  });

  test.each(['../out.html', '/tmp/cleo-out.html', '.cleo/out.html', '.git/out.html', 'link.html', 'folder', 'nowhere/out.html'])(
    'rejects %s and suggests a path that works',
    async (out) => {
      const app = await openApp();
      symlinkSync(join(app.root, '.cleo', 'config.json'), join(app.root, 'link.html'));
      mkdirSync(join(app.root, 'folder'));
      const { exitCode, envelope } = await app.reply('assess.dashboard', { out });
      expect(exitCode).toBe(73);
      expect((await app.cli((envelope.error as Json).fix)).exitCode).toBe(0);
    },
  );
});

test.each(['assess.run', 'assess.compare', 'assess.calibrate', 'assess.suggest', 'assess.dashboard'])(
  '%s exits with 78 outside a project',
  async (name) => {
    const folder = createTempFolder();
    const app = createApp(createPlatform({ CLEO_HOME: join(folder, 'home'), CLEO_ROOT: folder }, folder, '0'));
    const params: Record<string, object> = {
      'assess.run': { runs: ['x'] },
      'assess.compare': { baseline: 'a', candidate: 'b' },
      'assess.dashboard': { out: 'a.html' },
    };
    expect((await dispatch(app, { operation: name, params: params[name] ?? {}, gateway: 'cli' })).exitCode).toBe(78);
  },
);

describe('assess.judge', () => {
  test('needs a known run and a construct with a judge', async () => {
    const app = await openApp({ tasks: ['run run-1 2026-01-31 discovery/write', 'construct'] });
    expect((await app.call('assess.judge', { run: 'run-9' })).error).toMatchObject({ exitCode: 64, code: 'E_SKILL_PRECONDITION' });
    const { error } = await app.call('assess.judge', { run: 'run-1' });
    expect(error).toMatchObject({ exitCode: 78, fix: 'cleo construct show construct.yaml' });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  });
});
