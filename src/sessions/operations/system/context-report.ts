import { description, integer, maxValue, minValue, number, pipe, strictObject } from 'valibot';
import { mutation } from '#core/define.ts';
import { greatestCount } from '#core/model/config.ts';
import { ContextView, contextNow } from './context.ts';

const tokens = (least: number) =>
  pipe(
    number(),
    integer('must be a whole number'),
    minValue(least, `must be at least ${least}`),
    maxValue(greatestCount, `must be at most ${greatestCount}`),
  );

export const systemContextReport = mutation({
  name: 'system.context.report',
  summary: 'Report how full the context window is',
  params: strictObject({
    used: pipe(tokens(0), description('Tokens in use')),
    max: pipe(tokens(1), description('Tokens the window holds')),
  }),
  result: strictObject({ context: ContextView }),
  errors: [],
  tier: 1,
  cli: { command: 'context report' },
  example: { call: { used: 150_000, max: 200_000 } },
  async run(ctx, { used, max }) {
    await ctx.store.sessions.reportContext(ctx.caller, { used, max, at: ctx.now });
    return { context: await contextNow(ctx) };
  },
});
