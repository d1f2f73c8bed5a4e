import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dispatch } from '#dispatch/dispatch.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { completePrd } from '../../../../test/samples.ts';
import { openSkillProject } from '../../../../test/skill-project.ts';

const two = `
execution: {phases: [first, second]}
skills: [{name: make, phase: first}, {name: use, phase: second, run: [node, use.mjs]}]
contracts:
  first: {outputs: ["out/{project}.md"]}
  second: {inputs: ["out/{project}.md", {path: prd.md, required: false}], exit_codes: {0: success}}
assessment:
  gates: {second: {precondition: {checks: [git_clean, env: HOME, exists: "{phase}/{date}.md", prd_completeness: 0.5, command: [git, status]]}, execution: {timeout_ms: 1000, max_retries: 1, deadline_ms: 5000}}}
  handoffs: {first_to_second: {required_artifacts: ["out/{project}.md"], on_failure: warn}}
`;

test('construct.show lists phases, paths, checks and limits', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(two);
  shop.writeSkill('make', 'true');
  expect((await shop.call('construct.show')).construct).toMatchObject({
    name: 'demo',
    phases: [
      {
        name: 'first',
        skills: [{ name: 'make', found: 'skills/make', runs: 'skills/make/run.sh' }],
        outputs: [{ path: 'out/demo.md' }],
      },
      {
        name: 'second',
        skills: [{ name: 'use', runs: 'node use.mjs' }],
        checks: [
          'git_clean',
          'env: HOME',
          'exists: second/{date}.md',
          'prd_completeness: prd.md (prd-v1) at least 0.5',
          'command: git status',
        ],
        timeoutMs: 1000,
        maxRetries: 1,
        retryOn: ['soft', 'temporary'],
        deadlineMs: 5000,
        killGraceMs: 1500,
      },
    ],
    project: 'demo',
    handoffs: [{ from: 'first', to: 'second', required: ['out/demo.md'], onFailure: 'warn' }],
  });
});

test('construct.validate reports findings by line and runs nothing', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct('execution: {type: sideways}\n');
  const { error } = await shop.call('construct.validate');
  expect(error).toMatchObject({
    exitCode: 78,
    code: 'E_SKILL_PRECONDITION',
    message: expect.stringContaining('4:19: execution.type must be one of'),
  });
  expect(await shop.call('construct.validate', { file: '../elsewhere.yaml' })).toMatchObject({ error: { exitCode: 78 } });
  shop.writeConstruct(two);
  expect((await shop.call('construct.validate')).validation).toEqual({
    file: 'construct.yaml',
    kind: 'construct',
    valid: true,
    findings: [],
  });
});

test('construct.run refuses unknown names and variables without a value', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(two);
  expect((await shop.runConstruct({ phase: 'frist' })).error).toMatchObject({ exitCode: 64, fix: 'cleo construct run --phase first' });
  expect((await shop.runConstruct({ from: 'nowhere' })).error).toMatchObject({ exitCode: 64, fix: 'cleo construct show construct.yaml' });
  expect((await shop.runConstruct({ var: ['a=1', 'what'] })).error).toMatchObject({
    exitCode: 64,
    fix: 'cleo construct run --var a=1,what=value',
  });
  expect((await shop.runConstruct({ force: 'outptu' })).error.fix).toBe("cleo construct run --force output --reason 'why it is safe'");
  expect((await shop.runConstruct({ resume: 'run-nothing' })).error).toMatchObject({ exitCode: 64 });
  expect((await shop.runConstruct({ force: 'output' })).error).toMatchObject({ exitCode: 64, fix: expect.stringContaining('--reason') });
  expect((await shop.runConstruct({ project: '../x' })).error).toMatchObject({ exitCode: 78 });
  expect((await shop.runConstruct({ var: ['run_id=x'] })).error).toMatchObject({ exitCode: 64 });
  shop.writeConstruct('execution: {phases: [a]}\ncontracts: {a: {outputs: ["{what}.md"]}}\n');
  expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 78, fix: expect.stringContaining('--var what=value') });
});

test('a dry run lists what is missing and writes nothing', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct('execution: {phases: [a]}\nskills: [{name: s, phase: a}]\ncontracts: {a: {inputs: [needed.md]}}\n');
  expect(await shop.runConstruct({ dryRun: true })).toMatchObject({
    run: { status: 'not_ready', executions: [{ gates: ['not_reached', 'failed', 'not_reached', 'not_reached', 'not_reached'] }] },
  });
  shop.writeFile('needed.md', 'x');
  expect((await shop.runConstruct({ dryRun: true })).run.executions).toMatchObject([{ status: 'not_ready', exitCode: 127 }]);
  shop.writeSkill('s', 'true');
  expect(await shop.runConstruct({ dryRun: true })).toMatchObject({ run: { status: 'ready' } });
  expect(shop.readStoredText()).not.toContain('run_started');
  shop.writeConstruct(
    'execution: {phases: [a, b]}\nskills: [{name: s, phase: b}]\nassessment: {gates: {b: {precondition: {checks: [{command: [touch, begun]}]}}}}\n',
  );
  expect(await shop.runConstruct({ dryRun: true })).toMatchObject({ run: { status: 'ready' } });
  expect(existsSync(join(shop.root, 'begun'))).toBe(false);
});

