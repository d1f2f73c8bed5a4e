import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from './app.ts';
import { asPerson } from './app.ts';
import {
  formatOneSkill,
  formatTwoSkills,
  getGate,
  listFilesBelow,
  listRunFolders,
  openOneSkillProject,
  readRunRecord,
} from './runner-results.ts';
import { completePrd } from './samples.ts';
import { openSkillProject } from './skill-project.ts';

describe('capture', () => {
  test('stores only the outcome if capture is disabled', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      formatTwoSkills(
        'contracts: {first: {outputs: [out]}}\nassessment: {capture: {enabled: false}, handoffs: {first_to_second: {required_artifacts: [out]}}}',
      ),
    );
    shop.writeSkill('a', 'echo printed; echo x > out');
    shop.writeSkill('b', 'cat > got.json');
    expect(await shop.runConstruct({ input: { word: 'private-word' }, intent: 'private-intent' })).toMatchObject({ success: true });
    const [folder] = listRunFolders(shop);
    expect(listFilesBelow(join(shop.root, '.cleo/runs', folder!))).toEqual(['run.json']);
    expect(listFilesBelow(join(shop.root, '.cleo/traces')).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
    const text = readFileSync(join(shop.root, '.cleo/runs', folder!, 'run.json'), 'utf8');
    expect(text).not.toMatch(/private|"out"/);
    expect(JSON.parse(text)).toMatchObject({
      status: 'success',
      intent: null,
      trace: '',
      executions: [{ outputs: [], inputs_sha256: '' }, {}],
    });
    // Each skill still received its inputs.
    expect(JSON.parse(readFileSync(join(shop.root, 'got.json'), 'utf8')).inputs).toEqual({ a: 'printed\n', word: 'private-word' });
  });

  const hidden = expect.stringMatching(/^\[REDACTED:key:[0-9a-f]{8}\]$/);
  test.each<[string, Json, Json]>([
    ['none', { fields: 2 }, {}],
    [
      'hashed',
      { word: { hash: expect.stringMatching(/^hmac-sha256:/), type: 'string', length: 4 }, password: hidden },
      { bytes: 18, lines: 1, sha256: expect.any(String), content_type: 'application/json', fields: ['answer'], artifacts: [] },
    ],
    ['full', { word: 'word', password: hidden }, { content: { answer: 'done' }, fields: ['answer'] }],
  ])('stores inputs and outputs: %s', async (how, inputs, outputs) => {
    const shop = await openOneSkillProject(
      'echo "{\\"answer\\":\\"done\\"}"',
      `assessment: {capture: {include_outputs: ${how === 'hashed' ? 'summary' : how}}}`,
    );
    await shop.runConstruct({ input: { word: 'word', password: 'hunter2' }, capture: how });
    const find = (event: string): Json => shop.readEvents().find((line) => line.event === event)!.data;
    expect(find('skill_invoked').input_summary).toEqual(inputs);
    expect(find('execution_complete').outputs_summary).toMatchObject(outputs);
    if (how === 'none') expect(find('execution_complete').outputs_summary).toEqual({});
    expect(shop.readResult('only', 'it').outputs.primary).toEqual(how === 'full' ? { answer: 'done' } : null);
  });

  test('stores the output and the retries of a failed skill', async () => {
    const shop = await openOneSkillProject(
      'echo in vain; exit 75',
      'assessment: {capture: {include_outputs: full}, gates: {only: {execution: {max_retries: 1}}}}',
    );
    await shop.runConstruct();
    const gates = shop.readEvents().filter(({ event }) => event === 'gate_checked');
    expect(gates.map(({ data }) => [data.gate_id, data.remediation_attempted])).toEqual([
      [0, false],
      [1, false],
      [1, true],
      [2, true],
    ]);
    expect(gates.at(-1)!.data.failures).toEqual(gates.at(-1)!.data.failures_if_any);
    expect(gates.at(-1)!.data.failures).toHaveLength(1);
    expect(shop.readEvents().find(({ event }) => event === 'execution_complete')!.data.outputs_summary).toMatchObject({
      ...{ content_type: 'text/plain', content: 'in vain\n', bytes: 8 },
    });
  });

  test('replaces an incomplete salt', async () => {
    const shop = await openOneSkillProject('true');
    shop.writeFile('.cleo/trace-salt', '');
    await shop.runConstruct({ input: { word: 'word' } });
    const { size, mode } = statSync(join(shop.root, '.cleo/trace-salt'));
    expect([size, mode & 0o777]).toEqual([32, 0o600]);
  });

  test('stores large outputs next to the trace, without secrets', async () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4uV6wX8yZ0aB3dE5'}`;
    const shop = await openOneSkillProject(
      `printf 'token %s ' ${token}; head -c 40000 /dev/zero | tr "\\0" "x"`,
      'assessment: {capture: {include_outputs: full}}',
    );
    await shop.runConstruct();
    const { content } = shop.readEvents().find(({ event }) => event === 'execution_complete')!.data.outputs_summary;
    expect(content).toEqual({ blob: expect.stringMatching(/^[0-9a-f]{64}$/), kind: 'text', length: expect.any(Number) });
    const blob = join(shop.root, '.cleo/traces/blobs', content.blob);
    expect(readFileSync(blob, 'utf8')).toMatch(/^token \[REDACTED:shape:[0-9a-f]{8}\] x{40000}$/);
    expect(statSync(blob).mode & 0o777).toBe(0o600);
    expect(shop.readStoredText()).not.toContain(token);
  });

  test('stores events in order if the clock goes back', async () => {
    const clock = { now: '2026-05-05T10:00:00.000Z' };
    const shop = await openOneSkillProject('true', '', { clock });
    const observe = (): void => {
      clock.now = new Date(Date.parse(clock.now) - 3_600_000).toISOString();
    };
    expect((await shop.reply('construct.run', {}, { observe })).exitCode).toBe(0);
    const times = shop.readEvents().map(({ ts }) => ts);
    expect(times.length).toBeGreaterThan(8);
    expect(times).toEqual(times.toSorted());
    const result = shop.readResult('only', 'it');
    expect(result.completed_at >= result.started_at && result.duration_ms >= 0).toBe(true);
    expect(readRunRecord(shop).completed_at >= readRunRecord(shop).started_at).toBe(true);
  });

  test('removes the trace at the end of the run with 0 retention days, unless a review is pending', async () => {
    const shop = await openOneSkillProject('true', 'assessment: {capture: {retention_days: 0}}');
    const { run, success } = await shop.runConstruct();
    expect([success, listFilesBelow(join(shop.root, '.cleo/runs'))]).toEqual([true, []]);
    expect(listFilesBelow(join(shop.root, '.cleo/traces')).filter((name) => name.includes(run.id))).toEqual([]);
    expect(readFileSync(join(shop.root, '.cleo/traces/PRUNED.jsonl'), 'utf8')).toContain(run.id);
    shop.writeConstruct(formatOneSkill('assessment: {capture: {retention_days: 0}, goal: {mode: review}}'));
    await shop.runConstruct({ intent: 'be judged' });
    expect(listRunFolders(shop)).toHaveLength(1);
  });

  test('is complete if a skill removes the folder of runs', async () => {
    const shop = await openOneSkillProject('rm -rf .cleo/runs; echo done', 'contracts: {only: {outputs: ["x (optional)"]}}');
    expect(await shop.runConstruct()).toMatchObject({ success: true, run: { status: 'success' } });
    expect(readRunRecord(shop)).toMatchObject({ status: 'success', exit_code: 0 });
    expect(shop.readResult('only', 'it').status).toBe('success');
  });
});

