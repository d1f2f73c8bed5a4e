import { boolean, description, optional, pipe, strictObject } from 'valibot';
import { answer, type MutationContext, mutation, noChange } from '#core/define.ts';
import { NoteText } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { TaskReceiptSchema, type TaskRecord } from '#tasks/model/task.ts';
import { createNotes } from '#tasks/operations/shared/create-task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { releaseTask } from '#tasks/operations/shared/task-transitions.ts';
import { toTaskReceipt } from '#tasks/rules/view.ts';
import { HandoffSchema, SessionSummarySchema } from '../../model/session.ts';
import { toSessionSummary } from '../../rules/session-view.ts';
import { anotherSessionScope, closeSession, isLeaving, leaveSession, releaseClaims, requireMayStop } from '../shared/close-session.ts';
import { requireOwnSession } from '../shared/sessions.ts';

const defaultReason = 'Stopped safely';

export const sessionSafestop = mutation({
  name: 'session.safestop',
  summary: 'Note the focus, write the handoff and end the session',
  params: strictObject({
    reason: optional(pipe(NoteText, description('Why you stop and how far the work is, for the next agent'))),
    keep: optional(pipe(boolean(), description('Keep the claim and only suspend the session, to resume it yourself'))),
  }),
  result: strictObject({ session: optional(SessionSummarySchema), task: optional(TaskReceiptSchema), handoff: optional(HandoffSchema) }),
  errors: ['E_SESSION_REQUIRED'],
  tier: 1,
  scope: anotherSessionScope,
  cli: { command: ['safestop', 'session safestop'], view: async () => (await import('../../view.ts')).sessionView },
  example: { world: ['T001', 'session session-1 task:T001 by tester: Parser'], call: { reason: 'The context is nearly full' } },
  async run(ctx, { reason, keep }) {
    const { store, session, isAmbiguous } = ctx;
    if (!session && !isAmbiguous) return stopWithoutSession(ctx, reason ?? defaultReason, keep === true);
    const own = await requireOwnSession(ctx, 'stop');
    if (own.status === 'ended' || (own.status === 'suspended' && keep))
      return noChange({ session: toSessionSummary(own), ...defined({ handoff: own.handoff }) });
    // A session that was suspended with a note ends with it.
    const text = reason ?? (own.status === 'suspended' ? own.note : undefined) ?? defaultReason;
    const isPart = await isLeaving(ctx, own);
    await requireMayStop(ctx, own, { act: 'end', note: reason });
    // The session of another agent is not suspended: the caller keeps its claim in it.
    if (isPart && keep) return stopWithoutSession(ctx, text, true);
    const task = (await appendFocusNote(ctx, text))?.task;
    if (isPart) {
      const { session: after } = await leaveSession(ctx, own, text);
      const left = task && (await requireTask(store, task.id));
      const result = { session: toSessionSummary(after), ...(left ? { task: toTaskReceipt(left) } : {}), handoff: after.handoff };
      return answer(result, { leaveSession: true });
    }
    if (!keep) await releaseClaims(ctx, own.id);
    const stopped = await closeSession(ctx, own, keep ? 'suspended' : 'ended', text);
    const left = task && (await requireTask(store, task.id));
    return { session: toSessionSummary(stopped), ...(left ? { task: toTaskReceipt(left) } : {}), handoff: stopped.handoff };
  },
});

/** Without a session, only the focus has to be released. */
async function stopWithoutSession(ctx: MutationContext, text: string, keepsClaim: boolean) {
  const focus = await appendFocusNote(ctx, text);
  if (!focus) return noChange({});
  if (!keepsClaim) return { task: toTaskReceipt(await releaseTask(ctx, focus.task)) };
  const result = { task: toTaskReceipt(focus.task) };
  return focus.isNew ? result : noChange(result);
}

/** Appends `text` to the notes of the focused task, unless its last note is the same. */
async function appendFocusNote(ctx: MutationContext, text: string): Promise<{ task: TaskRecord; isNew: boolean } | undefined> {
  const focus = await ctx.store.claims.getHeldBy(ctx.caller);
  if (!focus) return undefined;
  const task = await requireTask(ctx.store, focus.taskId);
  const last = (await ctx.store.tasks.getNotes([task.id])).get(task.id)?.at(-1);
  const notes = createNotes(ctx, text).filter((note) => note.text !== last?.text || note.by !== last.by);
  await ctx.store.tasks.appendNotes(task, notes);
  return { task, isNew: notes.length > 0 };
}
