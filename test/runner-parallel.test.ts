import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Seen } from './app.ts';
import { openWorkshop } from './construct.ts';

describe('a phase whose skills run side by side', () => {
  test('tells what each of them wrote, and what nobody can tell', async () => {
    const shop = await openWorkshop();
    shop.construct(
      'execution: {phases: [p], type: parallel, max_concurrency: 2}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\ncontracts: {p: {outputs: ["out/*"]}}',
    );
    shop.skill(
      'a',
      'mkdir -p out; echo a > out/a; echo half > out/b; echo x > stray; echo claimed > mine; until [ -f on ]; do sleep 0.02; done; echo \'{"type":"side_effect","kind":"file_write","target":"mine"}\' >> "$CLEO_EVENTS"; echo \'{"type":"artifact","path":"out/a"}\' >> "$CLEO_EVENTS"',
    );
    // It goes on when the other has ended: what is written then is its own.
    shop.skill(
      'b',
      'until [ -f mine ]; do sleep 0.02; done; touch on; until grep -q \'"execution_complete"\' .cleo/traces/*.jsonl; do sleep 0.02; done; sleep 0.1; echo whole > out/b; echo y > late',
    );
    const { run } = await shop.run();
    const written = (skill: string): Seen => shop.result('p', skill).outputs;
    const paths = (skill: string): Seen[] => written(skill).artifacts.map(({ path, metadata }: Seen) => [path, metadata.shared_with ?? []]);
    expect([paths('a'), paths('b')]).toEqual([
      [
        ['out/a', []],
        ['out/b', ['b']],
      ],
      [['out/b', ['a']]],
    ]);
    const warned = (skill: string): Seen[] =>
      shop.result('p', skill).diagnostics.warnings.map(({ code, message }: Seen) => [code, message.split(' ')[0]]);
    expect(warned('a')).toEqual([
      ['unattributed_write', 'on'],
      ['unattributed_write', 'stray'],
    ]);
    expect(warned('b')).toEqual([
      ['undeclared_write', 'late'],
      ['unattributed_write', 'on'],
      ['unattributed_write', 'stray'],
    ]);
    expect(written('a').side_effects).toContainEqual({
      type: 'file_write',
      target: 'stray',
      reversible: false,
      description: 'created, perhaps by b',
    });
    // What the other one has made of it since is no reason to do it again.
    expect((await shop.run({ resume: run.id })).run.executions).toMatchObject([{ skipped: true }, { skipped: true }]);
    shop.put('out/b', 'changed');
    for (const name of ['on', 'mine']) rmSync(join(shop.root, name));
    expect((await shop.run({ resume: run.id })).run.executions.map(({ skipped }: Seen) => skipped ?? false)).toEqual([false, false]);
  });

  test('gives none of them what another printed: the next phase has it, in the declared order', async () => {
    const shop = await openWorkshop();
    shop.construct(
      'execution: {phases: [p, q], type: parallel, max_concurrency: 1}\nskills: [{name: b, phase: p}, {name: a, phase: p}, {name: c, phase: q}]\ncontracts: {p: {outputs: [a.json]}, q: {outputs: [c.json]}}',
    );
    shop.skill('b', 'echo 2');
    shop.skill('a', 'cat > a.json; echo 1');
    shop.skill('c', 'cat > c.json; [ -f ready ]');
    const inputs = (name: string): string => JSON.stringify(JSON.parse(readFileSync(join(shop.root, name), 'utf8')).inputs);
    const { error } = await shop.run();
    expect([inputs('a.json'), inputs('c.json')]).toEqual(['{}', '{"b":2,"a":1}']);
    shop.put('ready', '');
    const answer = await shop.run({ resume: error.details.run.id });
    expect(answer.run.executions).toMatchObject([{ skipped: true }, { skipped: true }, { status: 'success' }]);
  });

  test('answers in the order in which they are declared', async () => {
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
