import { describe, expect, test } from 'vitest';
import { end, good, start, strings, table } from '../../../test/grade-table.ts';
import { type LogLine, logOf, names } from '../../../test/graded-log.ts';
import { gradeEnd, gradeStart, gradeStep, letterOf, percentOf } from './grade.ts';

const about = { sessionId: 'session-1', timestamp: '2026-01-02T00:00:00.000Z' };

function graded(lines: LogLine[]) {
  const state = gradeStart(names);
  for (const entry of logOf(lines)) gradeStep(state, entry);
  return gradeEnd(state, about).result;
}

const spelt = (codes: string): string[] =>
  codes.split(' ').flatMap((code) => {
    const [name = '', value = ''] = code.split(':');
    return name ? [strings[name]!.replace('#', value)] : [];
  });
const used = new Set<string>();

describe('the rubric', () => {
  test.each(table)('%s', (_, log, scores, evidence, flags) => {
    const result = graded(log);
    const all = Object.values(result.dimensions);
    expect(all.map(({ score }) => score).join(' ')).toBe(scores);
    expect(all.flatMap((dimension) => dimension.evidence)).toEqual(spelt(evidence));
    expect(result.flags).toEqual(spelt(flags));
    expect(result.totalScore).toBe(all.reduce((sum, { score }) => sum + score, 0));
    for (const code of `${evidence} ${flags}`.split(' ')) used.add(code.split(':')[0]!);
  });

  test('the table has at least 60 logs, and reaches every string of the rubric', () => {
    expect(table.length).toBeGreaterThanOrEqual(60);
    expect(Object.keys(strings).filter((code) => !used.has(code))).toEqual([]);
  });
});

test('evidence stands in its own dimension', () => {
  const { dimensions } = graded([...good, 'tasks.exists', 'tasks.add T002 d p=T001', 'tasks.show !4', 'tasks.find', end]);
  expect(dimensions).toEqual({
    sessionDiscipline: { score: 20, max: 20, evidence: spelt('list+ end+') },
    discoveryEfficiency: { score: 20, max: 20, evidence: spelt('ratio+:100 show+:2') },
    taskHygiene: { score: 20, max: 20, evidence: spelt('parent+ adds+:1') },
    errorProtocol: { score: 20, max: 20, evidence: spelt('found+ clean+') },
    disclosureUse: { score: 20, max: 20, evidence: spelt('help+:1 mcp+:4') },
  });
});

test('the same log gives the same bytes', () => {
  for (const [, log] of table) expect(JSON.stringify(graded(log))).toBe(JSON.stringify(graded(log)));
});

test('every entry is counted, start and end too, up to the last end; gradings are not', () => {
  expect(graded([start, 'session.list', 'tasks.next', end]).entryCount).toBe(4);
  expect(graded([start, 'q:admin.grade', 'admin.grade.list', end, 'q:admin.grade', 'tasks.next']).entryCount).toBe(2);
  expect(graded([]).entryCount).toBe(0);
});

test('the result names its session, its task where it has one, and who graded', () => {
  const state = gradeStart(names);
  expect(gradeEnd(state, about).result).toMatchObject({ ...about, maxScore: 100, evaluator: 'auto' });
  expect(gradeEnd(state, about).result).not.toHaveProperty('taskId');
  expect(gradeEnd(state, { ...about, taskId: 'T001' }).result).toMatchObject({ taskId: 'T001' });
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
  expect(letterOf(percentOf({ totalScore, maxScore: 100 }))).toBe(letter);
});

describe('the losses', () => {
  const lossesOf = (lines: LogLine[]) => {
    const state = gradeStart(names);
    for (const entry of logOf(lines)) gradeStep(state, entry);
    return gradeEnd(state, about);
  };

  test('add up to what is missing, in each dimension, for every log', () => {
    for (const [why, log] of table) {
      const { result, losses } = lossesOf(log);
      for (const [name, { score }] of Object.entries(result.dimensions)) {
        const lost = losses.filter(({ dimension }) => dimension === name).reduce((sum, { points }) => sum + points, 0);
        expect(score + lost, `${why}: ${name}`).toBe(20);
      }
      expect(losses.every(({ points }) => points > 0)).toBe(true);
    }
  });

  test('name flags by their own words, entries of the log, and a call', () => {
    for (const [, log] of table) {
      const { result, losses } = lossesOf(log);
      const seqs = logOf(log).map(({ seq }) => seq);
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
  ])('%j lose by %s', (log, rule, expected) => {
    expect(lossesOf(log).losses.find((loss) => loss.rule === rule)).toMatchObject(expected);
  });

  test('of many entries some are named and the rest counted', () => {
    const { losses } = lossesOf(Array(25).fill('tasks.list'));
    expect(losses.find(({ rule }) => rule === 'discovery')).toMatchObject({ more: 15, entries: { length: 10 } });
  });

  test('only what cost points is among them', () => {
    const { losses } = lossesOf([1, 2, 3, 4, 5, 6].map((n) => `tasks.add T00${n} p=T009`));
    expect(losses.filter(({ dimension }) => dimension === 'taskHygiene').map(({ points, entries }) => [points, entries[0]?.seq])).toEqual([
      [5, 1],
      [5, 2],
      [5, 3],
      [5, 4],
    ]);
  });
});
