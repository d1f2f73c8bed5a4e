import { array, description, number, optional, pipe, strictObject, string } from 'valibot';
import { type AnswerOptions, answer, type QueryContext, query } from '#core/define.ts';
import { Omitted } from '#core/model/omitted.ts';
import { PrioritySchema, type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { limitParam, tokensParam } from '#core/page.ts';
import { fitAnswer, type Omission } from '#lib/budget.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { toTruncation } from '#lib/page.ts';
import { estimateTokens } from '#lib/tokens.ts';
import {
  BlockedTask,
  computePlan,
  countTasks,
  listClaims,
  ProgressView,
  RootTask,
  toBlockedTasks,
} from '#planning/operations/shared/plan.ts';
import { computeProgress } from '#planning/rules/progress.ts';
import { computeReadiness, filterReadiness } from '#planning/rules/readiness.ts';
import { indexOpenWaits } from '#planning/rules/waves.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import { toTaskClaim } from '#tasks/rules/claims.ts';
import { PackSchema, TaskRef } from '../model/pack.ts';
import type { PackAnswer } from '../rules/context-pack.ts';
import { buildContextPack, createBudgetError, estimateCost, tryContextPack } from './shared/context-pack.ts';

const Report = strictObject({
  ...RootTask.entries,
  progress: ProgressView,
  counts: strictObject({ ready: number(), running: number(), waiting: number(), blocked: number(), done: number() }),
  ready: array(strictObject({ ...TaskRef.entries, priority: PrioritySchema })),
  running: array(strictObject({ ...TaskRef.entries, agent: string(), session: optional(string()), since: Timestamp, until: Timestamp })),
  waiting: array(strictObject({ ...TaskRef.entries, on: array(strictObject({ ...TaskRef.entries, via: optional(string()) })) })),
  blocked: array(BlockedTask),
  done: array(strictObject({ id: string(), title: string() })),
});

export const orchestrateReport = query({
  name: 'orchestrate.report',
  summary: 'Report the work inside a task by readiness',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('The task, epic or saga')),
    limit: limitParam(50, 'Maximum number of tasks in each group'),
    budget: optional(tokensParam()),
  }),
  paramAliases: { epic: 'taskId', epicId: 'taskId', sagaId: 'taskId' },
  result: strictObject({ report: Report, pack: PackSchema, omitted: Omitted }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 2,
  cli: {
    command: ['orchestrate report', 'orchestrator report'],
    args: ['taskId'],
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  example: {
    world: [
      'T001 epic',
      'T002 in T001 active by ada',
      'T003 in T001 depends T002',
      'T004 in T001 blocked',
      'T005 in T001 done',
      'T006 in T001',
    ],
    call: { taskId: 'T001' },
  },
  async run(ctx, { taskId, limit, budget }) {
    const { store, config } = ctx;
    const task = await store.tasks.getHit(taskId);
    if (!task) throw await createNotFoundError(store, taskId);
    // Dependencies are often outside the task, so its state follows from the plan of all open tasks.
    const { work, schedule: waves, getTask } = await computePlan(store, undefined);
    const { live, judge } = await listClaims(ctx);
    const { ready, running, waiting, blocked } = filterReadiness(computeReadiness(waves, live), work, taskId);
    const listWaits = indexOpenWaits(work);
    const progress = computeProgress(await countTasks(store, taskId));
    const counts = {
      ready: ready.length,
      running: running.length,
      waiting: waiting.length,
      blocked: blocked.length,
      done: progress.done,
    };
    const toTaskRef = (id: string) => {
      const { title, status } = getTask(id);
      return { id, title, status };
    };
    const takeFirst = <T>(all: T[]): T[] => all.slice(0, limit);
    const { id, title, status, type } = task;
    const report = {
      id,
      title,
      status,
      type,
      progress,
      counts,
      ready: takeFirst(ready).map((id) => ({ ...toTaskRef(id), priority: getTask(id).priority })),
      running: takeFirst(running).map((claim) => ({
        ...toTaskRef(claim.taskId),
        ...toTaskClaim(claim, config['claims.ttlMinutes'], judge(claim)),
      })),
      waiting: takeFirst(waiting).map((id) => ({
        ...toTaskRef(id),
        on: listWaits(id).map(({ id: other, via }) => ({ ...toTaskRef(other), ...defined({ via }) })),
      })),
      blocked: toBlockedTasks({ schedule: { ...waves, blocked: takeFirst(blocked) }, getTask }),
      done: (await store.tasks.listDoneInSubtree(taskId, limit)).map(({ id, title }) => ({ id, title })),
    };
    const total = Object.values(counts).reduce((all, n) => all + n, 0);
    const countShown = (shown: Groups): number => groups.reduce((all, name) => all + shown[name].length, 0);
    const toAnswer = (shown: typeof report, { pack, omitted }: PackAnswer) => ({
      result: { report: shown, pack, ...omitEmpty({ omitted }) },
      options: { truncated: toTruncation(countShown(shown), total) },
    });
    const { result, options } =
      budget === undefined
        ? toAnswer(report, await buildContextPack(ctx, taskId, defaultPackTokens))
        : await fitReport(ctx, { taskId, budget, report, toAnswer });
    return answer(result, options);
  },
});

const groups = ['ready', 'running', 'waiting', 'blocked', 'done'] as const;
type Groups = Record<(typeof groups)[number], unknown[]>;
/** Token budget of the pack when the caller passes no budget. */
const defaultPackTokens = 1500;

/** Fits the report into a budget: the pack gets half of it, or its minimum if that is more; the groups get the rest. */
async function fitReport<R extends Groups & { counts: Record<string, number> }, A extends { result: object; options: AnswerOptions }>(
  ctx: QueryContext,
  { taskId, budget, report, toAnswer }: { taskId: TaskId; budget: number; report: R; toAnswer: (shown: R, pack: PackAnswer) => A },
): Promise<A> {
  const print = ({ result, options }: A): string => ctx.toOutput(result as Record<string, unknown>, options);
  const takeItems = (kept: Record<string, number>): R => ({
    ...report,
    ...Object.fromEntries(groups.map((name) => [name, report[name].slice(0, kept[name] ?? 0)])),
  });
  const omitRest = (count: number): Omission => ({ section: 'groups', count, expand: `cleo orchestrate report ${taskId}` });
  const printPackOnly = ({ pack, omitted }: PackAnswer): string =>
    print(toAnswer(takeItems({}), { pack, omitted: [omitRest(99_999), ...omitted] }));
  const half = await tryContextPack(ctx, taskId, Math.floor(budget / 2), printPackOnly);
  const packed = 'pack' in half ? half : await buildContextPack(ctx, taskId, Math.min(budget, half.minBudget), printPackOnly);
  const sections = groups.map((name) => ({
    name,
    items: report[name],
    more: Math.max(0, (report.counts[name] ?? 0) - report[name].length),
    expand: name === 'ready' ? `cleo orchestrate ready ${taskId}` : `cleo orchestrate report ${taskId} --limit ${report.counts[name]}`,
  }));
  const fitted = fitAnswer(sections, budget, {
    build: (kept, omitted) => toAnswer(takeItems(kept), { pack: packed.pack, omitted: [...omitted, ...packed.omitted] }),
    countTokens: (answer) => estimateTokens(print(answer)),
    estimateCost,
    omitRest,
  });
  if ('answer' in fitted) return fitted.answer;
  throw createBudgetError(ctx, taskId, fitted.minBudget);
}
