import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../app.ts';
import { completePrd, emptyPrd, sddWithoutApi } from '../samples.ts';
import { openSkillProject, type SkillProject } from '../skill-project.ts';

const formatTwoPhases = (onFailure = 'block'): string => `
execution: {phases: [discovery, design]}
skills: [{name: discover, phase: discovery}, {name: shape, phase: design}]
phases:
  discovery: {produces: [{path: "grimoires/{project}/prd.md", schema: prd-v1}]}
  design: {produces: ["grimoires/{project}/sdd.md"]}
assessment:
  handoffs:
    discovery_to_design:
      required_artifacts: ["grimoires/{project}/prd.md"]
      validation: {schema: prd-v1, min_completeness: 0.8}
      on_failure: ${onFailure}
`;

const formatOneSkill = (more = ''): string => `execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n${more}`;
const listRunning = (what: RegExp): string[] =>
  execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([state, ...words]) => !state?.startsWith('Z') && what.test(words.join(' ')))
    .map(([, ...words]) => words.join(' '));
const listEvents = (shop: SkillProject): string[] => shop.readEvents().map(({ event }) => event);

async function openPipeline(prd: string, onFailure?: string): Promise<SkillProject> {
  const shop = await openSkillProject();
  shop.writeConstruct(formatTwoPhases(onFailure));
  shop.writeFile('prd.txt', prd);
  shop.writeSkill('discover', 'mkdir -p grimoires/demo; cp prd.txt grimoires/demo/prd.md');
  shop.writeSkill('shape', 'echo done > grimoires/demo/sdd.md; echo ran > /dev/null');
  return shop;
}

test('1: two phases with a valid handoff', async () => {
  const shop = await openPipeline(completePrd);
  const answer = await shop.runConstruct();
  expect(answer).toMatchObject({
    _meta: { exitNamespace: 'skill' },
    success: true,
    run: { status: 'success', exitCode: 0, handoffs: [{ accepted: true, completeness: 1 }] },
  });
  const events = listEvents(shop);
  expect([events[0], events.at(-1)]).toEqual(['run_started', 'run_completed']);
  expect(events.filter((name) => name === 'handoff_attempted')).toHaveLength(1);
  const ofDiscovery = shop.readEvents().filter(({ skill }) => skill === 'discover');
  expect(
    ofDiscovery.map(({ event, data }) => (event === 'gate_checked' ? data.gate_id : event)).filter((name) => name !== 'execution_progress'),
  ).toEqual([0, 1, 'skill_invoked', 'attempt_started', 'attempt_completed', 2, 3, 4, 'execution_complete']);
});

test('2: a document with only headings is rejected', async () => {
  const shop = await openPipeline(emptyPrd);
  const { error } = await shop.runConstruct();
  expect(error).toMatchObject({
    code: 'E_SKILL_BLOCKED',
    exitCode: 80,
    details: { run: { handoffs: [{ accepted: false, completeness: 0 }] } },
  });
  for (const id of ['problem', 'goals', 'users', 'functional_requirements', 'non_functional_requirements', 'scope', 'risks'])
    expect(error.details.remediation).toContain(id);
  expect(shop.readEvents().some(({ event, skill }) => event === 'attempt_started' && skill === 'shape')).toBe(false);
  expect(shop.readResult('design', 'shape')).toMatchObject({ status: 'blocked', exit_code: 80, completed_at: expect.any(String) });
  expect(error.details.check).toBe('cleo handoff check discovery design construct.yaml');
  expect((await shop.cli(error.details.check)).exitCode).toBe(80);
  expect((await shop.cli(error.fix)).exitCode).toBe(0);
});

test('3: on_failure: warn continues', async () => {
  const shop = await openPipeline(emptyPrd, 'warn');
  const answer = await shop.runConstruct();
  expect(answer).toMatchObject({
    success: true,
    run: { status: 'success', handoffs: [{ accepted: true, warnings: ['grimoires/demo/prd.md is 0 complete; the minimum is 0.8'] }] },
  });
  const handoff = shop.readEvents().find(({ event }) => event === 'handoff_attempted')!;
  expect(handoff.data.validation_result.warnings).toHaveLength(1);
  expect(existsSync(join(shop.root, 'grimoires/demo/sdd.md'))).toBe(true);
});

