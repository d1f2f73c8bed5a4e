import { defined } from '#lib/collections.ts';
import { type MemoryRecord, type MemoryType, memoryTypes } from '#memory/model/memory.ts';
import type { SessionRecord } from '#sessions/model/session.ts';
import type { PlanDocument, PlanDocumentVersion } from '#store/port/plan.ts';
import type { WriteStore } from '#store/port/store.ts';
import type { PlanState } from '../../model/plan.ts';
import { listHandoffUids, renumberHandoff, toLocalHandoff } from '../../rules/plan/handoff-references.ts';
import { toMemoryUid } from './plan-collect.ts';

/** A record that is not a task: the state it shall have, and its id in the store now. Undefined deletes it. */
export interface PlanRecordChange {
  uid: string;
  id?: string;
  state?: PlanState;
}

/** Lists the records that get another number. */
export const listMoves = (wanted: { state: PlanState; id?: string | undefined }[]): { from: string; to: string }[] =>
  wanted.flatMap(({ state, id }) => (id !== undefined && state.id !== undefined && id !== state.id ? [{ from: id, to: state.id }] : []));

/** Gives the entries of all handoffs the new numbers of their tasks and memory entries. */
export async function renumberHandoffs(plan: WriteStore['plan'], moves: { from: string; to: string }[]): Promise<void> {
  if (moves.length === 0) return;
  const numbers = new Map(moves.map(({ from, to }) => [from, to]));
  for (const session of await plan.listHandoffs()) {
    const handoff = session.handoff && renumberHandoff(session.handoff, numbers);
    if (handoff) await plan.saveHandoff({ ...session, handoff });
  }
}

/** Writes memory entries. An entry is never deleted, so a deletion is ignored. */
export async function applyMemory(store: WriteStore, changes: PlanRecordChange[]): Promise<void> {
  const { plan } = store;
  const wanted = changes.flatMap(({ state, id }) => (state ? [{ state, id }] : []));
  const moves = listMoves(wanted);
  await plan.renumberMemory(moves);
  await renumberHandoffs(plan, moves);
  const all = await plan.listMemory([...memoryTypes]);
  const idByUid = new Map(all.map(({ id, digest }) => [toMemoryUid(digest), id]));
  for (const { state } of wanted) idByUid.set(state.uid, state.id!);
  const tasks = await plan.getTaskIds(wanted.flatMap(({ state }) => (state.sets.tasks ?? []).map(({ key }) => key)));
  const entries = wanted.map(({ state }) => toMemory(state, idByUid, tasks));
  // A superseding entry may come later in the list than the one it replaces.
  for (const entry of entries) await plan.saveMemory({ ...entry, ...(entry.supersededBy ? { supersededBy: undefined as never } : {}) });
  for (const entry of entries.filter(({ supersededBy }) => supersededBy !== undefined)) await plan.saveMemory(entry);
  for (const type of memoryTypes) {
    const numbers = entries.filter((entry) => entry.type === type).map(({ id }) => Number(id.split('-')[1]));
    if (numbers.length > 0) await plan.reserveMemoryIds(type, Math.max(...numbers));
  }
}

function toMemory({ id, fields, sets }: PlanState, idByUid: Map<string, string>, tasks: Map<string, string>): MemoryRecord {
  const creation = fields.creation as { at: string; by: string };
  const decision = (fields.decision ?? { state: 'proposed' }) as {
    state: MemoryRecord['state'];
    by?: string;
    at?: string;
    reason?: string;
    supersededBy?: string;
    proof?: string;
  };
  return defined({
    id: id!,
    type: fields.type as MemoryType,
    title: fields.title as string,
    content: fields.content as string,
    digest: fields.digest as string,
    state: decision.state,
    decidedBy: decision.by,
    decidedAt: decision.at,
    decidedReason: decision.reason,
    supersededBy: decision.supersededBy && idByUid.get(decision.supersededBy),
    proof: decision.proof,
    source: fields.source as MemoryRecord['source'],
    sessionId: fields.session as string | undefined,
    agentId: creation.by,
    createdAt: creation.at,
    tags: (sets.tags ?? []).map(({ key }) => key),
    tasks: (sets.tasks ?? []).flatMap(({ key }) => tasks.get(key) ?? []),
  }) as MemoryRecord;
}

/** Writes documents with those of their versions whose content is in the store or in a file. */
export async function applyDocuments(
  store: WriteStore,
  changes: PlanRecordChange[],
  readContent: (version: PlanDocumentVersion) => string | undefined,
): Promise<void> {
  const { plan, docs } = store;
  for (const { uid, id, state } of changes) {
    if (!state) {
      if (id !== undefined) await docs.remove(uid);
      continue;
    }
    const contents = new Map<string, string>();
    const versions: PlanDocumentVersion[] = [];
    for (const { value } of state.sets.versions ?? []) {
      const version = value as unknown as PlanDocumentVersion;
      const content = (await plan.getContent(version.digest)) ? undefined : readContent(version);
      if (content !== undefined) contents.set(version.digest, content);
      if (content !== undefined || (await plan.getContent(version.digest))) versions.push(version);
    }
    if (versions.length === 0) continue;
    const tasks = await plan.getTaskIds((state.sets.tasks ?? []).map(({ key }) => key));
    const creation = state.fields.creation as { at: string; by: string };
    const doc: PlanDocument = {
      slug: uid,
      kind: state.fields.type as string,
      title: state.fields.title as string,
      createdAt: creation.at,
      createdBy: creation.by,
      updatedAt: state.updatedAt,
      versions,
      tasks: [...tasks.values()].sort(),
    };
    await plan.saveDocument(doc, contents);
  }
}

/** Writes the handoffs of ended sessions. A session that is open here is not replaced. */
export async function applyHandoffs(store: WriteStore, changes: PlanRecordChange[]): Promise<void> {
  const taskIds = await store.plan.getTaskIds(changes.flatMap(({ state }) => listHandoffUids(state?.fields.handoff)));
  const memory = changes.length > 0 ? await store.plan.listMemory([...memoryTypes]) : [];
  const memoryIds = new Map(memory.map(({ id, digest }) => [toMemoryUid(digest), id]));
  for (const { uid, state } of changes) {
    if (!state) continue;
    const known = await store.sessions.get(uid);
    if (known && known.status !== 'ended') continue;
    const { fields, updatedAt } = state;
    const scope = fields.scope as { kind: SessionRecord['scope']['kind']; root?: string };
    const root = scope.root && (await store.plan.getTaskIds([scope.root])).get(scope.root);
    if (scope.kind !== 'global' && !root) continue;
    const creation = fields.creation as { at: string; by: string };
    await store.plan.saveHandoff(
      defined({
        id: uid,
        name: fields.name as string | undefined,
        scope: defined({ kind: scope.kind, root }) as SessionRecord['scope'],
        status: 'ended' as const,
        phase: fields.phase as string | undefined,
        isGraded: fields.graded === true,
        startedBy: creation.by,
        startedAt: creation.at,
        updatedAt,
        endedAt: fields.endedAt as string | undefined,
        note: fields.note as string | undefined,
        handoff: fields.handoff && toLocalHandoff(fields.handoff, (kind, uid) => (kind === 'task' ? taskIds : memoryIds).get(uid)),
      }) as SessionRecord,
    );
  }
}
