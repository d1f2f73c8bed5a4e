import type { PlanEntry, PlanRecord, PlanSeen, PlanStamp, PlanValue } from '../../model/plan.ts';
import { collectSeen, compareEntries, groupSlots, toEntryId, toSlot } from './entries.ts';
import { listLostTexts, mergeAuthor, toLostNotes } from './lost-texts.ts';
import { addSeen, findLatestStamp, mergeSeen, nextStamp } from './stamp.ts';

/** Changes of one record by one replica. */
export interface PlanChangeCollector {
  /** Removes the entries of a slot that the store had seen. */
  remove(slot: string): void;
  /** Replaces the entries of a slot that the store had seen. The stamp is later than `after`. */
  write(target: Pick<PlanEntry, 'field' | 'key'>, value: PlanValue, after?: PlanStamp): PlanStamp;
  /** Returns the stamp of the value that the store had. */
  getStamp(slot: string): PlanStamp | undefined;
  isChanged(): boolean;
  toRecord(): PlanRecord;
}

interface ChangeTimes {
  replica: string;
  nowMs: number;
  editedAtMs?(field: string, key?: string): number | undefined;
}

/** Collects changes of `record`, of which the store had seen the entries of `observed`. `defaultMs` is the time of edits whose time is
 *  not known. */
export function createChanges(
  record: PlanRecord,
  observed: PlanRecord,
  { replica, nowMs, editedAtMs }: ChangeTimes,
  defaultMs = nowMs,
): PlanChangeCollector {
  const slots = groupSlots(observed.entries);
  const removedIds = new Set<string>();
  const added: PlanEntry[] = [];
  const latest = findLatestStamp(record.seen, replica, nowMs);
  const addEntry = (target: Pick<PlanEntry, 'field' | 'key'>, value: PlanValue, after = ''): PlanStamp => {
    const ms = Math.min(editedAtMs?.(target.field, target.key) ?? defaultMs, nowMs);
    const stamp = nextStamp(latest !== undefined && latest > after ? latest : after || undefined, ms, replica);
    added.push({ ...target, stamp, value });
    return stamp;
  };
  const remove = (slot: string): void => {
    const { winner, losers = [] } = slots.get(slot) ?? {};
    for (const entry of winner ? [winner, ...losers] : losers) removedIds.add(toEntryId(entry));
  };
  /** Lost texts of a field are notes of the projection as long as the field has them; then they become notes of the record. */
  const addLostNotes = (slot: string): void => {
    const { winner, losers = [] } = slots.get(slot) ?? {};
    if (!winner || record.kind !== 'task') return;
    for (const { key, value } of toLostNotes(listLostTexts({ kind: record.kind, entries: [winner, ...losers] }), mergeAuthor))
      if (!slots.has(toSlot({ field: 'notes', key }))) addEntry({ field: 'notes', key }, value);
  };
  return {
    remove(slot) {
      addLostNotes(slot);
      remove(slot);
    },
    write(target, value, after) {
      addLostNotes(toSlot(target));
      remove(toSlot(target));
      return addEntry(target, value, after);
    },
    getStamp: (slot) => slots.get(slot)?.winner.stamp,
    isChanged: () => removedIds.size + added.length > 0,
    toRecord() {
      const entries = [...record.entries.filter((entry) => !removedIds.has(toEntryId(entry))), ...added].sort(compareEntries);
      const seen: PlanSeen = mergeSeen(record.seen, collectSeen({ created: record.created, entries: added }));
      for (const { stamp } of record.entries) addSeen(seen, stamp);
      return { ...record, entries, seen };
    },
  };
}
