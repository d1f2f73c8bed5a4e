import '../../errors.ts';
import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { NoteText } from '#core/model/scalars.ts';
import { HandoffSchema, type SessionRecord, SessionSummarySchema } from '../../model/session.ts';
import { getContextLimits, getContextState, isCritical } from '../../rules/context-window.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { closeSession, releaseClaims } from '../shared/close-session.ts';
import { requireOwnSession } from '../shared/sessions.ts';

export const sessionEnd = mutation({
  name: 'session.end',
  summary: 'End the session, release its claims, write the handoff',
  params: strictObject({ note: optional(pipe(NoteText, description('Note for the next agent; the handoff begins with it'))) }),
  synonyms: ['close', 'stop', 'finish'],
  result: strictObject({ session: SessionSummarySchema, released: optional(array(string())), handoff: optional(HandoffSchema) }),
  errors: ['E_SESSION_REQUIRED', 'E_HANDOFF_REQUIRED', 'E_NOTES_REQUIRED', 'E_SESSION_CLOSE_BLOCKED'],
  tier: 0,
  cli: { command: 'session end', view: async () => (await import('../../view.ts')).sessionView },
  example: {
    world: ['T001 done', 'T002', 'session session-1 global by ada: Parser'],
    call: { note: 'The parser reads all of it; errors have no line yet' },
  },
  async run(ctx, { note }) {
    const session = await requireOwnSession(ctx, 'end');
    if (session.status === 'ended') return noChange({ session: toSessionSummary(session) });
    await checkMayEnd(ctx, session, note);
    const released = await releaseClaims(ctx, session.id);
    const ended = await closeSession(ctx, session, 'ended', note);
    return { session: toSessionSummary(ended), ...(released.length > 0 ? { released } : {}), handoff: ended.handoff };
  },
});

async function checkMayEnd(ctx: MutationContext, session: SessionRecord, note: string | undefined): Promise<void> {
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
  const active = (await store.claims.listForSession(session.id)).map(({ taskId, agent }) => ({ taskId, agent }));
  if (active.length > 0) throw new CleoError('E_SESSION_CLOSE_BLOCKED', { sessionId: session.id, active });
}
