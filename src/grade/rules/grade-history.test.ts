import { expect, test } from 'vitest';
import { logOf, names } from '../../../test/graded-log.ts';
import type { GradeResult } from '../model/grade.ts';
import { gradeEnd, gradeStart, gradeStep } from './grade.ts';
import { gradesIn, isSameJudgement, trendsOf } from './grade-history.ts';

function grade(sessionId: string, lines: string[] = []): GradeResult {
  const state = gradeStart(names);
  for (const entry of logOf(lines)) gradeStep(state, entry);
  return gradeEnd(state, { sessionId, timestamp: '2026-01-01T00:00:00.000Z' }).result;
}
const [one, two] = [grade('s1', ['admin.help']), grade('s2', ['tasks.list'])];
const lines = (...items: unknown[]): string => items.map((item) => `${typeof item === 'string' ? item : JSON.stringify(item)}\n`).join('');

test.each<[why: string, text: string, grades: GradeResult[], strange: number]>([
  ['no file', '', [], 0],
  ['lines in their order', lines(one, two), [one, two], 0],
  ['blank lines are nothing', lines(one, '', '  ', two), [one, two], 0],
  ['a line cut short in the middle and one at the end', `${lines(one, '{"sess', two)}{"sessionId":"s1"`, [one, two], 2],
  ['a last line without its end is one', lines(one).trim(), [one], 0],
  ['what is JSON and no grade', lines('null', '[]', '{"sessionId":"s1"}', { ...one, totalScore: 'many' }, one), [one], 4],
  ['a line that says more', lines({ ...one, percent: 40, mood: 'good' }), [one], 0],
])('%s', (_, text, grades, strange) => {
  expect(gradesIn(text)).toEqual({ grades, strange });
});

test('grades are the same judgement when they differ in moment and task only', () => {
  expect(isSameJudgement(one, { ...one, timestamp: 'later', taskId: 'T001' })).toBe(true);
  for (const other of [
    { ...one, totalScore: 99 },
    { ...one, flags: [] },
    { ...one, entryCount: 2 },
    { ...one, sessionId: 's2' },
    { ...one, dimensions: { ...one.dimensions, errorProtocol: { score: 20, max: 20 as const, evidence: [] } } },
  ])
    expect(isSameJudgement(one, other)).toBe(false);
});

test('a trend has each session once, with its newest grade; who was heard of last stands first', () => {
  const agents: Record<string, string> = { s1: 'ada', s2: 'ada', s3: 'ben' };
  const of = (sessionId: string) => agents[sessionId]!;
  const at = (sessionId: string, totalScore: number): GradeResult => ({ ...grade(sessionId), totalScore });
  expect(trendsOf([], of)).toEqual([]);
  expect(trendsOf([at('s1', 40), at('s3', 90), at('s2', 75), at('s1', 60)], of)).toEqual([
    { agent: 'ada', sessions: 2, average: 68, last: 75, scores: [60, 75] },
    { agent: 'ben', sessions: 1, average: 90, last: 90, scores: [90] },
  ]);
  const many = trendsOf(
    Array.from({ length: 100 }, (_, i) => at(`s${i}`, i)),
    () => 'ada',
  );
  expect(many).toMatchObject([{ sessions: 100, last: 99, scores: { length: 40, 0: 60 } }]);
});
