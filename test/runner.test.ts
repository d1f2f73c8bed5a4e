import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from './app.ts';
import { formatOneSkill, formatTwoSkills, getGate, listCodes, listRunFolders, openOneSkillProject } from './runner-results.ts';
import { openSkillProject, type SkillProject } from './skill-project.ts';

describe('a phase', () => {
  test('with several skills is checked for outputs after the last one', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      'execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\ncontracts: {p: {outputs: [a.md, b.md]}}',
    );
    shop.writeSkill('a', 'echo a > a.md');
    shop.writeSkill('b', 'echo b > b.md');
    const answer = await shop.runConstruct();
    expect(answer).toMatchObject({ success: true, run: { executions: [{ artifacts: ['a.md'] }, { artifacts: ['b.md'] }] } });
    expect(listCodes(answer.run.executions[1].warnings)).toEqual([]);
    shop.writeSkill('b', 'true');
    rmSync(join(shop.root, 'b.md'));
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 84, message: expect.stringContaining('b.md does not exist') });
  });

  test('is checked even if its last skill is optional and missing', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      'execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: gone, phase: p, required: false}]\ncontracts: {p: {outputs: [a.md]}}',
    );
    shop.writeSkill('a', 'true');
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 84 });
    shop.writeSkill('a', 'echo a > a.md');
    const { run } = await shop.runConstruct();
    expect(run.executions).toMatchObject([{ status: 'success' }, { skipped: true, attempts: 0, warnings: [{ code: 'skill_skipped' }] }]);
    expect(shop.readEvents().find(({ event, skill }) => event === 'execution_complete' && skill === 'gone')?.data.skipped).toBe(true);
  });

  test('without a skill only checks its gates', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct('execution: {phases: [p]}\ncontracts: {p: {inputs: [in.md], outputs: [out.md]}}');
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 66 });
    shop.writeFile('in.md', 'in');
    expect((await shop.runConstruct({ intent: 'whatever' })).error).toMatchObject({ exitCode: 84 });
    shop.writeFile('out.md', 'out');
    const { success, run } = await shop.runConstruct();
    expect([success, run.executions]).toMatchObject([
      true,
      [{ skipped: true, attempts: 0, gates: ['skipped', 'passed', 'skipped', 'passed', 'skipped'] }],
    ]);
    expect(listCodes(run.executions[0].warnings)).toEqual(['phase_without_skill', 'stale_output']);
    expect(shop.readEvents().map(({ event }) => event)).not.toContain('attempt_started');
  });

  test('has one deadline for all skills and attempts', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      'execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\nassessment: {gates: {p: {execution: {deadline_ms: 900, max_retries: 5}}}}',
    );
    shop.writeSkill('a', 'sleep 0.5; exit 0');
    shop.writeSkill('b', 'sleep 20');
    const before = Date.now();
    const { error } = await shop.runConstruct();
    expect(error).toMatchObject({ exitCode: 81, code: 'E_SKILL_TIMEOUT', details: { run: { status: 'timeout' } } });
    expect(error.details.run.executions).toMatchObject([{ status: 'success' }, { status: 'timeout', attempts: 1 }]);
    expect(Date.now() - before).toBeLessThan(8000);
    // The deadline of the phase was reached, not the timeout of the attempt.
    expect(error.fix).toBe(`cleo construct run --resume ${error.details.run.id}`);
    shop.writeSkill('a', 'exit 75');
    expect((await shop.runConstruct()).error).toMatchObject({
      exitCode: 75,
      details: { run: { executions: [{ attempts: expect.any(Number) }] } },
    });
  });
});