test('a dry run does not run the checks of its first phase and reports them', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('s', 'touch ran');
  shop.writeConstruct(
    'execution: {phases: [a]}\nskills: [{name: s, phase: a}]\nassessment: {gates: {a: {precondition: {checks: [{command: [touch, begun]}, env: NOPE]}}}}\n',
  );
  const { run } = await shop.runConstruct({ dryRun: true });
  expect([existsSync(join(shop.root, 'begun')), existsSync(join(shop.root, 'ran'))]).toEqual([false, false]);
  expect(run.executions[0]).toMatchObject({
    status: 'not_ready',
    warnings: [
      { code: 'env', message: 'NOPE is not set' },
      { code: 'check_not_run', message: 'a dry run runs no programs; command was not checked: touch begun' },
    ],
  });
  shop.writeConstruct(
    'execution: {phases: [a]}\nskills: [{name: s, phase: a}]\nassessment: {gates: {a: {precondition: {checks: [{command: [touch, begun]}]}}}}\n',
  );
  expect((await shop.runConstruct({ dryRun: true })).run).toMatchObject({ status: 'ready', executions: [{ exitCode: 0 }] });
  expect(existsSync(join(shop.root, 'begun'))).toBe(false);
});

test('judges and checks receive the declared variables and no other secret, and every secret of the environment is redacted', async () => {
  const env = {
    PATH: process.env.PATH ?? '',
    OTHER_API_KEY: 'other-key-123456',
    JUDGE_API_KEY: 'judge-key-123456',
    DSN: 'dsn-value-123456',
  };
  const shop = await openSkillProject({ env });
  shop.writeSkill('s', 'echo "skill OTHER=$OTHER_API_KEY; printed other-key-123456 dsn-value-123456"');
  shop.writeFile('judge.sh', 'env > judged.txt; echo \'{"verdict":"pass","score":1,"reasons":["other-key-123456"]}\'');
  shop.writeConstruct(`execution: {phases: [a]}
skills: [{name: s, phase: a}]
env: [DSN]
credentials: [JUDGE_API_KEY]
assessment:
  goal: {mode: judge}
  judge: {command: [sh, judge.sh]}
  capture: {include_outputs: full}
  gates: {a: {precondition: {checks: [{command: [sh, -c, "env > checked.txt"]}]}}}
`);
  expect((await shop.runConstruct({ intent: 'do it' })).run).toMatchObject({ status: 'success' });
  for (const file of ['judged.txt', 'checked.txt']) {
    const names = readFileSync(join(shop.root, file), 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'JUDGE_API_KEY', 'DSN']));
    expect(names).not.toContain('OTHER_API_KEY');
  }
  const stored = shop.readStoredText();
  expect(stored).toContain('skill OTHER=;');
  for (const value of [env.OTHER_API_KEY, env.JUDGE_API_KEY, env.DSN]) expect(stored).not.toContain(value);
});

test('a judge may answer with more than 4 KB', async () => {
  const shop = await openSkillProject({ env: { PATH: process.env.PATH ?? '' } });
  shop.writeSkill('s', 'true');
  shop.writeFile(
    'judge.mjs',
    `console.log(JSON.stringify({ verdict: 'pass', score: 1, reasons: Array(200).fill('a reason of thirty characters') }))`,
  );
  shop.writeConstruct(
    'execution: {phases: [a]}\nskills: [{name: s, phase: a}]\nassessment: {goal: {mode: judge, enforce: true}, judge: {command: [node, judge.mjs]}}\n',
  );
  expect((await shop.runConstruct({ intent: 'do it' })).run).toMatchObject({ status: 'success', exitCode: 0 });
});

test('an error lists every missing section once', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(`execution: {phases: [a]}
phases: {a: {receives: [{path: prd.md, schema: prd-v1, min_completeness: 1}, notes.md]}}
assessment: {gates: {a: {precondition: {checks: [prd_completeness: 1, env: NOPE, command: ["false"], notes_exists]}}}}
`);
  shop.writeFile('prd.md', completePrd.replace('## Risks', '## Other'));
  expect((await shop.runConstruct()).error).toMatchObject({
    exitCode: 66,
    message: expect.stringContaining('(and 5 more)'),
    details: { remediation: 'prd.md: risks needs a heading such as "risks"\nwrite notes.md\nset NOPE\nfind out why false fails' },
  });
});

test('the default manifest is that of the current folder, else that of the project', async () => {
  const { root, env, writeConstruct, writeFile } = await openSkillProject();
  writeConstruct('execution: {phases: [a]}\n');
  const validated = async (folder: string): Promise<unknown> => {
    const app = createApp(createPlatform(env, join(root, folder), '0.0.0-test'));
    const { envelope } = await dispatch(app, { operation: 'construct.validate', params: {}, gateway: 'cli' });
    return (envelope.validation as { file: string }).file;
  };
  writeFile('below/note.md', '');
  expect(await validated('below')).toBe('construct.yaml');
  writeFile('below/construct.yaml', readFileSync(join(root, 'construct.yaml'), 'utf8'));
  expect([await validated('below'), await validated('.')]).toEqual(['below/construct.yaml', 'construct.yaml']);
});
