import { boolean, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { defined } from '#lib/collections.ts';
import type { EntryHash } from '#store/port/admin.ts';
import { allowEmpty, type ScoredTask, ScoredTaskSchema, TakenOverFrom, TaskReceiptSchema } from '../model/task.ts';
import { listFreeTasks } from '../rules/next.ts';
import { toTaskReceipt } from '../rules/view.ts';
import { baselineObservations, observeHeadFirst } from './shared/baseline.ts';
import { createClaimJudge } from './shared/claim-judge.ts';
import { AnyAssignee, Root, rootAliases } from './shared/params.ts';
import { readClaimAhead } from './shared/read-ahead.ts';
import { readRecommendationAhead, recommendTasks } from './shared/recommend.ts';
import { requireTask } from './shared/require.ts';
import { startTask } from './shared/task-transitions.ts';

interface WaitParams {
  wait?: boolean | undefined;
  timeout?: number | undefined;
}

const createEmptyAnswer = ({ wait, timeout }: WaitParams) =>
  answer(
    { recommendation: {}, task: {} },
    {
      exit: 100,
      isUnlogged: true,
      ...(wait || timeout !== undefined ? { wait: { timeoutMs: timeout === undefined ? undefined : timeout * 1000 } } : {}),
    },
  );

const maxWaitSeconds = 86_400;

/** The recommendation before the write lock was taken, and the end of the log at that moment. */
interface ClaimHint {
  recommendation: ScoredTask;
  head: EntryHash | undefined;
}

/** Returns the recommendation of `peek` if nothing has changed since. A task that was claimed then had a lapsed claim, which its holder
 *  may have renewed without an entry in the log. */
async function checkHint(ctx: MutationContext): Promise<ScoredTask | undefined> {
  const { store, hint } = ctx;
  if (hint === undefined) return undefined;
  const { recommendation, head } = hint as ClaimHint;
  store.ahead?.((ahead) => readClaimAhead(ahead, recommendation.taskId, ctx));
  const [now, claim] = await Promise.all([store.audit.getHead(), store.claims.get(recommendation.taskId)]);
  return now?.hash === head?.hash && !claim ? recommendation : undefined;
}

/** The task that the next call will probably claim: the best one after the last that was claimed. Its reads are sent with those of the
 *  recommendation, which saves a server a round trip under the write lock. Nothing depends on it. */
let expected: { epic: TaskId | undefined; taskId: TaskId } | undefined;

async function recommendTask(
  ctx: MutationContext,
  epic: TaskId | undefined,
  isForAny: boolean | undefined,
): Promise<ScoredTask | undefined> {
  const [best, next] = await recommendTasks(ctx, epic, ctx.store.ahead ? 2 : 1, isForAny);
  expected = next && { epic, taskId: next.taskId };
  return best;
}

export const tasksClaimNext = mutation({
  name: 'tasks.claim-next',
  summary: 'Claim the task that next recommends',
  params: strictObject({
    epic: Root,
    any: AnyAssignee,
    wait: optional(pipe(boolean(), description('Wait until there is a task to claim'))),
    timeout: optional(
      pipe(
        wholeNumber({ min: 0, max: maxWaitSeconds }),
        description('Wait for at most this many seconds, then exit with 100'),
        metadata({ value: 'SECONDS' }),
      ),
    ),
  }),
  paramAliases: rootAliases,
  result: strictObject({
    recommendation: allowEmpty(ScoredTaskSchema),
    task: allowEmpty(TaskReceiptSchema),
    released: optional(string()),
    takenOverFrom: TakenOverFrom,
  }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  observes: baselineObservations,
  observeFirst: observeHeadFirst,
  cli: { command: ['next', 'orchestrate next', 'orchestrator next'], args: ['epic'], select: 'claim' },
  example: { world: ['T001 epic', 'T002 in T001 high', 'T003 in T001'], call: { epic: 'T001' } },
  readAhead: (store, params, ctx) => [
    ...readRecommendationAhead(store, params, ctx),
    ...(expected && expected.epic === params.epic ? readClaimAhead(store, expected.taskId, ctx) : []),
  ],
  // Agents that wait for work call this again and again.
  async peek(ctx, { epic, any: isForAny, ...waiting }) {
    const [recommendation] = await recommendTasks(ctx, epic, 1, isForAny);
    if (!recommendation) return { answer: createEmptyAnswer(waiting) };
    return { hint: { recommendation, head: await ctx.store.audit.getHead() } satisfies ClaimHint };
  },
  async findWork(ctx) {
    const graph = await ctx.store.tasks.getOpenGraph();
    const { isLapsed, getNextLapseMs } = await createClaimJudge(ctx, graph.claims);
    return { ids: listFreeTasks(graph, { isLapsed }).map(({ id }) => id), recheckAfterMs: getNextLapseMs() };
  },
  async run(ctx, { epic, any: isForAny, ...waiting }) {
    const recommendation = (await checkHint(ctx)) ?? (await recommendTask(ctx, epic, isForAny));
    if (!recommendation) return createEmptyAnswer(waiting);
    ctx.store.ahead?.((ahead) => readClaimAhead(ahead, recommendation.taskId, ctx));
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
