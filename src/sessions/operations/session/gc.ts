import { array, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { closed, releaseAll } from '../shared/closing.ts';

export const sessionGc = mutation({
  name: 'session.gc',
  summary: 'End sessions that nothing has been heard of for long',
  params: strictObject({}),
  result: strictObject({ sessions: array(SessionSummary) }),
  errors: [],
  tier: 2,
  cli: { command: 'session gc' },
  dryRun: true,
  example: { world: ['T001', 'session session-1 task:T001 by ada: Parser'], call: {} },
  async run(ctx) {
    const { store, config, now } = ctx;
    const hours = config['session.quietHours'];
    const quiet = await store.sessions.quietSince(new Date(Date.parse(now) - hours * 3_600_000).toISOString());
    const sessions = [];
    for (const session of quiet) {
      await releaseAll(ctx, session.id);
      const note = session.note ?? `Nothing was heard of it for ${hours} hours`;
      sessions.push(summaryOf(await closed(ctx, session, 'ended', note)));
    }
    return sessions.length > 0 ? { sessions } : noChange({ sessions });
  },
});
