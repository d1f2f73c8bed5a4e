import type { PlanEntry, PlanKind, PlanRecord, PlanSeen, PlanValue } from '../../model/plan.ts';
import { addSeen, compareText } from './stamp.ts';

/** Field of the entry that marks a record as deleted. Its value has `seen`, the entries that the deletion was about. */
export const deletedField = 'deleted';

/** Identifies a record. The uid alone does not: a document or a session can have the name of a task. */
export const toPlanKey = ({ kind, uid }: { kind: PlanKind; uid: string }): string => `${kind} ${uid}`;

/** Identifies a field or an element of a set. */
export const toSlot = ({ field, key }: Pick<PlanEntry, 'field' | 'key'>): string => (key === undefined ? field : `${field}\n${key}`);

export const toEntryId = (entry: PlanEntry): string => `${toSlot(entry)}\n${entry.stamp}`;

export const compareEntries = (a: PlanEntry, b: PlanEntry): number =>
  compareText(a.field, b.field) || compareText(a.stamp, b.stamp) || compareText(a.key ?? '', b.key ?? '');

export function isSameValue(a: PlanValue | undefined, b: PlanValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameValue(item, b[i]));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]));
}

/** The values of one field or element: the latest, and those that were written concurrently, latest first. */
interface PlanSlot {
  winner: PlanEntry;
  losers: PlanEntry[];
}

/** Groups entries by slot. In a slot the latest stamp wins. */
export function groupSlots(entries: readonly PlanEntry[]): Map<string, PlanSlot> {
  const slots = new Map<string, PlanSlot>();
  for (const entry of entries) {
    const slot = slots.get(toSlot(entry));
    if (!slot) slots.set(toSlot(entry), { winner: entry, losers: [] });
    else if (entry.stamp > slot.winner.stamp) {
      slot.losers.unshift(slot.winner);
      slot.winner = entry;
    } else {
      slot.losers.push(entry);
      slot.losers.sort((a, b) => compareText(b.stamp, a.stamp));
    }
  }
  return slots;
}

/** Collects the stamps that a record includes by its entries. Files list only stamps beyond these, so that branches that change
 *  different fields of a record change different lines. */
export function collectSeen({ created, entries }: Pick<PlanRecord, 'created' | 'entries'>): PlanSeen {
  const seen: PlanSeen = {};
  addSeen(seen, created.stamp);
  for (const { stamp } of entries) addSeen(seen, stamp);
  return seen;
}
