import '../../errors.ts';
import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { NoteText } from '#core/model/texts.ts';
import { HandoffSchema, type SessionRecord, SessionSummarySchema } from '../../model/session.ts';
import { getContextLimits, getContextState, isCritical } from '../../rules/context-window.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import {
  anotherSessionScope,
  closeSession,
  hasLeft,
  isLeaving,
  leaveSession,
  releaseClaims,
  requireMayStop,
} from '../shared/close-session.ts';
import { requireOwnSession } from '../shared/sessions.ts';

export const sessionEnd = mutation({
  name: 'session.end',
  summary: 'End the session, or leave one that you joined',
  params: strictObject({ note: optional(pipe(NoteText, description('Note for the next agent; the handoff begins with it'))) }),
  synonyms: ['close', 'stop', 'finish'],
  result: strictObject({
    session: SessionSummarySchema,
    released: optional(array(string())),
    handoff: optional(HandoffSchema),
    left: optional(boolean()),
  }),
  errors: ['E_SESSION_REQUIRED', 'E_HANDOFF_REQUIRED', 'E_NOTES_REQUIRED', 'E_SESSION_CLOSE_BLOCKED'],
  tier: 0,
  publishesBy: 'sync.run',
  scope: anotherSessionScope,
  cli: { command: 'session end', view: async () => (await import('../../view.ts')).sessionView },
  example: {
    world: ['T001 done', 'T002', 'session session-1 global by tester: Parser'],
    call: { note: 'The parser reads all of it; errors have no line yet' },
  },
  async run(ctx, { note }) {
    const session = await requireOwnSession(ctx, 'end');
    if (session.status === 'ended') return noChange({ session: toSessionSummary(session) });
    const isPart = await isLeaving(ctx, session);
    if (isPart && (await hasLeft(ctx, session))) return noChange({ session: toSessionSummary(session) });
    await requireMayStop(ctx, session, { act: 'end', note });
    await checkMayEnd(ctx, session, note, isPart);
    if (isPart) {
      const { session: after, released } = await leaveSession(ctx, session, note);
      const result = { session: toSessionSummary(after), ...(released.length > 0 ? { released } : {}), handoff: after.handoff, left: true };
      return answer(result, { leaveSession: true });
    }
    const released = await releaseClaims(ctx, session.id);
    const ended = await closeSession(ctx, session, 'ended', note);
    if (!ctx.isDryRun)
      await (await import('#admin/operations/shared/local-facts.ts')).recordFactsQuietly(ctx.platform, ctx.project, ctx.store);
    return { session: toSessionSummary(ended), ...(released.length > 0 ? { released } : {}), handoff: ended.handoff };
  },
});

async function checkMayEnd(ctx: MutationContext, session: SessionRecord, note: string | undefined, isPart: boolean): Promise<void> {
  const { store, config, caller, now } = ctx;
  if (!note) {
    const { state, percent = 0 } = getContextState(
      await store.sessions.getContextUsage({ ...caller, session: session.id }),
      now,
      getContextLimits(config),
    );
    if (isCritical(state)) throw new CleoError('E_HANDOFF_REQUIRED', { sessionId: session.id, percent, fix: ctx.commandAs(['safestop']) });
    if (config['session.requireNote'])
      throw new CleoError('E_NOTES_REQUIRED', {
        sessionId: session.id,
        retry: ctx.commandWith({ note: 'What is done, what is open, what to watch out for' }),
      });
  }
  if (!config['session.closeRequiresDone']) return;
  const claims = (await store.claims.listForSession(session.id)).filter(({ agent }) => !isPart || agent === caller.agent);
  const active = claims.map(({ taskId, agent }) => ({ taskId, agent }));
  if (active.length > 0) throw new CleoError('E_SESSION_CLOSE_BLOCKED', { sessionId: session.id, active });
}
