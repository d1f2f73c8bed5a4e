import { defined, getOwn, isPlainObject } from '#lib/collections.ts';
import {
  type PlanElement,
  type PlanEntry,
  type PlanRecord,
  type PlanStamp,
  type PlanState,
  type PlanValue,
  planFields,
  planGroupKeys,
  planVersion,
} from '../../model/plan.ts';
import { createChanges, type PlanChangeCollector } from './changes.ts';
import { deletedField, isSameValue, toSlot } from './entries.ts';
import { mergeRecords } from './merge.ts';
import { readElementTime, readEntries } from './project.ts';
import { createStamp, getStampReplica } from './stamp.ts';

/** A change of a store since the last sync. */
interface PlanEdit {
  /** The record after the last sync; undefined for a new one. */
  base: PlanRecord | undefined;
  /** The state that was written to the store from `base`; undefined if `base` is deleted. */
  before: PlanState | undefined;
  /** The state that the store has now. */
  now: PlanState;
  /** The record of the file. It is used only if it has events of this replica that `base` lacks, as after restoring a backup. */
  incoming?: PlanRecord;
  project: string;
  replica: string;
  nowMs: number;
  /** Time of the last edit of a field, or of an element of a set, where the store knows it. */
  editedAtMs?(field: string, key?: string): number | undefined;
}

/** Adds the changes of a store to a record. Fields and elements that are equal in `before` and `now` are not touched, so what a
 *  projection leaves out or adds is not mistaken for an edit. Returns `base` if nothing changed. */
export function diffRecord(edit: PlanEdit): PlanRecord {
  const { base, now, incoming, replica } = edit;
  if (!base) return createRecord(edit);
  const isBehind = incoming !== undefined && (incoming.seen[replica] ?? '') > (base.seen[replica] ?? '');
  const changes = createChanges(isBehind ? mergeRecords(base, incoming) : base, base, edit);
  const before = edit.before ?? readEntries(base);
  diffFields(changes, before.fields, now);
  const { sets } = planFields[now.kind];
  for (const set of listNames(before.sets, now.sets, sets))
    diffElements(changes, set, getOwn(before.sets, set) ?? [], getOwn(now.sets, set) ?? []);
  const isRestored = !edit.before && base.entries.some(({ field }) => field === deletedField);
  if (!changes.isChanged() && !isRestored) return base;
  // An edit ends a deletion that it has seen; otherwise removing what revived the record would delete it again.
  changes.remove(deletedField);
  return changes.toRecord();
}

/** Marks a record as deleted. Its entries stay, so that an edit that the deletion has not seen revives the whole record. */
export function deleteRecord(base: PlanRecord, { at, by, replica }: { at: string; by: string; replica: string }): PlanRecord {
  const changes = createChanges(base, base, { replica, nowMs: Date.parse(at) });
  changes.write({ field: deletedField }, { at, by, seen: { ...base.seen } });
  return changes.toRecord();
}

/** Lists the names of `now`, and those of `before` that this version knows. */
const listNames = (before: object, now: object, known: string[]): Set<string> =>
  new Set([...Object.keys(now), ...Object.keys(before).filter((name) => known.includes(name))]);

function diffFields(changes: PlanChangeCollector, before: PlanState['fields'], { kind, fields }: PlanState): void {
  for (const field of listNames(before, fields, planFields[kind].fields)) {
    const [old, value] = [getOwn(before, field), getOwn(fields, field)];
    const { known, unknown } = splitGroup(field, old);
    if (isSameValue(known, value)) continue;
    changes.write({ field }, value === undefined ? null : isPlainObject(value) ? ({ ...unknown, ...value } as PlanValue) : value);
  }
}

/** Separates the keys of a group that a newer version wrote. They are not in the store and survive an edit of the group. */
function splitGroup(field: string, value: PlanValue | undefined): { known: PlanValue | undefined; unknown?: object } {
  const keys = getOwn(planGroupKeys, field);
  if (!keys || !isPlainObject(value)) return { known: value };
  const entries = Object.entries(value) as [string, PlanValue][];
  return {
    known: Object.fromEntries(entries.filter(([key]) => keys.includes(key))),
    unknown: Object.fromEntries(entries.filter(([key]) => !keys.includes(key))),
  };
}

function diffElements(changes: PlanChangeCollector, set: string, before: PlanElement[], now: PlanElement[]): void {
  const old = new Map(before.map(({ key, value }) => [key, value]));
  const keys = new Set(now.map(({ key }) => key));
  for (const { key } of before) if (!keys.has(key)) changes.remove(toSlot({ field: set, key }));
  // Elements without a time are in the order of their stamps: one that was moved behind another is written again.
  let last: PlanStamp | undefined;
  for (const { key, value } of now) {
    const stamp = changes.getStamp(toSlot({ field: set, key }));
    const isKept = old.has(key) && isSameValue(old.get(key), value);
    if (isKept && stamp === undefined) continue;
    const isInOrder = readElementTime(value) !== undefined || last === undefined || stamp! > last;
    last = isKept && isInOrder ? stamp : changes.write({ field: set, key }, value, last);
  }
}

function createRecord({ now, project, replica, nowMs, editedAtMs }: PlanEdit): PlanRecord {
  const creation = getOwn(now.fields, 'creation') as { at?: string } | undefined;
  const createdMs = Date.parse(creation?.at ?? '');
  const stamp = createStamp(Number.isNaN(createdMs) ? nowMs : createdMs, replica);
  const record: PlanRecord = {
    version: planVersion,
    kind: now.kind,
    uid: now.uid,
    origin: { project, replica },
    created: { stamp, ...(now.id === undefined ? {} : { id: now.id }) },
    // Fields that were not edited since the creation have its stamp.
    entries: Object.entries(now.fields).map(([field, value]): PlanEntry => {
      const ms = editedAtMs?.(field);
      const isEdited = ms !== undefined && ms > createdMs;
      return { field, stamp: isEdited ? createStamp(Math.min(ms, nowMs), replica) : stamp, value };
    }),
    seen: { [getStampReplica(stamp)]: stamp },
  };
  const changes = createChanges(record, record, defined({ replica, nowMs: Math.max(nowMs, createdMs || 0), editedAtMs }), createdMs);
  for (const [set, elements] of Object.entries(now.sets)) diffElements(changes, set, [], elements);
  return changes.toRecord();
}
