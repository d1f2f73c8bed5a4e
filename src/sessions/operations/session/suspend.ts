import { strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { anotherSessionScope, requireMayStop } from '../shared/close-session.ts';
import { requireOwnSession } from '../shared/sessions.ts';

export const sessionSuspend = mutation({
  name: 'session.suspend',
  summary: 'Suspend the session; claims stay until they expire',
  params: strictObject({}),
  result: strictObject({ session: SessionSummarySchema }),
  errors: ['E_SESSION_REQUIRED'],
  tier: 1,
  scope: anotherSessionScope,
  cli: { command: 'session suspend', view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 by tester: Parser'], call: {} },
  async run(ctx) {
    const session = await requireOwnSession(ctx, 'suspend');
    if (session.status !== 'active') return noChange({ session: toSessionSummary(session) });
    await requireMayStop(ctx, session, { act: 'suspend' });
    const suspended = { ...session, status: 'suspended' as const, updatedAt: ctx.now };
    await ctx.store.sessions.save(suspended);
    return { session: toSessionSummary(suspended) };
  },
});
