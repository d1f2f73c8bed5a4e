import type { TraceLine } from '../model/trace.ts';
import { findSkillNameProblem, isSafePathSegment } from './construct/conventions.ts';
import { asNumber, asText } from './trace-facts.ts';

interface RunAttempt {
  phase: string;
  skill: string;
  attempt: number;
}

/** Lists the attempts of a run in the order in which they began, each once. The names become paths below the folder of the run, so names
 *  that lead elsewhere, as in a forged trace, are left out. */
export function listAttempts(lines: TraceLine[]): RunAttempt[] {
  const attempts = new Map<string, RunAttempt>();
  for (const line of lines) {
    if (line.event !== 'attempt_started') continue;
    const phase = asText(line.phase) ?? '';
    const skill = asText(line.skill) ?? '';
    const attempt = asNumber(line.attempt) ?? 0;
    if (!isSafePathSegment(phase) || findSkillNameProblem(skill) !== undefined || !Number.isInteger(attempt)) continue;
    attempts.set(`${phase}/${skill}/${attempt}`, { phase, skill, attempt });
  }
  return [...attempts.values()];
}

/** The last lines of a log. A final line break ends the last line. */
export function takeLastLines(text: string, count: number): string {
  const lines = text.split('\n');
  const isComplete = lines.at(-1) === '';
  return lines.slice(-(count + (isComplete ? 1 : 0))).join('\n');
}
