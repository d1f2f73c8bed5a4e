import { array, literal, number, optional, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { claimsOf, countsOf, Progress, planOf, RootTask } from '#planning/operations/shared/plan.ts';
import { progressOf } from '#planning/rules/progress.ts';
import { readiness } from '#planning/rules/readiness.ts';
import { Timestamp } from '#tasks/model/task.ts';
import { Root, rootNames } from '#tasks/operations/shared/root.ts';
import { claimView } from '#tasks/rules/claims.ts';

const Running = strictObject({
  taskId: string(),
  title: string(),
  agent: string(),
  session: optional(string()),
  since: Timestamp,
  until: Timestamp,
  /** Nothing was heard of its holder for too long; another may take it over. */
  lapsed: optional(literal(true)),
});

export const orchestrateStatus = query({
  name: 'orchestrate.status',
  summary: 'Show which agents are at which tasks, and how many waves are left',
  params: strictObject({ epic: Root }),
  paramAliases: rootNames,
  result: strictObject({
    running: array(Running),
    root: optional(RootTask),
    progress: Progress,
    wavesLeft: number(),
    ready: number(),
    waiting: number(),
    blocked: number(),
  }),
  errors: ['E_NOT_FOUND'],
  tier: 2,
  cli: { command: ['orchestrate status', 'orchestrator status'], args: ['epic'] },
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
    const { work, found, root } = await planOf(store, epic ?? session?.scope.root);
    const inside = new Map(work.tasks.filter(({ id }) => !work.above.includes(id)).map(({ id, title }) => [id, title]));
    const { live, lapsed } = await claimsOf(ctx);
    const { ready, waiting, blocked } = readiness(found, live);
    const running = [...live, ...lapsed]
      .filter(({ taskId }) => inside.has(taskId))
      .map((claim) => ({
        taskId: claim.taskId,
        title: inside.get(claim.taskId)!,
        ...claimView(claim, config['claims.ttlMinutes']),
        ...(lapsed.includes(claim) ? { lapsed: true as const } : {}),
      }));
    const status = {
      running,
      ...(root ? { root } : {}),
      progress: progressOf(await countsOf(store, root?.id)),
      wavesLeft: found.waves.length,
      ready: ready.length,
      waiting: waiting.length,
      blocked: blocked.length,
    };
    return running.length + found.waves.length + blocked.length > 0 ? status : noData(status);
  },
});
