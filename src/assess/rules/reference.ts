import { median } from '#lib/statistics.ts';
import type { ExecutionFacts } from '../model/assessment.ts';

/** The usual duration and token count of a skill. */
export interface Reference {
  durationMs?: { value: number; source: string };
  tokens?: { value: number; source: string };
}

/** The last successes by skill and major version, oldest first. */
export type Successes = Map<string, { durationMs: number; tokens: number | null }[]>;

export const maxSuccesses = 20;
const minSuccesses = 5;

export const getSkillKey = ({ skill, version }: Pick<ExecutionFacts, 'skill' | 'version'>): string =>
  `${skill}@${/^\d+/.exec(version)?.[0] ?? '0'}`;

/** True if an execution counts towards the usual duration of its skill. */
export const isSuccess = ({ status, isInvoked, attempts }: ExecutionFacts): boolean => status === 'success' && isInvoked && attempts > 0;

export function addSuccess(successes: Successes, facts: ExecutionFacts): void {
  if (!isSuccess(facts)) return;
  const key = getSkillKey(facts);
  const known = successes.get(key) ?? [];
  known.push({ durationMs: facts.durationMs, tokens: facts.tokens });
  if (known.length > maxSuccesses) known.shift();
  successes.set(key, known);
}

/** The median of earlier successes if there are enough, or else half of the timeout. */
export function computeReference(successes: Successes, facts: ExecutionFacts): Reference {
  const known = successes.get(getSkillKey(facts)) ?? [];
  const tokenCounts = known.flatMap(({ tokens }) => tokens ?? []);
  return {
    ...(known.length >= minSuccesses
      ? { durationMs: { value: median(known.map(({ durationMs }) => durationMs))!, source: `median of ${known.length} successes` } }
      : facts.timeoutMs === null
        ? {}
        : { durationMs: { value: facts.timeoutMs / 2, source: 'half of the timeout' } }),
    ...(tokenCounts.length >= minSuccesses
      ? { tokens: { value: median(tokenCounts)!, source: `median of ${tokenCounts.length} successes` } }
      : {}),
  };
}
