import { expect, test } from 'vitest';
import type { StoredCriterion } from '../model/task.ts';
import { replaceCriteria, unmetTexts } from './criteria.ts';

const ticked: StoredCriterion = { kind: 'text', text: 'parses', metAt: 'x', metBy: 'ada' };
const open: StoredCriterion = { kind: 'text', text: 'rejects' };
const bound: StoredCriterion = { kind: 'evidence_bound', gate: 'testsPassed' };
const text = (words: string): StoredCriterion => ({ kind: 'text', text: words });

test('what is not met is named by its place in the list', () => {
  expect(unmetTexts([ticked, bound, open])).toEqual([{ n: 3, text: 'rejects' }]);
});

test.each<[string, StoredCriterion[] | undefined, 'qaPassed'[] | undefined, StoredCriterion[]]>([
  ['a text that stays keeps its tick, and gates stay', [text('parses'), text('new')], undefined, [ticked, text('new'), bound]],
  ['new gates leave the texts', undefined, ['qaPassed'], [ticked, open, { kind: 'evidence_bound', gate: 'qaPassed' }]],
  ['no texts leave only gates', [], undefined, [bound]],
])('%s', (_, texts, gates, expected) => {
  expect(replaceCriteria([ticked, open, bound], texts, gates)).toEqual(expected);
});