describe('a handoff', () => {
  const handoff = (more: string): string =>
    formatTwoSkills(
      `phases: {first: {produces: [doc.md, "more/*.md"]}}\nassessment:\n  handoffs: {first_to_second: {required_artifacts: [doc.md], ${more}}}`,
    );

  test('is rejected even if the gate only warns about other failures', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      handoff('on_failure: block').replace('assessment:', 'assessment:\n  gates: {second: {precondition: {severity: warn}}}'),
    );
    shop.writeSkill('a', 'true');
    shop.writeSkill('b', 'touch ran');
    shop.writeFile('doc.md', '');
    expect((await shop.runConstruct({ force: 'output', reason: 'only the handoff is meant' })).error).toMatchObject({ exitCode: 80 });
    expect(existsSync(join(shop.root, 'ran'))).toBe(false);
    const forced = await shop.runConstruct({ from: 'second', force: 'precondition', reason: 'it is known' });
    expect(forced.success).toBe(true);
    expect(getGate(shop.readResult('second', 'b'), 1)).toMatchObject({ status: 'passed', overridden: true });
  });

  test('is rejected if the artifact changed', async () => {
    const shop = await openSkillProject();
    // The judge runs between the first phase and the handoff to the second.
    shop.writeConstruct(
      handoff('on_failure: block').replace(
        'assessment:',
        'assessment:\n  goal: {mode: judge}\n  judge: {command: [sh, -c, "echo more >> doc.md; echo \'{\\"verdict\\":\\"pass\\",\\"score\\":1}\'"]}',
      ),
    );
    shop.writeSkill('a', 'echo one > doc.md; mkdir -p more; echo two > more/x.md');
    shop.writeSkill('b', 'true');
    const { error } = await shop.runConstruct({ intent: 'go' });
    expect(error).toMatchObject({ exitCode: 80, message: expect.stringContaining('artifact_changed: doc.md') });
    const [folder] = listRunFolders(shop);
    // The same for a file that existed before the run.
    shop.writeSkill('a', 'true');
    expect((await shop.runConstruct({ intent: 'go on' })).error).toMatchObject({
      message: expect.stringContaining('artifact_changed: doc.md'),
    });
    expect(JSON.parse(readFileSync(join(shop.root, '.cleo/runs', folder!, 'handoffs/first__second.json'), 'utf8'))).toMatchObject({
      ...{ schema_version: 1, run_id: folder, accepted: false },
      artifacts: { provided: [{ path: 'doc.md', completeness: null, checksum: expect.any(String) }], missing: [], extra: ['more/x.md'] },
      validation: { blockers: [expect.stringContaining('artifact_changed')], completeness: null, skipped: false },
    });
  });

  test.each([
    ['skip', { accepted: true, validation: { skipped: true } }],
    ['warn', { accepted: true, validation: { warnings: [expect.any(String)], skipped: false } }],
  ])('does not stop the run with on_failure: %s', async (how, expected) => {
    const shop = await openSkillProject();
    shop.writeConstruct(handoff(`on_failure: ${how}`).replace('produces: [doc.md, ', 'produces: [doc.md (optional), '));
    shop.writeSkill('a', 'mkdir -p more; echo x > more/x.md');
    shop.writeSkill('b', 'true');
    expect((await shop.runConstruct()).success).toBe(true);
    const [folder] = listRunFolders(shop);
    expect(JSON.parse(readFileSync(join(shop.root, '.cleo/runs', folder!, 'handoffs/first__second.json'), 'utf8'))).toMatchObject(expected);
  });

  test('passes the output under the name of the skill that printed it', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(formatTwoSkills());
    shop.writeSkill('a', 'echo "{\\"n\\": 7}"');
    shop.writeSkill('b', 'cat');
    const { run } = await shop.runConstruct({ input: { mine: true } });
    const [folder] = listRunFolders(shop);
    const printed = JSON.parse(readFileSync(join(shop.root, '.cleo/runs', folder!, 'second/b/1/stdout.log'), 'utf8'));
    expect([run.status, printed.inputs]).toEqual(['success', { a: { n: 7 }, mine: true }]);
    expect(printed).toMatchObject({ protocol: 'cleo-skill/1', run_id: folder, phase: 'second', skill: 'b', attempt: 1, intent: null });
  });
});

