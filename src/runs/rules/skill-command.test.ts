import { expect, test } from 'vitest';
import { isAbsent, type SkillPlace, skillCommand } from './skill-command.ts';

const executor = ['agent', '--skill'];

test.each<[string, { path?: string; run?: string[] }, SkillPlace, string[] | undefined, unknown]>([
  ['what the manifest says', { run: ['make'] }, { folder: 'skills/it', command: ['skills/it/run'] }, executor, { argv: ['make'] }],
  ['its own program', {}, { folder: 'skills/it', command: ['skills/it/run'] }, executor, { argv: ['skills/it/run'] }],
  ['what runs texts', {}, { folder: 'skills/it', locked: 'skills/it/run' }, executor, { argv: executor }],
  ['nothing', {}, { folder: 'skills/it' }, undefined, { code: 126, problem: expect.stringContaining('skills/it has nothing to run') }],
  [
    'nothing that may be run',
    {},
    { folder: 'skills/it', locked: 'skills/it/run.sh' },
    undefined,
    { problem: expect.stringContaining('chmod +x') },
  ],
  ['no skill', {}, {}, executor, { code: 127, problem: expect.stringContaining('.claude/skills') }],
  [
    'no skill where it is said to be',
    { path: 'lib/it' },
    {},
    executor,
    { code: 127, problem: expect.stringContaining('(looked in lib/it)') },
  ],
])('a skill is run by %s', (_, spec, found, otherwise, expected) => {
  expect(skillCommand({ name: 'it', ...spec }, found, otherwise)).toMatchObject(expected as object);
});

test('only what need not be there may be absent', () => {
  expect([isAbsent({ required: false }, {}), isAbsent({ required: true }, {})]).toEqual([true, false]);
  expect([isAbsent({ required: false, run: ['make'] }, {}), isAbsent({ required: false }, { folder: 'skills/it' })]).toEqual([
    false,
    false,
  ]);
});
