import { boolean, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import type { Scope } from '#core/model/session-handle.ts';
import { Line, Phase } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { TaskReceiptSchema } from '#tasks/model/task.ts';
import { baselineObservations, observeHeadFirst } from '#tasks/operations/shared/baseline.ts';
import { recommendTasks } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { type StartResult, startTask } from '#tasks/operations/shared/task-transitions.ts';
import { findScope, formatScope, isInScope } from '#tasks/rules/scope.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import { SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { formatExports, resolveScope, startSession } from '../shared/sessions.ts';

export const sessionStart = mutation({
  name: 'session.start',
  summary: 'Start a session with a scope and a focus',
  params: strictObject({
    scope: optional(
      pipe(
        string(),
        description('epic:T001, saga:T001, task:T001 (each with everything below it) or global'),
        metadata({ value: 'SCOPE', form: 'global|epic:T001|saga:T001|task:T001' }),
      ),
    ),
    autoFocus: optional(
      pipe(
        boolean(),
        description('Focus the task that next recommends in the scope; default over MCP and HTTP, where false starts without a focus'),
      ),
    ),
    focus: optional(pipe(TaskIdSchema, description('Focus this task instead'))),
    name: optional(pipe(Line, description('Name of the session'))),
    grade: optional(pipe(boolean(), description('Record reads too, so that the session can be graded'))),
    phase: optional(Phase),
    export: optional(
      pipe(boolean(), description('Print shell lines for eval that put a shell into the session'), metadata({ isRare: true })),
    ),
  }),
  paramAliases: { autoStart: 'autoFocus' },
  synonyms: ['begin', 'new', 'create', 'open'],
  result: strictObject({
    session: SessionSummarySchema,
    focus: optional(TaskReceiptSchema),
    released: optional(string()),
    export: optional(string()),
  }),
  errors: [
    'E_SCOPE_INVALID',
    'E_FOCUS_REQUIRED',
    'E_CONCURRENT_SESSION',
    'E_SESSION_EXISTS',
    'E_SCOPE_CONFLICT',
    'E_NOT_FOUND',
    'E_TASK_NOT_IN_SCOPE',
    'E_TASK_CLAIMED',
    'E_TASK_COMPLETED',
    'E_VALIDATION_DEPENDS',
  ],
  tier: 0,
  observes: baselineObservations,
  observeFirst: ({ autoFocus, focus }) => (autoFocus === false && focus === undefined ? [] : observeHeadFirst()),
  cli: { command: 'session start', raw: 'export', view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001 epic', 'T002 in T001'], call: { scope: 'epic:T001', autoFocus: true, name: 'Parser' } },
  async run(ctx, params) {
    // The suggested call must not fail because it names no task.
    const retry = (scope: string) => ctx.commandWith({ scope, ...(params.focus ? {} : { autoFocus: true }) });
    const scope = await resolveScope(ctx.store, params.scope, retry);
    // On the command line a person chooses the task; a program that passes neither flag gets the recommended one.
    const autoFocus = params.autoFocus ?? ctx.gateway !== 'cli';
    if (!autoFocus && !params.focus && ctx.gateway === 'cli') throw await createFocusError(ctx, scope);
    if (params.focus) await checkFocusInScope(ctx, scope, params.focus, retry);
    const session = await startSession(ctx, scope, params);
    const isFocused = autoFocus || params.focus !== undefined;
    const own = { ...ctx, session, caller: { ...ctx.caller, session: session.id } };
    const focused = isFocused ? await startFirstTask(own, params.focus) : undefined;
    return answer(
      {
        session: toSessionSummary(session),
        ...defined({
          focus: focused && toTaskReceipt(focused.task),
          released: focused?.released,
          export: params.export ? formatExports(session) : undefined,
        }),
      },
      { enterSession: session, ...(focused || !isFocused ? {} : { warnings: ['nothing in the scope is ready to start'] }) },
    );
  },
});

/** Rejects a focus outside the scope before the session exists, because the usual fix ends that session. */
async function checkFocusInScope({ store }: MutationContext, scope: Scope, focus: TaskId, retry: (scope: string) => string): Promise<void> {
  const ancestry = await store.tasks.getAncestry(focus);
  if (ancestry.length === 0 || isInScope(scope, ancestry)) return;
  throw new CleoError('E_TASK_NOT_IN_SCOPE', {
    taskId: focus,
    scope: formatScope(scope),
    fix: retry(formatScope(findScope(ancestry).scope)),
  });
}

async function createFocusError(ctx: MutationContext, scope: Scope): Promise<CleoError> {
  const [first] = await recommendTasks(ctx, scope.root, 1);
  return new CleoError('E_FOCUS_REQUIRED', {
    act: 'focus at the start',
    fix: ctx.commandWith({ autoFocus: true }),
    suggestion: first?.taskId,
    focus: ctx.commandWith({ focus: first?.taskId }),
  });
}

/** Starts the given task, else the recommended one, which is always a leaf. */
async function startFirstTask(ctx: MutationContext, id: string | undefined): Promise<StartResult | undefined> {
  const taskId = id ?? (await recommendTasks(ctx, undefined, 1))[0]?.taskId;
  return taskId === undefined ? undefined : startTask(ctx, await requireTask(ctx.store, taskId));
}
