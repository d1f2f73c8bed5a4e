import { strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
import { contextExits } from '../../rules/context-window.ts';
import { ContextView, contextNow } from './context.ts';

export const systemContextCheck = query({
  name: 'system.context.check',
  summary: 'Tell by the exit code how full the context window is: 0, 50-53, or 54 when nobody said lately',
  params: strictObject({}),
  result: strictObject({ context: ContextView }),
  errors: [],
  tier: 1,
  cli: { command: 'context check' },
  example: { call: {}, exit: 54 },
  async run(ctx) {
    const context = await contextNow(ctx);
    return answer({ context }, context.state === 'ok' ? {} : { exit: contextExits[context.state] });
  },
});
