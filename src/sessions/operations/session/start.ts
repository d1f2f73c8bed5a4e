import { boolean, description, metadata, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Line, Phase, TaskId } from '#core/model/scalars.ts';
import type { Scope } from '#core/model/session-handle.ts';
import { TaskReceipt } from '#tasks/model/task.ts';
import { type Started, startTask } from '#tasks/operations/shared/moves.ts';
import { recommended } from '#tasks/operations/shared/recommend.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { receiptOf } from '#tasks/rules/view.ts';
import { SessionSummary } from '../../model/session.ts';
import { summaryOf } from '../../rules/session-view.ts';
import { beginSession, exportLines } from '../shared/begin.ts';
import { handleOf, readScope } from '../shared/sessions.ts';

export const sessionStart = mutation({
  name: 'session.start',
  summary: 'Start a session: a scope, a focus, and a handoff at its end',
  params: strictObject({
    scope: optional(
      pipe(
        string(),
        description('What it is about: epic:T001, saga:T001, task:T001 (with all inside) or global'),
        metadata({ value: 'SCOPE' }),
      ),
    ),
    autoFocus: optional(pipe(boolean(), description('Focus what next recommends in the scope; the default over MCP and HTTP'))),
    focus: optional(pipe(TaskId, description('Focus this task instead'))),
    name: optional(pipe(Line, description('What the session is called'))),
    grade: optional(pipe(boolean(), description('Record reads as well, so that the session can be graded'))),
    phase: optional(Phase),
    export: optional(pipe(boolean(), description('Print shell lines that put a shell into the session, for eval'))),
  }),
  paramAliases: { autoStart: 'autoFocus' },
  result: strictObject({
    session: SessionSummary,
    focus: optional(TaskReceipt),
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
  cli: { command: 'session start', raw: 'export' },
  example: { world: ['T001 epic', 'T002 in T001'], call: { scope: 'epic:T001', autoFocus: true, name: 'Parser' } },
  async run(ctx, given) {
    const scope = await readScope(ctx.store, given.scope, (text) => ctx.commandWith({ scope: text }));
    // A person says what to begin with; a program that does not say gets what is recommended.
    const autoFocus = given.autoFocus ?? ctx.gateway !== 'cli';
    if (!autoFocus && !given.focus) throw await focusRequired(ctx, scope);
    const session = await beginSession(ctx, scope, given);
    const joins = handleOf(session);
    const focused = await firstFocus({ ...ctx, session: joins, caller: { ...ctx.caller, session: session.id } }, given.focus);
    return answer(
      {
        session: summaryOf(session),
        ...(focused ? { focus: receiptOf(focused.task) } : {}),
        ...(focused?.released ? { released: focused.released } : {}),
        ...(given.export ? { export: exportLines(session) } : {}),
      },
      { enterSession: joins, ...(focused ? {} : { warnings: ['nothing in the scope is ready to be started'] }) },
    );
  },
});

async function focusRequired(ctx: MutationContext, scope: Scope): Promise<CleoError> {
  const [first] = await recommended(ctx, scope.root, 1);
  return new CleoError('E_FOCUS_REQUIRED', {
    act: 'focus at the start',
    fix: ctx.commandWith({ autoFocus: true }),
    suggestion: first?.taskId,
    focus: ctx.commandWith({ focus: first?.taskId }),
  });
}

/** The task that was named, else what is recommended: a leaf, never the epic itself. */
async function firstFocus(ctx: MutationContext, id: string | undefined): Promise<Started | undefined> {
  const chosen = id ?? (await recommended(ctx, undefined, 1))[0]?.taskId;
  return chosen === undefined ? undefined : startTask(ctx, await requireTask(ctx.store, chosen));
}
