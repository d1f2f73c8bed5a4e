import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { recommendTasks } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { releaseTask } from '#tasks/operations/shared/task-transitions.ts';
import type { SessionRecord } from '../../model/session.ts';
import { createSessionHandoff } from '../../rules/session-handoff.ts';
import { listBlockedTasks } from './sessions.ts';

/** Releases the claims of all agents in the session; unfinished tasks become pending again. */
export async function releaseClaims(ctx: MutationContext, sessionId: string): Promise<TaskId[]> {
  const { store } = ctx;
  const claims = await store.claims.listForSession(sessionId);
  for (const { taskId } of claims) await releaseTask(ctx, await requireTask(store, taskId));
  return claims.map(({ taskId }) => taskId);
}

/** Stores the session with its new status and its handoff. */
export async function closeSession(
  ctx: MutationContext,
  session: SessionRecord,
  status: 'ended' | 'suspended',
  note: string | undefined,
): Promise<SessionRecord & Required<Pick<SessionRecord, 'handoff'>>> {
  const { store, now } = ctx;
  const changed = await store.sessions.listChangedIds(session.id, maxChanges);
  const touched = await store.tasks.getMany(changed);
  const decisionIds = [...new Set(changed.filter((id) => id.startsWith('D-')))];
  const after = {
    ...session,
    status,
    updatedAt: now,
    ...defined({ endedAt: status === 'ended' ? now : undefined, note }),
    handoff: createSessionHandoff({
      startedAt: session.startedAt,
      touched,
      notes: await store.tasks.getNotes(touched.map(({ id }) => id)),
      blocked: await listBlockedTasks(store, session.scope.root),
      decisions: decisionIds.length > 0 ? await store.memory.getHits(decisionIds) : [],
      next: await recommendTasks({ ...ctx, session }, undefined, 3),
      note,
    }),
  };
  await store.sessions.save(after);
  return after;
}

/** The handoff of a session with more changes than this covers only the latest ones. */
const maxChanges = 2000;
