import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, type Json, openApp } from '../../../../test/app.ts';
import { chainLines, hashText, writeRun } from '../../../../test/run-files.ts';
import { openSkillProject } from '../../../../test/skill-project.ts';

const app = async (...tasks: string[]) => {
  const opened = await openApp({ tasks });
  const folder = join(opened.root, '.cleo');
  const trace = (id: string): string => join(folder, 'traces', `2026-01-01-${id}.jsonl`);
  const record = (id: string) => JSON.parse(readFileSync(join(folder, 'runs', id, 'run.json'), 'utf8'));
  return { ...opened, folder, trace, record };
};

/** Changes one value in a line, from 1 on. */
function edit(path: string, line: number, from: string, to: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines[line - 1]).toContain(from);
  writeFileSync(path, lines.with(line - 1, lines[line - 1]!.replace(from, to)).join('\n'));
}

test('lists runs newest first with their status', async () => {
  const { call } = await app('trace run-a', 'trace run-b failure', 'trace run-c crashed');
  const listed = await call('trace.list');
  expect(listed.runs).toMatchObject([
    { id: 'run-c', status: 'crashed', resumable: true, exitCode: null, executions: 1 },
    { id: 'run-b', status: 'failure', exitCode: 65, executions: 2, failed: 1, durationMs: 14 },
    { id: 'run-a', status: 'success', exitCode: 0, name: 'demo', agent: 'maker', lines: 15 },
  ]);
  expect(listed._meta).toMatchObject({ exitNamespace: 'skill' });
  expect(await call('trace.list', { status: 'crashed' })).toMatchObject({ runs: [{ id: 'run-c' }] });
  expect(await call('trace.list', { limit: 1 })).toMatchObject({ _meta: { truncated: { shown: 1, total: 3 } } });
});

test('shows an active run as running and reads the end of a run without a record', async () => {
  const { call, folder, root } = await app('trace run-a');
  writeRun(folder, { id: 'run-b', status: 'running' });
  const path = join(folder, 'runs', 'run-b', 'run.json');
  const { readStartTime, readBootId } = await import('#platform/processes.ts');
  const holder = { pid: process.pid, began: readStartTime(process.pid), boot: readBootId() };
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...holder }));
  writeFileSync(join(root, '.cleo', 'runs', 'run-a', 'run.json'), '{"torn');
  expect((await call('trace.list')).runs).toMatchObject([
    { id: 'run-b', status: 'running', resumable: false },
    { id: 'run-a', status: 'success', exitCode: 0, lines: 0 },
  ]);
  expect(await call('trace.repair', { run: 'run-b' })).toMatchObject({ error: { code: 'E_SKILL_TEMPORARY', exitCode: 75 } });
});

test('returns no data for a project without runs', async () => {
  const { call } = await app();
  for (const [operation, params] of [
    ['trace.list', {}],
    ['trace.tail', {}],
    ['trace.query', {}],
    ['trace.verify', { all: true }],
    ['trace.export', {}],
  ] as const)
    expect(await call(operation, params)).toMatchObject({ success: true, _meta: { exitCode: 100 } });
});

test('shows the steps of a run', async () => {
  const { call } = await app('trace run-a failure');
  const { trace } = await call('trace.show', { run: 'run-a' });
  expect(trace.run).toMatchObject({ id: 'run-a', status: 'failure' });
  expect(trace.steps.map(({ event, status, gate }: Record<string, string>) => [event, status ?? gate].filter(Boolean).join(' '))).toEqual([
    'run_started',
    'phase_entered',
    'gate_checked skipped',
    'gate_checked passed',
    'skill_invoked',
    'attempt_completed success',
    'gate_checked passed',
    'execution_complete success',
    'phase_exited',
    'phase_entered',
    'handoff_attempted rejected',
    'gate_checked failed',
    'execution_complete failure',
    'run_completed failure',
  ]);
  expect(trace.steps[11].notes).toEqual(['prd_completeness: prd.md has 0.4 of 0.8']);
});

