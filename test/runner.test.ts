import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readTrace } from '../src/rules/trace.ts';
import { openWorkshop, type Workshop, wholePrd } from './construct.ts';
import type { Seen } from './house.ts';

const one = (more = ''): string => `execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n${more}`;
const two = (more = ''): string =>
  `execution: {phases: [first, second]}\nskills: [{name: a, phase: first}, {name: b, phase: second}]\n${more}`;

/** A project with one skill in one phase. */
async function shopWith(script: string, more = '', options = {}): Promise<Workshop> {
  const shop = await openWorkshop(options);
  shop.construct(one(more));
  shop.skill('it', script);
  return shop;
}

const codes = (warnings: Seen[] = []): string[] => warnings.map(({ code }) => code);
const gate = (result: Seen, number: number): Seen => result.diagnostics.gates_passed[number];
const runFolders = (shop: Workshop): string[] => readdirSync(join(shop.root, '.cleo/runs')).filter((name) => name.startsWith('run-'));
const recordOf = (shop: Workshop): Seen =>
  JSON.parse(readFileSync(join(shop.root, '.cleo/runs', runFolders(shop).sort().at(-1)!, 'run.json'), 'utf8'));
const filesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : [];

describe('a phase', () => {
  test('of several skills owes what it makes when the last of them has ended', async () => {
    const shop = await openWorkshop();
    shop.construct('execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\ncontracts: {p: {outputs: [a.md, b.md]}}');
    shop.skill('a', 'echo a > a.md');
    shop.skill('b', 'echo b > b.md');
    const answer = await shop.run();
    expect(answer).toMatchObject({ success: true, run: { executions: [{ artifacts: ['a.md'] }, { artifacts: ['b.md'] }] } });
    expect(codes(answer.run.executions[1].warnings)).toEqual([]);
    shop.skill('b', 'true');
    rmSync(join(shop.root, 'b.md'));
    expect((await shop.run()).error).toMatchObject({ exitCode: 84, message: expect.stringContaining('b.md is not there') });
  });

  test('whose last skill need not be there, and is not, is checked all the same', async () => {
    const shop = await openWorkshop();
    shop.construct(
      'execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: gone, phase: p, required: false}]\ncontracts: {p: {outputs: [a.md]}}',
    );
    shop.skill('a', 'true');
    expect((await shop.run()).error).toMatchObject({ exitCode: 84 });
    shop.skill('a', 'echo a > a.md');
    const { run } = await shop.run();
    expect(run.executions).toMatchObject([{ status: 'success' }, { skipped: true, attempts: 0, warnings: [{ code: 'skill_skipped' }] }]);
    expect(shop.events().find(({ event, skill }) => event === 'execution_complete' && skill === 'gone')?.data.skipped).toBe(true);
  });

  test('without a skill has its gates checked, and nothing run', async () => {
    const shop = await openWorkshop();
    shop.construct('execution: {phases: [p]}\ncontracts: {p: {inputs: [in.md], outputs: [out.md]}}');
    expect((await shop.run()).error).toMatchObject({ exitCode: 66 });
    shop.put('in.md', 'in');
    expect((await shop.run({ intent: 'whatever' })).error).toMatchObject({ exitCode: 84 });
    shop.put('out.md', 'out');
    const { success, run } = await shop.run();
    expect([success, run.executions]).toMatchObject([
      true,
      [{ skipped: true, attempts: 0, gates: ['skipped', 'passed', 'skipped', 'passed', 'skipped'] }],
    ]);
    expect(codes(run.executions[0].warnings)).toEqual(['phase_without_skill', 'stale_output']);
    expect(shop.events().map(({ event }) => event)).not.toContain('attempt_started');
  });

  test('has a time for all its skills and all their attempts', async () => {
    const shop = await openWorkshop();
    shop.construct(
      'execution: {phases: [p]}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\nassessment: {gates: {p: {execution: {deadline_ms: 900, max_retries: 5}}}}',
    );
    shop.skill('a', 'sleep 0.5; exit 0');
    shop.skill('b', 'sleep 20');
    const before = Date.now();
    const { error } = await shop.run();
    expect(error).toMatchObject({ exitCode: 81, code: 'E_SKILL_TIMEOUT', details: { run: { status: 'timeout' } } });
    expect(error.details.run.executions).toMatchObject([{ status: 'success' }, { status: 'timeout', attempts: 1 }]);
    expect(Date.now() - before).toBeLessThan(8000);
    shop.skill('a', 'exit 75');
    expect((await shop.run()).error).toMatchObject({ exitCode: 75, details: { run: { executions: [{ attempts: expect.any(Number) }] } } });
  });

  test('whose skills run side by side answers in the order in which they are declared', async () => {
    const shop = await openWorkshop();
    shop.construct(
      'execution: {phases: [p], type: parallel, max_concurrency: 3}\nskills: [{name: a, phase: p}, {name: b, phase: p}, {name: c, phase: p}]\ncontracts: {p: {outputs: [a.md, b.md, c.md]}}',
    );
    shop.skill('a', 'until [ -f c.md ]; do sleep 0.05; done; echo a > a.md');
    shop.skill('b', 'echo b > b.md');
    shop.skill('c', 'until [ -f b.md ]; do sleep 0.05; done; echo c > c.md');
    const { run, success } = await shop.run();
    expect([success, run.executions.map(({ skill }: Seen) => skill)]).toEqual([true, ['a', 'b', 'c']]);
    shop.skill('b', 'exit 2');
    shop.skill('a', 'exit 3');
    const { error } = await shop.run();
    expect(error).toMatchObject({ exitCode: 3, details: { class: 'soft' } });
    // One that cannot be kept any more takes the others with it.
    shop.construct('execution: {phases: [p], type: parallel, max_concurrency: 2}\nskills: [{name: a, phase: p}, {name: b, phase: p}]');
    shop.skill('a', 'sleep 30');
    shop.skill('b', 'sleep 0.3; rm -rf .cleo/runs; touch .cleo/runs');
    const before = Date.now();
    expect((await shop.run()).error).toMatchObject({ exitCode: 73 });
    expect(Date.now() - before).toBeLessThan(10_000);
    rmSync(join(shop.root, '.cleo/runs'));
  });
});

