import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { release } from '#tasks/operations/shared/moves.ts';
import { recommended } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { SessionRecord } from '../../model/session.ts';
import { handoffOf } from '../../rules/session-handoff.ts';
import { blockedInside, handleOf } from './sessions.ts';

/** Lets go of everything its agents hold; what is unfinished goes back to pending. */
export async function releaseAll(ctx: MutationContext, sessionId: string): Promise<TaskId[]> {
  const { store } = ctx;
  const claims = await store.claims.inSession(sessionId);
  for (const { taskId } of claims) await release(ctx, await requireTask(store, taskId));
  return claims.map(({ taskId }) => taskId);
}

/** The session with its handoff, in the state it is left in. */
export async function closed(
  ctx: MutationContext,
  session: SessionRecord,
  status: 'ended' | 'suspended',
  note: string | undefined,
): Promise<SessionRecord & Required<Pick<SessionRecord, 'handoff'>>> {
  const { store, now } = ctx;
  const changed = await store.sessions.changedIn(session.id, mostWrites);
  const touched = await store.tasks.many(changed);
  const decided = [...new Set(changed.filter((id) => id.startsWith('D-')))];
  const after: SessionRecord & Required<Pick<SessionRecord, 'handoff'>> = {
    ...session,
    status,
    updatedAt: now,
    ...(status === 'ended' ? { endedAt: now } : {}),
    ...(note ? { note } : {}),
    handoff: handoffOf({
      startedAt: session.startedAt,
      touched,
      notes: await store.tasks.notes(touched.map(({ id }) => id)),
      blocked: await blockedInside(store, session.scope.root),
      decisions: decided.length > 0 ? await store.memory.hits(decided) : [],
      next: await recommended({ ...ctx, session: handleOf(session) }, undefined, 3),
      note,
    }),
  };
  await store.sessions.save(after);
  return after;
}

/** A session that wrote more than this is told by its latest writes. */
const mostWrites = 2000;
