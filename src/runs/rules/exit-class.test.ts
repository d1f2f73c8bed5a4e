import { expect, test } from 'vitest';
import { explainExit, explainRunnerExit, findClassByName, isReservedExitCode } from './exit-class.ts';

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