describe('what is handed on', () => {
  const handoff = (more: string): string =>
    two(
      `phases: {first: {produces: [doc.md, "more/*.md"]}}\nassessment:\n  handoffs: {first_to_second: {required_artifacts: [doc.md], ${more}}}`,
    );

  test('is refused by itself, whatever the gate does about other failures', async () => {
    const shop = await openWorkshop();
    shop.construct(handoff('on_failure: block').replace('assessment:', 'assessment:\n  gates: {second: {precondition: {severity: warn}}}'));
    shop.skill('a', 'true');
    shop.skill('b', 'touch ran');
    shop.put('doc.md', '');
    expect((await shop.run({ force: 'output', reason: 'only the handoff is meant' })).error).toMatchObject({ exitCode: 80 });
    expect(existsSync(join(shop.root, 'ran'))).toBe(false);
    const forced = await shop.run({ from: 'second', force: 'precondition', reason: 'it is known' });
    expect(forced.success).toBe(true);
    expect(gate(shop.result('second', 'b'), 1)).toMatchObject({ status: 'passed', overridden: true });
  });

  test('must still be what its maker left', async () => {
    const shop = await openWorkshop();
    // The judge is asked when the first phase has made its document, and before the second receives it.
    shop.construct(
      handoff('on_failure: block').replace(
        'assessment:',
        'assessment:\n  goal: {mode: judge}\n  judge: {command: [sh, -c, "echo more >> doc.md; echo \'{\\"verdict\\":\\"pass\\",\\"score\\":1}\'"]}',
      ),
    );
    shop.skill('a', 'echo one > doc.md; mkdir -p more; echo two > more/x.md');
    shop.skill('b', 'true');
    const { error } = await shop.run({ intent: 'go' });
    expect(error).toMatchObject({ exitCode: 80, message: expect.stringContaining('artifact_changed: doc.md') });
    const [folder] = runFolders(shop);
    expect(JSON.parse(readFileSync(join(shop.root, '.cleo/runs', folder!, 'handoffs/first__second.json'), 'utf8'))).toMatchObject({
      ...{ schema_version: 1, run_id: folder, accepted: false },
      artifacts: { provided: [{ path: 'doc.md', completeness: null, checksum: expect.any(String) }], missing: [], extra: ['more/x.md'] },
      validation: { blockers: [expect.stringContaining('artifact_changed')], completeness: null, skipped: false },
    });
  });

  test.each([
    ['skip', { accepted: true, validation: { skipped: true } }],
    ['warn', { accepted: true, validation: { warnings: [expect.any(String)], skipped: false } }],
  ])('is not in the way where it is to %s', async (how, expected) => {
    const shop = await openWorkshop();
    shop.construct(handoff(`on_failure: ${how}`).replace('produces: [doc.md, ', 'produces: [doc.md (optional), '));
    shop.skill('a', 'mkdir -p more; echo x > more/x.md');
    shop.skill('b', 'true');
    expect((await shop.run()).success).toBe(true);
    const [folder] = runFolders(shop);
    expect(JSON.parse(readFileSync(join(shop.root, '.cleo/runs', folder!, 'handoffs/first__second.json'), 'utf8'))).toMatchObject(expected);
  });

  test('reaches the next skill under the name of the one that printed it', async () => {
    const shop = await openWorkshop();
    shop.construct(two());
    shop.skill('a', 'echo "{\\"n\\": 7}"');
    shop.skill('b', 'cat');
    const { run } = await shop.run({ input: { mine: true } });
    const [folder] = runFolders(shop);
    const printed = JSON.parse(readFileSync(join(shop.root, '.cleo/runs', folder!, 'second/b/1/stdout.log'), 'utf8'));
    expect([run.status, printed.inputs]).toEqual(['success', { a: { n: 7 }, mine: true }]);
    expect(printed).toMatchObject({ protocol: 'cleo-skill/1', run_id: folder, phase: 'second', skill: 'b', attempt: 1, intent: null });
  });
});