test('finds a run by id, unique part of the id, or trace name', async () => {
  const { call } = await app('trace run-abc', 'trace run-abd', 'trace run-x1');
  for (const run of ['run-x1', 'run-x', 'x1', '2026-01-01-run-x1.jsonl'])
    expect(await call('trace.show', { run })).toMatchObject({ trace: { run: { id: 'run-x1' } } });
  expect(await call('trace.show', { run: 'run-ab' })).toMatchObject({
    error: { exitCode: 64, fix: 'cleo trace show run-abd', details: { suggestions: ['run-abc', 'run-abd'] } },
  });
  expect(await call('trace.show', { run: 'zzz' })).toMatchObject({ error: { exitCode: 64, fix: 'cleo trace list' } });
  expect(await call('trace.show', { run: '../../etc/passwd' })).toMatchObject({ error: { exitCode: 64 } });
});

test('prints the last lines of the newest run or of the named one', async () => {
  const { call } = await app('trace run-a', 'trace run-b');
  const { lines, _meta } = await call('trace.tail', { limit: 2 });
  expect(lines.map(({ run_id, event, seq }: Record<string, unknown>) => [run_id, event, seq])).toEqual([
    ['run-b', 'execution_complete', 14],
    ['run-b', 'run_completed', 15],
  ]);
  expect(_meta.truncated).toEqual({ shown: 2, total: 15 });
  expect(await call('trace.tail', { run: 'run-a', limit: 1 })).toMatchObject({ lines: [{ run_id: 'run-a' }] });
});

test('verifies a valid trace and warns about a torn last line', async () => {
  const { call, trace } = await app('trace run-a');
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ success: true, traces: [{ run: 'run-a', lines: 15 }] });
  writeFileSync(trace('run-a'), '{"ts":"2026', { flag: 'a' });
  const { success, _meta } = await call('trace.verify', { all: true });
  expect([success, _meta.warnings]).toEqual([true, ['2026-01-01-run-a.jsonl: line 16 was cut off while it was written and is skipped']]);
});

const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';

test('detects an edit in line 3 at line 4, and in the last line by run.json', async () => {
  const { call, trace } = await app('trace run-a', 'trace run-b');
  edit(trace('run-a'), 3, '"gate_id":0', '"gate_id":1');
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({
    _meta: { exitCode: 65, exitNamespace: 'skill' },
    error: { code: 'E_SKILL_PRECONDITION', exitCode: 65, fix: 'cleo trace repair run-a', details: { line: 4 } },
  });
  edit(trace('run-b'), 15, '"exit_code":0', '"exit_code":1');
  if (isPostgres) {
    // The store has the trace as it was.
    const { success, _meta } = await call('trace.verify', { run: 'run-b' });
    expect([success, _meta.warnings]).toEqual([true, ['traces/2026-01-01-run-b.jsonl differed from the shared store and was replaced']]);
    return;
  }
  expect(await call('trace.verify', { run: 'run-b' })).toMatchObject({ error: { exitCode: 65, details: { line: 15 } } });
  expect(await call('trace.verify', { all: true })).toMatchObject({
    error: {
      exitCode: 65,
      details: {
        findings: [
          { code: 'run-a', line: 4 },
          { code: 'run-b', line: 15 },
        ],
      },
    },
  });
  expect(await call('trace.verify')).toMatchObject({ error: { exitCode: 64, fix: 'cleo trace verify --all' } });
});

test('reports two objects on one line by number and reads the rest', async () => {
  const { call, trace } = await app('trace run-a');
  const text = readFileSync(trace('run-a'), 'utf8');
  const lines = text.split('\n');
  writeFileSync(trace('run-a'), [...lines.slice(0, 4), lines[4]! + lines[5]!, ...lines.slice(6)].join('\n'));
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({
    error: { message: '2026-01-01-run-a.jsonl: line 5 holds more than one event', details: { line: 5 } },
  });
  for (const [operation, params] of [
    ['trace.show', { run: 'run-a' }],
    ['trace.tail', { run: 'run-a' }],
    ['trace.query', {}],
    ['trace.query.groups', { groupBy: ['phase'] }],
    ['trace.export', {}],
  ] as const)
    expect(await call(operation, params)).toMatchObject({
      success: true,
      _meta: { warnings: ['2026-01-01-run-a.jsonl: line 5 holds more than one event'] },
    });
});

