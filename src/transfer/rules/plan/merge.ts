import { toCanonicalJson } from '#lib/digest.ts';
import type { PlanEntry, PlanRecord, PlanValue } from '../../model/plan.ts';
import { compareEntries, toEntryId } from './entries.ts';
import { covers, mergeSeen } from './stamp.ts';

/** Merges two versions of a record. An entry stays if both have it, or if one has it and the other has not seen it. An entry that the
 *  other has seen and does not have was removed or replaced there. Commutative, associative and idempotent. */
export function mergeRecords(a: PlanRecord, b: PlanRecord): PlanRecord {
  if (a === b) return a;
  const first = pickFirst(a, b);
  const extra = mergeExtra(a.extra, b.extra);
  return {
    version: compareVersions(a.version, b.version) >= 0 ? a.version : b.version,
    kind: first.kind,
    uid: first.uid,
    origin: first.origin,
    created: first.created,
    entries: mergeEntries(a, b),
    seen: mergeSeen(a.seen, b.seen),
    ...(extra ? { extra } : {}),
  };
}

/** Merges plans by uid. */
export function mergePlans(a: ReadonlyMap<string, PlanRecord>, b: ReadonlyMap<string, PlanRecord>): Map<string, PlanRecord> {
  const merged = new Map(a);
  for (const [uid, record] of b) {
    const other = merged.get(uid);
    merged.set(uid, other ? mergeRecords(other, record) : record);
  }
  return merged;
}

/** Combines the two sides of a text with conflict markers. Both contain what git merged without a conflict, so an entry that only one of
 *  them has may be new, although the other seems to have seen it. All entries stay; replaced texts come back as concurrent ones. */
export function uniteRecords(a: PlanRecord, b: PlanRecord): PlanRecord {
  const merged = mergeRecords(a, b);
  const entries = new Map([...a.entries, ...b.entries, ...merged.entries].map((entry) => [toEntryId(entry), entry]));
  return { ...merged, entries: [...entries.values()].sort(compareEntries) };
}

function mergeEntries(a: PlanRecord, b: PlanRecord): PlanEntry[] {
  const others = new Map(b.entries.map((entry) => [toEntryId(entry), entry]));
  const merged: PlanEntry[] = [];
  for (const entry of a.entries) {
    const id = toEntryId(entry);
    const other = others.get(id);
    others.delete(id);
    if (other) merged.push(pickLargest(entry, other));
    else if (!covers(b.seen, entry.stamp)) merged.push(entry);
  }
  for (const entry of others.values()) if (!covers(a.seen, entry.stamp)) merged.push(entry);
  return merged.sort(compareEntries);
}

/** The same stamp has the same value, unless a file was edited by hand. Then the choice must not depend on the order. */
const pickLargest = (a: PlanEntry, b: PlanEntry): PlanEntry =>
  a.value === b.value || toCanonicalJson(a.value) >= toCanonicalJson(b.value) ? a : b;

/** Two stores may create the same record, for example a document with the same slug. The earlier one is its origin. */
function pickFirst(a: PlanRecord, b: PlanRecord): PlanRecord {
  if (a.created.stamp !== b.created.stamp) return a.created.stamp < b.created.stamp ? a : b;
  return toCanonicalJson([a.created, a.origin, a.kind]) <= toCanonicalJson([b.created, b.origin, b.kind]) ? a : b;
}

function mergeExtra(a: PlanRecord['extra'], b: PlanRecord['extra']): PlanRecord['extra'] {
  if (!a || !b) return a ?? b;
  const merged: { [key: string]: PlanValue } = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = merged[key];
    if (other === undefined || toCanonicalJson(other) < toCanonicalJson(value)) merged[key] = value;
  }
  return merged;
}

export function compareVersions(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}
