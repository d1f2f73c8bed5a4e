import { expect, test } from 'vitest';
import { openSkillProject } from '../../../../test/skill-project.ts';

test('skills.run exits with the code of the skill and returns its output', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('hello', 'echo "{\\"said\\": \\"$CLEO_SKILL\\"}"');
  expect(await shop.call('skills.run', { name: 'hello' })).toMatchObject({
    _meta: { exitNamespace: 'skill' },
    primary: { said: 'hello' },
    run: { status: 'success', executions: [{ phase: 'skill', attempts: 1 }] },
  });
  expect((await shop.cli(['skill', 'run', 'hello', '--raw'])).out).toBe('{"said":"hello"}\n');
  shop.writeSkill('hello', 'exit 75');
  expect((await shop.call('skills.run', { name: 'hello' })).error).toMatchObject({
    exitCode: 75,
    code: 'E_SKILL_TEMPORARY',
    details: { action: 'retry_later' },
  });
});

test('skills.run checks --outputs in the output gate', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('make', '[ -f ready ] && echo x > made.md; true');
  expect((await shop.call('skills.run', { name: 'make', outputs: ['made.md'] })).error).toMatchObject({ exitCode: 84 });
  shop.writeFile('ready', '');
  expect(await shop.call('skills.run', { name: 'make', outputs: ['made.md'] })).toMatchObject({
    run: { executions: [{ artifacts: ['made.md'] }] },
  });
});

test('applies the settings that the project construct has for the skill', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct('execution: {phases: [p]}\nskills: [{name: it, phase: p, run: [sh, -c, "exit 3"], max_retries: 1}]\n');
  const { error } = await shop.call('skills.run', { name: 'it' });
  expect(error).toMatchObject({ exitCode: 3, details: { run: { executions: [{ attempts: 2 }] } } });
});

test('reports a missing or non-executable skill, also in a dry run', async () => {
  const shop = await openSkillProject();
  shop.writeFile('skills/locked/run.sh', '#!/bin/sh\n');
  shop.writeFile('skills/text/SKILL.md', '---\nname: text\ndescription: x\n---\nDo it.\n');
  for (const [name, exitCode, problem] of [
    ['nowhere', 127, 'there is no skill nowhere (looked in .cleo/skills, .claude/skills and skills)'],
    ['no where', 127, 'there is no skill no where (looked in .cleo/skills, .claude/skills and skills)'],
    ['locked', 126, 'skills/locked/run.sh is not executable (chmod +x), and there is no execution.executor'],
    ['text', 126, 'skills/text has nothing to run (run, run.sh, run.mjs or run.py), and there is no execution.executor'],
  ] as const) {
    const { error } = await shop.call('skills.run', { name });
    expect(error).toMatchObject({ exitCode, message: `skill: ${problem}`, ...(exitCode === 127 ? { fix: 'cleo skill list' } : {}) });
    expect((await shop.call('skills.run', { name, dryRun: true })).run).toMatchObject({
      ...{ status: 'not_ready', executions: [{ exitCode, class: 'config', warnings: [{ message: problem }] }] },
    });
  }
});

test('splits a quoted command into words', async () => {
  const shop = await openSkillProject();
  shop.writeFile('skills/it/SKILL.md', '---\nname: it\ndescription: x\nmetadata:\n  run: sh say.sh "one word" two\'s three\n---\n');
  shop.writeFile('skills/it/say.sh', 'printf "%s|" "$@"');
  expect((await shop.call('skills.run', { name: 'it' })).primary).toBe("one word|two's|three|");
});

test('expands paths with the variables of the construct', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct('execution: {phases: [p]}\nskills: [{name: it, phase: p}]\n');
  shop.writeSkill('it', 'mkdir -p demo; echo x > demo/made.md');
  expect((await shop.call('skills.run', { name: 'it', outputs: ['{project}/made.md'] })).run.executions).toMatchObject([
    { artifacts: ['demo/made.md'] },
  ]);
});

test('passes --input to the skill and refuses anything but an object', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('it', 'cat');
  const input = JSON.parse('{"prototype": 1, "constructor": {"a": [2]}, "__proto__": 3}');
  expect(JSON.stringify((await shop.call('skills.run', { name: 'it', input })).primary.inputs)).toBe(JSON.stringify(input));
  expect((await shop.call('skills.run', { name: 'it', input: [1] })).error).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining('must be a JSON object, received a list'),
  });
  const deep = JSON.parse(`{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`);
  expect((await shop.call('skills.run', { name: 'it', input: deep })).error).toMatchObject({
    exitCode: 64,
    message: expect.stringContaining('must not be nested deeper than 200'),
  });
});

test('lists the run in the receipt; a dry run writes nothing', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('it', 'touch ran');
  const dry = await shop.call('skills.run', { name: 'it', dryRun: true });
  expect([dry.run.status, dry.data.dryRun]).toEqual(['ready', true]);
  expect(() => shop.readEvents()).toThrow();
  const { run, data } = await shop.call('skills.run', { name: 'it' });
  expect(data).toEqual({ created: [run.id] });
});