test('reports bytes that are not UTF-8 by line', async () => {
  const { call, trace } = await app('trace run-a');
  const bytes = readFileSync(trace('run-a'));
  const at = bytes.indexOf('context_files_exist');
  bytes[at] = 0xff;
  writeFileSync(trace('run-a'), bytes);
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ error: { exitCode: 65, details: { line: 4 } } });
  expect((await call('trace.show', { run: 'run-a' })).success).toBe(true);
  expect(await call('trace.repair', { run: 'run-a' })).toMatchObject({ repaired: { lines: 3, moved: 12 } });
  const rest = readFileSync(`${trace('run-a')}.corrupt`);
  expect(Buffer.concat([readFileSync(trace('run-a')), rest])).toEqual(bytes);
});

test('reports a missing trace as broken', async () => {
  const { call, trace } = await app('trace run-a');
  const { rmSync } = await import('node:fs');
  rmSync(trace('run-a'));
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ error: { exitCode: 65, details: { line: 1 } } });
  expect(await call('trace.repair', { run: 'run-a' })).toMatchObject({ error: { exitCode: 66 } });
  expect(await call('trace.show', { run: 'run-a' })).toMatchObject({ trace: { run: { status: 'success' }, steps: [] } });
});

test('repair keeps the valid prefix, moves the rest and the trace verifies', async () => {
  const { call, trace, record } = await app('trace run-a');
  edit(trace('run-a'), 3, '"gate_id":0', '"gate_id":1');
  writeFileSync(trace('run-a'), '{"torn', { flag: 'a' });
  const before = readFileSync(trace('run-a'), 'utf8');
  expect(await call('trace.repair', { run: 'run-a' })).toMatchObject({
    repaired: { lines: 2, moved: 14, file: '2026-01-01-run-a.jsonl.corrupt' },
    data: { updated: ['run-a'] },
  });
  const [kept, rest] = [readFileSync(trace('run-a'), 'utf8'), readFileSync(`${trace('run-a')}.corrupt`, 'utf8')];
  expect(kept + rest).toBe(before);
  expect(statSync(trace('run-a')).mode & 0o777).toBe(0o600);
  expect(record('run-a')).toMatchObject({ head: hashText(kept.split('\n')[1]!), lines: 2, status: 'success' });
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ success: true, traces: [{ lines: 2 }] });
  expect(await call('trace.repair', { run: 'run-a' })).toMatchObject({ _meta: { exitCode: 102 } });
  writeFileSync(trace('run-a'), 'junk\n', { flag: 'a' });
  expect(await call('trace.repair', { run: 'run-a' })).toMatchObject({ repaired: { file: '2026-01-01-run-a.jsonl.corrupt-2' } });
  expect(readFileSync(`${trace('run-a')}.corrupt`, 'utf8')).toBe(rest);
});

test('finds events by filter', async () => {
  const { call } = await app('trace run-a', 'trace run-b failure');
  const found = async (params: Record<string, unknown>) =>
    (await call('trace.query', params)).lines.map((line: Record<string, string>) => `${line.run_id} ${line.event}`);
  expect(await found({ event: 'gate_checked', status: 'failed' })).toEqual(['run-b gate_checked']);
  expect(await found({ phase: 'design', status: 'failed' })).toEqual([
    'run-b execution_complete',
    'run-b gate_checked',
    'run-b handoff_attempted',
  ]);
  expect(await found({ skill: 'writer', event: 'skill_invoked', since: '2026-01', until: '2026-01-01' })).toHaveLength(2);
  expect(await found({ since: '2026-01-02' })).toEqual([]);
  expect(await call('trace.query', { since: 'tomorrow' })).toMatchObject({ error: { exitCode: 64 } });
});