describe('attempts', () => {
  test('wait for the retry_after_ms of the skill', async () => {
    const shop = await openOneSkillProject(
      'echo \'{"retry_after_ms": 1300}\' > "$CLEO_RESULT"; [ -f again ] && exit 0; touch again; exit 69',
      'assessment: {gates: {only: {execution: {max_retries: 1}}}}',
    );
    expect((await shop.runConstruct()).success).toBe(true);
    expect(shop.readResult('only', 'it', 2).diagnostics.retries).toMatchObject([
      { delay_ms: 1300, class: 'temporary', reason: 'unavailable' },
    ]);
  });

  test('are not retried if an input is missing', async () => {
    const shop = await openOneSkillProject(
      'rm needed; exit 75',
      'contracts: {only: {inputs: [needed]}}\nassessment: {gates: {only: {execution: {max_retries: 3}}}}',
    );
    shop.writeFile('needed', 'x');
    expect((await shop.runConstruct()).error).toMatchObject({
      exitCode: 66,
      details: { run: { executions: [{ attempts: 1, gates: ['skipped', 'failed', 'not_reached', 'not_reached', 'not_reached'] }] } },
    });
    expect(shop.readResult('only', 'it').inputs).toEqual({ provided: {}, defaults_used: ['project'], missing: ['needed'] });
  });

  test('receive only the declared environment', async () => {
    const env = { NAMED: 'n', UNNAMED: 'u', SECRET_OF_MINE: 'correct-horse-battery', CLEO_PHASE: 'other', HOME: '/nonexistent' };
    const shop = await openOneSkillProject(
      'env | cut -d= -f1 | sort; echo "$CLEO_PHASE $CLEO_ATTEMPT" >&2; echo "$TRACEPARENT" >&2',
      'env: [NAMED, CLEO_PHASE]',
      { env },
    );
    await shop.runConstruct();
    const [folder] = listRunFolders(shop);
    const log = (name: string): string[] =>
      readFileSync(join(shop.root, '.cleo/runs', folder!, `only/it/1/${name}.log`), 'utf8')
        .trim()
        .split('\n');
    const ours = ['ATTEMPT', 'EVENTS', 'EXECUTION_ID', 'PHASE', 'RESULT', 'RUN_ID', 'SKILL'].map((name) => `CLEO_${name}`);
    // Variables that the shell sets.
    const own = ['OLDPWD', 'PWD', 'SHLVL', '_'];
    expect(log('stdout').filter((name) => !own.includes(name))).toEqual([...ours, 'HOME', 'NAMED', 'PATH', 'TRACEPARENT']);
    expect(log('stderr')).toEqual(['only 1', expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)]);
  });

  test('need not read their input', async () => {
    const shop = await openOneSkillProject('exec 0<&-; sleep 0.2; echo fine');
    expect(await shop.runConstruct({ input: { large: 'x'.repeat(2 ** 20) } })).toMatchObject({ success: true });
  });

  test.each<[string, string, string[]]>([
    ['a status that contradicts the exit code', 'echo \'{"status":"failure"}\' > "$CLEO_RESULT"', ['status_mismatch']],
    ['not JSON', 'echo nonsense > "$CLEO_RESULT"', ['invalid_result']],
    ['a result that is too long', 'head -c 5000000 /dev/zero > "$CLEO_RESULT"', ['invalid_result']],
    ['a pipe', 'mkfifo "$CLEO_RESULT"; mkfifo "$CLEO_EVENTS"', ['invalid_result', 'invalid_result']],
    ['a link', 'ln -s /etc/hostname "$CLEO_RESULT"', ['invalid_result']],
    ['one invalid field', 'echo \'{"confidence": 2, "goal_statement": "done"}\' > "$CLEO_RESULT"', ['invalid_result']],
    ['invalid events', 'echo nonsense >> "$CLEO_EVENTS"; echo \'{"type":"odd"}\' >> "$CLEO_EVENTS"', ['invalid_event']],
    [
      'warnings',
      'echo \'{"warnings":["mind the gap"]}\' > "$CLEO_RESULT"; echo \'{"type":"warning","message":"x"}\' >> "$CLEO_EVENTS"',
      ['skill_warning', 'skill_warning'],
    ],
    ['too many events', 'yes \'{"type":"progress","message":"x"}\' | head -n 1100 >> "$CLEO_EVENTS"', ['invalid_event']],
  ])('report: %s', async (_, script, expected) => {
    const shop = await openOneSkillProject(script);
    const { run } = await shop.runConstruct();
    expect([run.status, listCodes(run.executions[0].warnings)]).toEqual(['success', expected]);
  });

  test('report progress while they run', async () => {
    const shop = await openOneSkillProject(
      'echo \'{"type":"progress","message":"half"}\' >> "$CLEO_EVENTS"; until [ -f heard ]; do sleep 0.05; done; printf \'{"type":"progress","message":"whole"}\' >> "$CLEO_EVENTS"',
    );
    const heard: string[] = [];
    const observe = (event: string, data: Json): void => {
      if (event !== 'execution_progress' || data.kind !== 'note') return;
      heard.push(data.note);
      shop.writeFile('heard', '');
    };
    expect((await shop.reply('construct.run', { timeout: 20_000 }, { observe })).exitCode).toBe(0);
    expect(heard).toEqual(['half', 'whole']);
  });

  test.each([
    [101, ['reserved_exit_code', 'undeclared_exit_code'], 'unknown'],
    [3, ['undeclared_exit_code'], 'soft'],
    [1, [], 'soft'],
    [192, ['undeclared_exit_code'], 'signal'],
    [255, ['undeclared_exit_code'], 'unknown'],
  ])('with exit code %i', async (code, expected, exitClass) => {
    const shop = await openOneSkillProject(`exit ${code}`, 'contracts: {only: {exit_codes: {0: success, 1: incomplete}}}');
    const { exitCode, envelope } = await shop.reply('construct.run');
    const { error } = envelope as Json;
    expect([exitCode, error.details.class, listCodes(error.details.run.executions[0].warnings)]).toEqual([code, exitClass, expected]);
  });

  test('can declare side effects, which are not reported as undeclared writes', async () => {
    const shop = await openOneSkillProject(
      'echo x > declared.txt; echo y > stray.txt; echo \'{"side_effects":[{"type":"file_write","target":"declared.txt","reversible":true,"description":"a note"},{"type":"api_call","target":"https://example.org"}]}\' > "$CLEO_RESULT"; echo \'{"type":"side_effect","kind":"notification","target":"the team"}\' >> "$CLEO_EVENTS"',
    );
    const { run } = await shop.runConstruct();
    expect(run.executions[0].warnings.map(({ message }: Json) => message)).toEqual(['stray.txt was created, but is not an output of only']);
    expect(shop.readResult('only', 'it').outputs.side_effects).toEqual([
      { type: 'file_write', target: 'declared.txt', reversible: true, description: 'a note' },
      { type: 'file_write', target: 'stray.txt', reversible: false, description: 'created' },
      { type: 'api_call', target: 'https://example.org', reversible: false, description: '' },
      { type: 'notification', target: 'the team', reversible: false, description: '' },
    ]);
    const told = shop.readEvents().filter(({ data }) => data.kind === 'side_effect' && data.description === 'created');
    expect(told).toMatchObject([{ data: { target: 'stray.txt', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }]);
  });
});