describe('--force of a gate', () => {
  test.each<[string, string, string, Json]>([
    ['output', 'true', 'contracts: {only: {outputs: [never]}}', { gate: 3 }],
    ['precondition', 'true', 'contracts: {only: {inputs: [never]}}', { gate: 1 }],
    ['goal', 'true', 'assessment: {goal: {mode: review, enforce: true}}', { gate: 4 }],
    ['3', 'true', 'contracts: {only: {outputs: [never]}}', { gate: 3 }],
  ])('%s', async (force, script, more, { gate: number }) => {
    const shop = await openOneSkillProject(script, more);
    expect((await shop.runConstruct({ intent: 'go' })).success).toBe(false);
    const { success } = await shop.runConstruct({ intent: 'go', force, reason: 'it is known' });
    expect(success).toBe(true);
    expect(getGate(shop.readResult('only', 'it'), number)).toMatchObject({ status: 'passed', passed: true, overridden: true });
    const told = shop.readEvents().find(({ event, data }) => event === 'gate_checked' && data.gate_id === number)!;
    expect(told.data).toMatchObject({ overridden: true, reason: 'it is known' });
  });

  test.each([
    ['execution', /cannot be forced/],
    ['2', /cannot be forced/],
    ['outptu', /there is no gate "outptu"/],
  ])('rejects %s', async (force, expected) => {
    const shop = await openOneSkillProject('true');
    const { error } = await shop.runConstruct({ force, reason: 'x' });
    expect(error).toMatchObject({ exitCode: 64, message: expect.stringMatching(expected) });
    expect((await shop.cli(error.fix, asPerson)).exitCode).toBe(0);
  });

  test('needs a reason', async () => {
    const shop = await openOneSkillProject('true');
    expect((await shop.runConstruct({ force: 'output' })).error).toMatchObject({ exitCode: 64, fix: expect.stringContaining('--reason') });
  });

  test('is not needed for selection by a judge or a review', async () => {
    const shop = await openOneSkillProject('true', `assessment: {selection: judge, judge: {command: [sh, judge.sh]}}`);
    shop.writeFile('judge.sh', 'cat > asked.json; echo \'{"verdict":"fail","score":0.1,"reasons":["another"]}\'');
    const { success, run } = await shop.runConstruct({ intent: 'write a poem' });
    expect([success, run.executions[0].gates[0]]).toEqual([true, 'failed']);
    expect(JSON.parse(readFileSync(join(shop.root, 'asked.json'), 'utf8'))).toMatchObject({
      protocol: 'cleo-judge/1',
      kind: 'selection',
      candidates: [{ name: 'it' }],
    });
    for (const [mode, expected] of [
      ['review', 'pending'],
      ['off', 'skipped'],
    ] as const) {
      shop.writeConstruct(formatOneSkill(`assessment: {selection: ${mode}}`));
      expect((await shop.runConstruct({ intent: 'write a poem' })).run.executions[0].gates[0]).toBe(expected);
    }
    // By words alone another skill matches better, but the skill is named.
    shop.writeConstruct(formatOneSkill('assessment: {}'));
    shop.writeSkill('poem', 'true');
    expect((await shop.runConstruct({ intent: 'write a poem' })).run.executions[0].gates[0]).toBe('failed');
    expect((await shop.runConstruct({ intent: 'write a poem', skill: 'it' })).run.executions[0].gates[0]).toBe('passed');
  });
});

