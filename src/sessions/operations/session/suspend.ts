import { strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { ownSession } from '../shared/sessions.ts';

export const sessionSuspend = mutation({
  name: 'session.suspend',
  summary: 'Put the session aside; its claims stay until their leases run out',
  params: strictObject({}),
  result: strictObject({ session: SessionSummary }),
  errors: ['E_SESSION_REQUIRED'],
  tier: 1,
  cli: { command: 'session suspend' },
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: {} },
  async run(ctx) {
    const session = await ownSession(ctx, 'suspend');
    if (session.status !== 'active') return noChange({ session: summaryOf(session) });
    const suspended = { ...session, status: 'suspended' as const, updatedAt: ctx.now };
    await ctx.store.sessions.save(suspended);
    return { session: summaryOf(suspended) };
  },
});
