import { description, optional, pipe, record, strictObject, string, unknown } from 'valibot';
import { mutation } from '#core/define.ts';
import { scopeText } from '#tasks/rules/scope.ts';
import { statusLine, usageIn } from '../../rules/status-line.ts';
import { ContextView, contextNow } from './context.ts';

export const systemContextStatusline = mutation({
  name: 'system.context.statusline',
  summary: 'Print one line for a status bar, and record the usage that Claude Code hands to it',
  params: strictObject({
    input: optional(pipe(record(string(), unknown()), description('The JSON that Claude Code gives to a status line command'))),
  }),
  result: strictObject({ line: string(), context: ContextView }),
  errors: [],
  tier: 2,
  cli: { command: 'context statusline', read: { input: { as: 'json', isPiped: true } }, raw: 'line' },
  example: { call: { input: { context_window: { context_window_size: 200_000, used_percentage: 42 } } } },
  async run(ctx, { input }) {
    const { store, caller, session, now } = ctx;
    const usage = usageIn(input);
    if (usage) await store.sessions.reportContext(caller, { ...usage, at: now });
    const context = await contextNow(ctx);
    const claim = await store.claims.heldBy(caller);
    const focus = claim && (await store.tasks.hit(claim.taskId));
    const own = session && (await store.sessions.get(session.id));
    return { line: statusLine({ focus, context, session: own && { name: own.name, scope: scopeText(own.scope) } }), context };
  },
});
