import { isPlainObject } from '#lib/collections.ts';
import type { Handoff } from '#sessions/model/session.ts';
import type { PlanValue } from '../../model/plan.ts';

type Item = { [key: string]: PlanValue };

/** Finds the uid of a task or of a memory entry by its number in this store. */
export type FindUid = (kind: 'task' | 'memory', id: string) => string | undefined;

/** Finds the number in this store by the uid. */
type FindId = (kind: 'task' | 'memory', uid: string) => string | undefined;

const lists = ['done', 'open', 'blocked', 'decisions', 'next'];

/** Adds uids to the tasks and memory entries of a handoff, because clones may give their numbers to others. `before` is the published
 *  handoff: an entry that still means the same keeps its form, so that neither another number nor a deleted task looks like an edit. */
export function toPortableHandoff(handoff: Handoff, before: PlanValue | undefined, findUid: FindUid): PlanValue {
  return mapItems(handoff as unknown as Item, before, (item, earlier) => {
    const key = typeof item.taskId === 'string' ? 'taskId' : 'id';
    const id = String(item[key]);
    const kind = /^T\d/.test(id) ? 'task' : 'memory';
    const uid = findUid(kind, id);
    const isSame =
      isPlainObject(earlier) &&
      typeof earlier.uid === 'string' &&
      (uid === undefined ? earlier.title === item.title && earlier.text === item.text : earlier.uid === uid);
    return isSame ? (earlier as Item) : uid === undefined ? item : { ...item, uid };
  });
}

/** Replaces the uids of a published handoff by the numbers of this store. An entry that is missing here keeps the number of its author. */
export function toLocalHandoff(value: PlanValue, findId: FindId): Handoff {
  const local = mapItems(value, undefined, ({ uid, ...item }) => {
    if (typeof uid !== 'string') return item;
    const key = 'taskId' in item ? 'taskId' : 'id';
    const kind = /^T\d/.test(String(item[key])) ? 'task' : 'memory';
    return { ...item, [key]: findId(kind, uid) ?? item[key]! };
  });
  return local as unknown as Handoff;
}

/** Gives the entries of a handoff other numbers; undefined if it has none of them. */
export function renumberHandoff(handoff: Handoff, numbers: ReadonlyMap<string, string>): Handoff | undefined {
  let isChanged = false;
  const renumbered = mapItems(handoff as unknown as Item, undefined, (item) => {
    const key = typeof item.taskId === 'string' ? 'taskId' : 'id';
    const to = numbers.get(String(item[key]));
    if (to === undefined) return item;
    isChanged = true;
    return { ...item, [key]: to };
  });
  return isChanged ? (renumbered as unknown as Handoff) : undefined;
}

/** Lists the uids that a published handoff refers to. */
export function listHandoffUids(value: PlanValue | undefined): string[] {
  const uids: string[] = [];
  if (value !== undefined)
    mapItems(value, undefined, (item) => {
      if (typeof item.uid === 'string') uids.push(item.uid);
      return item;
    });
  return uids;
}

/** Lists the numbers of a handoff. */
export function listHandoffIds(handoff: Handoff): string[] {
  const ids: string[] = [];
  mapItems(handoff as unknown as Item, undefined, (item) => {
    ids.push(String(item.taskId ?? item.id));
    return item;
  });
  return ids;
}

/** Converts every entry of the lists of a handoff, also in the parts of agents that left early. Other keys stay. */
function mapItems(
  value: PlanValue,
  before: PlanValue | undefined,
  convert: (item: Item, earlier: PlanValue | undefined) => Item,
): PlanValue {
  if (!isPlainObject(value)) return value;
  const earlier = isPlainObject(before) ? before : {};
  const mapList = (list: PlanValue, others: unknown, one: (item: Item, other: PlanValue | undefined) => PlanValue): PlanValue =>
    Array.isArray(list)
      ? list.map((item, i) =>
          isPlainObject(item) ? one(item as Item, Array.isArray(others) ? (others[i] as PlanValue | undefined) : undefined) : item,
        )
      : list;
  const mapped: Item = { ...(value as Item) };
  for (const name of lists) if (mapped[name] !== undefined) mapped[name] = mapList(mapped[name], earlier[name], convert);
  if (mapped.parts !== undefined) mapped.parts = mapList(mapped.parts, earlier.parts, (part, other) => mapItems(part, other, convert));
  return mapped;
}
