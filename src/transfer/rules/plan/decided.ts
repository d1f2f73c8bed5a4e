import { toCanonicalJson } from '#lib/digest.ts';
import type { PlanState, PlanValue } from '../../model/plan.ts';

/** The fields that a person decides about, and the decision. */
const decidedFields = ['type', 'title', 'content', 'digest', 'decision'];

/** A decision as plan files have it. */
interface PlanDecision {
  state: string;
  by?: string;
  at?: string;
  /** The proof of the person who decided, as JSON. */
  proof?: string;
}

export const readDecision = ({ fields }: PlanState): PlanDecision => (fields.decision ?? { state: 'proposed' }) as unknown as PlanDecision;

/** True if a file decides about a decision, takes that back, or changes the text that was decided about: each needs a person. `before` is
 *  what the store has. */
export function needsPerson(state: PlanState, before: PlanState | undefined): boolean {
  if (state.fields.type !== 'decision' && before?.fields.type !== 'decision') return false;
  const isOpen = [state, ...(before ? [before] : [])].every((each) => readDecision(each).state === 'proposed');
  return !isOpen && pickDecided(state) !== pickDecided(before);
}

const pickDecided = (state: PlanState | undefined): string =>
  toCanonicalJson(Object.fromEntries(decidedFields.map((field) => [field, state?.fields[field] ?? null])));

/** Returns the state with the text and the decision that the store has. What the store does not have is proposed. */
export function withoutDecision(state: PlanState, before: PlanState | undefined): PlanState {
  const { decision: _, ...others } = state.fields;
  const own = Object.fromEntries(decidedFields.flatMap((field) => [[field, before?.fields[field]] as const])) as Record<string, PlanValue>;
  const fields = before ? { ...others, ...own } : { ...others, decision: { state: 'proposed' } };
  return { ...state, fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) };
}

/** The operations that give a decision its state, as a signature names them. */
export const decidingOperations: Record<string, string> = {
  accepted: 'memory.confirm',
  rejected: 'memory.reject',
  superseded: 'memory.supersede',
};
