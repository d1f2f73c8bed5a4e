import { expect, test } from 'vitest';
import { formatPlanRecord } from './plan-record.ts';

test('writes the same text for the same record, with one field per line', () => {
  const text = formatPlanRecord({ b: [2, { d: 1, c: null }], a: 'x' });
  expect(text).toBe('{\n  "a": "x",\n  "b": [\n    2,\n    {\n      "c": null,\n      "d": 1\n    }\n  ]\n}\n');
  expect(formatPlanRecord({ a: 'x', b: [2, { c: null, d: 1 }] })).toBe(text);
});
