import { expect, test } from 'vitest';
import type { PlanState, PlanValue } from '../../model/plan.ts';
import { needsPerson, readDecision, withoutDecision } from './decided.ts';

const create = (type: string, content: string, state?: string, more: { [key: string]: PlanValue } = {}): PlanState => ({
  kind: 'memory',
  uid: 'u1',
  id: 'D-001',
  fields: { type, title: content, content, digest: content, ...(state ? { decision: { state, ...more } } : {}) },
  sets: { tags: [{ key: 'new', value: true }] },
  updatedAt: '2026-01-01T00:00:00.000Z',
});

test.each<[string, PlanState, PlanState | undefined, boolean]>([
  ['a new proposal', create('decision', 'a', 'proposed'), undefined, false],
  ['a new decision that is accepted', create('decision', 'a', 'accepted'), undefined, true],
  ['an acceptance', create('decision', 'a', 'accepted'), create('decision', 'a', 'proposed'), true],
  ['a rejection', create('decision', 'a', 'rejected'), create('decision', 'a', 'accepted'), true],
  ['a decision that is taken back', create('decision', 'a', 'proposed'), create('decision', 'a', 'accepted'), true],
  [
    'another author of a decision',
    create('decision', 'a', 'accepted', { by: 'eve' }),
    create('decision', 'a', 'accepted', { by: 'sam' }),
    true,
  ],
  ['another text of an accepted decision', create('decision', 'b', 'accepted'), create('decision', 'a', 'accepted'), true],
  ['another text of a proposal', create('decision', 'b'), create('decision', 'a', 'proposed'), false],
  ['an accepted learning that becomes a decision', create('decision', 'a', 'accepted'), create('learning', 'a', 'accepted'), true],
  ['a decision that becomes a learning', create('learning', 'a', 'accepted'), create('decision', 'a', 'accepted'), true],
  ['a learning', create('learning', 'a', 'accepted'), create('learning', 'a', 'proposed'), false],
  ['other fields of a decision', { ...create('decision', 'a', 'accepted'), sets: {} }, create('decision', 'a', 'accepted'), false],
])('%s needs a person: %#', (_, state, before, expected) => {
  expect(needsPerson(state, before)).toBe(expected);
});

test('without the decision a state has what the store has, or is proposed, and keeps the rest', () => {
  const forged = create('decision', 'b', 'accepted', { by: 'eve' });
  expect(readDecision(withoutDecision(forged, undefined))).toEqual({ state: 'proposed' });
  const before = create('decision', 'a', 'rejected', { by: 'sam' });
  expect(withoutDecision(forged, before)).toEqual({ ...before, sets: forged.sets });
});