test('4: retries temporary failures with reproducible delays', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('assessment: {gates: {only: {execution: {max_retries: 2}}}}'));
  shop.writeSkill(
    'it',
    'n=$(cat count 2>/dev/null || echo 0); echo $((n+1)) > count; echo "{\\"retry_after_ms\\": 10}" > "$CLEO_RESULT"; [ "$n" -ge 2 ] && exit 0; exit 75',
  );
  const answer = await shop.runConstruct();
  expect(answer).toMatchObject({ success: true, run: { executions: [{ attempts: 3, status: 'success' }] } });
  const { retries } = shop.readResult('only', 'it', 3).diagnostics;
  expect(retries).toMatchObject([
    { attempt: 1, exit_code: 75, class: 'temporary' },
    { attempt: 2, exit_code: 75, class: 'temporary' },
  ]);
  const { computeRetryDelayMs } = await import('../../src/runs/rules/retry.ts');
  const { execution_id: id } = shop.readResult('only', 'it', 3);
  expect(retries.map(({ delay_ms }: { delay_ms: number }) => delay_ms)).toEqual([computeRetryDelayMs(id, 1), computeRetryDelayMs(id, 2)]);
});

test('5: does not retry a usage error', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('assessment: {gates: {only: {execution: {max_retries: 3}}}}'));
  shop.writeSkill('it', 'exit 2');
  expect((await shop.runConstruct()).error).toMatchObject({
    exitCode: 2,
    code: 'E_SKILL_PERMANENT',
    details: { run: { executions: [{ attempts: 1, class: 'permanent' }] } },
  });
});

test('6: retries it if the phase maps the exit code', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('contracts: {only: {exit_codes: {0: success, 2: blocked}}}'));
  shop.writeSkill('it', 'exit 2');
  expect((await shop.runConstruct()).error).toMatchObject({
    exitCode: 2,
    code: 'E_SKILL_BLOCKED',
    details: { action: 'wait_or_escalate', run: { status: 'blocked', executions: [{ class: 'blocked', status: 'blocked' }] } },
  });
});

test('7 and 8: a timeout kills all processes', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('assessment: {gates: {only: {execution: {timeout_ms: 500}}}}'));
  // The same tests may run at the same time on the other engine.
  const long = `sleep 9${process.pid}`;
  for (const [script, warnings] of [
    [`${long} & ${long}`, undefined],
    [`setsid ${long} & ${long}`, [{ code: 'leaked_process' }]],
  ] as const) {
    shop.writeSkill('it', script);
    const before = Date.now();
    const { error } = await shop.runConstruct();
    expect(Date.now() - before).toBeLessThan(7000);
    expect(error).toMatchObject({ exitCode: 81, code: 'E_SKILL_TIMEOUT', details: { run: { status: 'timeout' } } });
    // The fix suggests a longer timeout.
    expect([error.message, error.fix]).toEqual([
      'only: exit_code: exit 81 (timeout): timed out after 500 ms',
      `cleo construct run --resume ${error.details.run.id} --timeout 1000`,
    ]);
    if (warnings) expect(error.details.run.executions[0].warnings).toMatchObject(warnings);
    expect(listRunning(new RegExp(`^${long}$`))).toEqual([]);
  }
});

test('9: rejects a document with a missing section', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(
    formatOneSkill(
      'contracts: {only: {outputs: [sdd.md]}}\nassessment: {gates: {only: {output: {schema: sdd-v1, required_sections: [architecture, api_contracts]}}}}',
    ),
  );
  shop.writeFile('text', sddWithoutApi);
  shop.writeSkill('it', 'cp text sdd.md');
  const { error } = await shop.runConstruct();
  expect(error).toMatchObject({
    exitCode: 84,
    code: 'E_SKILL_VALIDATION',
    details: { run: { executions: [{ gates: ['skipped', 'passed', 'passed', 'failed', 'not_reached'] }] } },
  });
  expect(error.message).toContain('api_contracts');
});

test('10: fails if an input is missing', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('contracts: {only: {inputs: [needed.md]}}'));
  shop.writeSkill('it', 'true');
  expect((await shop.runConstruct()).error).toMatchObject({
    exitCode: 66,
    details: { run: { executions: [{ attempts: 0, gates: ['skipped', 'failed', 'not_reached', 'not_reached', 'not_reached'] }] } },
  });
  expect(listEvents(shop)).not.toContain('skill_invoked');
  expect(listEvents(shop)).toContain('execution_complete');
});

