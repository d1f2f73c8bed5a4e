import { expect, test } from 'vitest';
import type { Gate } from '#core/model/scalars.ts';
import type { Attempt, Evidence } from '../model/verification.ts';
import {
  afterEvidence,
  afterFailure,
  afterReopening,
  checkGateOrder,
  checkIndependent,
  checkVerifiable,
  heldGates,
  missingGates,
  nextGate,
  withGates,
} from './gates.ts';

const attempt = (text: string): Attempt => {
  const [gate = '', how = 'passed', by = 'ada'] = text.split(' ');
  const evidence: Evidence[] =
    how === 'rejected'
      ? [{ kind: 'verdict', verdict: 'rejected' }]
      : how === 'reopened'
        ? [{ kind: 'reopened' }]
        : [{ kind: 'note', text: 'x' }];
  return { gate: gate as Gate, round: 1, passed: how === 'passed', evidence, by, at: '2026-01-01T00:00:00.000Z' };
};
const held = (...attempts: string[]) => heldGates(attempts.map(attempt));

test.each<[string, string[], string]>([
  ['nothing yet', [], ''],
  ['in order', ['implemented', 'testsPassed', 'qaPassed'], 'implemented testsPassed qaPassed'],
  ['a failure takes its gate and those after it', ['implemented', 'testsPassed', 'qaPassed', 'testsPassed failed'], 'implemented'],
  ['a failure that comes first takes nothing', ['implemented failed'], ''],
  ['a failure leaves those before', ['implemented', 'testsPassed failed'], 'implemented'],
  ['evidence anew takes those after it', ['implemented', 'testsPassed', 'implemented'], 'implemented'],
  ['a rejection takes all', ['implemented', 'testsPassed', 'qaPassed rejected'], ''],
  ['and after it all begins anew', ['implemented', 'testsPassed', 'qaPassed rejected', 'implemented'], 'implemented'],
  ['so does a task that is reopened', ['implemented', 'testsPassed', 'qaPassed', 'implemented reopened'], ''],
])('gates that hold: %s', (_, attempts, expected) => {
  expect([...held(...attempts).keys()].join(' ')).toBe(expected);
});

test('the next gate is the first that holds nothing', () => {
  expect(nextGate(held())).toBe('implemented');
  expect(nextGate(held('implemented'))).toBe('testsPassed');
  expect(nextGate(held('implemented', 'testsPassed', 'qaPassed'))).toBeUndefined();
});

test('where criteria are bound to gates, the last of them is the last to come', () => {
  const bound = (gate: Gate) => [
    { kind: 'text' as const, text: 'one' },
    { kind: 'evidence_bound' as const, gate },
  ];
  expect(nextGate(held(), bound('testsPassed'))).toBe('implemented');
  expect(nextGate(held('implemented'), bound('testsPassed'))).toBe('testsPassed');
  expect(nextGate(held('implemented'), bound('implemented'))).toBeUndefined();
  expect(nextGate(held('implemented'), bound('implemented'), true)).toBe('testsPassed');
});

test('what closes a round and what does not', () => {
  const verdict = { verdict: 'attested' as const, by: 'bob', at: 'x' };
  expect(afterFailure({ round: 3, failed: 2, verdict })).toEqual({ round: 4, failed: 3 });
  expect(afterEvidence({ round: 3, failed: 2, verdict })).toEqual({ round: 3, failed: 2 });
  expect(afterReopening({ round: 3, failed: 2, verdict })).toEqual({ round: 4, failed: 0 });
});

test('a gate is passed after those before it', () => {
  expect(() => checkGateOrder('T001', held(), 'implemented')).not.toThrow();
  expect(() => checkGateOrder('T001', held('implemented'), 'qaPassed')).toThrow(
    expect.objectContaining({ exitCode: 45, details: { taskId: 'T001', missing: ['testsPassed'] } }),
  );
});

test('what takes no evidence', () => {
  for (const status of ['pending', 'active'] as const) expect(() => checkVerifiable({ id: 'T001', status }, [])).not.toThrow();
  expect(() => checkVerifiable({ id: 'T001', status: 'done' }, [])).toThrow(expect.objectContaining({ exitCode: 46 }));
  expect(() => checkVerifiable({ id: 'T001', status: 'blocked' }, [])).toThrow(expect.objectContaining({ exitCode: 40 }));
  expect(() => checkVerifiable({ id: 'T001', status: 'active' }, ['T002'])).toThrow(expect.objectContaining({ exitCode: 40 }));
});

test('whoever did the work does not judge it', () => {
  expect(() => checkIndependent('T001', ['ada'], 'bob', 'carol')).not.toThrow();
  expect(() => checkIndependent('T001', ['ada', 'bob'], 'carol', 'bob')).toThrow(
    expect.objectContaining({ exitCode: 82, details: { taskId: 'T001', agent: 'bob' } }),
  );
});

test('completion needs the gates that criteria name, or all', () => {
  const acceptance = [
    { kind: 'evidence_bound' as const, gate: 'testsPassed' as const },
    { kind: 'text' as const, text: 'x' },
  ];
  expect(missingGates(acceptance, held('implemented'), false)).toEqual(['testsPassed']);
  expect(missingGates(acceptance, held('implemented', 'testsPassed'), false)).toEqual([]);
  expect(missingGates([], held('implemented'), true)).toEqual(['testsPassed', 'qaPassed']);
});

test('criteria follow the gates that hold, and no others', () => {
  const text = { kind: 'text' as const, text: 'x', metAt: 'then' };
  const bound = { kind: 'evidence_bound' as const, gate: 'implemented' as const };
  expect(withGates([text, bound], held('implemented'))).toEqual([text, { ...bound, metAt: '2026-01-01T00:00:00.000Z', metBy: 'ada' }]);
  expect(withGates([{ ...bound, metAt: 'then', metBy: 'ada' }], held())).toEqual([bound]);
});
