import { expect, test } from 'vitest';
import {
  explainExit,
  explainRunnerExit,
  findClassByName,
  isOptionalAndAbsent,
  isReservedExitCode,
  resolveSkillCommand,
  type SkillLocation,
} from './skill-contract.ts';

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

const all = Array.from({ length: 256 }, (_, code) => code);

test.each<[string, number[], string, string]>([
  ['success', [0], 'success', 'success'],
  ['soft', [1], 'soft', 'failure'],
  ['soft, partial result', [3], 'soft', 'partial'],
  ['partial', [4], 'partial', 'partial'],
  ['permanent', [2], 'permanent', 'failure'],
  ['precondition', [64, 65, 66, 67, 68, 72, 73, 77, 78], 'precondition', 'failure'],
  ['temporary', [69, 71, 74, 75, 76], 'temporary', 'failure'],
  ['internal', [70], 'internal', 'failure'],
  ['blocked', [80, 82], 'blocked', 'blocked'],
  ['timeout', [81], 'timeout', 'timeout'],
  ['escalate', [83], 'escalate', 'blocked'],
  ['validation', [84], 'validation', 'failure'],
  ['config', [126, 127], 'config', 'failure'],
  ['signal', all.slice(129, 193), 'signal', 'failure'],
  ['unknown', [...all.slice(5, 64), 79, ...all.slice(85, 126), 128, ...all.slice(193)], 'unknown', 'failure'],
])('%s', (_, codes, exitClass, status) => {
  for (const code of codes) expect(explainExit(code)).toMatchObject({ code, class: exitClass, status });
});

test('reserves codes 100 to 125 for frameworks', () => {
  expect(all.filter(isReservedExitCode)).toEqual(all.slice(100, 126));
});

test('a standard name implies its class, another name does not; the last override wins', () => {
  expect(explainExit(2, { 2: { name: 'blocked' } })).toMatchObject({
    name: 'blocked',
    class: 'blocked',
    status: 'blocked',
    action: 'wait_or_escalate',
  });
  expect(explainExit(80, { 80: { name: 'waiting_for_human' } })).toMatchObject({ name: 'waiting_for_human', class: 'blocked' });
  expect(explainExit(9, { 9: { name: 'a' } }, { 9: { name: 'b', class: 'temporary' } })).toMatchObject({ name: 'b', class: 'temporary' });
  expect(explainExit(9, { 9: { name: 'a' } }, {})).toMatchObject({ name: 'a', class: 'unknown' });
  expect([findClassByName('temp_fail'), findClassByName('custom')]).toEqual(['temporary', undefined]);
  expect(explainExit(137).name).toBe('signal_9');
  expect(explainExit(1, { 1: { name: 'incomplete' } })).toMatchObject({ class: 'soft', status: 'partial' });
  expect(explainExit(3, { 3: { name: 'general_failure' } })).toMatchObject({ class: 'soft', status: 'failure' });
  expect(explainExit(2, { 2: { name: 'blocked', class: 'soft' } })).toMatchObject({ class: 'soft', status: 'failure' });
  expect(explainExit(1, { 1: { name: 'nothing_found', class: 'success' } })).toMatchObject({ class: 'success', status: 'success' });
});

test('an execution that the runner stopped never succeeds', () => {
  expect(explainRunnerExit(84, { 84: { name: 'success' } })).toMatchObject({ class: 'validation', name: 'validation_failed' });
  expect(explainRunnerExit(80, { 80: { name: 'waiting_for_human' } })).toMatchObject({ class: 'blocked', name: 'waiting_for_human' });
});

test('each class has an action', () => {
  const actions = [0, 1, 4, 2, 64, 69, 70, 80, 81, 83, 84, 126, 137, 5, 100].map((code) => explainExit(code).action);
  expect(actions).toEqual([
    ...['proceed', 'retry', 'review_output', 'fix_invocation', 'fix_inputs', 'retry_later', 'alert_maintainer', 'wait_or_escalate'],
    ...['raise_limit', 'review', 'review_output', 'alert_maintainer', 'investigate', 'investigate', 'investigate'],
  ]);
});
