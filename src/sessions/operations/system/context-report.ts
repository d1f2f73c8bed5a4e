import { description, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { maxCount } from '#core/model/config.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { ContextView, readContext } from './context.ts';

const tokenCount = (min: number) => wholeNumber({ min, max: maxCount });

export const systemContextReport = mutation({
  name: 'system.context.report',
  summary: 'Report how full the context window is',
  params: strictObject({
    used: pipe(tokenCount(0), description('Tokens in use')),
    max: pipe(tokenCount(1), description('Size of the window in tokens')),
  }),
  result: strictObject({ context: ContextView }),
  errors: [],
  tier: 1,
  cli: { command: 'context report', view: async () => (await import('../../view.ts')).sessionView },
  example: { call: { used: 150_000, max: 200_000 } },
  async run(ctx, { used, max }) {
    await ctx.store.sessions.saveContextUsage(ctx.caller, { used, max, at: ctx.now });
    return { context: await readContext(ctx) };
  },
});