describe('outputs', () => {
  const making = (paths: string, script: string): Promise<SkillProject> =>
    openOneSkillProject(script, `contracts: {only: {outputs: [${paths}]}}`);

  test.each<[string, string, string, RegExp | undefined]>([
    ['a folder', 'out', 'mkdir -p out', /out is not a regular file/],
    ['a pipe', 'out', 'mkfifo out', /out is not a regular file/],
    ['a link out of the project', 'out', 'ln -s /etc/hostname out', /out links to a target outside the project/],
    // A skill that runs again must not create a link inside the folder that its first link names.
    ['a linked folder out of the project', 'sub/hostname', 'ln -sfn /etc sub', /links to a target outside the project/],
    ['a circular link', 'out', 'ln -s out out', /out is not a regular file/],
    ['an empty file', 'out', ': > out', /out is empty/],
    ['a pattern that matches a pipe', '"out/*"', 'mkdir -p out; echo x > out/a; mkfifo out/b', /out\/b is not a regular file/],
    ['a pattern that matches folders', '"out/**"', 'mkdir -p out/sub; echo x > out/sub/a', undefined],
    ['a pattern that matches only folders', '"out/*"', 'mkdir -p out/sub; echo x > out/sub/a', /out\/\* does not exist/],
    [
      'too many',
      '"out/*"',
      'mkdir -p out; cd out; seq 1100 | xargs touch; for n in $(seq 1100); do echo x > $n; done',
      /the pattern matches too many files/,
    ],
    ['a link inside the project', 'out', 'echo x > real; ln -s real out', undefined],
  ])('%s', async (_, paths, script, expected) => {
    const shop = await making(paths, script);
    const { error, run } = await shop.runConstruct({ timeout: 60_000 });
    if (expected) expect(error).toMatchObject({ exitCode: 84, message: expect.stringMatching(expected) });
    else expect(run.executions[0].artifacts).toHaveLength(1);
    expect(run?.executions[0].warnings?.filter(({ message }: Json) => message.startsWith('out/')) ?? []).toEqual([]);
  });

  test('a socket', async () => {
    const shop = await making('out', 'true');
    const server = createServer().listen(join(shop.root, 'out'));
    onTestFinished(() => void server.close());
    await sleep(50);
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 84, message: expect.stringMatching(/not a regular file/) });
  });

  test('that existed before are reported', async () => {
    const shop = await making('out', 'true');
    shop.writeFile('out', 'from yesterday');
    const { run } = await shop.runConstruct();
    expect([listCodes(run.executions[0].warnings), run.executions[0].artifacts]).toEqual([['stale_output'], undefined]);
    expect(getGate(shop.readResult('only', 'it'), 3)).toMatchObject({
      status: 'passed',
      details: { checks_performed: [{ passed: true }, { name: 'stale_output', passed: false }] },
    });
  });

  test('that are optional are not checked', async () => {
    const shop = await making('"out (optional)"', ': > out');
    expect((await shop.runConstruct()).success).toBe(true);
  });

  test('must match their schema, also those printed to standard output', async () => {
    const shop = await openSkillProject();
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    shop.writeFile('.cleo/schemas/count.schema.json', JSON.stringify(schema));
    shop.writeConstruct(
      formatOneSkill(
        'contracts: {only: {outputs: [{path: out.json, schema: count}]}}\nassessment: {gates: {only: {output: {primary_schema: count}}}}',
      ),
    );
    shop.writeSkill('it', 'echo "{\\"n\\": 1}" | tee out.json');
    expect((await shop.runConstruct()).success).toBe(true);
    shop.writeSkill('it', 'echo "{\\"n\\": 1}"; echo "{\\"n\\": 1.5}" > out.json');
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 84, message: expect.stringMatching(/out\.json .*integer/) });
    shop.writeSkill('it', 'echo "no data"; echo "{\\"n\\": 1}" > out.json');
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 84, message: expect.stringMatching(/the primary output/) });
    // Standard output belongs to this skill even if another one creates the outputs of the phase.
    shop.writeConstruct(
      'execution: {phases: [p]}\nskills: [{name: it, phase: p}, {name: b, phase: p}]\nassessment: {gates: {p: {output: {primary_schema: count}}}}',
    );
    shop.writeSkill('b', 'echo "{\\"n\\": 1}"');
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 84, details: { run: { executions: [{ skill: 'it' }] } } });
    shop.writeFile('.cleo/schemas/count.schema.json', JSON.stringify({ type: 'nonsense' }));
    const before = listRunFolders(shop).length;
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 78 });
    expect(listRunFolders(shop)).toHaveLength(before);
  });

  test.each<[string, string, unknown]>([
    ['a zero byte', 'printf "a\\0b"', 'a\0b'],
    ['bytes that are not UTF-8', 'printf "a\\377b"', 'a\ufffdb'],
    ['one value', 'echo " [1, 2] "', [1, 2]],
    ['two values', 'echo "1 2"', '1 2\n'],
    ['nothing', 'true', null],
    ['a byte order mark and a value', 'printf "\\357\\273\\277{}"', {}],
  ])('printed: %s', async (_, script, expected) => {
    const shop = await openOneSkillProject(script);
    expect((await shop.call('skills.run', { name: 'it' })).primary).toEqual(expected);
  });

  test('printed: deeply nested brackets are a text', async () => {
    const shop = await openOneSkillProject(
      'head -c 200000 /dev/zero | tr "\\0" "["; head -c 200000 /dev/zero | tr "\\0" "]"',
      'assessment: {capture: {include_outputs: full}}',
    );
    expect((await shop.runConstruct()).success).toBe(true);
    expect((await shop.call('skills.run', { name: 'it' })).primary).toHaveLength(400_000);
  });

  test('are printed alone to a pipe', async () => {
    const shop = await openOneSkillProject('true');
    expect((await shop.cli(['skill', 'run', 'it', '--raw'])).out).toBe('');
    shop.writeSkill('it', 'echo "{ \\"a\\": 1 }"');
    expect((await shop.cli(['skill', 'run', 'it', '--raw'])).out).toBe('{"a":1}\n');
    shop.writeSkill('it', 'echo half; exit 4');
    expect(await shop.cli(['skill', 'run', 'it', '--raw'])).toMatchObject({ exitCode: 4, out: '' });
  });

  test('are found in a tree with circular links', async () => {
    const shop = await making('out', 'echo x > out');
    mkdirSync(join(shop.root, 'round'));
    symlinkSync('..', join(shop.root, 'round', 'again'));
    expect((await shop.runConstruct()).success).toBe(true);
  });
});