test('counts failed preconditions and failure rates of phases', async () => {
  const { call } = await app('trace run-a', 'trace run-b failure', 'trace run-c failure');
  expect(await call('trace.query.groups', { groupBy: ['check'], gate: 'precondition' })).toMatchObject({
    event: 'gate_checked',
    traces: 3,
    groups: [
      { check: 'prd_completeness', count: 3, failed: 2, failureRate: 0.6667 },
      { check: 'context_files_exist', count: 3, failed: 0, failureRate: 0 },
    ],
  });
  for (const phase of ['design', '2'])
    expect(await call('trace.query.groups', { groupBy: ['phase'], phase, since: '2026-01', until: '2026-01' })).toMatchObject({
      event: 'execution_complete',
      groups: [{ phase: 'design', count: 3, failed: 2, failureRate: 0.6667, medianMs: 20 }],
    });
});

test('queries a thousand executions and verifies ten thousand lines within a second', async () => {
  const { call, folder, trace } = await app();
  for (let i = 0; i < 500; i += 1)
    writeRun(folder, { id: `run-${String(i).padStart(3, '0')}`, status: i % 3 === 0 ? 'failure' : 'success' });
  const timed = async (operation: string, params: object): Promise<number> => {
    const began = performance.now();
    expect((await call(operation, params as Record<string, unknown>)).success).toBe(true);
    return performance.now() - began;
  };
  // The first command stores the runs, if the store is a shared one.
  await call('trace.list');
  expect(await timed('trace.query.groups', { groupBy: ['phase', 'status'] })).toBeLessThan(1000);
  expect(await timed('trace.query', { event: 'execution_complete', status: 'failed' })).toBeLessThan(1000);
  expect(await timed('trace.list', { status: 'failure' })).toBeLessThan(1000);
  const many = chainLines(
    'run-zzz',
    '2026-01-01T00:00:00.000Z',
    Array.from({ length: 10_000 }, (_, i) => ['note', { place: i, text: 'x'.repeat(300) }]),
  );
  writeFileSync(trace('run-zzz'), `${many.join('\n')}\n`);
  await call('trace.list');
  expect(await timed('trace.verify', { run: 'run-zzz' })).toBeLessThan(800);
});

test('exports traces to stdout or to a file', async () => {
  const { call, root, trace } = await app('trace run-a', 'trace run-b');
  expect(await call('trace.export', { runs: 'run-a' })).toMatchObject({ content: readFileSync(trace('run-a'), 'utf8'), count: 1 });
  expect((await call('trace.export', { runs: '2026-01-*.jsonl' })).count).toBe(2);
  expect((await call('trace.export', {})).count).toBe(2);
  expect(await call('trace.export', { runs: '2027-*.jsonl' })).toMatchObject({ error: { exitCode: 66 } });
  expect(await call('trace.export.file', { out: 'out.xml', format: 'junit' })).toMatchObject({ file: 'out.xml', count: 2 });
  expect(readFileSync(join(root, 'out.xml'), 'utf8')).toMatch(/^<\?xml[\s\S]*<\/testsuites>\n$/);
  expect(await call('trace.export.file', { out: '../out.xml' })).toMatchObject({ error: { exitCode: 73 } });
  expect(await call('trace.export.file', { out: '.cleo/traces/2026-01-01-run-a.jsonl' })).toMatchObject({ error: { exitCode: 73 } });
  const [statement] = (await call('trace.export', { runs: 'run-a', format: 'in-toto' })).content
    .split('\n')
    .map((line: string) => line && JSON.parse(line));
  expect(statement.subject[0]).toMatchObject({
    digest: { sha256: hashText(readFileSync(trace('run-a'), 'utf8')) },
    annotations: { head: (await call('trace.verify', { run: 'run-a' })).traces[0].head },
  });
});

