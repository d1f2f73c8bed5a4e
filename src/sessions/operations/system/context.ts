import { type InferOutput, number, optional, picklist, strictObject } from 'valibot';
import { type QueryContext, query } from '#core/define.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { contextState } from '../../rules/context-window.ts';
import { contextLimits } from '../shared/context-limits.ts';

export const ContextView = strictObject({
  state: picklist(['ok', 'warning', 'caution', 'critical', 'emergency', 'stale']),
  percent: optional(number()),
  used: optional(number()),
  max: optional(number()),
  reportedAt: optional(Timestamp),
  /** Tokens of spawn prompts that the caller was answered in this session (ORC-005). */
  budget: optional(strictObject({ max: number(), used: number(), left: number() })),
});

export const systemContext = query({
  name: 'system.context',
  summary: 'Show how full the context window is, as last reported',
  params: strictObject({}),
  result: strictObject({ context: ContextView }),
  errors: [],
  tier: 0,
  cli: { command: ['context', 'context status'] },
  example: { call: {} },
  run: async (ctx) => ({ context: await contextNow(ctx) }),
});

export async function contextNow({
  store,
  caller,
  now,
  config,
}: Pick<QueryContext, 'store' | 'caller' | 'now' | 'config'>): Promise<InferOutput<typeof ContextView>> {
  const usage = await store.sessions.contextOf(caller);
  const budget = await store.spawns.budget(caller);
  const { state, percent } = contextState(usage, now, contextLimits(config));
  return {
    state,
    ...(percent === undefined ? {} : { percent }),
    ...(usage ? { used: usage.used, max: usage.max, reportedAt: usage.at } : {}),
    ...(budget ? { budget: { ...budget, left: Math.max(0, budget.max - budget.used) } } : {}),
  };
}
