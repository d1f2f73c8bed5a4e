import { getOwn } from '#lib/collections.ts';
import type {
  PlanElement,
  PlanIssue,
  PlanOutcome,
  PlanProjection,
  PlanRecord,
  PlanState,
  PlanTaskState,
  PlanValue,
} from '../../model/plan.ts';
import { toAliasKey, toNoteElements } from './elements.ts';
import { deletedField, groupSlots, toPlanKey } from './entries.ts';
import { listConcurrentIssues, listLostTexts, mergeAuthor, toLostNotes } from './lost-texts.ts';
import { resolvePlan, sortIssues } from './resolve.ts';
import { compareText, getStampReplica, getStampTime } from './stamp.ts';
import { summarizeRecord } from './summarize.ts';

/** Computes the state that the store shall have. It depends on the set of records only. */
export function projectPlan(records: Iterable<PlanRecord>): PlanProjection {
  const list = [...records];
  const summaries = list.map(summarizeRecord);
  const { outcomes, issues } = resolvePlan(summaries);
  const states = new Map<string, PlanState>();
  for (const [i, record] of list.entries()) {
    if (summaries[i]!.isDeleted) continue;
    const key = toPlanKey(record);
    const projected = projectRecord(record, outcomes.get(key)!);
    states.set(key, projected.state);
    issues.push(...projected.issues);
  }
  return { states: new Map([...states].sort(([a], [b]) => compareText(a, b))), outcomes, issues: sortIssues(issues) };
}

/** Computes the state of one record that is not deleted. */
export function projectRecord(record: PlanRecord, outcome: PlanOutcome): { state: PlanState; issues: PlanIssue[] } {
  const lostTexts = listLostTexts(record);
  const { fields, sets } = readEntries(record);
  if (record.kind === 'task') {
    applyOutcome(record, outcome, fields, sets);
    const notes = [...(getOwn(sets, 'notes') ?? []), ...toLostNotes(lostTexts, mergeAuthor), ...toRenumberNote(record, outcome)];
    if (notes.length > 0) sets.notes = sortElements(removeDuplicateKeys(notes));
  }
  for (const [name, elements] of Object.entries(sets)) if (elements.length === 0) delete sets[name];
  return {
    state: {
      kind: record.kind,
      uid: record.uid,
      ...(outcome.id === undefined ? {} : { id: outcome.id }),
      fields,
      sets,
      updatedAt: getStampTime(Object.values(record.seen).reduce((a, b) => (getStampTime(a) > getStampTime(b) ? a : b))),
      ...(outcome.renumberedFrom === undefined ? {} : { renumberedFrom: outcome.renumberedFrom }),
      ...(record.kind === 'task' || lostTexts.length === 0 ? {} : { lostTexts }),
    },
    issues: [...listConcurrentIssues(record, outcome.id ?? record.uid), ...listRevival(record, outcome)],
  };
}

/** Reads the fields and sets of one record, without what other records change in them. */
export function readEntries(record: PlanRecord): Pick<PlanState, 'fields' | 'sets'> {
  const fields: PlanState['fields'] = {};
  const sets: { [set: string]: (PlanElement & { stamp: string })[] } = {};
  for (const { winner } of groupSlots(record.entries).values()) {
    const { field, key, stamp, value } = winner;
    if (field === deletedField) continue;
    if (key === undefined) {
      if (value !== null) fields[field] = value;
    } else if (Object.hasOwn(sets, field)) sets[field]!.push({ key, value, stamp });
    else sets[field] = [{ key, value, stamp }];
  }
  const sorted = Object.entries(sets).map(([name, elements]) => [
    name,
    sortElements(elements).map(({ key, value }): PlanElement => ({ key, value })),
  ]);
  return { fields, sets: Object.fromEntries(sorted) };
}

/** Orders elements by the time in their value, or else by the stamp with which they were added. */
const sortElements = <T extends PlanElement & { stamp?: string }>(elements: T[]): T[] =>
  elements.sort((a, b) => compareText(toRank(a), toRank(b)) || compareText(a.key, b.key));

export function readElementTime(value: PlanValue): string | undefined {
  const at = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.at : undefined;
  return typeof at === 'string' ? at : undefined;
}

const toRank = ({ value, stamp = '' }: PlanElement & { stamp?: string }): string => readElementTime(value) ?? stamp;

function removeDuplicateKeys(elements: PlanElement[]): PlanElement[] {
  return [...new Map(elements.map((element) => [element.key, element])).values()];
}

function applyOutcome(record: PlanRecord, outcome: PlanOutcome, fields: PlanState['fields'], sets: PlanState['sets']): void {
  const { type, parent, isReopened, withoutDepends = [], withoutRelations = [], withoutAliases = [], renumberedFrom } = outcome;
  fields.place = { ...(fields.place as { [key: string]: PlanValue }), type: type ?? 'task' };
  delete fields.place.parent;
  if (parent !== undefined) fields.place.parent = parent;
  if (isReopened) fields.state = reopenState(fields.state as unknown as PlanTaskState) as unknown as PlanValue;
  for (const [name, without] of Object.entries({ depends: withoutDepends, relations: withoutRelations, aliases: withoutAliases }))
    if (without.length > 0) sets[name] = (sets[name] ?? []).filter(({ key }) => !without.includes(key));
  if (renumberedFrom === undefined) return;
  const value = { tool: 'cleo', alias: `${renumberedFrom}@${getStampReplica(record.created.stamp)}` };
  sets.aliases = [...(sets.aliases ?? []), { key: toAliasKey(value.tool, value.alias), value }];
}

function reopenState({ resolution: _, completedAt: __, archivedAt: ___, ...state }: PlanTaskState): PlanTaskState {
  return { ...state, status: 'pending' };
}

/** The text does not have the new number, which may change when more records arrive, so that the note stays the same. */
function toRenumberNote(record: PlanRecord, { renumberedFrom }: PlanOutcome): PlanElement[] {
  if (renumberedFrom === undefined) return [];
  const { stamp } = record.created;
  const text = `Created as ${renumberedFrom} in replica ${getStampReplica(stamp)}; renumbered, because ${renumberedFrom} belongs to an older task.`;
  return toNoteElements([{ at: getStampTime(stamp), by: mergeAuthor, text }]);
}

function listRevival({ kind, uid, entries }: PlanRecord, { id = uid }: PlanOutcome): PlanIssue[] {
  if (!entries.some(({ field }) => field === deletedField)) return [];
  return [
    { kind: 'revived', recordKind: kind, uids: [uid], message: `${id} was deleted, but changed elsewhere at the same time; it stays` },
  ];
}
