import type { ConditionalScope, MutationContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { defined } from '#lib/collections.ts';
import { recommendTasks } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { releaseTask } from '#tasks/operations/shared/task-transitions.ts';
import type { Handoff, SessionRecord } from '../../model/session.ts';
import { createSessionHandoff } from '../../rules/session-handoff.ts';
import { listBlockedTasks } from './sessions.ts';

/** Releases the claims of one agent, or of all agents, in the session; unfinished tasks become pending again. */
export async function releaseClaims(ctx: MutationContext, sessionId: string, agent?: string): Promise<TaskId[]> {
  const { store } = ctx;
  const claims = (await store.claims.listForSession(sessionId)).filter((claim) => agent === undefined || claim.agent === agent);
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
  const after = {
    ...session,
    status,
    updatedAt: now,
    ...defined({ endedAt: status === 'ended' ? now : undefined, note }),
    handoff: { ...(await summarizeWork(ctx, session, note)), ...defined({ parts: session.handoff?.parts }) },
  };
  await store.sessions.save(after);
  return after;
}

async function summarizeWork(ctx: MutationContext, session: SessionRecord, note: string | undefined, agent?: string): Promise<Handoff> {
  const { store } = ctx;
  const changed = await store.sessions.listChangedIds(session.id, maxChanges, agent);
  const touched = await store.tasks.getMany(changed);
  const decisionIds = [...new Set(changed.filter((id) => id.startsWith('D-')))];
  return createSessionHandoff({
    startedAt: session.startedAt,
    touched,
    notes: await store.tasks.getNotes(touched.map(({ id }) => id)),
    blocked: await listBlockedTasks(store, session.scope.root),
    decisions: decisionIds.length > 0 ? await store.memory.getHits(decisionIds) : [],
    next: await recommendTasks({ ...ctx, session }, undefined, 3),
    note,
  });
}

/** Returns true if `session end` only takes the caller out of the session: it joined the session, did not start it, and another agent
 *  is still in it. An agent whose client process is gone is not in it any more. */
export async function isLeaving(ctx: MutationContext, session: SessionRecord): Promise<boolean> {
  if (ctx.caller.agent === session.startedBy || !(await hasJoined(ctx, session))) return false;
  return hasOthers(ctx, await ctx.store.sessions.listAgents(session.id));
}

/** Returns true if the session belongs to another agent: the caller neither started nor joined it, and an agent in it, or the one that
 *  started it, is not known to be gone. */
async function isAnothers(ctx: MutationContext, session: SessionRecord): Promise<boolean> {
  if (ctx.caller.agent === session.startedBy || (await hasJoined(ctx, session))) return false;
  return hasOthers(ctx, [session.startedBy, ...(await ctx.store.sessions.listAgents(session.id))]);
}

export const anotherSessionScope: ConditionalScope = { scope: 'decide', when: 'to end or suspend the session of another agent' };

/** Requires a person to end or suspend the session of another agent. */
export async function requireMayStop(
  ctx: MutationContext,
  session: SessionRecord,
  { act, note }: { act: 'end' | 'suspend'; note?: string | undefined },
): Promise<void> {
  if (!(await isAnothers(ctx, session))) return;
  ctx.requireScope('decide', {
    subject: session.id,
    action: `${act === 'end' ? 'Ending' : 'Suspending'} ${session.id} of ${session.startedBy}`,
    command: commandLine(['cleo', 'session', act, '--session', session.id, ...(note === undefined ? [] : ['--note', note])]),
  });
}

async function hasJoined({ store, caller, platform }: MutationContext, { id }: SessionRecord): Promise<boolean> {
  return (
    platform.caller.session === id ||
    (await store.sessions.listAgents(id)).includes(caller.agent) ||
    (await store.claims.listForSession(id)).some(({ agent }) => agent === caller.agent) ||
    (await store.sessions.listChangedIds(id, 1, caller.agent)).length > 0
  );
}

/** Checks whether one of `agents` is another agent whose client process is not known to be gone. */
async function hasOthers({ store, caller, platform }: MutationContext, agents: string[]): Promise<boolean> {
  const { isProcessRunning } = await platform.loadProcesses();
  for (const agent of agents) {
    if (agent === caller.agent) continue;
    const process = await store.conversations.findProcess(agent);
    if (process === undefined || isProcessRunning(process) !== false) return true;
  }
  return false;
}

/** Returns true if the caller has left the session and holds nothing in it since. */
export async function hasLeft({ store, caller }: MutationContext, session: SessionRecord): Promise<boolean> {
  if (!session.handoff?.parts?.some(({ agent }) => agent === caller.agent)) return false;
  if ((await store.sessions.listAgents(session.id)).includes(caller.agent)) return false;
  return !(await store.claims.listForSession(session.id)).some(({ agent }) => agent === caller.agent);
}

/** Takes the caller out of the session, which stays active, and adds its part to the handoff. */
export async function leaveSession(
  ctx: MutationContext,
  session: SessionRecord,
  note: string | undefined,
): Promise<{ session: SessionRecord & Required<Pick<SessionRecord, 'handoff'>>; released: TaskId[] }> {
  const { store, caller, now } = ctx;
  const released = await releaseClaims(ctx, session.id, caller.agent);
  const own = await summarizeWork(ctx, session, note, caller.agent);
  const part = { agent: caller.agent, at: now, ...defined({ note }), done: own.done, open: own.open };
  const after = { ...session, updatedAt: now, handoff: { ...own, parts: [...(session.handoff?.parts ?? []), part] } };
  await store.sessions.save(after);
  await store.sessions.detach(session.id, caller.agent);
  return { session: after, released };
}

/** The handoff of a session with more changes than this covers only the latest ones. */
const maxChanges = 2000;
