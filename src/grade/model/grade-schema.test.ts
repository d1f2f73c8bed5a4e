import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { table } from '../../../test/grade-table.ts';
import { logOf, names } from '../../../test/graded-log.ts';
import { complaints } from '../../../test/json-schema.ts';
import { gradeEnd, gradeStart, gradeStep, letterOf, percentOf } from '../rules/grade.ts';
import type { GradeResult } from './grade.ts';
import { gradeSchemaText } from './grade-schema.ts';

const published = JSON.parse(readFileSync(new URL('../../../schemas/grade.schema.json', import.meta.url), 'utf8'));

const results = table.map(([, log]): GradeResult => {
  const state = gradeStart(names);
  for (const entry of logOf(log)) gradeStep(state, entry);
  return gradeEnd(state, { sessionId: 'session-1', taskId: 'T001', timestamp: '2026-01-01T00:00:00.000Z' }).result;
});

test('the published schema is the one that follows from the model', async () => {
  await expect(gradeSchemaText()).toMatchFileSnapshot('../../../schemas/grade.schema.json');
});

test('every grade of the table complies with it, as a line and as an answer', () => {
  for (const result of results) {
    const percent = percentOf(result);
    expect(complaints(published, result)).toEqual([]);
    expect(complaints(published, { ...result, percent, letter: letterOf(percent) })).toEqual([]);
  }
});

test('what is no grade does not', () => {
  const [result] = results as [GradeResult];
  const { flags: _, ...without } = result;
  for (const wrong of [
    without,
    { ...result, totalScore: 101 },
    { ...result, totalScore: '85' },
    { ...result, maxScore: 120 },
    { ...result, extra: true },
    { ...result, taskId: 'one' },
    { ...result, letter: 'E' },
    { ...result, evaluator: 'me' },
    { ...result, flags: [1] },
    { ...result, dimensions: { ...result.dimensions, taskHygiene: { score: 21, max: 20, evidence: [] } } },
    { ...result, dimensions: {} },
    [],
  ])
    expect(complaints(published, wrong)).not.toEqual([]);
});
