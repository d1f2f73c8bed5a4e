import { describe, expect, test } from 'vitest';
import { type LogLine, operationNames, parseLog } from '../../../test/grade-log.ts';
import { end, goodLog, gradeTable, start } from '../../../test/grade-table.ts';
import { rubricTexts } from '../../../test/rubric-texts.ts';
import { addLogEntry, finishGrading, getGradePercent, startGrading, toLetter } from './grade.ts';

const about = { sessionId: 'session-1', timestamp: '2026-01-02T00:00:00.000Z' };

function gradeLog(lines: LogLine[]) {
  const state = startGrading(operationNames);
  for (const entry of parseLog(lines)) addLogEntry(state, entry);
  return finishGrading(state, about).result;
}

const expand = (codes: string): string[] =>
  codes.split(' ').flatMap((code) => {
    const [name = '', value = ''] = code.split(':');
    return name ? [rubricTexts[name]!.replace('#', value)] : [];
  });
const used = new Set<string>();

describe('the rubric', () => {
  test.each(gradeTable)('%s', (_, log, scores, evidence, flags) => {
    const result = gradeLog(log);
    const all = Object.values(result.dimensions);
    expect(all.map(({ score }) => score).join(' ')).toBe(scores);
    expect(all.flatMap((dimension) => dimension.evidence)).toEqual(expand(evidence));
    expect(result.flags).toEqual(expand(flags));
    expect(result.totalScore).toBe(all.reduce((sum, { score }) => sum + score, 0));
    for (const code of `${evidence} ${flags}`.split(' ')) used.add(code.split(':')[0]!);
  });

  test('the table has at least 60 logs and covers every string of the rubric', () => {
    expect(gradeTable.length).toBeGreaterThanOrEqual(60);
    expect(Object.keys(rubricTexts).filter((code) => !used.has(code))).toEqual([]);
  });
});

test('evidence is listed in its own dimension', () => {
  const { dimensions } = gradeLog([...goodLog, 'tasks.exists', 'tasks.add T002 d p=T001', 'tasks.show !4', 'tasks.find', end]);
  expect(dimensions).toEqual({
    sessionDiscipline: { score: 20, max: 20, evidence: expand('list+ end+') },
    discoveryEfficiency: { score: 20, max: 20, evidence: expand('ratio+:100 show+:2') },
    taskHygiene: { score: 20, max: 20, evidence: expand('parent+ adds+:1') },
    errorProtocol: { score: 20, max: 20, evidence: expand('found+ clean+') },
    disclosureUse: { score: 20, max: 20, evidence: expand('help+:1 mcp+:4') },
  });
});

test('the same log gives the same bytes', () => {
  for (const [, log] of gradeTable) expect(JSON.stringify(gradeLog(log))).toBe(JSON.stringify(gradeLog(log)));
});

test('counts every entry up to the last session end, except grading calls', () => {
  expect(gradeLog([start, 'session.list', 'tasks.next', end]).entryCount).toBe(4);
  expect(gradeLog([start, 'q:admin.grade', 'admin.grade.list', end, 'q:admin.grade', 'tasks.next']).entryCount).toBe(2);
  expect(gradeLog([]).entryCount).toBe(0);
});

test('the result has the session, its task if there is one, and the evaluator', () => {
  const state = startGrading(operationNames);
  expect(finishGrading(state, about).result).toMatchObject({ ...about, maxScore: 100, evaluator: 'auto' });
  expect(finishGrading(state, about).result).not.toHaveProperty('taskId');
  expect(finishGrading(state, { ...about, taskId: 'T001' }).result).toMatchObject({ taskId: 'T001' });
});

test.each([
  [100, 'A'],
  [90, 'A'],
  [89, 'B'],
  [75, 'B'],
  [74, 'C'],
  [60, 'C'],
  [59, 'D'],
  [45, 'D'],
  [44, 'F'],
  [0, 'F'],
])('%i points are %s', (totalScore, letter) => {
  expect(toLetter(getGradePercent({ totalScore, maxScore: 100 }))).toBe(letter);
});

