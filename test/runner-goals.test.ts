import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from './app.ts';
import { formatOneSkill, listCodes } from './runner-results.ts';
import { openSkillProject, type SkillProject } from './skill-project.ts';

const result = { goal_statement: 'A complete PRD', evidence: [{ type: 'file', description: 'prd.md is written', reference: 'prd.md' }] };
const writeResult = `echo PRD > prd.md; echo '${JSON.stringify(result)}' > "$CLEO_RESULT"`;
const judged = (verdict: string, score: number) =>
  `cat > asked.json; echo '{"verdict":"${verdict}","score":${score},"reasons":["read it"]}'`;

async function openJudgedProject(more = ''): Promise<SkillProject> {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill(`contracts: {only: {outputs: [prd.md]}}\nassessment: {judge: {command: [sh, judge.sh]}${more}}`));
  shop.writeSkill('it', writeResult);
  shop.writeFile('judge.sh', judged('pass', 0.9));
  return shop;
}

const getEnd = (shop: SkillProject): Json => shop.readEvents().findLast(({ event }) => event === 'execution_complete')!.data;

describe('the goal of a finished run', () => {
  test('is in the trace with its evidence, unless outputs are not captured', async () => {
    const shop = await openJudgedProject();
    await shop.runConstruct();
    expect(getEnd(shop)).toMatchObject(result);
    const none = await openJudgedProject(', capture: {include_outputs: none}');
    await none.runConstruct();
    expect(getEnd(none)).not.toHaveProperty('goal_statement');
    expect(getEnd(none)).not.toHaveProperty('evidence');
  });

  test('is judged later from the trace, and the score counts as quality', async () => {
    const shop = await openJudgedProject();
    const { run } = await shop.runConstruct();
    const before = (await shop.call('assess.run', { runs: [run.id] })).assessments[0].dimensions.quality;
    expect(before.score).toBe(null);
    const answer = await shop.call('assess.judge', { run: run.id.slice(-6) });
    expect(answer.judgements).toMatchObject([{ executionId: `${run.id}:only:it`, goal: 'A complete PRD', outcome: 'pass', score: 0.9 }]);
    const asked = JSON.parse(readFileSync(join(shop.root, 'asked.json'), 'utf8'));
    expect(asked).toMatchObject({ kind: 'goal', run_id: run.id, goal: 'A complete PRD', evidence: result.evidence });
    expect(asked.artifacts).toMatchObject([{ path: 'prd.md', text: 'PRD\n' }]);
    expect((await shop.call('trace.verify', { run: run.id })).success).toBe(true);
    expect((await shop.call('assess.run', { runs: [run.id] })).assessments[0].dimensions.quality.score).toBe(18);
  });

  test('fails below the minimum, and an unsure judge opens a review', async () => {
    const shop = await openJudgedProject();
    const { run } = await shop.runConstruct();
    shop.writeFile('judge.sh', judged('pass', 0.4));
    expect((await shop.call('assess.judge', { run: run.id })).judgements).toMatchObject([{ outcome: 'fail', score: 0.4 }]);
    shop.writeFile('judge.sh', judged('unsure', 0.5));
    const [pending] = (await shop.call('assess.judge', { run: run.id })).judgements;
    expect(pending).toMatchObject({ outcome: 'pending', review: expect.stringMatching(/^rv-/) });
    expect((await shop.call('review.show', { review: pending.review })).review).toMatchObject({ id: pending.review });
  });

  test('is not shown a file that has changed since', async () => {
    const shop = await openJudgedProject();
    const { run } = await shop.runConstruct();
    shop.writeFile('prd.md', 'another');
    const { _meta } = await shop.call('assess.judge', { run: run.id });
    expect(_meta.warnings.join()).toContain('prd.md has changed since');
    expect(JSON.parse(readFileSync(join(shop.root, 'asked.json'), 'utf8')).artifacts).toEqual([]);
  });

  test('is 100 without a goal, 78 without a judge, 64 for an unknown run', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(formatOneSkill('assessment: {judge: {command: [sh, judge.sh]}}'));
    shop.writeSkill('it', 'true');
    const { run } = await shop.runConstruct();
    expect((await shop.call('assess.judge', { run: run.id }))._meta.exitCode).toBe(100);
    shop.writeConstruct(formatOneSkill(''));
    const { error } = await shop.call('assess.judge', { run: run.id });
    expect(error.exitCode).toBe(78);
    expect((await shop.cli(error.fix)).exitCode).toBe(0);
    expect((await shop.call('assess.judge', { run: 'run-none' })).error.exitCode).toBe(64);
  });
});

test('an optional artifact of a handoff is declared', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(
    'execution: {phases: [a, b]}\nskills: [{name: x, phase: a}, {name: y, phase: b}]\ncontracts: {a: {outputs: [prd.md]}}\n' +
      'assessment: {handoffs: {a_to_b: {required_artifacts: [prd.md], optional_artifacts: ["research/*.md"]}}}',
  );
  shop.writeSkill('x', 'mkdir -p research; echo a > research/a.md; echo p > prd.md; echo s > stray.md');
  shop.writeSkill('y', 'true');
  const { run } = await shop.runConstruct();
  expect(run.executions[0].artifacts).toEqual(['prd.md', 'research/a.md']);
  expect(run.executions[0].warnings).toMatchObject([{ code: 'undeclared_write', path: 'stray.md' }]);
  const { dimensions } = (await shop.call('assess.run', { runs: [run.id] })).assessments[0];
  expect(dimensions.compliance.score).toBe(17);
});

