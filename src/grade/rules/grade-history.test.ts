import { expect, test } from 'vitest';
import { operationNames, parseLog } from '../../../test/grade-log.ts';
import type { GradeResult } from '../model/grade.ts';
import { addLogEntry, finishGrading, startGrading } from './grade.ts';
import { computeTrends, isSameGrade, parseGrades } from './grade-history.ts';

function grade(sessionId: string, lines: string[] = []): GradeResult {
  const state = startGrading(operationNames);
  for (const entry of parseLog(lines)) addLogEntry(state, entry);
  return finishGrading(state, { sessionId, timestamp: '2026-01-01T00:00:00.000Z' }).result;
}
const [one, two] = [grade('s1', ['admin.help']), grade('s2', ['tasks.list'])];
const lines = (...items: unknown[]): string => items.map((item) => `${typeof item === 'string' ? item : JSON.stringify(item)}\n`).join('');

test.each<[why: string, text: string, grades: GradeResult[], invalidLines: number]>([
  ['no file', '', [], 0],
  ['lines in their order', lines(one, two), [one, two], 0],
  ['blank lines are skipped', lines(one, '', '  ', two), [one, two], 0],
  ['lines that are cut short', `${lines(one, '{"sess', two)}{"sessionId":"s1"`, [one, two], 2],
  ['a last line without a line break', lines(one).trim(), [one], 0],
  ['JSON that is not a grade', lines('null', '[]', '{"sessionId":"s1"}', { ...one, totalScore: 'many' }, one), [one], 4],
  ['a line with unknown keys', lines({ ...one, percent: 40, mood: 'good' }), [one], 0],
])('%s', (_, text, grades, invalidLines) => {
  expect(parseGrades(text)).toEqual({ grades, invalidLines });
});

test('grades that differ in timestamp and task only are the same', () => {
  expect(isSameGrade(one, { ...one, timestamp: 'later', taskId: 'T001' })).toBe(true);
  for (const other of [
    { ...one, totalScore: 99 },
    { ...one, flags: [] },
    { ...one, entryCount: 2 },
    { ...one, sessionId: 's2' },
    { ...one, dimensions: { ...one.dimensions, errorProtocol: { score: 20, max: 20 as const, evidence: [] } } },
  ])
    expect(isSameGrade(one, other)).toBe(false);
});

test('a trend counts each session once with its newest grade, and the agent graded last comes first', () => {
  const agents: Record<string, string> = { s1: 'ada', s2: 'ada', s3: 'ben' };
  const of = (sessionId: string) => agents[sessionId]!;
  const at = (sessionId: string, totalScore: number): GradeResult => ({ ...grade(sessionId), totalScore });
  expect(computeTrends([], of)).toEqual([]);
  expect(computeTrends([at('s1', 40), at('s3', 90), at('s2', 75), at('s1', 60)], of)).toEqual([
    { agent: 'ada', sessions: 2, average: 68, last: 75, scores: [60, 75] },
    { agent: 'ben', sessions: 1, average: 90, last: 90, scores: [90] },
  ]);
  const many = computeTrends(
    Array.from({ length: 100 }, (_, i) => at(`s${i}`, i)),
    () => 'ada',
  );
  expect(many).toMatchObject([{ sessions: 100, last: 99, scores: { length: 40, 0: 60 } }]);
});