describe('attempts', () => {
  test('wait at least as long as the skill asks for', async () => {
    const shop = await shopWith(
      'echo \'{"retry_after_ms": 1300}\' > "$CLEO_RESULT"; [ -f again ] && exit 0; touch again; exit 69',
      'assessment: {gates: {only: {execution: {max_retries: 1}}}}',
    );
    expect((await shop.run()).success).toBe(true);
    expect(shop.result('only', 'it', 2).diagnostics.retries).toMatchObject([{ delay_ms: 1300, class: 'temporary', reason: 'unavailable' }]);
  });

  test('begin again only where what they need is still there', async () => {
    const shop = await shopWith(
      'rm needed; exit 75',
      'contracts: {only: {inputs: [needed]}}\nassessment: {gates: {only: {execution: {max_retries: 3}}}}',
    );
    shop.put('needed', 'x');
    expect((await shop.run()).error).toMatchObject({
      exitCode: 66,
      details: { run: { executions: [{ attempts: 1, gates: ['skipped', 'failed', 'not_reached', 'not_reached', 'not_reached'] }] } },
    });
    expect(shop.result('only', 'it').inputs).toEqual({ provided: {}, defaults_used: ['project'], missing: ['needed'] });
  });

  test('are given what they are declared to need, and no more', async () => {
    const env = { NAMED: 'n', UNNAMED: 'u', SECRET_OF_MINE: 'correct-horse-battery', CLEO_PHASE: 'other', HOME: '/nonexistent' };
    const shop = await shopWith(
      'env | cut -d= -f1 | sort; echo "$CLEO_PHASE $CLEO_ATTEMPT" >&2; echo "$TRACEPARENT" >&2',
      'env: [NAMED, CLEO_PHASE]',
      { env },
    );
    await shop.run();
    const [folder] = runFolders(shop);
    const log = (name: string): string[] =>
      readFileSync(join(shop.root, '.cleo/runs', folder!, `only/it/1/${name}.log`), 'utf8')
        .trim()
        .split('\n');
    const ours = ['ATTEMPT', 'EVENTS', 'EXECUTION_ID', 'PHASE', 'RESULT', 'RUN_ID', 'SKILL'].map((name) => `CLEO_${name}`);
    // What a shell sets by itself.
    const own = ['OLDPWD', 'PWD', 'SHLVL', '_'];
    expect(log('stdout').filter((name) => !own.includes(name))).toEqual([...ours, 'HOME', 'NAMED', 'PATH', 'TRACEPARENT']);
    expect(log('stderr')).toEqual(['only 1', expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)]);
  });

  test('need not read what they are given', async () => {
    const shop = await shopWith('exec 0<&-; sleep 0.2; echo fine');
    expect(await shop.run({ input: { large: 'x'.repeat(2 ** 20) } })).toMatchObject({ success: true });
  });

  test.each<[string, string, string[]]>([
    ['a status that its code denies', 'echo \'{"status":"failure"}\' > "$CLEO_RESULT"', ['status_mismatch']],
    ['no JSON', 'echo nonsense > "$CLEO_RESULT"', ['invalid_result']],
    ['more than anybody reads', 'head -c 5000000 /dev/zero > "$CLEO_RESULT"', ['invalid_result']],
    ['a pipe', 'mkfifo "$CLEO_RESULT"; mkfifo "$CLEO_EVENTS"', ['invalid_result', 'invalid_result']],
    ['a link', 'ln -s /etc/hostname "$CLEO_RESULT"', ['invalid_result']],
    ['half of it well', 'echo \'{"confidence": 2, "goal_statement": "done"}\' > "$CLEO_RESULT"', ['invalid_result']],
    ['events that are none', 'echo nonsense >> "$CLEO_EVENTS"; echo \'{"type":"odd"}\' >> "$CLEO_EVENTS"', ['invalid_event']],
    [
      'warnings',
      'echo \'{"warnings":["mind the gap"]}\' > "$CLEO_RESULT"; echo \'{"type":"warning","message":"x"}\' >> "$CLEO_EVENTS"',
      ['skill_warning', 'skill_warning'],
    ],
    ['too many events', 'yes \'{"type":"progress","message":"x"}\' | head -n 1100 >> "$CLEO_EVENTS"', ['invalid_event']],
  ])('may say of themselves: %s', async (_, script, expected) => {
    const shop = await shopWith(script);
    const { run } = await shop.run();
    expect([run.status, codes(run.executions[0].warnings)]).toEqual(['success', expected]);
  });

  test('are heard while they work', async () => {
    const shop = await shopWith(
      'echo \'{"type":"progress","message":"half"}\' >> "$CLEO_EVENTS"; until [ -f heard ]; do sleep 0.05; done; printf \'{"type":"progress","message":"whole"}\' >> "$CLEO_EVENTS"',
    );
    const heard: string[] = [];
    const observe = (event: string, data: Seen): void => {
      if (event !== 'execution_progress' || data.kind !== 'note') return;
      heard.push(data.note);
      shop.put('heard', '');
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
  ])('that end with %i', async (code, expected, exitClass) => {
    const shop = await shopWith(`exit ${code}`, 'contracts: {only: {exit_codes: {0: success, 1: incomplete}}}');
    const { exitCode, envelope } = await shop.reply('construct.run');
    const { error } = envelope as Seen;
    expect([exitCode, error.details.class, codes(error.details.run.executions[0].warnings)]).toEqual([code, exitClass, expected]);
  });

  test('say what they did beside their outputs, and are not blamed for it', async () => {
    const shop = await shopWith(
      'echo x > declared.txt; echo y > stray.txt; echo \'{"side_effects":[{"type":"file_write","target":"declared.txt","reversible":true,"description":"a note"},{"type":"api_call","target":"https://example.org"}]}\' > "$CLEO_RESULT"; echo \'{"type":"side_effect","kind":"notification","target":"the team"}\' >> "$CLEO_EVENTS"',
    );
    const { run } = await shop.run();
    expect(run.executions[0].warnings.map(({ message }: Seen) => message)).toEqual(['stray.txt was created, and is no output of only']);
    expect(shop.result('only', 'it').outputs.side_effects).toEqual([
      { type: 'file_write', target: 'declared.txt', reversible: true, description: 'a note' },
      { type: 'file_write', target: 'stray.txt', reversible: false, description: 'created' },
      { type: 'api_call', target: 'https://example.org', reversible: false, description: '' },
      { type: 'notification', target: 'the team', reversible: false, description: '' },
    ]);
    const told = shop.events().filter(({ data }) => data.kind === 'side_effect' && data.description === 'created');
    expect(told).toMatchObject([{ data: { target: 'stray.txt', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }]);
  });
});

describe('outputs', () => {
  const making = (paths: string, script: string): Promise<Workshop> => shopWith(script, `contracts: {only: {outputs: [${paths}]}}`);

  test.each<[string, string, string, RegExp | undefined]>([
    ['a folder', 'out', 'mkdir -p out', /out is no regular file/],
    ['a pipe', 'out', 'mkfifo out', /out is no regular file/],
    ['a link out of the project', 'out', 'ln -s /etc/hostname out', /out leads out of the project/],
    ['a way out of the project', 'sub/hostname', 'ln -s /etc sub', /leads out of the project/],
    ['a link that leads in a circle', 'out', 'ln -s out out', /out is no regular file/],
    ['an empty file', 'out', ': > out', /out is empty/],
    ['a pattern that fits a pipe', '"out/*"', 'mkdir -p out; echo x > out/a; mkfifo out/b', /out\/b is no regular file/],
    ['a pattern that fits folders', '"out/**"', 'mkdir -p out/sub; echo x > out/sub/a', undefined],
    ['a pattern that fits only folders', '"out/*"', 'mkdir -p out/sub; echo x > out/sub/a', /out\/\* is not there/],
    [
      'too many',
      '"out/*"',
      'mkdir -p out; cd out; seq 1100 | xargs touch; for n in $(seq 1100); do echo x > $n; done',
      /more files fit than are looked at/,
    ],
    ['a link inside of the project', 'out', 'echo x > real; ln -s real out', undefined],
  ])('%s', async (_, paths, script, expected) => {
    const shop = await making(paths, script);
    const { error, run } = await shop.run({ timeout: 60_000 });
    if (expected) expect(error).toMatchObject({ exitCode: 84, message: expect.stringMatching(expected) });
    else expect(run.executions[0].artifacts).toHaveLength(1);
    expect(run?.executions[0].warnings?.filter(({ message }: Seen) => message.startsWith('out/')) ?? []).toEqual([]);
  });

  test('a socket', async () => {
    const shop = await making('out', 'true');
    const server = createServer().listen(join(shop.root, 'out'));
    onTestFinished(() => void server.close());
    await sleep(50);
    expect((await shop.run()).error).toMatchObject({ exitCode: 84, message: expect.stringMatching(/no regular file/) });
  });

  test('that were there before are told', async () => {
    const shop = await making('out', 'true');
    shop.put('out', 'from yesterday');
    const { run } = await shop.run();
    expect([codes(run.executions[0].warnings), run.executions[0].artifacts]).toEqual([['stale_output'], undefined]);
    expect(gate(shop.result('only', 'it'), 3)).toMatchObject({
      status: 'passed',
      details: { checks_performed: [{ passed: true }, { name: 'stale_output', passed: false }] },
    });
  });

  test('that need not be there may be anything', async () => {
    const shop = await making('"out (optional)"', ': > out');
    expect((await shop.run()).success).toBe(true);
  });

  test('of data fit their schema, and so does what is printed', async () => {
    const shop = await openWorkshop();
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    shop.put('.cleo/schemas/count.schema.json', JSON.stringify(schema));
    shop.construct(
      one(
        'contracts: {only: {outputs: [{path: out.json, schema: count}]}}\nassessment: {gates: {only: {output: {primary_schema: count}}}}',
      ),
    );
    shop.skill('it', 'echo "{\\"n\\": 1}" | tee out.json');
    expect((await shop.run()).success).toBe(true);
    shop.skill('it', 'echo "{\\"n\\": 1}"; echo "{\\"n\\": 1.5}" > out.json');
    expect((await shop.run()).error).toMatchObject({ exitCode: 84, message: expect.stringMatching(/out\.json .*integer/) });
    shop.skill('it', 'echo "no data"; echo "{\\"n\\": 1}" > out.json');
    expect((await shop.run()).error).toMatchObject({ exitCode: 84, message: expect.stringMatching(/the primary output/) });
    shop.put('.cleo/schemas/count.schema.json', JSON.stringify({ type: 'nonsense' }));
    const before = runFolders(shop).length;
    expect((await shop.run()).error).toMatchObject({ exitCode: 78 });
    expect(runFolders(shop)).toHaveLength(before);
  });

  test.each<[string, string, unknown]>([
    ['a zero byte', 'printf "a\\0b"', 'a\0b'],
    ['bytes that are no text', 'printf "a\\377b"', 'a\ufffdb'],
    ['one value', 'echo " [1, 2] "', [1, 2]],
    ['two values', 'echo "1 2"', '1 2\n'],
    ['nothing', 'true', null],
    ['a mark and a value', 'printf "\\357\\273\\277{}"', {}],
  ])('printed: %s', async (_, script, expected) => {
    const shop = await shopWith(script);
    expect((await shop.call('skills.run', { name: 'it' })).primary).toEqual(expected);
  });

  test('printed: brackets without end are a text', async () => {
    const shop = await shopWith(
      'head -c 200000 /dev/zero | tr "\\0" "["; head -c 200000 /dev/zero | tr "\\0" "]"',
      'assessment: {capture: {include_outputs: full}}',
    );
    expect((await shop.run()).success).toBe(true);
    expect((await shop.call('skills.run', { name: 'it' })).primary).toHaveLength(400_000);
  });

  test('for a pipe are printed alone', async () => {
    const shop = await shopWith('true');
    expect((await shop.cli(['skill', 'run', 'it', '--raw'])).out).toBe('');
    shop.skill('it', 'echo "{ \\"a\\": 1 }"');
    expect((await shop.cli(['skill', 'run', 'it', '--raw'])).out).toBe('{"a":1}\n');
  });

  test('lie in a tree with links that lead round in a circle', async () => {
    const shop = await making('out', 'echo x > out');
    mkdirSync(join(shop.root, 'round'));
    symlinkSync('..', join(shop.root, 'round', 'again'));
    expect((await shop.run()).success).toBe(true);
  });
});

describe('what is kept', () => {
  test('is nothing but how it ended, where nothing is to be kept', async () => {
    const shop = await openWorkshop();
    shop.construct(
      two(
        'contracts: {first: {outputs: [out]}}\nassessment: {capture: {enabled: false}, handoffs: {first_to_second: {required_artifacts: [out]}}}',
      ),
    );
    shop.skill('a', 'echo printed; echo x > out');
    shop.skill('b', 'cat > got.json');
    expect(await shop.run({ input: { word: 'private-word' }, intent: 'private-intent' })).toMatchObject({ success: true });
    const [folder] = runFolders(shop);
    expect(filesBelow(join(shop.root, '.cleo/runs', folder!))).toEqual(['run.json']);
    expect(filesBelow(join(shop.root, '.cleo/traces')).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
    const text = readFileSync(join(shop.root, '.cleo/runs', folder!, 'run.json'), 'utf8');
    expect(text).not.toMatch(/private|"out"/);
    expect(JSON.parse(text)).toMatchObject({
      status: 'success',
      intent: null,
      trace: '',
      executions: [{ outputs: [], inputs_sha256: '' }, {}],
    });
    // Each skill was given what it needs all the same.
    expect(JSON.parse(readFileSync(join(shop.root, 'got.json'), 'utf8')).inputs).toEqual({ a: 'printed\n', word: 'private-word' });
  });

  test.each<[string, Seen, Seen]>([
    ['none', { fields: 1 }, {}],
    [
      'hashed',
      { word: { hash: expect.stringMatching(/^hmac-sha256:/), type: 'string', length: 4 } },
      { bytes: 18, lines: 1, sha256: expect.any(String), content_type: 'application/json', fields: ['answer'], artifacts: [] },
    ],
    ['full', { word: 'word' }, { content: { answer: 'done' }, fields: ['answer'] }],
  ])('of inputs and outputs: %s', async (how, inputs, outputs) => {
    const shop = await shopWith(
      'echo "{\\"answer\\":\\"done\\"}"',
      `assessment: {capture: {include_outputs: ${how === 'hashed' ? 'summary' : how}}}`,
    );
    await shop.run({ input: { word: 'word' }, capture: how });
    const find = (event: string): Seen => shop.events().find((line) => line.event === event)!.data;
    expect(find('skill_invoked').input_summary).toEqual(inputs);
    expect(find('execution_complete').outputs_summary).toMatchObject(outputs);
    if (how === 'none') expect(find('execution_complete').outputs_summary).toEqual({});
    expect(shop.result('only', 'it').outputs.primary).toEqual(how === 'full' ? { answer: 'done' } : null);
  });

  test('of what is large lies beside the trace, without secrets', async () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4uV6wX8yZ0aB3dE5'}`;
    const shop = await shopWith(
      `printf 'token %s ' ${token}; head -c 40000 /dev/zero | tr "\\0" "x"`,
      'assessment: {capture: {include_outputs: full}}',
    );
    await shop.run();
    const { content } = shop.events().find(({ event }) => event === 'execution_complete')!.data.outputs_summary;
    expect(content).toEqual({ blob: expect.stringMatching(/^[0-9a-f]{64}$/), kind: 'text', length: expect.any(Number) });
    const blob = join(shop.root, '.cleo/traces/blobs', content.blob);
    expect(readFileSync(blob, 'utf8')).toMatch(/^token \[REDACTED:shape:[0-9a-f]{8}\] x{40000}$/);
    expect(statSync(blob).mode & 0o777).toBe(0o600);
    expect(shop.kept()).not.toContain(token);
  });

  test('is in the order in which it happened, whatever the clock does', async () => {
    const clock = { now: '2026-05-05T10:00:00.000Z' };
    const shop = await shopWith('true', '', { clock });
    const observe = (): void => {
      clock.now = new Date(Date.parse(clock.now) - 3_600_000).toISOString();
    };
    expect((await shop.reply('construct.run', {}, { observe })).exitCode).toBe(0);
    const times = shop.events().map(({ ts }) => ts);
    expect(times.length).toBeGreaterThan(8);
    expect(times).toEqual(times.toSorted());
    const result = shop.result('only', 'it');
    expect(result.completed_at >= result.started_at && result.duration_ms >= 0).toBe(true);
    expect(recordOf(shop).completed_at >= recordOf(shop).started_at).toBe(true);
  });

  test('is still whole where a skill takes away the folder of the runs', async () => {
    const shop = await shopWith('rm -rf .cleo/runs; echo done', 'contracts: {only: {outputs: ["x (optional)"]}}');
    expect(await shop.run()).toMatchObject({ success: true, run: { status: 'success' } });
    expect(recordOf(shop)).toMatchObject({ status: 'success', exit_code: 0 });
    expect(shop.result('only', 'it').status).toBe('success');
  });
});

describe('a gate that is to be passed', () => {
  test.each<[string, string, string, Seen]>([
    ['output', 'true', 'contracts: {only: {outputs: [never]}}', { gate: 3 }],
    ['precondition', 'true', 'contracts: {only: {inputs: [never]}}', { gate: 1 }],
    ['goal', 'true', 'assessment: {goal: {mode: review, enforce: true}}', { gate: 4 }],
    ['3', 'true', 'contracts: {only: {outputs: [never]}}', { gate: 3 }],
  ])('%s', async (force, script, more, { gate: number }) => {
    const shop = await shopWith(script, more);
    expect((await shop.run({ intent: 'go' })).success).toBe(false);
    const { success } = await shop.run({ intent: 'go', force, reason: 'it is known' });
    expect(success).toBe(true);
    expect(gate(shop.result('only', 'it'), number)).toMatchObject({ status: 'passed', passed: true, overridden: true });
    const told = shop.events().find(({ event, data }) => event === 'gate_checked' && data.gate_id === number)!;
    expect(told.data).toMatchObject({ overridden: true, reason: 'it is known' });
  });

  test.each([
    ['execution', /cannot be forced/],
    ['2', /cannot be forced/],
    ['outptu', /there is no gate "outptu"/],
  ])('cannot be %s', async (force, expected) => {
    const shop = await shopWith('true');
    const { error } = await shop.run({ force, reason: 'x' });
    expect(error).toMatchObject({ exitCode: 64, message: expect.stringMatching(expected) });
    expect((await shop.cli(error.fix)).exitCode).toBe(0);
  });

  test('needs a reason', async () => {
    const shop = await shopWith('true');
    expect((await shop.run({ force: 'output' })).error).toMatchObject({ exitCode: 64, fix: expect.stringContaining('--reason') });
  });

  test('of selection by a judge or a person never stops anything', async () => {
    const shop = await shopWith('true', `assessment: {selection: judge, judge: {command: [sh, judge.sh]}}`);
    shop.put('judge.sh', 'cat > asked.json; echo \'{"verdict":"fail","score":0.1,"reasons":["another"]}\'');
    const { success, run } = await shop.run({ intent: 'write a poem' });
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
      shop.construct(one(`assessment: {selection: ${mode}}`));
      expect((await shop.run({ intent: 'write a poem' })).run.executions[0].gates[0]).toBe(expected);
    }
  });
});

