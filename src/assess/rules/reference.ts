import { defined } from '#lib/collections.ts';
import { median } from '#lib/statistics.ts';
import type { ExecutionFacts } from '../model/assessment.ts';

interface ReferenceValue {
  value: number;
  source: string;
}

/** The usual duration and token count of a skill. */
export interface Reference {
  durationMs?: ReferenceValue;
  tokens?: ReferenceValue;
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
  const durationMs =
    toMedianReference(known.map((success) => success.durationMs)) ??
    (facts.timeoutMs === null ? undefined : { value: facts.timeoutMs / 2, source: 'half of the timeout' });
  return defined({ durationMs, tokens: toMedianReference(known.flatMap(({ tokens }) => tokens ?? [])) });
}

const toMedianReference = (values: number[]): ReferenceValue | undefined =>
  values.length < minSuccesses ? undefined : { value: median(values)!, source: `median of ${values.length} successes` };