test('stores large payloads as redacted blobs and the trace verifies', async () => {
  const shop = await openSkillProject({ env: { MY_API_TOKEN: 'hunter2-hunter2-hunter2' } });
  shop.writeSkill('writer', `node -e "process.stdout.write('y'.repeat(40000) + ' ' + process.env.MY_API_TOKEN + ' ')"`);
  shop.writeConstruct(
    'skills: [{name: writer, phase: one}]\nenv: [MY_API_TOKEN]\nexecution: {phases: [one]}\nassessment: {capture: {include_outputs: full}}\n',
  );
  expect(await shop.runConstruct()).toMatchObject({ success: true });
  const { content } = shop.readEvents().find(({ event }) => event === 'execution_complete')!.data.outputs_summary;
  expect(content).toMatchObject({ kind: 'text', blob: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const path = join(shop.root, '.cleo', 'traces', 'blobs', content.blob);
  expect(readFileSync(path, 'utf8')).toMatch(/^y{40000} \[REDACTED:value:/);
  expect([statSync(path).mode & 0o777, hashText(readFileSync(path, 'utf8'))]).toEqual([0o600, content.blob]);
  expect(await shop.call('trace.verify', { all: true })).toMatchObject({ success: true });
  expect(await shop.call('trace.prune', { days: 0 }, asPerson)).toMatchObject({ success: true });
  expect(existsSync(path)).toBe(false);
});

test('appends a score to the trace once', async () => {
  const { call, trace, record } = await app('trace run-a failure', 'trace run-b');
  const scores = (id: string) =>
    readFileSync(trace(id), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"score_recorded"'))
      .map((line) => JSON.parse(line));
  const { assessments, _meta } = await call('assess.run', { runs: ['run-a'] });
  expect(_meta.warnings).toBeUndefined();
  expect(
    scores('run-a').map(({ execution_id, data }) => [execution_id, data.percent, data.total_score, data.grade, data.dimensions.compliance]),
  ).toEqual(assessments.map((one: Json) => [one.execution_id, one.percent, one.totalScore, one.grade, one.dimensions.compliance.score]));
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ success: true, traces: [{ head: record('run-a').head }] });
  expect((await call('trace.show', { run: 'run-a' })).trace.steps.at(-1)).toMatchObject({
    event: 'score_recorded',
    status: assessments[1].grade,
  });
  const before = readFileSync(trace('run-a'), 'utf8');
  expect((await call('assess.run', { runs: ['*'] })).assessments.slice(0, 2)).toMatchObject(
    assessments.map(({ timestamp: _, ...same }: Record<string, unknown>) => same),
  );
  expect(readFileSync(trace('run-a'), 'utf8')).toBe(before);
  expect(scores('run-b')).toHaveLength(1);
  // It makes nothing younger.
  expect(await call('trace.prune', { days: 1, dryRun: true }, asPerson)).toMatchObject({
    pruned: [{ runId: 'run-a' }, { runId: 'run-b' }],
  });
});

test('appends nothing to a modified trace', async () => {
  const { call, trace, folder } = await app('trace run-a', 'review rv-1 of run-a');
  edit(trace('run-a'), 15, '"exit_code":0', '"exit_code":1');
  const before = readFileSync(trace('run-a'), 'utf8');
  expect((await call('assess.run', { runs: ['run-a'] })).assessments[0].flags).toContain(
    'the trace does not end with the last line of the run',
  );
  const said = await call('review.resolve', { review: 'rv-1', verdict: 'pass', score: 1 }, { ...asPerson, agent: 'ada/bob' });
  expect(said._meta.warnings).toEqual(['nothing was appended to the trace of run-a: line 15 is not the last line that the run recorded']);
  expect(readFileSync(trace('run-a'), 'utf8')).toBe(before);
  expect(await call('trace.verify', { run: 'run-a' })).toMatchObject({ error: { exitCode: 65, details: { line: 15 } } });
  // Told once it is sound again.
  expect(await call('trace.repair', { run: 'run-a' })).toMatchObject({ success: true });
  await call('review.resolve', { review: 'rv-1', verdict: 'pass', score: 1 }, { ...asPerson, agent: 'ada/bob' });
  expect(readFileSync(join(folder, 'traces', '2026-01-01-run-a.jsonl'), 'utf8')).toContain('"review_resolved"');
});
