import '../../errors.ts';
import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { type MutationContext, mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { NoteText } from '#core/model/scalars.ts';
import { Handoff, type SessionRecord, SessionSummary } from '../../model/session.ts';
import { contextState, isCritical } from '../../rules/context-window.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { closed, releaseAll } from '../shared/closing.ts';
import { contextLimits } from '../shared/context-limits.ts';
import { ownSession } from '../shared/sessions.ts';

export const sessionEnd = mutation({
  name: 'session.end',
  summary: 'End the session: release its claims and write the handoff',
  params: strictObject({ note: optional(pipe(NoteText, description('For whoever comes next; the handoff begins with it'))) }),
  result: strictObject({ session: SessionSummary, released: optional(array(string())), handoff: optional(Handoff) }),
  errors: ['E_SESSION_REQUIRED', 'E_HANDOFF_REQUIRED', 'E_NOTES_REQUIRED', 'E_SESSION_CLOSE_BLOCKED'],
  tier: 0,
  cli: { command: 'session end' },
  example: {
    world: ['T001 done', 'T002', 'session session-1 global by ada: Parser'],
    call: { note: 'The parser reads all of it; errors have no line yet' },
  },
  async run(ctx, { note }) {
    const session = await ownSession(ctx, 'end');
    if (session.status === 'ended') return noChange({ session: summaryOf(session) });
    await checkMayEnd(ctx, session, note);
    const released = await releaseAll(ctx, session.id);
    const ended = await closed(ctx, session, 'ended', note);
    return { session: summaryOf(ended), ...(released.length > 0 ? { released } : {}), handoff: ended.handoff };
  },
});

async function checkMayEnd(ctx: MutationContext, session: SessionRecord, note: string | undefined): Promise<void> {
  const { store, config, caller, now } = ctx;
  if (!note) {
    const { state, percent = 0 } = contextState(
      await store.sessions.contextOf({ ...caller, session: session.id }),
      now,
      contextLimits(config),
    );
    if (isCritical(state)) throw new CleoError('E_HANDOFF_REQUIRED', { sessionId: session.id, percent, fix: ctx.commandAs(['safestop']) });
    if (config['session.requireNote'])
      throw new CleoError('E_NOTES_REQUIRED', {
        sessionId: session.id,
        retry: ctx.commandWith({ note: 'What is done, what is open, what to mind' }),
      });
  }
  if (!config['session.closeRequiresDone']) return;
  const active = (await store.claims.inSession(session.id)).map(({ taskId, agent }) => ({ taskId, agent }));
  if (active.length > 0) throw new CleoError('E_SESSION_CLOSE_BLOCKED', { sessionId: session.id, active });
}
