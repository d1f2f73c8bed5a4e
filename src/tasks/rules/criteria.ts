import type { Gate } from '#core/model/scalars.ts';
import type { AcceptanceInput, StoredCriterion } from '../model/task.ts';

/** Text criteria nobody has ticked, with their place in the list as `show` prints it. */
export function unmetTexts(acceptance: StoredCriterion[]): { n: number; text: string }[] {
  return acceptance.flatMap((c, i) => (c.kind === 'text' && !c.metAt ? [{ n: i + 1, text: c.text ?? '' }] : []));
}

/** New criteria in place of old ones: a text that stays keeps its tick. */
export function replaceCriteria(
  before: StoredCriterion[],
  texts: StoredCriterion[] | undefined,
  gates: Gate[] | undefined,
): StoredCriterion[] {
  const keptTexts = texts ?? before.filter((c) => c.kind === 'text');
  const wanted = gates ?? before.flatMap((c) => c.gate ?? []);
  const listed = [
    ...keptTexts,
    ...wanted.filter((gate) => !keptTexts.some((c) => c.gate === gate)).map((gate): StoredCriterion => ({ kind: 'evidence_bound', gate })),
  ];
  return listed.map((c) => before.find((b) => b.kind === c.kind && b.text === c.text && b.gate === c.gate) ?? c);
}

/** Criteria as they are stored; a gate that is bound twice is bound once. */
export function criteriaOf(acceptance: AcceptanceInput[] = [], gates: Gate[] = []): StoredCriterion[] {
  const given = acceptance.map(
    (c): StoredCriterion =>
      typeof c === 'string'
        ? { kind: 'text', text: c }
        : c.kind === 'text'
          ? { kind: 'text', text: c.text }
          : { kind: 'evidence_bound', gate: c.gate },
  );
  if (gates.length === 0) return given;
  const bound = new Set(given.flatMap((c) => (c.gate ? [c.gate] : [])));
  return [
    ...given,
    ...[...new Set(gates)].flatMap((gate): StoredCriterion[] => (bound.has(gate) ? [] : [{ kind: 'evidence_bound', gate }])),
  ];
}
