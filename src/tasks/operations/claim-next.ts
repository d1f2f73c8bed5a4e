import { optional, strictObject, string } from 'valibot';
import { mutation, noData } from '#core/define.ts';
import { NoTaskOr, TaskReceipt } from '../model/task.ts';
import { receiptOf } from '../rules/view.ts';
import { startTask } from './shared/moves.ts';
import { Recommendation, recommended } from './shared/recommend.ts';
import { requireTask } from './shared/require.ts';
import { Root, rootNames } from './shared/root.ts';

export const tasksClaimNext = mutation({
  name: 'tasks.claim-next',
  summary: 'Claim what next recommends, at once',
  params: strictObject({ epic: Root }),
  paramAliases: rootNames,
  result: strictObject({ recommendation: NoTaskOr(Recommendation), task: NoTaskOr(TaskReceipt), released: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  cli: { command: ['next', 'orchestrate next', 'orchestrator next'], args: ['epic'], select: 'claim' },
  example: { world: ['T001 epic', 'T002 in T001 high', 'T003 in T001'], call: { epic: 'T001' } },
  async run(ctx, { epic }) {
    const [recommendation] = await recommended(ctx, epic, 1);
    if (!recommendation) return noData({ recommendation: {}, task: {} });
    // The write lock is held from the question to the claim, so nobody is told of the same task.
    const { task, released } = await startTask(ctx, await requireTask(ctx.store, recommendation.taskId));
    return { recommendation, task: receiptOf(task, ['startedAt']), ...(released ? { released } : {}) };
  },
});
