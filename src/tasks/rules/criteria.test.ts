import { expect, test } from 'vitest';
import type { StoredCriterion } from '../model/task.ts';
import { listUnmetTexts, replaceCriteria } from './criteria.ts';

const ticked: StoredCriterion = { kind: 'text', text: 'parses', metAt: 'x', metBy: 'ada' };
const open: StoredCriterion = { kind: 'text', text: 'rejects' };
const bound: StoredCriterion = { kind: 'evidence_bound', gate: 'testsPassed' };
const text = (words: string): StoredCriterion => ({ kind: 'text', text: words });

test('numbers unmet criteria by their position', () => {
  expect(listUnmetTexts([ticked, bound, open])).toEqual([{ n: 3, text: 'rejects' }]);
});

test.each<[string, StoredCriterion[] | undefined, 'qaPassed'[] | undefined, StoredCriterion[]]>([
  ['keeps gates and the ticks of remaining texts', [text('parses'), text('new')], undefined, [ticked, text('new'), bound]],
  ['replaces gates only', undefined, ['qaPassed'], [ticked, open, { kind: 'evidence_bound', gate: 'qaPassed' }]],
  ['removes all texts', [], undefined, [bound]],
])('%s', (_, texts, gates, expected) => {
  expect(replaceCriteria([ticked, open, bound], texts, gates)).toEqual(expected);
});
