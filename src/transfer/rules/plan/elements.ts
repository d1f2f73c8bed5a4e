import { defined } from '#lib/collections.ts';
import { sha256, toCanonicalJson } from '#lib/digest.ts';
import type { StoredCriterion } from '#tasks/model/task.ts';
import type { PlanElement, PlanValue } from '../../model/plan.ts';

/** Converts rows that are never changed, such as notes, evidence and versions of documents, to elements that are identified by their
 *  content. Equal rows get different keys. */
export function toContentElements(rows: readonly { [key: string]: PlanValue | undefined }[]): PlanElement[] {
  return addKeys(
    rows.map((row) => defined(row) as { [key: string]: PlanValue }),
    (row) => hashKey(toCanonicalJson(row)),
  );
}

export const toNoteElements = (notes: readonly { at: string; by: string; text: string }[]): PlanElement[] =>
  toContentElements(notes.map(({ at, by, text }) => ({ at, by, text })));

/** Splits criteria from their ticks, so that ticking on one replica and adding a criterion on another do not collide. */
export function toCriterionElements(acceptance: readonly StoredCriterion[]): { criteria: PlanElement[]; ticks: PlanElement[] } {
  const criteria = addKeys(
    acceptance.map(({ kind, text, gate }) => defined({ kind, text, gate }) as { [key: string]: PlanValue }),
    (criterion) => hashKey(toCanonicalJson(criterion)),
  );
  const ticks = criteria.flatMap(({ key }, i): PlanElement[] => {
    const { metAt, metBy } = acceptance[i]!;
    return metAt === undefined ? [] : [{ key, value: { at: metAt, by: metBy ?? '' } }];
  });
  return { criteria, ticks };
}

/** Converts criteria and ticks back. A tick without its criterion is left out. */
export function toStoredCriteria(criteria: readonly PlanElement[] = [], ticks: readonly PlanElement[] = []): StoredCriterion[] {
  const tickByKey = new Map(ticks.map(({ key, value }) => [key, value as { at: string; by: string }]));
  return criteria.map(({ key, value }) => {
    const tick = tickByKey.get(key);
    const { kind, text, gate } = value as unknown as StoredCriterion;
    return defined({ kind, text, gate, metAt: tick?.at, metBy: tick?.by });
  });
}

export const toKeyElements = (keys: readonly string[]): PlanElement[] => [...new Set(keys)].map((key) => ({ key, value: true }));

export const toRelationKey = (to: string, type: string): string => `${to} ${type}`;

/** Aliases are unique per tool. Names of tools have no space. */
export const toAliasKey = (tool: string, alias: string): string => `${tool} ${alias}`;

const hashKey = (text: string): string => sha256(text).slice(0, 16);

function addKeys(values: { [key: string]: PlanValue }[], toKey: (value: { [key: string]: PlanValue }) => string): PlanElement[] {
  const counts = new Map<string, number>();
  return values.map((value) => {
    const key = toKey(value);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return { key: count === 1 ? key : `${key}~${count}`, value };
  });
}
