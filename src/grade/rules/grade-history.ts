import { object, safeParse } from 'valibot';
import { parseJson } from '#lib/parse-json.ts';
import { mean } from '#lib/statistics.ts';
import { DimensionNameSchema, type GradeResult, GradeResultSchema, type GradeTrend, type ScopeTrend } from '../model/grade.ts';
import { getGradePercent } from './grade.ts';

/** Unlike `GradeResult`, this allows unknown keys: a newer version may have written the line. */
const StoredGrade = object(GradeResultSchema.entries);

/** Parses `GRADES.jsonl`, oldest grade first, and counts invalid lines: cut short, or not a grade. */
export function parseGrades(text: string): { grades: GradeResult[]; invalidLines: number } {
  const grades: GradeResult[] = [];
  let invalidLines = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const read = safeParse(StoredGrade, parseJson(line));
    if (read.success) grades.push(read.output);
    else invalidLines++;
  }
  return { grades, invalidLines };
}

/** Compares two grades of a session without their timestamp and task, which may differ between two runs on the same log. */
export function isSameGrade(a: GradeResult, b: GradeResult): boolean {
  const toComparable = ({ sessionId, totalScore, maxScore, dimensions, flags, entryCount }: GradeResult): string => {
    const scores = DimensionNameSchema.options.map((name) => [dimensions[name].score, dimensions[name].evidence]);
    return JSON.stringify([sessionId, totalScore, maxScore, scores, flags, entryCount]);
  };
  return toComparable(a) === toComparable(b);
}

/** Number of scores of a trend; older ones are dropped. */
const maxScores = 40;

/** Computes the trend of each agent. The agent graded last comes first. */
export const computeTrends = (grades: GradeResult[], getAgent: (sessionId: string) => string): GradeTrend[] =>
  groupScores(grades, getAgent).map(([agent, figures]) => ({ agent, ...figures }));

/** Computes the trend of each scope. Sessions whose scope is not known are left out. */
export const computeScopeTrends = (grades: GradeResult[], getScope: (sessionId: string) => string | undefined): ScopeTrend[] =>
  groupScores(grades, getScope).map(([scope, figures]) => ({ scope, ...figures }));

/** Counts each session once, with its newest grade, in the order they were first graded. The group graded last comes first. */
function groupScores(
  grades: GradeResult[],
  getGroup: (sessionId: string) => string | undefined,
): [group: string, figures: Omit<GradeTrend, 'agent'>][] {
  const newest = new Map<string, GradeResult>();
  for (const grade of grades) newest.set(grade.sessionId, grade);
  const groups = new Map<string, number[]>();
  for (const grade of newest.values()) {
    const group = getGroup(grade.sessionId);
    if (group === undefined) continue;
    const scores = groups.get(group) ?? [];
    scores.push(getGradePercent(grade));
    // Deleting first moves the group to the end of the map, so that the map is ordered by the last grade.
    groups.delete(group);
    groups.set(group, scores);
  }
  return [...groups]
    .reverse()
    .map(([group, scores]) => [
      group,
      { sessions: scores.length, average: Math.round(mean(scores)), last: scores.at(-1)!, scores: scores.slice(-maxScores) },
    ]);
}
