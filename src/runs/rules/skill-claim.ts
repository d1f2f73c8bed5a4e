import { isMap } from '#lib/is-map.ts';
import type { Evidence, SideEffect, Warning } from '../model/execution.ts';

/** What a skill says of itself, in the file it may write. All of it is optional, and none of it decides. */
export interface SkillClaim {
  confidence: number | null;
  goalStatement: string | null;
  evidence: Evidence[];
  warnings: Warning[];
  sideEffects: SideEffect[];
  usage: Record<string, number> | null;
  retryAfterMs: number;
  isReviewRequested: boolean;
  status: string | null;
}

export const noClaim: SkillClaim = {
  ...{ confidence: null, goalStatement: null, evidence: [], warnings: [], sideEffects: [], usage: null, retryAfterMs: 0 },
  ...{ isReviewRequested: false, status: null },
};

const most = 100;
const longest = 2000;

/** Takes secrets out before anything is cut: half of one would not be known any more. */
type Clean = (value: unknown) => unknown;
const asItIs: Clean = (value) => value;

/** What of it makes sense; and what does not, which is left aside. */
export function readClaim(text: string, clean: Clean = asItIs): { claim: SkillClaim; problems: string[] } {
  const value = clean(parsed(text));
  if (!isMap(value)) return { claim: noClaim, problems: ['is no JSON object'] };
  const problems: string[] = [];
  const take = <T>(name: string, read: (found: unknown) => T | undefined, otherwise: T): T => {
    if (value[name] === undefined || value[name] === null) return otherwise;
    const found = read(value[name]);
    if (found === undefined) problems.push(`${name} is not what it should be`);
    return found ?? otherwise;
  };
  const list =
    <T>(read: (item: unknown) => T | undefined) =>
    (found: unknown): T[] | undefined =>
      Array.isArray(found) ? found.slice(0, most).flatMap((item) => read(item) ?? []) : undefined;
  return {
    claim: {
      confidence: take('confidence', (found) => (typeof found === 'number' && found >= 0 && found <= 1 ? found : undefined), null),
      goalStatement: take('goal_statement', asText, null),
      evidence: take('evidence', list(asEvidence), []),
      warnings: take('warnings', list(asWarning), []),
      sideEffects: take('side_effects', list(asSideEffect), []),
      usage: take('usage', asNumbers, null),
      retryAfterMs: take(
        'retry_after_ms',
        (found) => (typeof found === 'number' && found >= 0 && found <= 3_600_000 ? found : undefined),
        0,
      ),
      isReviewRequested: take('human_review_requested', (found) => (typeof found === 'boolean' ? found : undefined), false),
      status: take('status', asText, null),
    },
    problems,
  };
}

/** A line of what a skill tells while it works. */
export function readEvent(
  line: string,
  clean: Clean = asItIs,
): { type: 'progress' | 'artifact' | 'side_effect' | 'warning'; message: string; value: Record<string, unknown> } | undefined {
  const value = clean(parsed(line));
  if (!isMap(value)) return undefined;
  const type = (['progress', 'artifact', 'side_effect', 'warning'] as const).find((known) => known === value.type);
  const message = asText(value.message ?? value.path ?? value.target ?? value.description);
  return type === undefined || message === undefined ? undefined : { type, message, value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined);

function asEvidence(value: unknown): Evidence | undefined {
  if (typeof value === 'string') return { type: 'note', description: value.slice(0, longest), reference: null };
  if (!isMap(value)) return undefined;
  const description = asText(value.description) ?? asText(value.reference);
  return description === undefined
    ? undefined
    : { type: asText(value.type) ?? 'note', description, reference: asText(value.reference) ?? null };
}

function asWarning(value: unknown): Warning | undefined {
  if (typeof value === 'string') return { code: 'skill_warning', message: value.slice(0, longest) };
  const message = isMap(value) ? asText(value.message) : undefined;
  return message === undefined ? undefined : { code: asText((value as Record<string, unknown>).code) ?? 'skill_warning', message };
}

export function asSideEffect(value: unknown): SideEffect | undefined {
  if (!isMap(value)) return undefined;
  const kind = (['file_write', 'api_call', 'state_change', 'notification'] as const).find(
    (known) => known === value.type || known === value.kind,
  );
  const target = asText(value.target);
  if (kind === undefined || target === undefined) return undefined;
  return { type: kind, target, reversible: value.reversible === true, description: asText(value.description) ?? '' };
}

export function asNumbers(value: unknown): Record<string, number> | undefined {
  if (!isMap(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1])),
  );
}