describe('a construct', () => {
  test.each<[string, string | Uint8Array]>([
    ['an empty file', ''],
    ['a list', '- a\n'],
    ['more than a mebibyte', `apiVersion: loa/v1\nkind: Construct\n# ${'x'.repeat(2 ** 20)}\n`],
    ['tabs', 'apiVersion: loa/v1\nkind: Construct\nmetadata:\n\tname: x\n'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x61])],
    [
      'a bomb',
      `a: &a [x, x]\n${'bcdefghijklm'
        .split('')
        .map((c, i) => `${c}: &${c} [${`*${'abcdefghijklm'[i]}, `.repeat(9)}x]`)
        .join('\n')}`,
    ],
    ['no phases', 'apiVersion: loa/v1\nkind: Construct\n'],
    ['a pack', 'schema_version: 4\nname: pack\nskills: [{slug: it, path: skills/it}]\n'],
  ])('%s cannot be run, and nothing is left of the attempt', async (_, text) => {
    const shop = await openWorkshop();
    writeFileSync(join(shop.root, 'construct.yaml'), text);
    expect(await shop.run()).toMatchObject({ error: { exitCode: 78, code: 'E_SKILL_PRECONDITION' } });
    expect(existsSync(join(shop.root, '.cleo/runs'))).toBe(false);
  });

  test('with a mark at its beginning and phases called a_to_b runs', async () => {
    const shop = await openWorkshop();
    shop.put(
      'construct.yaml',
      '\ufeffapiVersion: loa/v1\r\nkind: Construct\r\nexecution: {phases: [a_to_b, c]}\r\nskills: [{name: it, phase: a_to_b}]\r\nassessment: {handoffs: {a_to_b_to_c: {required_artifacts: [x], on_failure: warn}}}\r\n',
    );
    shop.skill('it', 'true');
    expect(await shop.run()).toMatchObject({ success: true, run: { handoffs: [{ from: 'a_to_b', to: 'c' }] } });
  });

  test('of a pack runs the skill that is named', async () => {
    const shop = await openWorkshop();
    shop.put('construct.yaml', 'schema_version: 4\nname: pack\nskills: [{slug: it, path: elsewhere/it}]\n');
    shop.put('elsewhere/it/SKILL.md', '---\nname: it\ndescription: x\nmetadata:\n  run: sh do.sh\n---\n');
    shop.put('elsewhere/it/do.sh', 'echo done > done');
    expect(await shop.run({ skill: 'it' })).toMatchObject({ success: true });
    expect(existsSync(join(shop.root, 'done'))).toBe(true);
    expect((await shop.run({ skill: 'if' })).error).toMatchObject({ exitCode: 64, details: { meant: 'it' } });
  });

  test.each(['../x', '.', '..', 'a/b', 'a b', ''])('is not for a project called %j', async (project) => {
    const shop = await shopWith('true', 'contracts: {only: {outputs: ["{project}/x (optional)"]}}');
    expect((await shop.run({ project })).error ?? {}).toMatchObject(project === '' ? {} : { exitCode: 78 });
  });

  test('whose names nobody explains is not run', async () => {
    const shop = await shopWith('true', 'contracts: {only: {outputs: ["{where}/x (optional)"]}}');
    const { error } = await shop.run();
    expect(error).toMatchObject({ exitCode: 78, details: { variables: ['where'] } });
    expect((await shop.cli(error.fix)).exitCode).toBe(0);
    expect((await shop.run({ var: ['where=../x'] })).error).toMatchObject({ exitCode: 78 });
    expect((await shop.run({ var: ['run_id=x'] })).error).toMatchObject({ exitCode: 64 });
  });

  test('has no skill outside of its folders', async () => {
    const shop = await shopWith('true');
    for (const name of ['../../etc', 'a/b', '.', '-'])
      expect((await shop.call('skills.run', { name })).error).toMatchObject({ exitCode: 64 });
    expect((await shop.call('skills.run', { name: 'it', outputs: ['../x'] })).error).toMatchObject({ exitCode: 78 });
    expect(existsSync(join(shop.root, '.cleo/runs'))).toBe(false);
  });
});

