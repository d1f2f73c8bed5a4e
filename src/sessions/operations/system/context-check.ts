import { strictObject } from 'valibot';
import { answer, query } from '#core/define.ts';
import { contextExitCodes } from '../../rules/context-window.ts';
import { ContextView, readContext } from './context.ts';

export const systemContextCheck = query({
  name: 'system.context.check',
  summary: 'Exit 0, 50-53 or 54 (stale) by how full the context is',
  params: strictObject({}),
  result: strictObject({ context: ContextView }),
  errors: [],
  tier: 1,
  cli: { command: 'context check', view: async () => (await import('../../view.ts')).sessionView },
  example: { call: {}, exit: 54 },
  async run(ctx) {
    const context = await readContext(ctx);
    if (context.state === 'ok') return { context };
    const isFull = context.state === 'critical' || context.state === 'emergency';
    const stop = `stop ${context.state === 'emergency' ? 'at once' : 'safely'}: ${ctx.commandAs(['safestop', '--reason', 'Context is full'])}`;
    return answer({ context }, { exit: contextExitCodes[context.state], ...(isFull ? { warnings: [stop] } : {}) });
  },
});
