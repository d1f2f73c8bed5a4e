import { description, optional, pipe, record, strictObject, string, unknown } from 'valibot';
import { mutation } from '#core/define.ts';
import { formatScope } from '#tasks/rules/scope.ts';
import { formatStatusLine, readContextUsage } from '../../rules/status-line.ts';
import { ContextView, readContext } from './context.ts';

export const systemContextStatusline = mutation({
  name: 'system.context.statusline',
  summary: 'Print a status line and record the context usage',
  params: strictObject({
    input: optional(pipe(record(string(), unknown()), description('JSON that Claude Code passes to a status line command'))),
  }),
  result: strictObject({ line: string(), context: ContextView }),
  errors: [],
  tier: 2,
  hookInput: 'input',
  cli: { command: 'context statusline', read: { input: { as: 'json', isPiped: true } }, raw: 'line' },
  example: { call: { input: { context_window: { context_window_size: 200_000, used_percentage: 42 } } } },
  async run(ctx, { input }) {
    const { store, caller, session, now } = ctx;
    const usage = readContextUsage(input);
    if (usage) await store.sessions.saveContextUsage(caller, { ...usage, at: now });
    const context = await readContext(ctx);
    const claim = await store.claims.getHeldBy(caller);
    const focus = claim && (await store.tasks.getHit(claim.taskId));
    const own = session && (await store.sessions.get(session.id));
    return { line: formatStatusLine({ focus, context, session: own && { name: own.name, scope: formatScope(own.scope) } }), context };
  },
});
