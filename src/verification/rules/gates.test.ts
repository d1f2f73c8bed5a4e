import { expect, test } from 'vitest';
import type { GateName } from '#core/model/scalars.ts';
import type { GateAttempt, GateEvidence } from '../model/verification.ts';
import {
  checkGateOrder,
  checkIndependent,
  checkVerifiable,
  clearVerdict,
  failRound,
  findHeldGates,
  findMissingGates,
  findNextGate,
  resetRounds,
  updateBoundCriteria,
} from './gates.ts';

const attempt = (text: string): GateAttempt => {
  const [gate = '', how = 'passed', by = 'ada'] = text.split(' ');
  const evidence: GateEvidence[] =
    how === 'rejected'
      ? [{ kind: 'verdict', verdict: 'rejected' }]
      : how === 'reopened'
        ? [{ kind: 'reopened' }]
        : how === 'claimed'
          ? [{ kind: 'claimed', text: 'x', problem: 'y' }]
          : [{ kind: 'note', text: 'x' }];
  return { gate: gate as GateName, round: 1, passed: how === 'passed', evidence, by, at: '2026-01-01T00:00:00.000Z' };
};
const held = (...attempts: string[]) => findHeldGates(attempts.map(attempt));

test.each<[string, string[], string]>([
  ['no attempts', [], ''],
  ['in order', ['implemented', 'testsPassed', 'qaPassed'], 'implemented testsPassed qaPassed'],
  ['a failure clears its gate and the later ones', ['implemented', 'testsPassed', 'qaPassed', 'testsPassed failed'], 'implemented'],
  ['a failure of the first gate', ['implemented failed'], ''],
  ['a failure keeps the earlier gates', ['implemented', 'testsPassed failed'], 'implemented'],
  ['new evidence clears the later gates', ['implemented', 'testsPassed', 'implemented'], 'implemented'],
  ['a rejection clears all gates', ['implemented', 'testsPassed', 'qaPassed rejected'], ''],
  ['evidence after a rejection counts', ['implemented', 'testsPassed', 'qaPassed rejected', 'implemented'], 'implemented'],
  ['a statement changes nothing', ['implemented', 'testsPassed', 'implemented claimed'], 'implemented testsPassed'],
  ['reopening the task clears all gates', ['implemented', 'testsPassed', 'qaPassed', 'implemented reopened'], ''],
])('held gates: %s', (_, attempts, expected) => {
  expect([...held(...attempts).keys()].join(' ')).toBe(expected);
});

test('the next gate is the first without evidence', () => {
  expect(findNextGate(held())).toBe('implemented');
  expect(findNextGate(held('implemented'))).toBe('testsPassed');
  expect(findNextGate(held('implemented', 'testsPassed', 'qaPassed'))).toBeUndefined();
});

test('the last gate that criteria are bound to is the last one required', () => {
  const bound = (gate: GateName) => [
    { kind: 'text' as const, text: 'one' },
    { kind: 'evidence_bound' as const, gate },
  ];
  expect(findNextGate(held(), bound('testsPassed'))).toBe('implemented');
  expect(findNextGate(held('implemented'), bound('testsPassed'))).toBe('testsPassed');
  expect(findNextGate(held('implemented'), bound('implemented'))).toBeUndefined();
  expect(findNextGate(held('implemented'), bound('implemented'), true)).toBe('testsPassed');
});

test('a failure and a reopened task start the next round, evidence does not', () => {
  const verdict = { verdict: 'attested' as const, by: 'bob', at: 'x' };
  expect(failRound({ round: 3, failed: 2, verdict })).toEqual({ round: 4, failed: 3 });
  expect(clearVerdict({ round: 3, failed: 2, verdict })).toEqual({ round: 3, failed: 2 });
  expect(resetRounds({ round: 3, failed: 2, verdict })).toEqual({ round: 4, failed: 0 });
});

test('throws on a gate before the earlier ones are passed', () => {
  expect(() => checkGateOrder('T001', held(), 'implemented')).not.toThrow();
  expect(() => checkGateOrder('T001', held('implemented'), 'qaPassed')).toThrow(
    expect.objectContaining({ exitCode: 45, details: { taskId: 'T001', missing: ['testsPassed'] } }),
  );
});

test('done and blocked tasks and tasks with open children take no evidence', () => {
  for (const status of ['pending', 'active'] as const) expect(() => checkVerifiable({ id: 'T001', status }, [])).not.toThrow();
  expect(() => checkVerifiable({ id: 'T001', status: 'done' }, [])).toThrow(expect.objectContaining({ exitCode: 46 }));
  expect(() => checkVerifiable({ id: 'T001', status: 'blocked' }, [])).toThrow(expect.objectContaining({ exitCode: 40 }));
  expect(() => checkVerifiable({ id: 'T001', status: 'active' }, ['T002'])).toThrow(expect.objectContaining({ exitCode: 40 }));
});

test('the agent that did the work cannot judge it', () => {
  expect(() => checkIndependent('T001', ['ada'], 'bob', 'carol')).not.toThrow();
  expect(() => checkIndependent('T001', ['ada', 'bob'], 'carol', 'bob')).toThrow(
    expect.objectContaining({ exitCode: 82, details: { taskId: 'T001', agent: 'bob' } }),
  );
});

test('completion needs the gates of the criteria, or all gates', () => {
  const acceptance = [
    { kind: 'evidence_bound' as const, gate: 'testsPassed' as const },
    { kind: 'text' as const, text: 'x' },
  ];
  expect(findMissingGates(acceptance, held('implemented'), false)).toEqual(['testsPassed']);
  expect(findMissingGates(acceptance, held('implemented', 'testsPassed'), false)).toEqual([]);
  expect(findMissingGates([], held('implemented'), true)).toEqual(['testsPassed', 'qaPassed']);
});

test('criteria bound to held gates are met, others are not', () => {
  const text = { kind: 'text' as const, text: 'x', metAt: 'then' };
  const bound = { kind: 'evidence_bound' as const, gate: 'implemented' as const };
  expect(updateBoundCriteria([text, bound], held('implemented'))).toEqual([
    text,
    { ...bound, metAt: '2026-01-01T00:00:00.000Z', metBy: 'ada' },
  ]);
  expect(updateBoundCriteria([{ ...bound, metAt: 'then', metBy: 'ada' }], held())).toEqual([bound]);
});