describe('a judge', () => {
  test('is called once per vote; the answer is cached until the judge changes or the cache is bypassed', async () => {
    const shop = await openSkillProject();
    const judge = join(shop.root, 'tools/judge.sh');
    shop.writeFile('tools/judge.sh', 'echo x >> .cleo/asked; echo \'{"verdict":"pass","score":0.7,"model":"m","usage":{"tokens":5}}\'');
    shop.writeConstruct(
      formatOneSkill(`assessment: {goal: {mode: judge, enforce: true}, judge: {command: [sh, ${judge}], votes: 3, timeout_ms: 0}}`),
    );
    shop.writeSkill('it', 'true');
    const asked = async (params: object = {}): Promise<number> => {
      expect((await shop.runConstruct({ intent: 'be done', ...params })).success).toBe(true);
      return readFileSync(join(shop.root, '.cleo/asked'), 'utf8').length / 2;
    };
    expect(await asked()).toBe(3);
    expect(shop.readEvents().find(({ event }) => event === 'judge_called')).toMatchObject({ data: { model: 'm', usage: { tokens: 5 } } });
    expect(await asked()).toBe(3);
    expect(await asked({ noJudgeCache: true })).toBe(6);
    shop.writeFile('tools/judge.sh', `${readFileSync(judge, 'utf8')}\n# stricter`);
    expect(await asked()).toBe(9);
  });

  test('receives the outputs up to a limit, without secrets', async () => {
    const secret = 'k-9f8e7d6c5b4a39281706';
    const rubric = 'rubric: [{id: r, question: Is it whole?}]';
    const judge = `judge: {command: [sh, -c, "cat > .cleo/asked; echo '{\\"verdict\\":\\"unsure\\",\\"score\\":1}'"]}`;
    const shop = await openOneSkillProject(
      'printf "$API_TOKEN" > out.md; head -c 70000 /dev/zero | tr "\\0" y >> out.md',
      `env: [API_TOKEN]\ncontracts: {only: {outputs: [out.md]}}\nassessment: {goal: {mode: judge, ${rubric}}, ${judge}}`,
      { env: { API_TOKEN: secret } },
    );
    const { run } = await shop.runConstruct({ intent: `be done with ${secret}` });
    expect(run.executions[0].gates[4]).toBe('pending');
    const request = JSON.parse(readFileSync(join(shop.root, '.cleo/asked'), 'utf8'));
    expect(request).toMatchObject({
      ...{ protocol: 'cleo-judge/1', kind: 'goal', run_id: run.id, execution_id: `${run.id}:only:it`, skill: 'it', candidates: [] },
      ...{ rubric: [{ id: 'r', question: 'Is it whole?', weight: 1 }], artifacts: [{ path: 'out.md', truncated: true }] },
    });
    expect(request.artifacts[0].text).toHaveLength(64 * 1024);
    expect(JSON.stringify(request)).not.toContain(secret);
    expect((await shop.call('review.list')).reviews).toMatchObject([{ kind: 'goal', reason: 'judge_unsure' }]);
  });
});

