import '../../errors.ts';
import { optional, strictObject } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskReceipt } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { scopeText } from '#tasks/rules/scope.ts';
import { receiptOf } from '#tasks/rules/view.ts';
import { type SessionRecord, SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { checkAlone, checkFree, handleOf, requireSession } from '../shared/sessions.ts';
import { SessionId } from './show.ts';

export const sessionResume = mutation({
  name: 'session.resume',
  summary: 'Join an active session, or bring one back to life',
  params: strictObject({ sessionId: SessionId }),
  paramAliases: { id: 'sessionId' },
  result: strictObject({ session: SessionSummary, focus: optional(TaskReceipt) }),
  errors: ['E_SESSION_NOT_FOUND', 'E_RESUME_FAILED', 'E_CONCURRENT_SESSION', 'E_SESSION_EXISTS', 'E_SCOPE_CONFLICT'],
  tier: 0,
  cli: { command: 'session resume', args: ['sessionId'] },
  example: { world: ['T001', 'session session-1 task:T001 suspended by ada: Parser'], call: { sessionId: 'session-1' } },
  async run(ctx, { sessionId }) {
    const { store, caller, now } = ctx;
    const former = await requireSession(store, sessionId);
    if (former.scope.root && !(await store.tasks.exists(former.scope.root)))
      throw new CleoError('E_RESUME_FAILED', { sessionId, scope: scopeText(former.scope) });
    await checkAlone(ctx, sessionId);
    const session = former.status === 'active' ? former : await awake(ctx, former);
    const isNew = await store.sessions.attach(sessionId, caller.agent, now);
    const focus = await store.claims.heldBy({ agent: caller.agent, session: sessionId });
    const result = {
      session: summaryOf(session),
      ...(focus ? { focus: receiptOf(await requireTask(store, focus.taskId)) } : {}),
    };
    const joins = handleOf(session);
    return answer(result, { enterSession: joins, ...(isNew || session !== former ? {} : { exit: 102 as const }) });
  },
});

/** Under the rules of a start: its scope may have been taken meanwhile. */
async function awake({ store, now }: MutationContext, former: SessionRecord): Promise<SessionRecord> {
  await checkFree(store, former.scope, former.id);
  const { endedAt: _, ...rest } = former;
  const session: SessionRecord = { ...rest, status: 'active', updatedAt: now };
  await store.sessions.save(session);
  return session;
}
