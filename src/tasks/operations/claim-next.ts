import { optional, strictObject, string } from 'valibot';
import { answer, mutation, noData } from '#core/define.ts';
import { defined } from '#lib/defined.ts';
import { allowEmpty, ScoredTaskSchema, TakenOverFrom, TaskReceiptSchema } from '../model/task.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { AnyAssignee, Root, rootAliases } from './shared/params.ts';
import { recommendTasks } from './shared/recommend.ts';
import { requireTask } from './shared/require.ts';
import { startTask } from './shared/task-transitions.ts';

export const tasksClaimNext = mutation({
  name: 'tasks.claim-next',
  summary: 'Claim the task that next recommends',
  params: strictObject({ epic: Root, any: AnyAssignee }),
  paramAliases: rootAliases,
  result: strictObject({
    recommendation: allowEmpty(ScoredTaskSchema),
    task: allowEmpty(TaskReceiptSchema),
    released: optional(string()),
    takenOverFrom: TakenOverFrom,
  }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  cli: { command: ['next', 'orchestrate next', 'orchestrator next'], args: ['epic'], select: 'claim' },
  example: { world: ['T001 epic', 'T002 in T001 high', 'T003 in T001'], call: { epic: 'T001' } },
  async run(ctx, { epic, any: isForAny }) {
    const [recommendation] = await recommendTasks(ctx, epic, 1, isForAny);
    if (!recommendation) return noData({ recommendation: {}, task: {} });
    // The write lock is held from the recommendation to the claim, so no other agent gets the same task.
    const { task, released, takenOverFrom, takenReason } = await startTask(ctx, await requireTask(ctx.store, recommendation.taskId), {
      isForAny,
    });
    const conflicts = recommendation.reasons.filter(({ points }) => points < 0);
    return answer(
      { recommendation, task: toTaskReceipt(task, ['startedAt']), ...defined({ released, takenOverFrom }) },
      {
        warnings: [
          ...conflicts.map(({ term }) => `${task.id} is claimed although ${term}`),
          ...(takenOverFrom ? [`taken over from ${takenOverFrom}: ${takenReason}`] : []),
        ],
      },
    );
  },
});