describe('a construct', () => {
  test.each<[string, string | Uint8Array]>([
    ['an empty file', ''],
    ['a list', '- a\n'],
    ['more than a mebibyte', `apiVersion: loa/v1\nkind: Construct\n# ${'x'.repeat(2 ** 20)}\n`],
    ['tabs', 'apiVersion: loa/v1\nkind: Construct\nmetadata:\n\tname: x\n'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x61])],
    [
      'an alias bomb',
      `a: &a [x, x]\n${'bcdefghijklm'
        .split('')
        .map((c, i) => `${c}: &${c} [${`*${'abcdefghijklm'[i]}, `.repeat(9)}x]`)
        .join('\n')}`,
    ],
    ['no phases', 'apiVersion: loa/v1\nkind: Construct\n'],
    ['a pack', 'schema_version: 4\nname: pack\nskills: [{slug: it, path: skills/it}]\n'],
  ])('%s fails and leaves no files', async (_, text) => {
    const shop = await openSkillProject();
    writeFileSync(join(shop.root, 'construct.yaml'), text);
    expect(await shop.runConstruct()).toMatchObject({ error: { exitCode: 78, code: 'E_SKILL_PRECONDITION' } });
    expect(existsSync(join(shop.root, '.cleo/runs'))).toBe(false);
  });

  test('accepts a byte order mark and phases called a_to_b', async () => {
    const shop = await openSkillProject();
    shop.writeFile(
      'construct.yaml',
      '\ufeffapiVersion: loa/v1\r\nkind: Construct\r\nexecution: {phases: [a_to_b, c]}\r\nskills: [{name: it, phase: a_to_b}]\r\nassessment: {handoffs: {a_to_b_to_c: {required_artifacts: [x], on_failure: warn}}}\r\n',
    );
    shop.writeSkill('it', 'true');
    expect(await shop.runConstruct()).toMatchObject({ success: true, run: { handoffs: [{ from: 'a_to_b', to: 'c' }] } });
  });

  test('of a pack runs the named skill', async () => {
    const shop = await openSkillProject();
    shop.writeFile('construct.yaml', 'schema_version: 4\nname: pack\nskills: [{slug: it, path: elsewhere/it}]\n');
    shop.writeFile('elsewhere/it/SKILL.md', '---\nname: it\ndescription: x\nmetadata:\n  run: sh do.sh\n---\n');
    shop.writeFile('elsewhere/it/do.sh', 'echo done > done');
    expect(await shop.runConstruct({ skill: 'it' })).toMatchObject({ success: true });
    expect(existsSync(join(shop.root, 'done'))).toBe(true);
    expect((await shop.runConstruct({ skill: 'if' })).error).toMatchObject({ exitCode: 64, details: { meant: 'it' } });
  });

  test.each(['../x', '.', '..', 'a/b', 'a b', ''])('rejects the project name %j', async (project) => {
    const shop = await openOneSkillProject('true', 'contracts: {only: {outputs: ["{project}/x (optional)"]}}');
    expect((await shop.runConstruct({ project })).error ?? {}).toMatchObject(project === '' ? {} : { exitCode: 78 });
  });

  test('fails if a variable has no value', async () => {
    const shop = await openOneSkillProject('true', 'contracts: {only: {outputs: ["{where}/x (optional)"]}}');
    const { error } = await shop.runConstruct();
    expect(error).toMatchObject({ exitCode: 78, details: { variables: ['where'] } });
    expect((await shop.cli(error.fix)).exitCode).toBe(0);
    expect((await shop.runConstruct({ var: ['where=../x'] })).error).toMatchObject({ exitCode: 78 });
    expect((await shop.runConstruct({ var: ['run_id=x'] })).error).toMatchObject({ exitCode: 64 });
  });

  test('rejects a skill outside its folders', async () => {
    const shop = await openOneSkillProject('true');
    for (const name of ['../../etc', 'a/b', '.', '-'])
      expect((await shop.call('skills.run', { name })).error).toMatchObject({ exitCode: 64 });
    expect((await shop.call('skills.run', { name: 'it', outputs: ['../x'] })).error).toMatchObject({ exitCode: 78 });
    expect(existsSync(join(shop.root, '.cleo/runs'))).toBe(false);
  });
});

test('completeness does not depend on line endings, a byte order mark or the folder', async () => {
  const shop = await openSkillProject();
  const shown = async (text: string | Uint8Array): Promise<number> => {
    writeFileSync(join(shop.root, 'doc.md'), text);
    const answer = await shop.call('docs.check', { file: 'doc.md', schema: 'prd-v1', min: 0 });
    return answer.document.completeness;
  };
  const half = completePrd.replace(/^(word0 .*) word2\d.*$/gm, '$1\n\nTBD');
  const expected = await shown(half);
  expect(expected).toBeGreaterThan(0);
  for (const text of [
    half.replaceAll('\n', '\r\n'),
    `\ufeff${half}`,
    half.replaceAll('\n', '\r'),
    `\ufeff${half.replaceAll('\n', '\r\n')}`,
  ])
    expect(await shown(text)).toBe(expected);
});
