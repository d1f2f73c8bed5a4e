import { type InferOutput, number, optional, picklist, strictObject } from 'valibot';
import { type QueryContext, query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { contextLevels, getContextLimits, getContextState } from '../../rules/context-window.ts';

export const ContextView = strictObject({
  state: picklist(['ok', ...contextLevels, 'stale']),
  percent: optional(number()),
  used: optional(number()),
  max: optional(number()),
  reportedAt: optional(Timestamp),
  /** Tokens of spawn prompts that the caller received in this session (ORC-005). */
  budget: optional(strictObject({ max: number(), used: number(), left: number() })),
});

export const systemContext = query({
  name: 'system.context',
  summary: 'Show the last reported fill level of the context window',
  params: strictObject({}),
  result: strictObject({ context: ContextView }),
  errors: [],
  tier: 0,
  cli: { command: ['context', 'context status'], view: async () => (await import('../../view.ts')).sessionView },
  example: { call: {} },
  run: async (ctx) => ({ context: await readContext(ctx) }),
});

export async function readContext({
  store,
  caller,
  now,
  config,
}: Pick<QueryContext, 'store' | 'caller' | 'now' | 'config'>): Promise<InferOutput<typeof ContextView>> {
  const usage = await store.sessions.getContextUsage(caller);
  const budget = await store.spawns.getBudget(caller);
  const { state, percent } = getContextState(usage, now, getContextLimits(config));
  return {
    state,
    ...defined({
      percent,
      used: usage?.used,
      max: usage?.max,
      reportedAt: usage?.at,
      budget: budget && { ...budget, left: Math.max(0, budget.max - budget.used) },
    }),
  };
}
