import type { TaskId } from '#core/model/scalars.ts';
import { groupBy, removeDuplicates } from '#lib/collections.ts';
import type { MemoryType } from '#memory/model/memory.ts';
import type { PlanKey, PlanPosition, PlanRow } from '#store/port/plan.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { PlanIssue, PlanKind, PlanOutcome, PlanRecord, PlanState, PlanSummary } from '../../model/plan.ts';
import { deleteRecord, diffRecord } from '../../rules/plan/diff.ts';
import { toPlanKey } from '../../rules/plan/entries.ts';
import { listHandoffIds } from '../../rules/plan/handoff-references.ts';
import { mergeRecords } from '../../rules/plan/merge.ts';
import { projectRecord, readEntries } from '../../rules/plan/project.ts';
import { createRenumberIssue, resolvePlan, sortIssues } from '../../rules/plan/resolve.ts';
import { isDeletedRecord, summarizeRecord } from '../../rules/plan/summarize.ts';
import { collectDocuments, collectHandoffs, collectMemory, collectTasks, toMemoryUid } from './plan-collect.ts';
import type { ReadPlanFile } from './plan-scan.ts';

interface MergeContext {
  store: ReadStore;
  replica: string;
  project: string;
  now: string;
  /** Kinds of records that are published; see `sync.include`. */
  include: string[];
}

/** A record that differs from the last sync, or whose outcome does. */
export interface MergedRecord extends PlanKey {
  row: PlanRow | undefined;
  record: PlanRecord;
  summary: PlanSummary;
  outcome: PlanOutcome;
  /** The state that the store shall have; undefined for a deleted record. */
  state: PlanState | undefined;
  /** The state that the store has. */
  current: PlanState | undefined;
}

interface PlanMerge {
  records: MergedRecord[];
  issues: PlanIssue[];
}

/** Merges the changes of the store and of the files since the last sync. Nothing is written. */
export async function mergePlan(ctx: MergeContext, since: PlanPosition | undefined, files: ReadPlanFile[]): Promise<PlanMerge> {
  const { store } = ctx;
  const local = await collectLocal(ctx, since);
  const deleted = since && ctx.include.includes('tasks') ? await store.plan.listDeletedTasks(since) : [];
  const rows = await loadRows(store, [...local, ...files, ...deleted.map(({ uid }): PlanKey => ({ kind: 'task', uid }))]);
  const incoming = new Map(files.map((file) => [toPlanKey(file), file.record]));
  const records = new Map<string, PlanRecord>();
  const current = new Map(local.map((state) => [toPlanKey(state), state]));
  const times = await readEditTimes(store, local);
  for (const state of local) {
    const key = toPlanKey(state);
    const row = rows.get(key);
    const other = incoming.get(key);
    const record = diffRecord({
      base: row && (JSON.parse(row.record) as PlanRecord),
      before: row?.projected ? (JSON.parse(row.projected) as PlanState) : undefined,
      now: state,
      ...(other ? { incoming: other } : {}),
      project: ctx.project,
      replica: ctx.replica,
      nowMs: Date.parse(ctx.now),
      editedAtMs: (field) => times(state, field),
    });
    records.set(key, record);
  }
  for (const { uid, at, by } of deleted) {
    const key = toPlanKey({ kind: 'task', uid });
    const row = rows.get(key);
    if (!row) continue;
    const base = JSON.parse(row.record) as PlanRecord;
    if (!isDeletedRecord(base)) records.set(key, deleteRecord(base, { at, by, replica: ctx.replica }));
  }
  for (const file of files) {
    const key = toPlanKey(file);
    const row = rows.get(key);
    const known = records.get(key) ?? (row && (JSON.parse(row.record) as PlanRecord));
    records.set(key, known ? mergeRecords(known, file.record) : file.record);
  }
  return resolveMerge(ctx, records, rows, current);
}