describe('one at a time', () => {
  const lockOf = (shop: Workshop): string =>
    join(shop.root, '.cleo/runs', readdirSync(join(shop.root, '.cleo/runs')).find((name) => name.endsWith('.lock'))!);

  test('the other is told, or waits', async () => {
    const shop = await shopWith('until [ -f go ]; do sleep 0.05; done');
    const first = shop.run();
    while (!existsSync(join(shop.root, '.cleo/runs')) || runFolders(shop).length === 0) await sleep(20);
    expect((await shop.run()).error).toMatchObject({
      exitCode: 75,
      code: 'E_SKILL_TEMPORARY',
      details: { pid: process.pid, run: runFolders(shop)[0] },
    });
    expect((await shop.run({ wait: 100 })).error).toMatchObject({ exitCode: 75 });
    const second = shop.run({ wait: 20_000 });
    const other = await shop.run({ project: 'another', dryRun: true });
    shop.put('go', '');
    expect([(await first).success, (await second).success, other.success]).toEqual([true, true, true]);
    expect(readdirSync(join(shop.root, '.cleo/runs')).filter((name) => name.includes('lock'))).toEqual([]);
  });

  test('what a dead process held is taken over, by one only', async () => {
    const shop = await shopWith('echo x >> ran; sleep 0.3');
    const held = shop.run();
    while (!existsSync(join(shop.root, '.cleo/runs')) || runFolders(shop).length === 0) await sleep(20);
    const path = lockOf(shop);
    const alive = JSON.parse(readFileSync(path, 'utf8'));
    await held;
    writeFileSync(path, JSON.stringify({ ...alive, pid: 2 ** 22 - 3, nonce: 'gone', run: 'run-gone' }));
    const all = await Promise.all(Array.from({ length: 4 }, () => shop.run()));
    expect(all.map(({ error }) => error?.exitCode ?? 0).sort()).toEqual([0, 75, 75, 75]);
    expect(all.find(({ success }) => success)!._meta.warnings).toEqual([
      expect.stringMatching(/took over the lock of process \d+, which is gone/),
    ]);
    for (const stale of [
      { ...alive, boot: 'another', nonce: 'x' },
      { ...alive, began: '1', nonce: 'y' },
    ]) {
      writeFileSync(path, JSON.stringify(stale));
      expect((await shop.run()).success).toBe(true);
    }
    writeFileSync(path, '{"pid":');
    expect((await shop.run()).error).toMatchObject({ exitCode: 75 });
    utimesSync(path, new Date(0), new Date(0));
    expect((await shop.run()).success).toBe(true);
  });
});

