import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Claim } from '#core/model/audit.ts';
import { omitEmpty } from '#lib/collections.ts';
import { TaskReceiptSchema } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { claimTask, focusHeldTask } from '#tasks/operations/shared/task-transitions.ts';
import { formatHolder, isHolder } from '#tasks/rules/claims.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import '../../errors.ts';
import { array, optional, strictObject, string } from 'valibot';
import { type SessionRecord, SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { checkExclusive, checkMayStart, requireSession } from '../shared/sessions.ts';
import { SessionId } from './show.ts';

export const sessionResume = mutation({
  name: 'session.resume',
  summary: 'Join an active session or resume a closed one',
  params: strictObject({ sessionId: SessionId }),
  paramAliases: { id: 'sessionId' },
  result: strictObject({ session: SessionSummarySchema, focus: optional(TaskReceiptSchema), takenOver: optional(array(string())) }),
  errors: ['E_SESSION_NOT_FOUND', 'E_RESUME_FAILED', 'E_CONCURRENT_SESSION', 'E_SESSION_EXISTS', 'E_SCOPE_CONFLICT'],
  tier: 0,
  cli: { command: 'session resume', args: ['sessionId'], view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 suspended by ada: Parser'], call: { sessionId: 'session-1' } },
  async run(ctx, { sessionId }) {
    const { store, caller, now } = ctx;
    const stored = await requireSession(store, sessionId);
    if (stored.scope.root && !(await store.tasks.exists(stored.scope.root)))
      throw new CleoError('E_RESUME_FAILED', { sessionId, scope: formatScope(stored.scope) });
    if (stored.status === 'active') await checkExclusive(ctx, sessionId);
    const session = stored.status === 'active' ? stored : await reactivate(ctx, stored);
    const isNew = await store.sessions.attach(sessionId, caller.agent, now);
    const takenOver = await takeAwayClaims({ ...ctx, caller: { ...caller, session: sessionId } });
    const focus = await store.claims.getHeldBy({ agent: caller.agent, session: sessionId });
    const result = {
      session: toSessionSummary(session),
      ...(focus ? { focus: toTaskReceipt(await requireTask(store, focus.taskId)) } : {}),
      ...omitEmpty({ takenOver: takenOver.map(({ taskId }) => taskId) }),
    };
    const isChanged = isNew || session !== stored || takenOver.length > 0;
    return answer(result, {
      enterSession: session,
      ...(isChanged ? {} : { exit: 102 as const }),
      warnings: takenOver.map((claim) => `${claim.taskId} is taken over from ${formatHolder(claim)}, who is away`),
    });
  },
});

/** Gives the caller the claims of the session's agents that are away. Its own focus stays; without one, the task that was focused last
 *  becomes the focus. */
async function takeAwayClaims(ctx: MutationContext): Promise<Claim[]> {
  const { store, caller } = ctx;
  const others = (await store.claims.listForSession(caller.session ?? '')).filter((claim) => !isHolder(claim, caller));
  const { judge } = await createClaimJudge(ctx, others);
  const away = others.filter((claim) => judge(claim) === 'away').sort((a, b) => (a.focusedAt < b.focusedAt ? -1 : 1));
  const focus = await store.claims.getHeldBy(caller);
  for (const claim of away) await claimTask(ctx, await requireTask(store, claim.taskId), claim);
  if (focus) await focusHeldTask(ctx, focus.taskId);
  return away;
}

/** Makes a suspended or ended session active again. Another session may have taken its scope since. The agents that were in it have left
 *  it: the caller is its only agent until they join again. */
async function reactivate(ctx: MutationContext, stored: SessionRecord): Promise<SessionRecord> {
  const { store, now, caller } = ctx;
  await checkMayStart(ctx, stored.scope, stored.id);
  const { endedAt: _, ...rest } = stored;
  const session: SessionRecord = { ...rest, status: 'active', updatedAt: now };
  await store.sessions.save(session);
  for (const agent of await store.sessions.listAgents(stored.id)) if (agent !== caller.agent) await store.sessions.detach(stored.id, agent);
  return session;
}