test('a skill reports urls and references as artifacts', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill(''));
  const page = { type: 'url', path: 'https://example.org/report', content_type: 'text/html', size_bytes: 12, checksum: 'abc' };
  shop.writeSkill(
    'it',
    `echo '{"type":"artifact","kind":"reference","path":"issue-7"}' >> "$CLEO_EVENTS"
echo '{"type":"artifact","path":"s3://bucket/key"}' >> "$CLEO_EVENTS"
echo '${JSON.stringify({ artifacts: [page] })}' > "$CLEO_RESULT"`,
  );
  const { run } = await shop.runConstruct();
  const { artifacts } = shop.readResult('only', 'it').outputs;
  expect(artifacts).toEqual([
    { ...page, metadata: {} },
    { type: 'reference', path: 'issue-7', content_type: 'application/octet-stream', size_bytes: 0, checksum: '', metadata: {} },
    { type: 'url', path: 's3://bucket/key', content_type: 'application/octet-stream', size_bytes: 0, checksum: '', metadata: {} },
  ]);
  expect(run.executions[0].artifacts).toEqual(['https://example.org/report', 'issue-7', 's3://bucket/key']);
  expect(listCodes(run.executions[0].warnings ?? [])).toEqual([]);
});

test('the fix of a missing input shows what is missing instead of resuming', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct('execution: {phases: [a, b]}\nskills: [{name: x, phase: a}, {name: y, phase: b}]\ncontracts: {b: {inputs: [in.md]}}');
  shop.writeSkill('x', 'true');
  shop.writeSkill('y', 'true');
  const { error } = await shop.runConstruct({ file: 'construct.yaml' });
  expect(error).toMatchObject({ exitCode: 66, fix: 'cleo construct run construct.yaml --dry-run --from b' });
  const { exitCode, envelope } = await shop.cli(error.fix);
  expect(exitCode).toBe(0);
  expect(envelope.run).toMatchObject({ status: 'not_ready', executions: [{ warnings: [{ message: 'in.md does not exist' }] }] });
});

test('outputs of a reused execution are not stale after a resume', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(
    'execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\ncontracts: {p: {outputs: [a.md, b.md]}}',
  );
  shop.writeSkill('a', 'echo a > a.md');
  shop.writeSkill('b', 'test -f go || exit 70; echo b > b.md');
  const { error } = await shop.runConstruct();
  shop.writeFile('go', '');
  const { run } = await shop.runConstruct({ resume: error.details.run.id });
  expect(run.executions[0].skipped).toBe(true);
  expect(listCodes(run.executions[1].warnings ?? [])).not.toContain('stale_output');
});

test('construct show lists handoff requirements, optional artifacts and exit codes', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(`execution: {phases: [discovery, design]}
skills: [{name: x, phase: discovery}, {name: y, phase: design}]
assessment:
  exit_codes: {80: waiting_for_human}
  handoffs:
    discovery_to_design:
      required_artifacts: [prd.md]
      optional_artifacts: ["research/*.md"]
      validation: {schema: prd-v1, min_completeness: 0.8}
contracts:
  discovery: {outputs: [prd.md], exit_codes: {0: success, 1: incomplete, 2: blocked}}`);
  shop.writeSkill('x', 'true');
  const { construct } = await shop.call('construct.show');
  expect(construct.handoffs).toEqual([
    {
      from: 'discovery',
      to: 'design',
      required: ['prd.md'],
      optional: ['research/*.md'],
      validation: [{ path: 'prd.md', schema: 'prd-v1', min_completeness: 0.8 }],
      onFailure: 'block',
    },
  ]);
  expect(construct.exitCodes).toEqual({ 80: { name: 'waiting_for_human', class: 'blocked' } });
  expect(construct.phases[0].exitCodes).toMatchObject({ 1: { name: 'incomplete' }, 2: { name: 'blocked', class: 'blocked' } });
  expect(construct.phases[1]).not.toHaveProperty('exitCodes');
});

test('lines of a trace that have only ts, event and data are read', async () => {
  const shop = await openSkillProject();
  const lines = [
    ['2026-01-31T00:45:00Z', 'skill_invoked', { skill_id: 'riding', version: '1.0.0' }],
    ['2026-01-31T00:45:01Z', 'gate_checked', { gate_id: 2, passed: true, checks_performed: [{ name: 'exit_code', passed: true }] }],
    ['2026-01-31T00:45:30Z', 'execution_complete', { status: 'success', exit_code: 0, duration_ms: 29_000 }],
  ].map(([ts, event, data]) => JSON.stringify({ ts, event, data }));
  shop.writeFile('.cleo/traces/2026-01-31-run-seed.jsonl', `${lines.join('\n')}\n`);
  const shown = await shop.call('trace.show', { run: 'run-seed' });
  expect(shown.success).toBe(true);
  expect((shown._meta.warnings ?? []).join()).not.toContain('is not an event');
  const found = await shop.call('trace.query', { skill: 'riding' });
  expect(found.lines.map(({ event }: Json) => event)).toEqual(['execution_complete', 'gate_checked', 'skill_invoked']);
  const { assessments } = await shop.call('assess.run', { runs: ['2026-01-*.jsonl'] });
  expect(assessments).toMatchObject([
    { run_id: 'run-seed', skill: 'riding', status: 'success', dimensions: { correctness: { score: 20 } } },
  ]);
  // Nothing protects such lines from changes.
  expect((await shop.call('trace.verify', { run: 'run-seed' })).error.exitCode).toBe(65);
});
