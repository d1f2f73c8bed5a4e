import '#sessions/errors.ts';
import { boolean, description, literal, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import type { Scope } from '#core/model/session-handle.ts';
import { Line, Phase } from '#core/model/texts.ts';
import { withArticle } from '#lib/noun.ts';
import { analysisFields, analyzePlan, computePlan } from '#planning/operations/shared/plan.ts';
import { SessionSummarySchema } from '#sessions/model/session.ts';
import { formatExports, startSession } from '#sessions/operations/shared/sessions.ts';
import { toSessionSummary } from '#sessions/rules/session-view.ts';
import { rootAliases } from '#tasks/operations/shared/params.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import { findScope, formatScope } from '#tasks/rules/scope.ts';
import { defaultSpawnBudget, SpawnBudgetParam } from '../model/spawn.ts';

export const orchestrateStart = mutation({
  name: 'orchestrate.start',
  summary: 'Start a session to orchestrate an epic or saga',
  params: strictObject({
    epic: pipe(TaskIdSchema, description('The epic or saga')),
    name: optional(pipe(Line, description('Session name'))),
    grade: optional(pipe(boolean(), description('Record reads too, so that the session can be graded'))),
    phase: optional(Phase),
    budget: optional(SpawnBudgetParam),
    export: optional(pipe(boolean(), description('Print shell lines for eval that enter the session'))),
  }),
  paramAliases: rootAliases,
  result: strictObject({
    session: SessionSummarySchema,
    /** Tier of protocol text that an agent in this session needs: `cleo inject orchestrator`. */
    tier: literal('orchestrator'),
    ...analysisFields,
    export: optional(string()),
  }),
  errors: ['E_NOT_FOUND', 'E_SCOPE_INVALID', 'E_CONCURRENT_SESSION', 'E_SESSION_EXISTS', 'E_SCOPE_CONFLICT'],
  startsSession: true,
  tier: 2,
  cli: {
    command: ['orchestrate start', 'orchestrator start'],
    args: ['epic'],
    raw: 'export',
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], call: { epic: 'T001', name: 'Parser' } },
  async run(ctx, { epic, budget, ...options }) {
    const session = await startSession(ctx, await requireOrchestrationScope(ctx, epic), options);
    const orchestrator = { ...ctx.caller, session: session.id };
    await ctx.store.spawns.saveBudget(orchestrator, { used: 0, max: budget ?? defaultSpawnBudget }, ctx.now);
    return answer(
      {
        session: toSessionSummary(session),
        tier: 'orchestrator' as const,
        ...(await analyzePlan(ctx, await computePlan(ctx.store, epic))),
        ...(options.export ? { export: formatExports(session) } : {}),
      },
      { enterSession: session },
    );
  },
});

/** Returns the scope of an epic or saga. Throws E_SCOPE_INVALID for a task, which is worked on and not orchestrated. */
async function requireOrchestrationScope(ctx: MutationContext, root: TaskId): Promise<Scope> {
  const ancestry = await ctx.store.tasks.getAncestry(root);
  const [self] = ancestry;
  if (!self) throw await createNotFoundError(ctx.store, root);
  const { scope, epicId } = findScope(ancestry);
  if (scope.root === root && scope.kind !== 'task') return scope;
  throw new CleoError('E_SCOPE_INVALID', {
    scope: `${self.type}:${root}`,
    problem: `${root} is ${withArticle(self.type)}; only an epic or a saga can be orchestrated`,
    fix: ctx.commandAs(epicId ? ['orchestrate', 'start', epicId] : ['session', 'start', '--scope', formatScope(scope), '--auto-focus']),
  });
}
