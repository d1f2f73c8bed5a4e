import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openWorkshop, type Workshop, wholePrd } from './construct.ts';
import type { Seen } from './house.ts';
import { codes, filesBelow, gate, one, recordOf, runFolders, shopWith, two } from './runner.ts';

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
