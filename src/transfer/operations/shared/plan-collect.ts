import type { TaskId } from '#core/model/scalars.ts';
import { defined, groupBy, removeDuplicates } from '#lib/collections.ts';
import type { MemoryRecord } from '#memory/model/memory.ts';
import type { SessionRecord } from '#sessions/model/session.ts';
import type { PlanDocument } from '#store/port/plan.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { toForeignAgent } from '#tasks/rules/foreign-holder.ts';
import type { PlanElement, PlanState, PlanValue } from '../../model/plan.ts';
import {
  toAliasKey,
  toContentElements,
  toCriterionElements,
  toKeyElements,
  toNoteElements,
  toRelationKey,
} from '../../rules/plan/elements.ts';
import { type FindUid, toPortableHandoff } from '../../rules/plan/handoff-references.ts';

/** Reads tasks of the store as the plan describes them. */
export async function collectTasks(store: ReadStore, ids: TaskId[], replica: string): Promise<PlanState[]> {
  if (ids.length === 0) return [];
  const { plan, tasks, claims } = store;
  const records = await tasks.getMany(ids);
  const notes = await tasks.getNotes(ids);
  const relations = groupBy(await plan.listRelationsFrom(ids), ({ from }) => from);
  const attempts = await plan.listAttempts(ids);
  const rounds = await plan.listRounds(ids);
  const claimByTask = new Map(
    (await claims.listForTasks(records.filter(({ status }) => status === 'active').map(({ id }) => id))).map((claim) => [
      claim.taskId,
      claim,
    ]),
  );
  const referred = records.flatMap(({ id, parentId, depends }) => [
    ...(parentId ? [parentId] : []),
    ...depends,
    ...(relations.get(id) ?? []).map(({ to }) => to),
  ]);
  const uids = await plan.getTaskUids(removeDuplicates(referred));
  const toUids = (list: TaskId[]): string[] => list.flatMap((id) => uids.get(id) ?? []);
  return records.map((task): PlanState => {
    const claim = claimByTask.get(task.id);
    const { criteria, ticks } = toCriterionElements(task.acceptance);
    const round = rounds.get(task.id);
    return {
      kind: 'task',
      uid: task.uid,
      id: task.id,
      fields: omitUndefined({
        ...pickTexts(task),
        place: omitUndefined({ type: task.type, parent: task.parentId && uids.get(task.parentId) }),
        state: omitUndefined({
          status: task.status,
          resolution: task.resolution,
          blockedBy: task.blockedBy,
          startedAt: task.startedAt,
          completedAt: task.completedAt,
          archivedAt: task.archivedAt,
          holder: claim && { ...(toForeignAgent(claim.agent) ?? { agent: claim.agent, replica }), at: claim.claimedAt },
        }),
        creation: { at: task.createdAt, by: task.createdBy },
        verification: round as unknown as PlanValue | undefined,
      }),
      sets: omitEmptySets({
        labels: toKeyElements(task.labels),
        files: toKeyElements(task.files),
        requires: toKeyElements(task.requires ?? []),
        depends: toKeyElements(toUids(task.depends)),
        relations: (relations.get(task.id) ?? []).flatMap(({ to, type, reason, at, by }) => {
          const uid = uids.get(to);
          return uid ? [{ key: toRelationKey(uid, type), value: { to: uid, type, reason, at, by } }] : [];
        }),
        criteria,
        ticks,
        notes: toNoteElements(notes.get(task.id) ?? []),
        evidence: toContentElements((attempts.get(task.id) ?? []) as unknown as { [key: string]: PlanValue }[]),
        aliases: (task.aliases ?? []).map(({ tool, id }) => ({ key: toAliasKey(tool, id), value: { tool, alias: id } })),
      }),
      updatedAt: task.updatedAt,
    };
  });
}

const pickTexts = ({ title, description, priority, size, phase, assignee, due }: TaskRecord): Record<string, string | undefined> => ({
  title,
  description,
  priority,
  size,
  phase,
  assignee,
  due,
});

/** Converts memory entries. An entry is identified by the digest of its content. */
export function collectMemory(entries: MemoryRecord[], all: MemoryRecord[], uids: Map<TaskId, string>): PlanState[] {
  const digests = new Map(all.map(({ id, digest }) => [id, toMemoryUid(digest)]));
  return entries.map((entry) => ({
    kind: 'memory',
    uid: toMemoryUid(entry.digest),
    id: entry.id,
    fields: omitUndefined({
      type: entry.type,
      title: entry.title,
      content: entry.content,
      digest: entry.digest,
      creation: { at: entry.createdAt, by: entry.agentId },
      decision: omitUndefined({
        state: entry.state,
        by: entry.decidedBy,
        at: entry.decidedAt,
        reason: entry.decidedReason,
        supersededBy: entry.supersededBy && digests.get(entry.supersededBy),
        proof: entry.proof,
      }),
      source: entry.source && { ...entry.source },
      session: entry.sessionId,
    }),
    sets: omitEmptySets({ tags: toKeyElements(entry.tags), tasks: toKeyElements(entry.tasks.flatMap((id) => uids.get(id) ?? [])) }),
    updatedAt: entry.decidedAt ?? entry.createdAt,
  }));
}

export const toMemoryUid = (digest: string): string => digest.slice(0, 20);

export const collectDocuments = (docs: PlanDocument[], uids: Map<TaskId, string>): PlanState[] =>
  docs.map((doc) => ({
    kind: 'document',
    uid: doc.slug,
    fields: { type: doc.kind, title: doc.title, creation: { at: doc.createdAt, by: doc.createdBy } },
    sets: omitEmptySets({
      versions: toContentElements(doc.versions as unknown as { [key: string]: PlanValue }[]),
      tasks: toKeyElements(doc.tasks.flatMap((id) => uids.get(id) ?? [])),
    }),
    updatedAt: doc.updatedAt,
  }));

/** Converts handoffs. `findBefore` returns the handoff that was published last. */
export const collectHandoffs = (
  sessions: SessionRecord[],
  uids: Map<TaskId, string>,
  findUid: FindUid,
  findBefore: (session: string) => PlanValue | undefined,
): PlanState[] =>
  sessions.flatMap((session): PlanState[] => {
    const root = session.scope.root && uids.get(session.scope.root);
    // The files of records whose names need escapes would not be portable.
    if (!/^[A-Za-z0-9][\w.-]{0,127}$/.test(session.id) || (session.scope.root && !root)) return [];
    return [
      {
        kind: 'handoff',
        uid: session.id,
        fields: omitUndefined({
          name: session.name,
          scope: omitUndefined({ kind: session.scope.kind, root }),
          phase: session.phase,
          graded: session.isGraded ? true : undefined,
          creation: { at: session.startedAt, by: session.startedBy },
          endedAt: session.endedAt,
          note: session.note,
          handoff: session.handoff && toPortableHandoff(session.handoff, findBefore(session.id), findUid),
        }),
        sets: {},
        updatedAt: session.updatedAt,
      },
    ];
  });

const omitUndefined = (value: { [key: string]: PlanValue | undefined }): { [key: string]: PlanValue } =>
  defined(value) as { [key: string]: PlanValue };

const omitEmptySets = (sets: Record<string, PlanElement[]>): Record<string, PlanElement[]> =>
  Object.fromEntries(Object.entries(sets).filter(([, elements]) => elements.length > 0));
