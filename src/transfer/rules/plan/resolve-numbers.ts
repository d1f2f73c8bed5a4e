import type { PlanSummary } from '../../model/plan.ts';
import { toPlanKey } from './entries.ts';
import { compareText } from './stamp.ts';

/** Orders records by creation. */
export const compareCreation = (a: PlanSummary, b: PlanSummary): number =>
  compareText(a.created.stamp, b.created.stamp) || compareText(a.uid, b.uid) || compareText(a.kind, b.kind);

interface ResolvedNumber {
  id: string;
  renumberedFrom?: string;
}

/** Gives every record its number. A number belongs to the record that was created with it first. The others, in the order of creation,
 *  take the smallest number above their own that is free. Deleted records keep their number. This depends on the set of records only.
 *  `records` are in the order of creation. The result is by `toPlanKey`. */
export function resolveNumbers(records: readonly PlanSummary[]): Map<string, ResolvedNumber> {
  const resolved = new Map<string, ResolvedNumber>();
  const colliding: { key: string; id: string }[] = [];
  const taken = new Set<string>();
  for (const record of records) {
    const { id } = record.created;
    if (id === undefined) continue;
    const key = toPlanKey(record);
    if (taken.has(id)) colliding.push({ key, id });
    else resolved.set(key, { id });
    taken.add(id);
  }
  // A number that was found taken leads to the next candidate, so that long runs of taken numbers are walked once.
  const nextOf = new Map<string, number>();
  for (const { key, id } of colliding) {
    const [, series = '', digits = ''] = /^(.*?)(\d+)$/.exec(id) ?? [];
    const visited: string[] = [];
    let number = Number(digits);
    let candidate = id;
    while (taken.has(candidate)) {
      visited.push(candidate);
      number = nextOf.get(candidate) ?? number + 1;
      candidate = series + String(number).padStart(3, '0');
    }
    for (const one of visited) nextOf.set(one, number);
    taken.add(candidate);
    resolved.set(key, { id: candidate, renumberedFrom: id });
  }
  return resolved;
}
