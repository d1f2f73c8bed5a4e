import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkshop } from './construct.ts';
import type { Seen } from './house.ts';
import { codes, gate, one, runFolders, shopWith, two } from './runner.ts';

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