describe('a run that is gone on with', () => {
  const broken = async (): Promise<{ shop: Workshop; id: string }> => {
    const shop = await openWorkshop();
    shop.construct(two('contracts: {first: {outputs: [a.txt]}, second: {outputs: [b.txt]}}'));
    shop.skill('a', 'echo a >> a.log; echo made > a.txt; echo "{\\"n\\":1}"');
    shop.skill('b', 'echo b >> b.log; cat > b.txt; [ -f ready ]');
    const { error } = await shop.run({ input: { word: 'w' } });
    expect(error).toMatchObject({ exitCode: 1 });
    shop.put('ready', '');
    return { shop, id: error.details.run.id };
  };
  const times = (shop: Workshop, name: string): number =>
    readFileSync(join(shop.root, `${name}.log`), 'utf8')
      .trim()
      .split('\n').length;

  test('does nothing again that is done, and its trace is one', async () => {
    const { shop, id } = await broken();
    const answer = await shop.run({ resume: id, input: { word: 'w' } });
    expect(answer).toMatchObject({ success: true, run: { id, executions: [{ skipped: true }, { status: 'success', attempts: 1 }] } });
    expect([times(shop, 'a'), times(shop, 'b')]).toEqual([1, 2]);
    expect(JSON.parse(readFileSync(join(shop.root, 'b.txt'), 'utf8')).inputs).toEqual({ a: { n: 1 }, word: 'w' });
    const record = recordOf(shop);
    const text = readFileSync(join(shop.root, '.cleo/traces', record.trace), 'utf8');
    const { createHash } = await import('node:crypto');
    const reading = readTrace(text, (line) => createHash('sha256').update(line).digest('hex'));
    expect(reading).toMatchObject({ problems: [], head: record.head });
    expect([reading.firstBad, reading.lines.length]).toEqual([undefined, record.lines]);
    expect(record.executions.map(({ skill, status }: Seen) => [skill, status])).toEqual([
      ['a', 'success'],
      ['b', 'success'],
    ]);
    // And once more: there is nothing left to do.
    expect((await shop.run({ resume: id, input: { word: 'w' } })).run.executions).toMatchObject([{ skipped: true }, { skipped: true }]);
  });

  test.each<[string, (shop: Workshop) => Seen]>([
    ['its inputs', () => ({ word: 'another' })],
    ['its skill', (shop) => (shop.skill('a', 'echo a >> a.log; echo made > a.txt; echo "{\\"n\\":1}" # changed'), { word: 'w' })],
    ['what it made', (shop) => (shop.put('a.txt', 'changed'), { word: 'w' })],
    [
      'what it printed is lost',
      (shop) => (rmSync(join(shop.root, '.cleo/runs', runFolders(shop)[0]!, 'first/a/1/stdout.log')), { word: 'w' }),
    ],
  ])('does everything again from where %s changed', async (_, change) => {
    const { shop, id } = await broken();
    await shop.run({ resume: id, input: { word: 'w' } });
    const input = change(shop);
    expect((await shop.run({ resume: id, input })).run.executions.map(({ skipped }: Seen) => skipped ?? false)).toEqual([false, false]);
    expect([times(shop, 'a'), times(shop, 'b')]).toEqual([2, 3]);
  });

  test('is refused where its manifest is another, unless that is meant', async () => {
    const { shop, id } = await broken();
    shop.put('construct.yaml', `${readFileSync(join(shop.root, 'construct.yaml'), 'utf8')}\n# changed\n`);
    const { error } = await shop.run({ resume: id, input: { word: 'w' } });
    expect(error).toMatchObject({ exitCode: 78, fix: expect.stringContaining('--force manifest') });
    expect((await shop.run({ resume: id, input: { word: 'w' }, force: 'manifest', reason: 'a remark' })).success).toBe(true);
    expect(shop.events().find(({ event }) => event === 'run_resumed')!.data).toMatchObject({ overridden: true, reason: 'a remark' });
  });

  test('is a run of the same kind', async () => {
    const { shop, id } = await broken();
    const { error } = await shop.call('skills.run', { name: 'a', resume: id });
    expect(error).toMatchObject({ exitCode: 64, fix: `cleo construct run --resume ${id}` });
    expect((await shop.run({ resume: 'run-nobody' })).error).toMatchObject({ exitCode: 64 });
    expect((await shop.run({ resume: '../x' })).error).toMatchObject({ exitCode: 64 });
  });

  test('knows what the trace says, where it was killed before the record was written', async () => {
    const { shop, id } = await broken();
    const path = join(shop.root, '.cleo/runs', id, 'run.json');
    const record = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...record, status: 'running', pid: 2 ** 22 - 3, executions: [] }));
    expect((await shop.run({ resume: id, input: { word: 'w' } })).run.executions).toMatchObject([{ skipped: true }, {}]);
    expect(times(shop, 'a')).toBe(1);
  });

  test('is not gone on with while it goes on', async () => {
    const { shop, id } = await broken();
    const path = join(shop.root, '.cleo/runs', id, 'run.json');
    const parent = { pid: process.ppid, began: readFileSync(`/proc/${process.ppid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19] };
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), status: 'running', ...parent }));
    expect((await shop.run({ resume: id, project: 'another' })).error).toMatchObject({ exitCode: 75 });
  });

  test('has nothing of what was left running beside it', async () => {
    const { shop, id } = await broken();
    const orphan = `CLEO_RUN_ID=${id} CLEO_EXECUTION_ID=${id}:second:b setsid sleep 47 >/dev/null 2>&1 &`;
    execFileSync('sh', ['-c', orphan]);
    const answer = await shop.run({ resume: id, input: { word: 'w' } });
    expect(answer._meta.warnings).toEqual([`1 processes that ${id} had left running were ended`]);
    expect(execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' })).not.toMatch(/^[^Z].*\bsleep 47$/m);
  });

  test('that printed what had to be hidden is not run again for that', async () => {
    const shop = await openWorkshop({ env: { API_TOKEN: 'correct-horse-battery-staple' } });
    shop.construct(two('env: [API_TOKEN]'));
    shop.skill('a', 'echo a >> a.log; echo "$API_TOKEN"');
    shop.skill('b', 'echo b >> b.log');
    const { run } = await shop.run();
    expect((await shop.run({ resume: run.id })).run.executions).toMatchObject([{ skipped: true }, { skipped: true }]);
  });
});

test('a document is as complete with other line ends, a mark at its beginning, and in another folder', async () => {
  const shop = await openWorkshop();
  const shown = async (text: string | Uint8Array): Promise<number> => {
    writeFileSync(join(shop.root, 'doc.md'), text);
    const answer = await shop.call('docs.check', { file: 'doc.md', schema: 'prd-v1', min: 0 });
    return answer.document.completeness;
  };
  const half = wholePrd.replace(/^(word0 .*) word2\d.*$/gm, '$1\n\nTBD');
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
