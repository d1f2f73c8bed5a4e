import type { ExecutionFacts } from '../model/assessment.ts';

/** What a skill usually takes. */
export interface Reference {
  durationMs?: { value: number; source: string };
  tokens?: { value: number; source: string };
}

/** The last successes of each skill and major version, oldest first. */
export type Successes = Map<string, { durationMs: number; tokens: number | null }[]>;

export const remembered = 20;
const least = 5;

export const skillKey = ({ skill, version }: Pick<ExecutionFacts, 'skill' | 'version'>): string =>
  `${skill}@${/^\d+/.exec(version)?.[0] ?? '0'}`;

/** Whether an execution tells what its skill usually takes. */
export const isSuccess = ({ status, isInvoked, attempts }: ExecutionFacts): boolean => status === 'success' && isInvoked && attempts > 0;

export function remember(successes: Successes, facts: ExecutionFacts): void {
  if (!isSuccess(facts)) return;
  const key = skillKey(facts);
  const known = successes.get(key) ?? [];
  known.push({ durationMs: facts.durationMs, tokens: facts.tokens });
  if (known.length > remembered) known.shift();
  successes.set(key, known);
}

/** The median of the successes before it, where there are enough of them; else half of what it may take. */
export function referenceOf(successes: Successes, facts: ExecutionFacts): Reference {
  const known = successes.get(skillKey(facts)) ?? [];
  const spent = known.flatMap(({ tokens }) => tokens ?? []);
  return {
    ...(known.length >= least
      ? { durationMs: { value: median(known.map(({ durationMs }) => durationMs)), source: `median of ${known.length} successes` } }
      : facts.timeoutMs === null
        ? {}
        : { durationMs: { value: facts.timeoutMs / 2, source: 'half of the time limit' } }),
    ...(spent.length >= least ? { tokens: { value: median(spent), source: `median of ${spent.length} successes` } } : {}),
  };
}

export function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
