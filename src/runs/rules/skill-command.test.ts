import { expect, test } from 'vitest';
import { isOptionalAndAbsent, resolveSkillCommand, type SkillLocation } from './skill-command.ts';

const executor = ['agent', '--skill'];

test.each<[string, { path?: string; run?: string[] }, SkillLocation, string[] | undefined, unknown]>([
  ['run of the manifest', { run: ['make'] }, { folder: 'skills/it', command: ['skills/it/run'] }, executor, { argv: ['make'] }],
  ['its own program', {}, { folder: 'skills/it', command: ['skills/it/run'] }, executor, { argv: ['skills/it/run'] }],
  ['the executor', {}, { folder: 'skills/it', nonExecutable: 'skills/it/run' }, executor, { argv: executor }],
  [
    'nothing, without a program and an executor',
    {},
    { folder: 'skills/it' },
    undefined,
    { code: 126, problem: expect.stringContaining('skills/it has nothing to run') },
  ],
  [
    'nothing, if its program is not executable',
    {},
    { folder: 'skills/it', nonExecutable: 'skills/it/run.sh' },
    undefined,
    { problem: expect.stringContaining('chmod +x') },
  ],
  ['nothing, if it does not exist', {}, {}, executor, { code: 127, problem: expect.stringContaining('.claude/skills') }],
  [
    'nothing, if it is not at its path',
    { path: 'lib/it' },
    {},
    executor,
    { code: 127, problem: expect.stringContaining('(looked in lib/it)') },
  ],
])('a skill is run by %s', (_, spec, found, otherwise, expected) => {
  expect(resolveSkillCommand({ name: 'it', ...spec }, found, otherwise)).toMatchObject(expected as object);
});

test('only an optional skill without a command may be absent', () => {
  expect([isOptionalAndAbsent({ required: false }, {}), isOptionalAndAbsent({ required: true }, {})]).toEqual([true, false]);
  expect([
    isOptionalAndAbsent({ required: false, run: ['make'] }, {}),
    isOptionalAndAbsent({ required: false }, { folder: 'skills/it' }),
  ]).toEqual([false, false]);
});