test('11: fails without a skill, and with a skill that has no program', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill());
  expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 127, code: 'E_SKILL_CONFIG' });
  shop.writeFile('skills/it/SKILL.md', '---\nname: it\ndescription: only a text\n---\nText\n');
  expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 126, code: 'E_SKILL_CONFIG' });
  shop.writeConstruct(`${formatOneSkill()}\nexecution2: {}`);
  shop.writeFile('skills/it/run.sh', 'true');
  chmodSync(join(shop.root, 'skills/it/run.sh'), 0o644);
  expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 126 });
});

test('12: reports a skill killed by a signal', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('assessment: {gates: {only: {execution: {max_retries: 3}}}}'));
  shop.writeSkill('it', 'kill -KILL $$');
  expect((await shop.runConstruct()).error).toMatchObject({
    exitCode: 137,
    code: 'E_SKILL_SIGNAL',
    details: { run: { executions: [{ attempts: 1 }] } },
  });
});

test('13: stores no secret that a skill prints', async () => {
  const secret = 'correct-horse-battery-staple-42';
  const shop = await openSkillProject({ env: { API_TOKEN: secret } });
  shop.writeConstruct(formatOneSkill('env: [API_TOKEN]\nassessment: {capture: {include_inputs: full, include_outputs: full}}'));
  shop.writeSkill(
    'it',
    'half=$(printf %s "$API_TOKEN" | cut -c1-10); rest=$(printf %s "$API_TOKEN" | cut -c11-); printf %s "$half"; sleep 0.2; printf "%s\\n" "$rest"; printf %s "$API_TOKEN" | base64; echo "$API_TOKEN" >&2; echo "{\\"goal_statement\\":\\"$API_TOKEN\\"}" > "$CLEO_RESULT"',
  );
  expect(await shop.runConstruct({ input: { nested: { value: secret } }, intent: `use ${secret}` })).toMatchObject({ success: true });
  const kept = shop.readStoredText();
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(Buffer.from(secret).toString('base64').slice(0, 30));
  expect(kept).toMatch(/\[REDACTED:value:[0-9a-f]{8}\]/);
  expect(listEvents(shop)).toContain('redaction_applied');
});

test('14: stores inputs as keyed hashes', async () => {
  const hashOf = (shop: SkillProject): string =>
    shop.readEvents().find(({ event }) => event === 'skill_invoked')!.data.input_summary.target.hash;
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill());
  shop.writeSkill('it', 'true');
  await shop.runConstruct({ input: { target: 'sprint-1' } });
  const first = hashOf(shop);
  await shop.runConstruct({ input: { target: 'sprint-1' } });
  expect(hashOf(shop)).toBe(first);
  expect(first).toMatch(/^hmac-sha256:[0-9a-f]{64}$/);
  expect(JSON.stringify(shop.readEvents())).not.toContain('sprint-1');
  const other = await openSkillProject();
  other.writeConstruct(formatOneSkill());
  other.writeSkill('it', 'true');
  await other.runConstruct({ input: { target: 'sprint-1' } });
  expect(hashOf(other)).not.toBe(first);
});

