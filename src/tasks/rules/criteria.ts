import type { GateName } from '#core/model/scalars.ts';
import { removeDuplicates } from '#lib/collections.ts';
import type { StoredCriterion } from '../model/task.ts';
import type { AcceptanceInput } from '../model/task-fields.ts';

/** Checks whether evidence decides about one of the criteria, so that deleting the task would avoid the proof. */
export const hasBoundCriteria = ({ acceptance }: { acceptance: StoredCriterion[] }): boolean =>
  acceptance.some(({ kind }) => kind !== 'text');

/** Lists criteria that evidence decides about and that an edit would remove. */
export const listRemovedBound = (before: StoredCriterion[], after: StoredCriterion[]): StoredCriterion[] =>
  before.filter(({ kind, gate }) => kind !== 'text' && !after.some((c) => c.kind === kind && c.gate === gate));

/** Lists unticked text criteria, with their numbers as `show` prints them. */
export function listUnmetTexts(acceptance: StoredCriterion[]): { n: number; text: string }[] {
  return acceptance.flatMap((c, i) => (c.kind === 'text' && !c.metAt ? [{ n: i + 1, text: c.text ?? '' }] : []));
}

/** Replaces texts and gates where new ones are given. A criterion that remains keeps its tick. */
export function replaceCriteria(
  before: StoredCriterion[],
  texts: StoredCriterion[] | undefined,
  gates: GateName[] | undefined,
): StoredCriterion[] {
  const textCriteria = texts ?? before.filter((c) => c.kind === 'text');
  const gateNames = gates ?? before.flatMap((c) => c.gate ?? []);
  const criteria = [...textCriteria, ...toGateCriteria(gateNames.filter((gate) => !textCriteria.some((c) => c.gate === gate)))];
  return criteria.map((c) => before.find((b) => b.kind === c.kind && b.text === c.text && b.gate === c.gate) ?? c);
}

/** Converts caller input to stored criteria. A gate given twice is stored once. */
export function toCriteria(acceptance: AcceptanceInput[] = [], gates: GateName[] = []): StoredCriterion[] {
  const criteria = acceptance.map((c): StoredCriterion => (typeof c === 'string' ? { kind: 'text', text: c } : c));
  const bound = new Set(criteria.map(({ gate }) => gate));
  return [...criteria, ...toGateCriteria(removeDuplicates(gates).filter((gate) => !bound.has(gate)))];
}

const toGateCriteria = (gates: GateName[]): StoredCriterion[] => gates.map((gate) => ({ kind: 'evidence_bound', gate }));