/** Collects the records of the store that may have changed since the last sync. */
async function collectLocal({ store, include, replica }: MergeContext, since: PlanPosition | undefined): Promise<PlanState[]> {
  const { plan } = store;
  const domains = since ? await plan.listChangedDomains(since) : undefined;
  const isTouched = (names: string[]): boolean => domains === undefined || names.some((name) => domains.includes(name));
  const states: PlanState[] = [];
  if (include.includes('tasks')) states.push(...(await collectTasks(store, await plan.listChangedTasks(since), replica)));
  const types = memoryKinds.filter(([name]) => include.includes(name)).map(([, type]) => type);
  if (types.length > 0 && isTouched(['memory', 'session', 'research'])) {
    const all = await plan.listMemory(memoryKinds.map(([, type]) => type));
    const uids = await plan.getTaskUids(removeDuplicates(all.flatMap(({ tasks }) => tasks)));
    states.push(
      ...collectMemory(
        all.filter(({ type }) => types.includes(type)),
        all,
        uids,
      ),
    );
  }
  if (include.includes('documents') && isTouched(['docs'])) {
    const docs = await plan.listDocuments();
    states.push(...collectDocuments(docs, await plan.getTaskUids(removeDuplicates(docs.flatMap(({ tasks }) => tasks)))));
  }
  if (include.includes('handoffs') && isTouched(['session'])) {
    states.push(...(await collectLocalHandoffs(store)));
  }
  return states;
}

async function collectLocalHandoffs({ plan }: ReadStore): Promise<PlanState[]> {
  const sessions = await plan.listHandoffs();
  const ids = sessions.flatMap(({ scope, handoff }) => [...(scope.root ? [scope.root] : []), ...(handoff ? listHandoffIds(handoff) : [])]);
  const uids = await plan.getTaskUids(removeDuplicates(ids));
  const memory = ids.some((id) => !uids.has(id)) ? await plan.listMemory(memoryKinds.map(([, type]) => type)) : [];
  const memoryUids = new Map(memory.map(({ id, digest }) => [id, toMemoryUid(digest)]));
  const rows = await plan.getRows(
    'handoff',
    sessions.map(({ id }) => id),
  );
  const before = new Map(rows.flatMap(({ uid, projected }) => (projected ? [[uid, JSON.parse(projected) as PlanState] as const] : [])));
  return collectHandoffs(
    sessions,
    uids,
    (kind, id) => (kind === 'task' ? uids : memoryUids).get(id),
    (session) => before.get(session)?.fields.handoff,
  );
}

/** Names in `sync.include` and the types of memory they mean. */
export const memoryKinds: [name: string, type: MemoryType][] = [
  ['decisions', 'decision'],
  ['observations', 'observation'],
  ['patterns', 'pattern'],
  ['learnings', 'learning'],
];

async function loadRows(store: ReadStore, keys: PlanKey[]): Promise<Map<string, PlanRow>> {
  const rows = new Map<string, PlanRow>();
  for (const [kind, some] of groupBy(keys, ({ kind }) => kind))
    for (const row of await store.plan.getRows(kind, removeDuplicates(some.map(({ uid }) => uid)))) rows.set(toPlanKey(row), row);
  return rows;
}

/** Fields of the history that a field of the plan consists of. */
const historyFields: Record<string, string[]> = {
  place: ['type', 'parentId'],
  state: ['status', 'resolution', 'blockedBy', 'startedAt', 'completedAt', 'archivedAt'],
  criteria: ['acceptance'],
  ticks: ['acceptance'],
};

/** Returns the time of the last edit of a field, by the history of the task. What was never edited is as old as the task. */
async function readEditTimes(store: ReadStore, states: PlanState[]) {
  const ids = states.flatMap(({ kind, id }) => (kind === 'task' && id !== undefined ? [id as TaskId] : []));
  const times = await store.plan.listEditTimes(ids);
  return ({ kind, id, fields, updatedAt }: PlanState, field: string): number | undefined => {
    if (kind !== 'task') return Date.parse(updatedAt);
    const edits = times.get(id as TaskId);
    const latest = (historyFields[field] ?? [field])
      .flatMap((name) => edits?.get(name) ?? [])
      .sort()
      .at(-1);
    const isDerived = field === 'evidence' || field === 'verification' || field === 'aliases';
    return Date.parse(latest ?? (isDerived ? updatedAt : (fields.creation as { at: string }).at));
  };
}