describe('a judge', () => {
  const judged = async (script: string, enforce: boolean): Promise<{ answer: Json; shop: SkillProject }> => {
    const shop = await openSkillProject();
    shop.writeConstruct(formatOneSkill(`assessment: {goal: {mode: judge, enforce: ${enforce}}, judge: {command: [sh, judge.sh]}}`));
    shop.writeSkill('it', 'true');
    shop.writeFile('judge.sh', script);
    return { answer: await shop.runConstruct({ intent: 'be done' }), shop };
  };

  test('15: with an unreadable answer has no verdict', async () => {
    const { answer, shop } = await judged('echo not json', false);
    expect(answer).toMatchObject({ success: true, run: { executions: [{ gates: expect.arrayContaining(['pending']) }] } });
    expect(readFileSync(join(shop.root, '.cleo/reviews.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(listEvents(shop).filter((name) => name === 'judge_called')).toHaveLength(2);
    expect((await judged('echo not json', true)).answer.error).toMatchObject({ exitCode: 83, code: 'E_SKILL_ESCALATE' });
  });

  test('16: with a low score fails the goal', async () => {
    const low = 'echo \'{"verdict":"pass","score":0.4}\'';
    const { answer, shop } = await judged(low, false);
    expect(answer).toMatchObject({ success: true, run: { executions: [{ gates: ['passed', 'passed', 'passed', 'passed', 'failed'] }] } });
    expect(shop.readResult('only', 'it').diagnostics.gates_passed[4].details.failures).toMatchObject([{ message: 'score_below_minimum' }]);
    expect((await judged(low, true)).answer.error).toMatchObject({ exitCode: 4 });
  });
});

test('18: rejects foreign, misspelt and impossible manifests', async () => {
  const shop = await openSkillProject();
  shop.writeFile('construct.yaml', 'name: x\nchannels: [conda-forge]\nspecs: [python]\n');
  expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 78, message: expect.stringContaining('conda') });
  shop.writeConstruct('asessment: {}\nexecution: {phases: []}\n');
  const { _meta, success } = await shop.call('construct.validate');
  expect([success, _meta.warnings.join('\n')]).toEqual([true, expect.stringContaining('did you mean assessment?')]);
  shop.writeConstruct('exit_codes:\n  0: blocked\n');
  expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 78, message: expect.stringMatching(/5:6: exit_codes\.0/) });
});

test('runs nothing if the run cannot be stored, on both engines', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill());
  shop.writeSkill('it', 'touch ran');
  writeFileSync(join(shop.root, '.cleo/runs'), 'in the way');
  for (const answer of [await shop.runConstruct(), await shop.call('skills.run', { name: 'it' })])
    expect(answer.error).toMatchObject({ exitCode: 73, code: 'E_SKILL_PRECONDITION' });
  expect(existsSync(join(shop.root, 'ran'))).toBe(false);
});

test('reports undeclared writes of a skill', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(formatOneSkill('contracts: {only: {outputs: [out.md]}}'));
  shop.writeSkill('it', 'echo a > out.md; echo b > stray.txt; rm -f gone.txt');
  writeFileSync(join(shop.root, 'gone.txt'), 'x');
  const answer = await shop.runConstruct();
  expect(answer).toMatchObject({ success: true, run: { executions: [{ artifacts: ['out.md'] }] } });
  expect(
    answer.run.executions[0].warnings.map(({ code, message }: { code: string; message: string }) => `${code} ${message.split(' ')[0]}`),
  ).toEqual(['undeclared_write gone.txt', 'undeclared_write stray.txt']);
});

test('resumes an interrupted run where it stopped', async () => {
  const shop = await openPipeline(completePrd);
  shop.writeSkill('shape', 'echo again >> design.log; [ -f ready ] && echo ok > grimoires/demo/sdd.md; [ -f ready ]');
  const { error } = await shop.runConstruct();
  expect(error).toMatchObject({
    exitCode: 1,
    fix: expect.stringContaining('trace show run-'),
    details: { then: expect.stringContaining('--resume run-') },
  });
  shop.writeFile('ready', '');
  const before = readFileSync(join(shop.root, 'grimoires/demo/prd.md'), 'utf8');
  const { envelope, exitCode } = await shop.cli(error.details.then);
  expect([exitCode, envelope.run?.executions.map(({ skipped }: { skipped?: boolean }) => skipped ?? false)]).toEqual([0, [true, false]]);
  expect(readFileSync(join(shop.root, 'grimoires/demo/prd.md'), 'utf8')).toBe(before);
  expect(listEvents(shop)).toContain('run_resumed');
});

test('a changed inline program is another skill', async () => {
  const shop = await openSkillProject();
  const manifest = (word: string): string =>
    `execution: {phases: [only]}\nskills: [{name: it, phase: only, run: [sh, -c, "echo ${word} > out.txt"]}]\ncontracts: {only: {outputs: [out.txt]}}\n`;
  shop.writeConstruct(manifest('one'));
  await shop.runConstruct();
  expect((await shop.runConstruct({ cached: true })).run.executions).toMatchObject([{ skipped: true }]);
  shop.writeConstruct(manifest('two'));
  expect((await shop.runConstruct({ cached: true })).run.executions[0].skipped).toBeUndefined();
  expect(readFileSync(join(shop.root, 'out.txt'), 'utf8')).toBe('two\n');
});
