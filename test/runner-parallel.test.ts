import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from './app.ts';
import { openSkillProject } from './skill-project.ts';

describe('a phase with parallel skills', () => {
  test('attributes writes to a skill and reports those that cannot be attributed', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      'execution: {phases: [p], type: parallel, max_concurrency: 2}\nskills: [{name: a, phase: p}, {name: b, phase: p}]\ncontracts: {p: {outputs: ["out/*"]}}',
    );
    shop.writeSkill(
      'a',
      'until [ -f .cleo/b-started ]; do sleep 0.02; done; mkdir -p out; echo a > out/a; echo half > out/b; echo x > stray; echo claimed > mine; until [ -f on ]; do sleep 0.02; done; echo \'{"type":"side_effect","kind":"file_write","target":"mine"}\' >> "$CLEO_EVENTS"; echo \'{"type":"artifact","path":"out/a"}\' >> "$CLEO_EVENTS"',
    );
    // Both skills run when the first one writes. This skill continues after the other has ended, so later writes are its own.
    shop.writeSkill(
      'b',
      'touch .cleo/b-started; until [ -f mine ]; do sleep 0.02; done; touch on; until grep -q \'"execution_complete"\' .cleo/traces/*.jsonl; do sleep 0.02; done; sleep 0.1; echo whole > out/b; echo y > late',
    );
    const { run } = await shop.runConstruct();
    const written = (skill: string): Json => shop.readResult('p', skill).outputs;
    const paths = (skill: string): Json[] => written(skill).artifacts.map(({ path, metadata }: Json) => [path, metadata.shared_with ?? []]);
    expect([paths('a'), paths('b')]).toEqual([
      [
        ['out/a', []],
        ['out/b', ['b']],
      ],
      [['out/b', ['a']]],
    ]);
    const warned = (skill: string): Json[] =>
      shop.readResult('p', skill).diagnostics.warnings.map(({ code, message }: Json) => [code, message.split(' ')[0]]);
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
    // A later change by the other skill does not cause a new execution.
    expect((await shop.runConstruct({ resume: run.id })).run.executions).toMatchObject([{ skipped: true }, { skipped: true }]);
    shop.writeFile('out/b', 'changed');
    for (const name of ['on', 'mine']) rmSync(join(shop.root, name));
    expect((await shop.runConstruct({ resume: run.id })).run.executions.map(({ skipped }: Json) => skipped ?? false)).toEqual([
      false,
      false,
    ]);
  });

  test('passes outputs only to the next phase, in the declared order', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      'execution: {phases: [p, q], type: parallel, max_concurrency: 1}\nskills: [{name: b, phase: p}, {name: a, phase: p}, {name: c, phase: q}]\ncontracts: {p: {outputs: [a.json]}, q: {outputs: [c.json]}}',
    );
    shop.writeSkill('b', 'echo 2');
    shop.writeSkill('a', 'cat > a.json; echo 1');
    shop.writeSkill('c', 'cat > c.json; [ -f ready ]');
    const inputs = (name: string): string => JSON.stringify(JSON.parse(readFileSync(join(shop.root, name), 'utf8')).inputs);
    const { error } = await shop.runConstruct();
    expect([inputs('a.json'), inputs('c.json')]).toEqual(['{}', '{"b":2,"a":1}']);
    shop.writeFile('ready', '');
    const answer = await shop.runConstruct({ resume: error.details.run.id });
    expect(answer.run.executions).toMatchObject([{ skipped: true }, { skipped: true }, { status: 'success' }]);
  });

  test('returns executions in the declared order', async () => {
    const shop = await openSkillProject();
    shop.writeConstruct(
      'execution: {phases: [p], type: parallel, max_concurrency: 3}\nskills: [{name: a, phase: p}, {name: b, phase: p}, {name: c, phase: p}]\ncontracts: {p: {outputs: [a.md, b.md, c.md]}}',
    );
    shop.writeSkill('a', 'until [ -f c.md ]; do sleep 0.05; done; echo a > a.md');
    shop.writeSkill('b', 'echo b > b.md');
    shop.writeSkill('c', 'until [ -f b.md ]; do sleep 0.05; done; echo c > c.md');
    const { run, success } = await shop.runConstruct();
    expect([success, run.executions.map(({ skill }: Json) => skill)]).toEqual([true, ['a', 'b', 'c']]);
    shop.writeSkill('b', 'exit 2');
    shop.writeSkill('a', 'exit 3');
    const { error } = await shop.runConstruct();
    expect(error).toMatchObject({ exitCode: 3, details: { class: 'soft' } });
    // A skill whose trace cannot be written cancels the others.
    shop.writeConstruct('execution: {phases: [p], type: parallel, max_concurrency: 2}\nskills: [{name: a, phase: p}, {name: b, phase: p}]');
    shop.writeSkill('a', 'sleep 30');
    shop.writeSkill('b', 'sleep 0.3; rm -rf .cleo/runs; touch .cleo/runs');
    const before = Date.now();
    expect((await shop.runConstruct()).error).toMatchObject({ exitCode: 73 });
    expect(Date.now() - before).toBeLessThan(10_000);
    rmSync(join(shop.root, '.cleo/runs'));
  });
});