/** Resolves the whole plan by the summaries of its records, and projects those that are affected. */
async function resolveMerge(
  { store, replica }: MergeContext,
  records: Map<string, PlanRecord>,
  rows: Map<string, PlanRow>,
  current: Map<string, PlanState>,
): Promise<PlanMerge> {
  const changed = new Map([...records].filter(([key, record]) => rows.get(key)?.record !== JSON.stringify(record)));
  // A store can differ from its last projection without a change of the record, for example in derived texts.
  if (changed.size === 0) return { records: [], issues: [] };
  const { summaries, outcomes, affected, issues } = await resolveChanged(store, changed, rows);
  for (const [key, row] of await loadRows(
    store,
    affected.filter((key) => !rows.has(toPlanKey(key))),
  ))
    rows.set(key, row);
  const missing = affected.filter((key) => key.kind === 'task' && !current.has(toPlanKey(key))).map(({ uid }) => uid);
  const ids = await store.plan.getTaskIds(missing);
  for (const state of await collectTasks(store, [...ids.values()], replica)) current.set(toPlanKey(state), state);
  const merged: MergedRecord[] = [];
  for (const key of affected) {
    const row = rows.get(toPlanKey(key));
    const record = changed.get(toPlanKey(key)) ?? (JSON.parse(row!.record) as PlanRecord);
    const outcome = outcomes.get(toPlanKey(key)) ?? {};
    const summary = summaries.get(toPlanKey(key))!;
    const projected = summary.isDeleted ? undefined : projectRecord(record, outcome);
    if (projected) issues.push(...listNewIssues({ record, outcome, issues: projected.issues }, row, replica));
    merged.push({ ...key, row, record, summary, outcome, state: projected?.state, current: current.get(toPlanKey(key)) });
  }
  return { records: merged, issues: sortIssues(issues) };
}

/** Lists what the last sync has not reported about a record. A concurrent text stays in it until the field is written again. */
function listNewIssues(
  { record, outcome, issues }: { record: PlanRecord; outcome: PlanOutcome; issues: PlanIssue[] },
  row: PlanRow | undefined,
  replica: string,
): PlanIssue[] {
  const earlier = row ? (JSON.parse(row.outcome ?? '{}') as PlanOutcome) : {};
  const isRenumbered = outcome.renumberedFrom !== undefined && (!row || earlier.id !== outcome.id);
  if (issues.length === 0 && !isRenumbered) return [];
  const known = new Set(row ? projectRecord(JSON.parse(row.record) as PlanRecord, earlier).issues.map(({ message }) => message) : []);
  const title = readEntries(record).fields.title as string | undefined;
  return [
    ...(isRenumbered ? [createRenumberIssue(record, outcome, { title, ownReplica: replica })] : []),
    ...issues.filter(({ message }) => !known.has(message)),
  ];
}

interface Resolved {
  /** By key; those of the affected records at least. */
  summaries: Map<string, PlanSummary>;
  /** By key. */
  outcomes: Map<string, PlanOutcome>;
  /** Records that changed, and those whose outcome did. */
  affected: PlanKey[];
  issues: PlanIssue[];
}

/** Resolves the plan. If no summary changed, all outcomes are those of the last sync, and the other records are not read. */
async function resolveChanged(store: ReadStore, changed: Map<string, PlanRecord>, rows: Map<string, PlanRow>): Promise<Resolved> {
  const summaries = new Map([...changed].map(([key, record]) => [key, summarizeRecord(record)]));
  const isSame = [...summaries].every(([key, summary]) => rows.get(key)?.summary === JSON.stringify(summary));
  const changedKeys = [...summaries.values()].map(({ kind, uid }): PlanKey => ({ kind, uid }));
  if (isSame) {
    const outcomes = changedKeys.map((key) => [toPlanKey(key), JSON.parse(rows.get(toPlanKey(key))!.outcome ?? '{}')] as const);
    return { summaries, outcomes: new Map(outcomes), affected: changedKeys, issues: [] };
  }
  const last = new Map<string, string | undefined>();
  for (const { kind, uid, summary, outcome } of await store.plan.listSummaries()) {
    const key = toPlanKey({ kind, uid });
    last.set(key, outcome);
    if (!summaries.has(key)) summaries.set(key, JSON.parse(summary) as PlanSummary);
  }
  const { outcomes, issues } = resolvePlan(summaries.values());
  const affected: PlanKey[] = [];
  for (const [key, { kind, uid }] of summaries)
    if (changed.has(key) || JSON.stringify(outcomes.get(key)) !== last.get(key)) affected.push({ kind, uid });
  // Everything that the resolution reports is in the outcome. One that did not change was reported before.
  const isNew = ({ kind, recordKind, uids }: PlanIssue): boolean => {
    const key = toPlanKey({ kind: recordKind, uid: uids[0]! });
    return kind !== 'renumbered' && JSON.stringify(outcomes.get(key)) !== last.get(key);
  };
  return { summaries, outcomes, affected, issues: issues.filter(isNew) };
}

/** Selects the records of one kind. */
export const pickKind = (records: MergedRecord[], kind: PlanKind): MergedRecord[] => records.filter((record) => record.kind === kind);
