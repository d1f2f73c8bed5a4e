import type { PlanEntry, PlanPlace, PlanRecord, PlanSeen, PlanSummary, PlanTaskState, PlanValue } from '../../model/plan.ts';
import { deletedField, groupSlots } from './entries.ts';
import { covers, mergeSeen } from './stamp.ts';

/** Checks whether a record is deleted: the deletions together have seen all its entries. An edit that no deletion has seen keeps the
 *  record. */
export function isDeletedRecord({ entries }: PlanRecord): boolean {
  const deletions = entries.filter(({ field }) => field === deletedField);
  if (deletions.length === 0) return false;
  const seen = deletions.map(({ value }) => (value as { seen: PlanSeen }).seen).reduce(mergeSeen, {});
  return entries.every(({ field, stamp }) => field === deletedField || covers(seen, stamp));
}

/** Extracts what the resolution of the whole plan needs from one record. */
export function summarizeRecord(record: PlanRecord): PlanSummary {
  const { kind, uid, created } = record;
  const summary: PlanSummary = { kind, uid, created };
  if (isDeletedRecord(record)) return { ...summary, isDeleted: true };
  if (kind !== 'task') return summary;
  const elements: Record<string, PlanEntry[]> = { depends: [], relations: [], aliases: [] };
  for (const { winner } of groupSlots(record.entries).values()) {
    if (winner.field === 'place') Object.assign(summary, pickPlace(winner.value), { placeStamp: winner.stamp });
    else if (winner.field === 'state' && (winner.value as unknown as PlanTaskState).status === 'done') summary.isDone = true;
    else if (winner.key !== undefined) elements[winner.field]?.push(winner);
  }
  const { depends, relations, aliases } = elements as { [name in 'depends' | 'relations' | 'aliases']: PlanEntry[] };
  if (depends.length > 0) summary.depends = depends.map(({ key, stamp }) => ({ on: key!, stamp }));
  if (relations.length > 0) summary.relations = relations.map(({ key, value }) => ({ key: key!, to: (value as { to: string }).to }));
  if (aliases.length > 0) summary.aliases = aliases.map(({ key }) => key!);
  return summary;
}

function pickPlace(value: PlanValue): PlanPlace {
  const { type, parent } = value as unknown as PlanPlace;
  return parent === undefined ? { type } : { type, parent };
}
