import { array, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { closeSession, releaseClaims } from '../shared/close-session.ts';

export const sessionGc = mutation({
  name: 'session.gc',
  summary: 'End sessions without recent activity',
  params: strictObject({}),
  result: strictObject({ sessions: array(SessionSummarySchema) }),
  errors: [],
  tier: 2,
  cli: { command: 'session gc', view: async () => (await import('../../view.ts')).sessionView },
  dryRun: true,
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: {} },
  async run(ctx) {
    const { store, config, now } = ctx;
    const hours = config['session.quietHours'];
    const quiet = await store.sessions.findInactiveSince(new Date(Date.parse(now) - hours * 3_600_000).toISOString());
    const sessions = [];
    for (const session of quiet) {
      await releaseClaims(ctx, session.id);
      const note = session.note ?? `No activity for ${hours} hours`;
      sessions.push(toSessionSummary(await closeSession(ctx, session, 'ended', note)));
    }
    return sessions.length > 0 ? { sessions } : noChange({ sessions });
  },
});
