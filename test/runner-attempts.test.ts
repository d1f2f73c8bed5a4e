import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkshop } from './construct.ts';
import type { Seen } from './house.ts';
import { codes, runFolders, shopWith } from './runner.ts';

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
