import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operationNames, parseLog } from '../../../test/grade-log.ts';
import { gradeTable } from '../../../test/grade-table.ts';
import { findViolations } from '../../../test/json-schema.ts';
import { addLogEntry, finishGrading, getGradePercent, startGrading, toLetter } from '../rules/grade.ts';
import type { GradeResult } from './grade.ts';
import { formatGradeSchema } from './grade-schema.ts';

const published = JSON.parse(readFileSync(new URL('../../../schemas/grade.schema.json', import.meta.url), 'utf8'));

const results = gradeTable.map(([, log]): GradeResult => {
  const state = startGrading(operationNames);
  for (const entry of parseLog(log)) addLogEntry(state, entry);
  return finishGrading(state, { sessionId: 'session-1', taskId: 'T001', timestamp: '2026-01-01T00:00:00.000Z' }).result;
});

test('the published schema matches the model', async () => {
  await expect(formatGradeSchema()).toMatchFileSnapshot('../../../schemas/grade.schema.json');
});

test('accepts every grade of the table, stored or returned', () => {
  for (const result of results) {
    const percent = getGradePercent(result);
    expect(findViolations(published, result)).toEqual([]);
    expect(findViolations(published, { ...result, percent, letter: toLetter(percent) })).toEqual([]);
  }
});

test('rejects invalid grades', () => {
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
    expect(findViolations(published, wrong)).not.toEqual([]);
});
