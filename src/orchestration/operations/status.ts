import { array, literal, number, optional, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { computePlan, countTasks, listClaims, ProgressView, RootTask } from '#planning/operations/shared/plan.ts';
import { computeProgress } from '#planning/rules/progress.ts';
import { computeReadiness } from '#planning/rules/readiness.ts';
import { TaskClaimSchema } from '#tasks/model/task.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { toTaskClaim } from '#tasks/rules/claims.ts';

const Running = strictObject({
  taskId: string(),
  title: string(),
  ...TaskClaimSchema.entries,
  /** The claim protects the task no longer; another agent may take it over. */
  lapsed: optional(literal(true)),
});

export const orchestrateStatus = query({
  name: 'orchestrate.status',
  summary: 'Show which agents work on which tasks',
  params: strictObject({ epic: Root }),
  paramAliases: rootAliases,
  result: strictObject({
    running: array(Running),
    root: optional(RootTask),
    progress: ProgressView,
    wavesLeft: number(),
    ready: number(),
    waiting: number(),
    blocked: number(),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  shares: ['prompts'],
  cli: {
    command: ['orchestrate status', 'orchestrator status'],
    args: ['epic'],
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  example: {
    world: [
      'T001 epic',
      'T002 in T001 active by ada@session-1',
      'T003 in T001 depends T002',
      'session session-1 epic:T001 by lead: Parser',
    ],
    call: { epic: 'T001' },
  },
  async run(ctx, { epic }) {
    const { store, session, config } = ctx;
    const { work, schedule, root } = await computePlan(store, epic ?? session?.scope.root);
    const inside = new Map(work.tasks.filter(({ id }) => !work.ancestors.includes(id)).map(({ id, title }) => [id, title]));
    const { live, lapsed, judge } = await listClaims(ctx);
    const { ready, waiting, blocked } = computeReadiness(schedule, live);
    const running = [...live, ...lapsed]
      .filter(({ taskId }) => inside.has(taskId))
      .map((claim) => ({
        taskId: claim.taskId,
        title: inside.get(claim.taskId)!,
        ...toTaskClaim(claim, config['claims.ttlMinutes'], judge(claim)),
        ...(lapsed.includes(claim) ? { lapsed: true as const } : {}),
      }));
    const status = {
      running,
      ...defined({ root }),
      progress: computeProgress(await countTasks(store, root?.id)),
      wavesLeft: schedule.waves.length,
      ready: ready.length,
      waiting: waiting.length,
      blocked: blocked.length,
    };
    return running.length + schedule.waves.length + blocked.length > 0 ? status : noData(status);
  },
});
