import { boolean, description, literal, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Line, Phase, TaskId } from '#core/model/scalars.ts';
import type { Scope } from '#core/model/session-handle.ts';
import { analysis, analyze, planOf } from '#planning/operations/shared/plan.ts';
import { SessionSummary } from '#sessions/model/session.ts';
import { beginSession, exportLines } from '#sessions/operations/shared/begin.ts';
import { handleOf } from '#sessions/operations/shared/sessions.ts';
import { summaryOf } from '#sessions/rules/session-view.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import { rootNames } from '#tasks/operations/shared/root.ts';
import { scopeFor, scopeText } from '#tasks/rules/scope.ts';
import { defaultBudget } from '../model/spawn.ts';
import { Budget } from './shared/budget.ts';

export const orchestrateStart = mutation({
  name: 'orchestrate.start',
  summary: 'Start a session on an epic or saga to hand out its work: focuses nothing, answers with the plan',
  params: strictObject({
    epic: pipe(TaskId, description('The epic or saga')),
    name: optional(pipe(Line, description('What the session is called'))),
    grade: optional(pipe(boolean(), description('Record reads as well, so that the session can be graded'))),
    phase: optional(Phase),
    budget: optional(Budget),
    export: optional(pipe(boolean(), description('Print shell lines that put a shell into the session, for eval'))),
  }),
  paramAliases: rootNames,
  result: strictObject({
    session: SessionSummary,
    /** How much of the protocol an agent in this session needs: `cleo inject orchestrator`. */
    tier: literal('orchestrator'),
    ...analysis,
    export: optional(string()),
  }),
  errors: ['E_NOT_FOUND', 'E_SCOPE_INVALID', 'E_CONCURRENT_SESSION', 'E_SESSION_EXISTS', 'E_SCOPE_CONFLICT'],
  beginsSession: true,
  tier: 2,
  cli: { command: ['orchestrate start', 'orchestrator start'], args: ['epic'], raw: 'export' },
  example: { world: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], call: { epic: 'T001', name: 'Parser' } },
  async run(ctx, { epic, budget, ...given }) {
    const session = await beginSession(ctx, await scopeOf(ctx, epic), given);
    const orchestrator = { ...ctx.caller, session: session.id };
    await ctx.store.spawns.keepBudget(orchestrator, { used: 0, max: budget ?? defaultBudget }, ctx.now);
    return answer(
      {
        session: summaryOf(session),
        tier: 'orchestrator' as const,
        ...(await analyze(ctx.store, await planOf(ctx.store, epic))),
        ...(given.export ? { export: exportLines(session) } : {}),
      },
      { enterSession: handleOf(session) },
    );
  },
});

/** A task is worked on, not handed out. */
async function scopeOf(ctx: MutationContext, root: TaskId): Promise<Scope> {
  const ancestry = await ctx.store.tasks.ancestry(root);
  const [self] = ancestry;
  if (!self) throw await notFound(ctx.store, root);
  const { scope, epicId } = scopeFor(ancestry);
  if (scope.root === root && scope.kind !== 'task') return scope;
  throw new CleoError('E_SCOPE_INVALID', {
    scope: `${self.type}:${root}`,
    problem: `${root} is a ${self.type}; what is handed out is an epic or a saga`,
    fix: ctx.commandAs(epicId ? ['orchestrate', 'start', epicId] : ['session', 'start', '--scope', scopeText(scope), '--auto-focus']),
  });
}