describe('the losses', () => {
  const grade = (lines: LogLine[]) => {
    const state = startGrading(operationNames);
    for (const entry of parseLog(lines)) addLogEntry(state, entry);
    return finishGrading(state, about);
  };

  test('add up to the missing points of each dimension', () => {
    for (const [why, log] of gradeTable) {
      const { result, losses } = grade(log);
      for (const [name, { score }] of Object.entries(result.dimensions)) {
        const lost = losses.filter(({ dimension }) => dimension === name).reduce((sum, { points }) => sum + points, 0);
        expect(score + lost, `${why}: ${name}`).toBe(20);
      }
      expect(losses.every(({ points }) => points > 0)).toBe(true);
    }
  });

  test('have the text of their flag, entries of the log and a call', () => {
    for (const [, log] of gradeTable) {
      const { result, losses } = grade(log);
      const seqs = parseLog(log).map(({ seq }) => seq);
      for (const { reason, entries, remedy } of losses) {
        if (/^(No |session\.|tasks\.(list|add)|E_|Subtasks|\d)/.test(reason)) expect(result.flags).toContain(reason);
        expect(entries.every(({ seq }) => seqs.includes(seq))).toBe(true);
        expect(remedy.operation).toMatch(/^[a-z]+\.[a-z.-]+$/);
      }
    }
  });

  test.each<[LogLine[], string, object]>([
    [
      ['tasks.next', 'session.list'],
      'list',
      { points: 10, entries: [{ seq: 1, operation: 'tasks.next' }], remedy: { operation: 'session.list' } },
    ],
    [['tasks.find', 'admin.dash'], 'end', { points: 10, entries: [{ seq: 2 }], remedy: { operation: 'session.end' } }],
    [
      ['tasks.list', 'tasks.find', 'tasks.list'],
      'discovery',
      { points: 10, entries: [{ seq: 1 }, { seq: 3 }], remedy: { operation: 'tasks.find' } },
    ],
    [
      ['tasks.show !4 i=T142'],
      'lookup',
      { points: 5, entries: [{ seq: 1 }], remedy: { operation: 'tasks.exists', params: { taskId: 'T142' } } },
    ],
    [['tasks.show !4'], 'lookup', { remedy: { operation: 'tasks.find' } }],
    [['tasks.add T002 d p=T001'], 'parent', { points: 3, entries: [{ seq: 1 }], remedy: { params: { taskId: 'T001' } } }],
    [
      ['tasks.add T001 d t=Parse', 'tasks.add T002 d t=parse'],
      'duplicate',
      { points: 5, entries: [{ seq: 2 }], remedy: { operation: 'tasks.find', params: { query: 'parse' } } },
    ],
    [['tasks.next', 'h:tasks.show'], 'mcp', { points: 10, entries: [{ seq: 1 }, { seq: 2 }], remedy: { onlyMcp: true } }],
  ])('%j loses by the rule %s', (log, rule, expected) => {
    expect(grade(log).losses.find((loss) => loss.rule === rule)).toMatchObject(expected);
  });

  test('list ten entries and count the rest', () => {
    const { losses } = grade(Array(25).fill('tasks.list'));
    expect(losses.find(({ rule }) => rule === 'discovery')).toMatchObject({ more: 15, entries: { length: 10 } });
  });

  test('contain only entries that cost points', () => {
    const { losses } = grade([1, 2, 3, 4, 5, 6].map((n) => `tasks.add T00${n} p=T009`));
    expect(losses.filter(({ dimension }) => dimension === 'taskHygiene').map(({ points, entries }) => [points, entries[0]?.seq])).toEqual([
      [5, 1],
      [5, 2],
      [5, 3],
      [5, 4],
    ]);
  });
});
