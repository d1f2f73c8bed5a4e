import { object, safeParse } from 'valibot';
import { GradeResult } from '../model/grade.ts';
import { percentOf } from './grade.ts';

/** A line may have been written by a version that says more. */
const Line = object(GradeResult.entries);

/** The grades of a file of them, oldest first, and how many of its lines are none: cut short, or not ours. */
export function gradesIn(text: string): { grades: GradeResult[]; strange: number } {
  const grades: GradeResult[] = [];
  let strange = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const read = safeParse(Line, parsed(line));
    if (read.success) grades.push(read.output);
    else strange++;
  }
  return { grades, strange };
}

/** Whether two grades judge a session alike: when they were made, and what the session was about by then, is no judgement. */
export function isSameJudgement(a: GradeResult, b: GradeResult): boolean {
  const judgement = ({ sessionId, totalScore, maxScore, dimensions, flags, entryCount }: GradeResult): string => {
    const { sessionDiscipline, discoveryEfficiency, taskHygiene, errorProtocol, disclosureUse } = dimensions;
    const scores = [sessionDiscipline, discoveryEfficiency, taskHygiene, errorProtocol, disclosureUse];
    return JSON.stringify([sessionId, totalScore, maxScore, scores.map(({ score, evidence }) => [score, evidence]), flags, entryCount]);
  };
  return judgement(a) === judgement(b);
}

export interface Trend {
  agent: string;
  sessions: number;
  average: number;
  last: number;
  /** Percent of each session, oldest first; of many, the last ones. */
  scores: number[];
}

const shownScores = 40;

/** Sessions count once, with their newest grade, in the order they were first graded; who was heard of last stands first. */
export function trendsOf(grades: GradeResult[], agentOf: (sessionId: string) => string): Trend[] {
  const newest = new Map<string, GradeResult>();
  for (const grade of grades) newest.set(grade.sessionId, grade);
  const byAgent = new Map<string, number[]>();
  for (const grade of newest.values()) {
    const agent = agentOf(grade.sessionId);
    const scores = byAgent.get(agent) ?? [];
    scores.push(percentOf(grade));
    // Taken out and put back, so that the order of the map is that of the last word.
    byAgent.delete(agent);
    byAgent.set(agent, scores);
  }
  return [...byAgent].reverse().map(([agent, scores]) => ({
    agent,
    sessions: scores.length,
    average: Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length),
    last: scores.at(-1)!,
    scores: scores.slice(-shownScores),
  }));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
